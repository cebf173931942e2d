package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// generatedDocuments are compared as a whole by other tests. Their blocks have
// no language.
var generatedDocuments = []string{"docs/cli.md", "docs/rules.md"}

// blockChecks contains a check for each language of code blocks.
var blockChecks = map[string]func(*testing.T, block){
	"console": func(*testing.T, block) {}, // see TestDocumentsShowRealOutput
	"haproxy": checkBalancer,
	"js":      checkEdgeFunction,
	"json":    checkJSON,
	"nginx":   checkProxy,
	"sh":      checkShell,
	"text":    checkText,
	"ts":      checkProgram,
	"xml":     checkSymbol,
	"yaml":    checkYAML,
}

func TestCodeBlocksAreValid(t *testing.T) {
	unused := maps.Clone(blockChecks)
	for _, document := range documents(t, repositoryRoot(t)) {
		if slices.Contains(generatedDocuments, document.name) {
			continue
		}
		for _, b := range document.blocks {
			check := blockChecks[b.kind]
			if check == nil {
				t.Errorf("%s:%d: no test checks blocks in the language %q", b.document, b.line, b.kind)
				continue
			}
			delete(unused, b.kind)
			t.Run(b.document+" "+b.kind, func(t *testing.T) {
				t.Logf("%s:%d", b.document, b.line)
				check(t, b)
			})
		}
	}
	for kind := range unused {
		t.Errorf("no document has a block in the language %q", kind)
	}
}

// placard runs a command and returns its exit status and its output.
func placard(t *testing.T, stdin string, args ...string) (status int, output string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), runAsPlacard+"=1")
	cmd.Stdin = strings.NewReader(stdin)
	data, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}

// exampleTree returns a copy of the example taxonomy, and the folder of its
// release.
func exampleTree(t *testing.T) (tree, folder string) {
	t.Helper()
	tree = filepath.Join(t.TempDir(), "taxonomy")
	if err := os.CopyFS(tree, os.DirFS("../../docs/example")); err != nil {
		t.Fatal(err)
	}
	return tree, filepath.Join(tree, "library", "2026-09-01-beta")
}

// smallTree returns a tree with a stable and a beta release that have the names of the
// built-in ones, but few elements. The beta has more locales. It is quicker to publish, copy and export.
func smallTree(t *testing.T) string {
	t.Helper()
	tree := filepath.Join(t.TempDir(), "small")
	for version, locales := range map[string]string{"place@2026-06-01-stable": "en,fr", "place@2026-10-19-beta": "en,fr,es,ja"} {
		if status, output := placard(t, "", "new", version, tree, "--locales", locales); status != exitOK {
			t.Fatalf("got status %d, want 0\n%s", status, output)
		}
	}
	return tree
}

// checkTree fails the test unless the tree has no findings.
func checkTree(t *testing.T, tree string) {
	t.Helper()
	const want = "1 release checked: 0 errors, 0 warnings.\n"
	if status, got := placard(t, "", "check", tree); status != exitOK || got != want {
		t.Errorf("got status %d and\n%swant status 0 and\n%s", status, got, want)
	}
}

// checkJSON checks a datachain of the built-in or the example taxonomy, or the configuration of
// an MCP client.
func checkJSON(t *testing.T, b block) {
	var value struct {
		SchemaVersion string `json:"schema_version"`
		Servers       map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
		Schemas []struct {
			URL string `json:"url"`
		} `json:"json.schemas"`
		Statement []map[string]any
	}
	if err := json.Unmarshal([]byte(b.text), &value); err != nil {
		t.Fatal(err)
	}
	switch {
	case value.SchemaVersion != "":
		args := []string{"validate", "-"}
		if !strings.HasPrefix(value.SchemaVersion, "place@") {
			tree, _ := exampleTree(t)
			args = append(args, "--source", tree)
		}
		const want = "1 document checked: 0 errors, 0 warnings.\n"
		if status, got := placard(t, b.text, args...); status != exitOK || got != want {
			t.Errorf("got status %d and\n%swant status 0 and\n%s", status, got, want)
		}
	case len(value.Servers) > 0:
		for name, server := range value.Servers {
			if server.Command != "placard" {
				t.Errorf("%s: got command %q, want placard", name, server.Command)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], server.Args...)
			cmd.Env = append(os.Environ(), runAsPlacard+"=1")
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := session.Ping(t.Context(), nil); err != nil {
				t.Error(err)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
	case len(value.Schemas) > 0:
		for _, s := range value.Schemas {
			m := regexp.MustCompile(`^http://localhost:8080/api/v2/schemas/([^/]+)/datachain\.schema\.json$`).FindStringSubmatch(s.URL)
			if m == nil {
				t.Fatalf("got %q, want the URL of the schema of a version", s.URL)
			}
			if status, output := placard(t, "", "schema", "datachain", m[1]); status != exitOK {
				t.Errorf("got status %d, want 0\n%s", status, output)
			}
		}
	case len(value.Statement) > 0:
		checkPolicy(t, value.Statement)
	default:
		t.Error("the block is neither a datachain, a policy nor the configuration of an MCP client or an editor")
	}
}

// yamlFiles are the files of the example taxonomy that accept an example, by its
// first key.
var yamlFiles = map[string]string{
	"context":   "categories/record.yaml",
	"keywords":  "elements/visitor_count.yaml",
	"sources":   "elements/loan.yaml",
	"title":     "elements/kept_for.yaml",
	"variables": "categories/keeping.yaml",
}

// checkYAML replaces a key in the example taxonomy and checks the taxonomy.
func checkYAML(t *testing.T, b block) {
	key, _, _ := strings.Cut(b.text, ":")
	tree, folder := exampleTree(t)
	if yamlFiles[key] == "" {
		t.Fatalf("no file accepts the key %q", key)
	}
	file := filepath.Join(folder, filepath.FromSlash(yamlFiles[key]))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`(?m)^` + key + `:.*\n([ -].*\n)*`)
	text = append(bytes.TrimRight(old.ReplaceAll(text, nil), "\n"), "\n"+b.text...)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	checkTree(t, tree)
}

// checkSymbol uses the block as a symbol of the example taxonomy.
func checkSymbol(t *testing.T, b block) {
	var root struct {
		XMLName xml.Name
	}
	if err := xml.Unmarshal([]byte(b.text), &root); err != nil || root.XMLName.Local != "svg" {
		t.Fatalf("got element %q (%v), want svg", root.XMLName.Local, err)
	}
	tree, folder := exampleTree(t)
	if err := os.WriteFile(filepath.Join(folder, "symbols", "clock.svg"), []byte(b.text), 0o644); err != nil {
		t.Fatal(err)
	}
	checkTree(t, tree)
}

// checkProgram checks that a later console block uses the file.
func checkProgram(t *testing.T, b block) {
	name, ok := b.fileName()
	if !ok {
		t.Fatal("the block does not begin with a comment that names its file")
	}
	text, err := os.ReadFile(filepath.Join("../..", b.document))
	if err != nil {
		t.Fatal(err)
	}
	for _, later := range codeBlocks(b.document, string(text)) {
		if later.line > b.line && later.kind == "console" && strings.Contains(later.text, name) {
			return
		}
	}
	t.Errorf("no console block after it uses %s", name)
}

// checkText checks the blocks that are neither code nor commands. Each is listed
// here.
func checkText(t *testing.T, b block) {
	first, _, _ := strings.Cut(b.text, "\n")
	word, _, _ := strings.Cut(first, " ")
	switch word {
	case "author": // the data flows
		for _, name := range regexp.MustCompile(`\b(source|taxonomy|release|store|catalog|query|httpapi|mcpapi|datachain)\b`).FindAllString(b.text, -1) {
			if found, _ := filepath.Glob("../../internal/*/" + name); len(found) != 1 {
				t.Errorf("package %s is in the folders %v, want one", name, found)
			}
		}
	case "search:": // a commit message
	case "some-client": // a command that differs between clients
		if !strings.Contains(b.text, "http://127.0.0.1:8080/mcp") {
			t.Error("the command does not contain the URL of the server")
		}
	case "release.json": // the files of a release
		checkReleaseFiles(t, b)
	case "index.json": // the files of a journal
		if !regexp.MustCompile(`^index\.json +→ journal/\d{8}-….json\n(journal/\d{8}-[0-9a-f]{16}\.json( +→ journal/\d{8}-….json)?\n)+$`).MatchString(b.text) {
			t.Error("the records do not have the names of records")
		}
	case "taxonomy/": // the layout of a tree
		checkLayout(t, b)
	default:
		t.Errorf("no test checks this text:\n%s", b.text)
	}
}

func checkReleaseFiles(t *testing.T, b block) {
	t.Helper()
	out := t.TempDir()
	if status, output := placard(t, "", "build", "../../docs/example", "--out", out); status != exitOK {
		t.Fatalf("got status %d, want 0\n%s", status, output)
	}
	entries, err := os.ReadDir(filepath.Join(out, "library", "2026-09-01-beta"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(b.text) {
		got = append(got, strings.Fields(line)[0])
	}
	for _, entry := range entries {
		want = append(want, entry.Name())
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of a release (-want +got):\n%s", diff)
	}
}

// checkLayout checks that every documented path exists in the example taxonomy.
func checkLayout(t *testing.T, b block) {
	t.Helper()
	tree, _ := exampleTree(t)
	var folders []string // by depth
	for line := range strings.Lines(b.text) {
		name := strings.Fields(line)[0]
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		path := filepath.Join(append(append([]string{filepath.Dir(tree)}, folders[:depth]...), filepath.FromSlash(name))...)
		if found, err := filepath.Glob(path); err != nil || len(found) == 0 {
			t.Errorf("%s: got no such file (%v)", name, err)
		}
		folders = append(folders[:depth], name)
	}
}
