package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"placard/internal/testenv"
)

// documentSetup contains commands to run before each console block of a
// document. Every block starts in a folder that contains only links to the
// builtin and docs folders of the repository.
var documentSetup = map[string][]string{
	"README.md": {
		`sed 's/"acts_alone"/"alone"/' builtin/tree/place/2026-06-01-stable/examples/smart_crossing.json > crossing.json`,
	},
	"docs/api.md": {
		"placard serve &",
		"cp builtin/tree/place/2026-06-01-stable/examples/smart_crossing.json crossing.json",
	},
	"docs/authoring.md": {"cp -r docs/example taxonomy"},
	"docs/mcp.md":       {"placard serve &"},
}

func TestDocumentsShowRealOutput(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(documentSetup)
	for _, name := range append(names, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		document, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := consoleBlocks(string(text))
		if len(blocks) == 0 {
			continue
		}
		delete(unused, document)
		t.Run(document, func(t *testing.T) {
			c := console{t: t, servers: make(map[string]*daemon)}
			for _, block := range blocks {
				dir := t.TempDir()
				for _, folder := range []string{"builtin", "docs"} {
					if err := os.Symlink(filepath.Join(root, folder), filepath.Join(dir, folder)); err != nil {
						t.Fatal(err)
					}
				}
				t.Chdir(dir)
				for _, command := range documentSetup[document] {
					c.run(example{command: command})
				}
				for _, e := range block {
					c.run(e)
				}
			}
		})
	}
	for document := range unused {
		t.Errorf("%s has no console blocks, but commands to prepare them", document)
	}
}

// example is a command in a console block and its documented output.
type example struct{ command, output string }

var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// consoleBlocks returns the commands in each console block of a document.
// Lines that begin with "> " continue a command.
func consoleBlocks(document string) [][]example {
	var blocks [][]example
	for _, match := range consoleBlock.FindAllStringSubmatch(document, -1) {
		var block []example
		for line := range strings.Lines(match[1]) {
			command, isCommand := strings.CutPrefix(line, "$ ")
			continuation, isContinuation := strings.CutPrefix(line, "> ")
			switch last := len(block) - 1; {
			case isCommand:
				block = append(block, example{command: command})
			case isContinuation:
				block[last].command += continuation
			default:
				block[last].output += line
			}
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// console runs commands. Servers listen on free ports instead of the documented
// ones.
type console struct {
	t       *testing.T
	servers map[string]*daemon // by documented port
}

var (
	serveCommand = regexp.MustCompile(`^placard serve(.*) &$`)
	addrFlag     = regexp.MustCompile(` --addr localhost:(\d+)`)
	localAddress = regexp.MustCompile(`(?:localhost|127\.0\.0\.1):(\d+)`)
)

// run runs the command and compares its output with the documented one.
func (c *console) run(e example) {
	c.t.Helper()
	command := strings.TrimSpace(e.command)
	if serve := serveCommand.FindStringSubmatch(command); serve != nil {
		c.serve(serve[1])
		return
	}
	if strings.HasPrefix(command, "curl ") {
		testenv.Program(c.t, "curl")
	}
	command = localAddress.ReplaceAllStringFunc(command, func(address string) string {
		server, ok := c.servers[localAddress.FindStringSubmatch(address)[1]]
		if !ok {
			c.t.Fatalf("%s: no server listens on %s", command, address)
		}
		return strings.TrimPrefix(server.url, "http://")
	})
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", command)
	cmd.Env = append(os.Environ(), "no_proxy=*")
	output, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	output = bytes.ReplaceAll(output, []byte("\r\n"), []byte("\n"))
	want := e.output
	if strings.HasPrefix(command, "curl -s ") {
		want = strings.ReplaceAll(want, "\n", "") // JSON is wrapped in documents
	}
	if !outputPattern(want).Match(output) {
		c.t.Errorf("%s\ngot:\n%s\nwant:\n%s", command, output, want)
	}
}

// serve starts a server, unless one is already running for the port.
func (c *console) serve(flags string) {
	c.t.Helper()
	port := "8080"
	if addr := addrFlag.FindStringSubmatch(flags); addr != nil {
		port = addr[1]
	}
	if c.servers[port] == nil {
		d := start(c.t, strings.Fields(addrFlag.ReplaceAllString(flags, ""))...)
		d.ready()
		c.servers[port] = d
	}
}

var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// outputPattern returns a pattern for the output that a document shows. An
// ellipsis matches any text, and a timestamp matches any timestamp.
func outputPattern(documented string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(strings.TrimSpace(documented))
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	pattern = timestamp.ReplaceAllLiteralString(pattern, timestamp.String())
	return regexp.MustCompile(`(?s)^` + pattern + `\s*$`)
}

func TestOutputPattern(t *testing.T) {
	for _, test := range []struct {
		documented, output string
		want               bool
	}{
		{"", "", true},
		{"", "sh: not found\n", false},
		{"one\ntwo\n\n", "one\ntwo\n", true},
		{"one\n", "one\ntwo\n", false},
		{"one\n…\n", "one\ntwo\nthree\n", true},
		{`{"id":"…"}`, `{"id":"x"}`, true},
		{`{"id":"…"}`, `{"ID":"x"}`, false},
		{"a.b", "axb", false},
		{"at 2026-11-15T02:36:26Z\n", "at 2027-01-01T00:00:00Z\n", true},
		{"at 2026-11-15T02:36:26Z\n", "at noon\n", false},
	} {
		if got := outputPattern(test.documented).MatchString(test.output); got != test.want {
			t.Errorf("%q matches %q: got %t, want %t", test.documented, test.output, got, test.want)
		}
	}
}
