package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"
)

func TestWatchPrintsOneObjectPerChange(t *testing.T) {
	dir := copyTree(t)
	p := newProcess(t, "check", "--watch", "--json", dir)
	out := bufio.NewReader(p.holdOutput())
	p.start()
	next := func() (report struct {
		OK       bool     `json:"ok"`
		Time     string   `json:"time"`
		Changed  []string `json:"changed"`
		Message  string   `json:"message"`
		Errors   []any    `json:"errors"`
		Warnings []any    `json:"warnings"`
	},
	) {
		t.Helper()
		line, err := out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v; standard error: %s", err, &p.stderr)
		}
		if err := json.Unmarshal(line, &report, json.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		return report
	}
	if r := next(); !r.OK || len(r.Changed) != 2 || r.Time == "" {
		t.Errorf("got %+v at first, want two valid releases", r)
	}
	radar := filepath.Join(dir, betaFolder, "elements/radar.yaml")
	replace(t, radar, "category_id: sensing", "category_id: sensnig")
	if r := next(); r.OK || len(r.Errors) != 1 || len(r.Changed) != 1 || r.Changed[0] != beta {
		t.Errorf("got %+v, want one error in %s", r, beta)
	}
	moved := dir + "-moved"
	t.Cleanup(func() { os.RemoveAll(moved) })
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if r, want := next(), fmt.Sprintf("%q does not exist.", dir); r.OK || r.Message != want {
		t.Errorf("got %+v, want the message %s", r, want)
	}
	replace(t, filepath.Join(moved, betaFolder, "elements/radar.yaml"), "category_id: sensnig", "category_id: sensing")
	if err := os.Rename(moved, dir); err != nil {
		t.Fatal(err)
	}
	if r := next(); !r.OK || r.Message != "" {
		t.Errorf("got %+v, want a valid tree", r)
	}
	p.interrupt(syscall.SIGINT, exitOK)
	if p.stderr.Len() > 0 {
		t.Errorf("got %q on standard error, want nothing", &p.stderr)
	}
}

func TestWatchRefreshesSchemas(t *testing.T) {
	dir := copyTree(t)
	if p := runProcess(t, "schema", "--write", dir); p.wait() != exitOK {
		t.Fatalf("schema: %s", &p.stderr)
	}
	p := newProcess(t, "check", "--watch", "--json", dir)
	out := bufio.NewReader(p.holdOutput())
	p.start()
	next := func() string {
		t.Helper()
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	next()
	symbols := filepath.Join(dir, betaFolder, "symbols")
	completes := func(id string) func() bool {
		return func() bool {
			schema, err := os.ReadFile(filepath.Join(dir, betaFolder, ".schema/element.json"))
			return err == nil && strings.Contains(string(schema), `"`+id+`"`)
		}
	}
	for _, id := range []string{"first_new_symbol", "second_new_symbol"} {
		if err := os.CopyFS(symbols, fstest.MapFS{id + ".svg": {Data: readFile(t, filepath.Join(symbols, "radar.svg")), Mode: 0o644}}); err != nil {
			t.Fatal(err)
		}
		// Writing the schemas must not cause a report: the next one is about the symbol.
		if line := next(); !strings.Contains(line, id) {
			t.Errorf("got %s, want a warning about %s", line, id)
		}
		p.until("a schema with "+id, completes(id))
	}
	p.interrupt(syscall.SIGINT, exitOK)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWatchSeparatesTextsInAPipe(t *testing.T) {
	dir := copyTree(t)
	p := newProcess(t, "check", "--watch", "--strict", dir)
	out := bufio.NewReader(p.holdOutput())
	p.start()
	until := func(pattern string) (lines []string) {
		t.Helper()
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatalf("waiting for %s: %v", pattern, err)
			}
			lines = append(lines, strings.TrimSuffix(line, "\n"))
			if regexp.MustCompile(pattern).MatchString(line) {
				return lines
			}
		}
	}
	if got := until("checked"); len(got) != 1 || got[0] != "2 releases checked: 0 errors, 0 warnings." {
		t.Errorf("got %q at first, want only the summary", got)
	}
	radar := filepath.Join(dir, betaFolder, "elements/radar.yaml")
	f, err := os.OpenFile(radar, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "colour: red")
	got := until("--strict")
	if text := strings.Join(got, "\n"); !regexp.MustCompile(`^--- \d\d:\d\d:\d\d$`).MatchString(got[0]) ||
		!strings.Contains(text, "[FIELD_UNKNOWN]") || !strings.Contains(text, "2 releases checked: 0 errors, 1 warning.") || strings.Contains(text, "\x1b") {
		t.Errorf("got %q, want a line with the time, the finding and the summary", got)
	}
	p.interrupt(syscall.SIGTERM, exitOK)
}

// A terminal gets the same text as a pipe.
func TestWatchPrintsErrorsOfSchemas(t *testing.T) {
	dir := copyTree(t)
	// A folder cannot be replaced with a schema.
	if err := os.MkdirAll(filepath.Join(dir, betaFolder, ".schema/meta.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	terminal := newTerminal(t)
	p := newProcess(t, "check", "--watch", dir)
	terminal.connect(p)
	p.start()
	terminal.until("2 releases checked: 0 errors, 0 warnings.\r\n")
	terminal.until(`meta.json" is not a regular file`)
	replace(t, filepath.Join(dir, betaFolder, "elements/radar.yaml"), "category_id: sensing", "category_id: sensnig")
	terminal.until("--- ")
	terminal.until("2 releases checked: 1 error, 0 warnings.\r\n")
	p.interrupt(syscall.SIGINT, exitOK)
}
