package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/scripts/envtest"
)

// TestEditorsUnderstandAuthoringFiles runs the YAML language server, which VS Code
// and other editors use, on trees with schemas.
func TestEditorsUnderstandAuthoringFiles(t *testing.T) {
	server := startLanguageServer(t, "yaml", nil,
		filepath.Join(envtest.NPM(t), "node_modules", "yaml-language-server", "bin", "yaml-language-server"), "--stdio")
	tree, folder := exampleTree(t)
	if status, output := placard(t, "", "schema", "--write", tree); status != exitOK {
		t.Fatalf("got status %d, want 0\n%s", status, output)
	}

	const texts = "title: {en: A, fr: B}\ndescription: {en: A, fr: B}\n"
	const category = "id: a\nname: {en: A, fr: B}\ndescription: {en: A, fr: B}\n"
	for _, test := range []struct {
		name, kind, text string
		want             []string
	}{
		{"categories", "element", "id: a\n" + texts + "symbol_id: clock\ncategory_id: |", []string{"keeping", "purpose", "record"}},
		{"symbols", "element", "id: a\nsymbol_id: |\n" + texts, []string{"book", "clock", "people"}},
		{"excluded elements", "element", "id: a\nexcludes:\n  - |\n", []string{"kept_for", "lending", "loan", "opening_hours", "visitor_count"}},
		{"locales", "element", "id: a\ntitle:\n  en: A\n  |\n", []string{"fr"}},
		{"shapes", "category", category + "shape: |", []string{"circle", "hexagon", "octagon", "rounded-square"}},
		{"elements that require a variable", "category", category + "variables:\n  - id: x\n    required_for:\n      - |\n", []string{"kept_for", "lending", "loan", "opening_hours", "visitor_count"}},
		{"elements of an option", "category", category + "variables:\n  - id: x\n    options:\n      - id: y\n        applies_to:\n          - |\n", []string{"kept_for", "lending", "loan", "opening_hours", "visitor_count"}},
		{"categories of the type", "type", "id: library\ncategories:\n  - |\n", []string{"keeping", "purpose", "record"}},
		{"locales of the release", "meta", "locales:\n  - |\n", []string{"en", "fr"}},
		{"kinds", "category", category + "variables:\n  - id: x\n    kind: |\n", []string{"localized_text", "multi_select_enum"}},
		{"booleans", "element", "id: a\nrequired: |\n", []string{"false", "true"}},
		{"texts", "element", "id: a\ntitle:\n  en: |\n", nil},
	} {
		_, at := server.editAuthoring(folder, test.kind, test.text)
		got := at.proposals()
		slices.Sort(got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("proposed %s (-want +got):\n%s", test.name, diff)
		}
	}

	// Keys are proposed under one name, with the required ones of their values.
	_, at := server.editAuthoring(folder, "element", "id: a\n|")
	if keys := at.proposals(); !slices.Contains(keys, "guidance") || slices.Contains(keys, "authoring_guidance") || slices.Contains(keys, "id") {
		t.Errorf("got keys %q, want guidance, but neither authoring_guidance nor id", keys)
	}
	_, at = server.editAuthoring(folder, "element", "id: a\nsymb|ol_id: clock\n")
	if hover := at.hover(); !strings.Contains(hover, "the name of a file in symbols/") || strings.Contains(hover, "people") {
		t.Errorf("got hover %s, want the description of symbol_id without all symbols", hover)
	}

	const element = "id: a\ncategory_id: record\nsymbol_id: book\n" + texts
	for _, test := range []struct{ kind, text, want string }{
		{"category", category + "shape: square\n", `5:8: Value is not accepted. Valid values: "circle", "hexagon", "octagon", "rounded-square".`},
		{"element", element + "max_placement: 1\n", "7:1: Property max_placement is not allowed."},
		{"element", element + "max_placements: -1\n", "7:17: Value is below the minimum of 0."},
		{"element", element + "required: perhaps\n", "7:11: Write true or false."},
		{"element", element + "excludes: loan\n", "7:11: Write a list."},
		{"element", element + "guidance: Ask.\n", "7:11: Write the text for each locale, such as en: A text."},
		{"element", element + "guidance: {en: A}\nauthoring_guidance: {en: B}\n", "8:1: Property authoring_guidance is not allowed."},
		{"element", strings.Replace(element, "book", "a.b", 1), "4:12: An id must contain only a-z, A-Z, 0-9, _ and -, and have at most 128 characters."},
		// Ids may be newer than the schemas, and empty keys count as absent.
		{"element", strings.Replace(element, "book", "new_symbol", 1) + "order:\nrequired:\nexcludes:\nguidance:\ncontext:\nsources:\n", ""},
	} {
		found, _ := server.editAuthoring(folder, test.kind, test.text)
		var got []string
		for _, d := range found {
			got = append(got, d.String())
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s\n%s\ngot diagnostics %q, want %q", test.kind, test.text, got, test.want)
		}
	}

	t.Run("example", func(t *testing.T) { server.checkNoDiagnostics(t, "../../docs/example") })
	t.Run("built-in", func(t *testing.T) { server.checkNoDiagnostics(t, builtinTree) })
	t.Run("new", func(t *testing.T) {
		tree := filepath.Join(t.TempDir(), "taxonomy")
		if status, output := placard(t, "", "new", "parks@2026-12-01", tree, "--locales", "en,fr"); status != exitOK {
			t.Fatalf("got status %d, want 0\n%s", status, output)
		}
		server.checkNoDiagnostics(t, tree)
	})
	t.Run("real", func(t *testing.T) { server.checkNoDiagnostics(t, envtest.RealTree(t)) })
}

// editAuthoring opens a new document of a release in folder with the schema of the
// given kind of file.
func (s *languageServer) editAuthoring(folder, kind, text string) ([]diagnostic, cursor) {
	s.t.Helper()
	file := filepath.Join(folder, fmt.Sprintf("new_%d.yaml", len(s.diagnostics)))
	return s.edit(file, "# yaml-language-server: $schema=.schema/"+kind+".json\n"+text)
}

// checkNoDiagnostics opens every YAML file of a copy of a tree.
func (s *languageServer) checkNoDiagnostics(t *testing.T, from string) {
	tree := filepath.Join(t.TempDir(), "taxonomy")
	if err := os.CopyFS(tree, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if status, output := placard(t, "", "schema", "--write", tree); status != exitOK {
		t.Fatalf("got status %d, want 0\n%s", status, output)
	}
	var opened []string
	for _, pattern := range []string{"*/*/*.yaml", "*/*/*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(tree, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			opened = append(opened, s.open(file, string(text)))
		}
	}
	if len(opened) < 10 {
		t.Fatalf("opened %d files, want at least 10", len(opened))
	}
	s.receive(opened...)
	for _, uri := range opened {
		if found := s.diagnostics[uri]; len(found) > 0 {
			t.Errorf("%s: got diagnostics %v, want none", uri, found)
		}
	}
}

// TestEditorsUnderstandDocuments runs the JSON language service of VS Code on thin
// documents with the schema of their version.
func TestEditorsUnderstandDocuments(t *testing.T) {
	schema := filepath.Join(t.TempDir(), "datachain.schema.json")
	status, output := placard(t, "", "schema", "datachain", "place@2026-06-01-stable")
	if status != exitOK {
		t.Fatalf("got status %d, want 0\n%s", status, output)
	}
	if err := os.WriteFile(schema, []byte(output), 0o644); err != nil {
		t.Fatal(err)
	}
	server := startLanguageServer(t, "json", map[string]any{"schema": "file://" + filepath.ToSlash(schema)},
		"testdata/json-language-server.mjs", envtest.NPM(t), "--stdio")
	edit := func(text string) ([]diagnostic, cursor) {
		t.Helper()
		return server.edit(fmt.Sprintf("/new_%d.json", len(server.diagnostics)), text)
	}
	document := func(placement string) string {
		return `{"id": "a", "schema_version": "place@2026-06-01-stable", "created_at": "2026-06-01T09:00:00Z",
"elements": [
` + placement + "\n]}"
	}

	for _, test := range []struct {
		name, text string
		want       []string // some of the proposals, or all of them if complete is set
		complete   bool
	}{
		{"elements", document(`{"element_id": "|"}`), []string{"video_camera", "radar", "kept_for"}, false},
		{"context values", document(`{"element_id": "video_camera", "context_type_id": "|"}`), []string{"continuous", "on_event", "on_request"}, true},
		{"variables", document(`{"element_id": "kept_for", "variables": [{"id": "|"}]}`), []string{"duration", "kept_where"}, true},
		{"options", document(`{"element_id": "kept_for", "variables": [{"id": "kept_where", "value": ["|"]}]}`), []string{"on_device", "on_site", "in_country", "in_eu", "elsewhere"}, true},
		{"locales", document(`{"element_id": "kept_for", "variables": [{"id": "duration", "value": [{"locale": "|"}]}]}`), []string{"en", "fr", "es", "ja"}, true},
		{"versions", `{"schema_version": "|"}`, []string{"place@2026-06-01-stable"}, true},
		{"subchains", `{"subchain_instances": [{"subchain_id": "|"}]}`, []string{"sensing_to_outcome"}, true},
	} {
		_, at := edit(test.text)
		got := at.proposals()
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("proposed %s: got %q, want %s among them", test.name, got, want)
			}
		}
		if test.complete && len(got) != len(test.want) {
			t.Errorf("proposed %s: got %q, want %q", test.name, got, test.want)
		}
	}
	_, at := edit(document(`{"element_id": "video_|camera"}`))
	if hover := at.hover(); !strings.Contains(hover, "Video camera") {
		t.Errorf("got hover %s, want the title of the element", hover)
	}

	for _, test := range []struct{ placement, want string }{
		{`{"element_id": "video_camra"}`, "3:16: The version has no such element."},
		{`{"element_id": "video_camera", "context_type_id": "sometimes"}`, "3:51: The context of the element has no such value."},
		{`{"element_id": "public_safety", "context_type_id": "sometimes"}`, "3:52: The element has no context."},
		{`{"element_id": "public_safety", "variables": [{"id": "duration", "value": []}]}`, "3:54: The element has no such variable."},
		{`{"element_id": "kept_for", "variables": []}`, `3:41: The variable "duration" is missing.`},
		{`{"element_id": "kept_for"}`, `3:1: Missing property "variables".`},
		{`{"element_id": "video_camera", "note": "kept"}`, ""},
	} {
		found, _ := edit(document(test.placement))
		var got []string
		for _, d := range found {
			got = append(got, d.String())
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s: got diagnostics %q, want %q", test.placement, got, test.want)
		}
	}
	examples, err := filepath.Glob(filepath.Join(builtinTree, "place", "2026-06-01-stable", "examples", "*.json"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("got examples %q, error %v, want at least one", examples, err)
	}
	for _, example := range examples {
		text, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		if found, _ := edit(string(text)); len(found) > 0 {
			t.Errorf("%s: got diagnostics %v, want none", example, found)
		}
	}
}
