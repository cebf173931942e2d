package main

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"placard/scripts/envtest"
)

// documentSetup contains commands to run before each console block of a
// document, unless it continues another. Every block starts in a folder that
// contains only links to the builtin and docs folders of the repository.
var documentSetup = map[string][]string{
	"README.md": {
		`sed 's/"acts_alone"/"alone"/' builtin/tree/place/2026-06-01-stable/examples/smart_crossing.json > crossing.json`,
	},
	"docs/api.md": {
		"placard serve &",
		"cp builtin/tree/place/2026-06-01-stable/examples/smart_crossing.json crossing.json",
	},
	"docs/authoring.md": {"cp -r docs/example taxonomy"},
	"docs/disclosure.md": {
		"placard serve &",
		"sed -n '/^```json$/,/^```$/p' docs/disclosure.md | sed '1d;$d' > counter.json",
		"sed s/people_counter/people_countr/ counter.json > draft.json",
	},
	"docs/mcp.md": {"placard serve &"},
}

func TestDocumentsShowRealOutput(t *testing.T) {
	root := repositoryRoot(t)
	unused := maps.Clone(documentSetup)
	for _, document := range documents(t, root) {
		if !slices.ContainsFunc(document.blocks, func(b block) bool { return b.kind == "console" }) {
			continue
		}
		delete(unused, document.name)
		t.Run(document.name, func(t *testing.T) {
			c := console{t: t, servers: make(map[string]string), outputs: make(map[string]string), handles: make(map[string]string)}
			files := make(map[string]string)
			for _, b := range document.blocks {
				if name, ok := b.fileName(); ok {
					files[name] = b.text
				}
				if b.kind != "console" {
					continue
				}
				if !b.continued {
					t.Chdir(documentFolder(t, root))
					for _, command := range documentSetup[document.name] {
						c.run(example{command: command})
					}
					for name, text := range files {
						c.writeFile(name, text)
					}
				}
				for _, e := range b.examples() {
					c.run(e)
				}
			}
		})
	}
	for document := range unused {
		t.Errorf("%s has no console blocks, but commands to prepare them", document)
	}
}

// documentFolder returns a new folder with links to the folders of the
// repository that examples use.
func documentFolder(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"builtin", "docs"} {
		if err := os.Symlink(filepath.Join(root, folder), filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// example is a command in a console block and its documented output.
type example struct{ command, output string }

// examples returns the commands in a console block. Lines that begin with "> "
// continue a command.
func (b block) examples() []example {
	var examples []example
	for line := range strings.Lines(b.text) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		continuation, isContinuation := strings.CutPrefix(line, "> ")
		switch last := len(examples) - 1; {
		case isCommand:
			examples = append(examples, example{command: command})
		case isContinuation:
			examples[last].command += continuation
		default:
			examples[last].output += line
		}
	}
	return examples
}

// console runs commands. Servers listen on free ports instead of the documented
// ones, and return other handles.
type console struct {
	t       *testing.T
	servers map[string]string // addresses by documented port
	outputs map[string]string // of servers, with documented addresses
	handles map[string]string // by documented handle
	// endpoint is that of an S3 server, which is started when an example uses it.
	endpoint string
}

// documentedEndpoint is the endpoint of the S3 server in examples.
const documentedEndpoint = "https://s3.example.org"

var (
	serveCommand  = regexp.MustCompile(`^placard serve(.*) &$`)
	addrFlag      = regexp.MustCompile(` --(admin-)?addr localhost:(\d+)`)
	localAddress  = regexp.MustCompile(`(?:localhost|127\.0\.0\.1):(\d+)`)
	handlePattern = regexp.MustCompile(`doc_[A-Z2-7]{26}`)
)

// run runs the command and compares its output with the documented one.
func (c *console) run(e example) {
	c.t.Helper()
	command := strings.TrimSpace(e.command)
	if serve := serveCommand.FindStringSubmatch(command); serve != nil {
		c.serve(serve[1], e.output)
		return
	}
	program, _, _ := strings.Cut(command, " ")
	path := os.Getenv("PATH")
	switch program {
	case "curl":
		envtest.Program(c.t, program)
	case "node", "npx":
		if program == "npx" && !envtest.Long {
			return // generating and checking types takes as long as all other examples
		}
		// The packages are already installed, so npx is not needed.
		command = strings.TrimPrefix(command, "npx ")
		modules := filepath.Join(envtest.NPM(c.t), "node_modules")
		path = strings.Join([]string{filepath.Dir(envtest.Node(c.t)), filepath.Join(modules, ".bin"), path}, string(os.PathListSeparator))
		if err := os.Symlink(modules, "node_modules"); err != nil && !errors.Is(err, fs.ErrExist) {
			c.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", c.translate(command))
	cmd.Env = append(os.Environ(), "no_proxy=*", "PATH="+path)
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
	if documented := handlePattern.FindString(want); documented != "" {
		c.handles[documented] = string(handlePattern.Find(output))
	}
}

// translate replaces the documented addresses of servers and the documented handles
// with the real ones.
func (c *console) translate(text string) string {
	c.t.Helper()
	if strings.Contains(text, documentedEndpoint) {
		if c.endpoint == "" {
			c.endpoint = endpointOf(c.t, newBucket(c.t))
		}
		return strings.ReplaceAll(text, documentedEndpoint, c.endpoint)
	}
	text = handlePattern.ReplaceAllStringFunc(text, func(documented string) string { return c.handles[documented] })
	return localAddress.ReplaceAllStringFunc(text, func(address string) string {
		server, ok := c.servers[localAddress.FindStringSubmatch(address)[1]]
		if !ok {
			c.t.Fatalf("%s: no server listens on %s", text, address)
		}
		return server
	})
}

// writeFile writes a file that a document shows.
func (c *console) writeFile(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(name, []byte(c.translate(text)), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// serve starts a server, unless one is already running for the port, and
// compares its output.
func (c *console) serve(flags, output string) {
	c.t.Helper()
	ports := map[string]string{"": "8080"} // by prefix of the flag
	for _, addr := range addrFlag.FindAllStringSubmatch(flags, -1) {
		ports[addr[1]] = addr[2]
	}
	port, adminPort := ports[""], ports["admin-"]
	if c.servers[port] == "" {
		args := strings.Fields(addrFlag.ReplaceAllString(flags, ""))
		if adminPort != "" {
			args = append(args, "--admin-addr", "127.0.0.1:0")
		}
		d := start(c.t, args...)
		c.servers[port] = strings.TrimPrefix(d.url, "http://")
		c.outputs[port] = "Listening on http://127.0.0.1:" + port + "\n" // start has read this line
		if adminPort != "" {
			line := d.line()
			c.servers[adminPort] = localAddress.FindString(line)
			c.outputs[port] += strings.Replace(line, c.servers[adminPort], "127.0.0.1:"+adminPort, 1) + "\n"
		}
		d.ready()
	}
	if got := c.outputs[port]; output != "" && strings.TrimSpace(output) != strings.TrimSpace(got) {
		c.t.Errorf("placard serve%s\ngot:\n%s\nwant:\n%s", flags, got, output)
	}
}

var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// outputPattern returns a pattern for the output that a document shows. An
// ellipsis matches any text, a timestamp any timestamp, and a handle any handle.
func outputPattern(documented string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(strings.TrimSpace(documented))
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	pattern = timestamp.ReplaceAllLiteralString(pattern, timestamp.String())
	pattern = handlePattern.ReplaceAllLiteralString(pattern, handlePattern.String())
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
		{"doc_AAAAAAAAAAAAAAAAAAAAAAAAAA", "doc_BBBBBBBBBBBBBBBBBBBBBBBBBB", true},
		{"doc_AAAAAAAAAAAAAAAAAAAAAAAAAA", "doc_", false},
	} {
		if got := outputPattern(test.documented).MatchString(test.output); got != test.want {
			t.Errorf("%q matches %q: got %t, want %t", test.documented, test.output, got, test.want)
		}
	}
}
