package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"placard/internal/core/datachain"
	"placard/internal/core/source"
	"placard/internal/serve/query"
)

var update = flag.Bool("update", false, "rewrite the generated documents")

// golden compares a generated document with the file, or rewrites the file with
// -update.
func golden(t *testing.T, file string, page []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(page)); diff != "" {
		t.Errorf("%s is stale; run make generate (-file +generated):\n%s", file, diff)
	}
}

func TestCommandLineReferenceIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	page.WriteString("# Command line\n\n<!-- Generated from the help texts by make generate. -->\n\n" +
		"`placard` is a single file; [how to get it](disclosure.md#get-the-program).\n")
	root := newRoot()
	listCommands(&page, root)
	describe(&page, root)
	golden(t, "../../docs/cli.md", page.Bytes())
}

// listCommands writes the table of contents.
func listCommands(w *bytes.Buffer, root *cobra.Command) {
	w.WriteString("\n| | |\n|---|---|\n")
	for _, group := range root.Groups() {
		var links []string
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				links = append(links, fmt.Sprintf("[%s](#placard-%s)", cmd.Name(), cmd.Name()))
			}
		}
		fmt.Fprintf(w, "| %s | %s |\n", strings.TrimSuffix(group.Title, ":"), strings.Join(links, ", "))
	}
}

func describe(w *bytes.Buffer, cmd *cobra.Command) {
	if cmd.HasParent() && !cmd.IsAvailableCommand() && cmd.Name() != "help" {
		return
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(w, "\n## %s\n\n%s\n", cmd.CommandPath(), text)
	if cmd.Runnable() {
		fmt.Fprintf(w, "\n```\n%s\n```\n", cmd.UseLine())
	}
	if flags := cmd.NonInheritedFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\n```\n%s```\n", flags.FlagUsages())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n\n```\n%s\n```\n", cmd.Example)
	}
	for _, sub := range cmd.Commands() {
		describe(w, sub)
	}
}

func TestCodeReferenceIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(`# Codes

<!-- Generated from the rule tables by make generate. -->

Every finding and every error has a code. Codes are stable: new ones may be
added, but none is ever renamed or removed. "placard explain CODE" prints a
single entry with a complete example, and GET /api/v2/codes returns all of them.
`)
	for _, c := range query.Codes() {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n%s\n\nSeverity: %s. Raised by: %s.\n", c.Code, c.Title, c.Why, c.Severities(), strings.Join(c.RaisedBy, ", "))
		if c.Example != "" {
			fmt.Fprintf(&page, "\nThe lines of an example that violate it:\n\n```\n%s\n```\n", excerpt(c.Group, validText(c.Example)))
		}
	}
	golden(t, "../../docs/rules.md", page.Bytes())
}

// excerpt returns the lines of an example that differ from valid input, with the lines
// next to them.
func excerpt(group query.Group, example string) string {
	switch {
	case group == query.Documents:
		thin, resolved := datachain.ExampleDocuments()
		if datachain.IsResolved([]byte(example)) {
			thin = resolved
		}
		return changedLines(thin, example)
	case !strings.HasPrefix(example, "-- "):
		return strings.TrimRight(example, "\n")
	}
	valid := make(map[string]string)
	for _, f := range txtar.Parse([]byte(source.Minimal)).Files {
		valid[f.Name] = string(f.Data)
	}
	var files []string
	for _, f := range txtar.Parse([]byte(example)).Files {
		text := "-- " + f.Name + " --"
		if len(f.Data) > 0 {
			text += "\n" + changedLines(valid[f.Name], string(f.Data))
		}
		files = append(files, text)
	}
	return strings.Join(files, "\n")
}

// changedLines returns the lines of a text that are not in the valid one, with the lines
// next to them and … for the rest.
func changedLines(valid, text string) string {
	const maxLines, maxLength = 20, 160
	a, b := strings.Split(strings.TrimSpace(valid), "\n"), strings.Split(strings.TrimSpace(text), "\n")
	common := make([][]int, len(a)+1) // lengths of the longest common subsequences of the rests
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	shown := make([]bool, len(b)+2) // by line, counted from 1
	show := func(j int) { shown[max(j-1, 0)], shown[j], shown[min(j+1, len(b))] = true, true, true }
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j < len(b) && (i == len(a) || common[i][j+1] >= common[i+1][j]):
			j++
			show(j)
		default:
			i++
			shown[j], shown[min(j+1, len(b))] = true, true
		}
	}
	var lines []string
	for j, line := range b {
		switch {
		case shown[j+1] && len(lines) < maxLines:
			if runes := []rune(line); len(runes) > maxLength {
				line = string(runes[:maxLength]) + "…"
			}
			lines = append(lines, line)
		case len(lines) == 0 || lines[len(lines)-1] != "…":
			lines = append(lines, "…")
		}
	}
	return strings.Join(lines, "\n")
}

// TestCodesOnlyGrow ensures that no code is renamed or removed.
func TestCodesOnlyGrow(t *testing.T) {
	const file = "testdata/codes.txt"
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	codes := codeNames()
	slices.Sort(codes)
	if duplicates := len(codes) - len(slices.Compact(slices.Clone(codes))); duplicates > 0 {
		t.Errorf("the tables contain %d duplicate codes", duplicates)
	}
	for code := range strings.Lines(string(known)) {
		if code = strings.TrimSpace(code); !slices.Contains(codes, code) {
			t.Errorf("%s was removed; codes are permanent", code)
		}
	}
	if *update && !t.Failed() {
		golden(t, file, []byte(strings.Join(codes, "\n")+"\n"))
	}
	for _, code := range codes {
		if !*update && !strings.Contains("\n"+string(known), "\n"+code+"\n") {
			t.Errorf("%s is new; run make generate to add it to %s", code, file)
		}
	}
}
