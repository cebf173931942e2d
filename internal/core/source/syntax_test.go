package source

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

func TestSyntaxErrors(t *testing.T) {
	tests := []struct{ yaml, pos, message, hint string }{
		{"a:\n\tb: c\n", "2:1", "indented with a tab", "spaces"},
		{"\ta: b\n", "1:1", "indented with a tab", "spaces"},
		{"a: |\n\tb\n", "2:1", "indented with a tab", "spaces"},
		{"a:\n- b\n\t- c\n", "3:1", "indented with a tab", "spaces"},
		{"a: 'open\nb: c\n", "1:4", "quote is not closed", "same quote"},
		{"a: \"open\nb: c\n", "1:4", "quote is not closed", "same quote"},
		{"a: 'b\n---\nc'\n", "1:4", "quote is not closed", "same quote"},
		{"a: [b, c\nd: e\n", "1:4", "The [ is not closed", "bracket"},
		{"a: [b c: d: e]\n", "1:4", "before line 1, column 11", "bracket"},
		{"a: {b: c\nd: e\n", "1:4", "The { is not closed", "brace"},
		{"a: b: c\n", "1:5", "colon followed by a space", "quotes"},
		{"é: b: c\n", "1:5", "colon followed by a space", "quotes"},
		{"a: b\n  c: d\n", "2:4", "line above it is still open", "Align"},
		{"a\nb: c\n", "2:2", "line above it is still open", "name: value"},
		{"a:\n   b: c\n  d: e\n", "3:3", "indentation does not match", "same number of spaces"},
		{"a:\n  - b\n c: d\n", "3:2", "indentation does not match", "same number of spaces"},
		{"a: @home\n", "1:4", "cannot start with @", "quotes"},
		{"a: `x`\n", "1:4", "cannot start with `", "quotes"},
		{"a: %x\n", "1:4", "cannot start with %", "quotes"},
		{"%x\na: b\n", "1:1", "directive", "Remove the line"},
		{"%YAML 3.0\n---\na: b\n", "1:1", "version of YAML", "Remove"},
		{"%YAML 1.1 x\n---\na: b\n", "1:11", "directive", "Remove the line"},
		{"%TAG ! !\n%TAG ! !\n---\na: b", "2:1", "directive", "Remove the line"},
		{"a: *x, y\n", "1:4", `The alias "*x"`, "quotes"},
		{"a: &\n", "1:4", "cannot start with & or *", "quotes"},
		{"a: * b\n", "1:4", "cannot start with & or *", "quotes"},
		{"a: 'b' c\n", "1:8", "Text follows the closing quote", "whole text"},
		{"a: \"b\" c\nd: e\n", "1:8", "Text follows the closing quote", "whole text"},
		{"a: b\nc\nd: e\n", "2:1", "has no colon", "name: value"},
		{"a: b\nc:d\n", "2:1", "space is missing after the colon", "name: value"},
		{"a: - b\n", "1:4", "list cannot start here", "line of its own"},
		{"a: ? b\n", "1:4", "question mark", "quotes"},
		{"- a\nb: c\n", "2:1", "does not start with a dash", "dash"},
		{"a: |x\n  y\n", "1:4", "must end after | or >", "next line"},
		{"a: |0\n b\n", "1:5", "must not be 0", "Remove the number"},
		{"a: !x!y z\n", "1:4", "exclamation mark", "quotes"},
		{"a: !<\n", "1:6", "exclamation mark", "quotes"},
		{"a: \"\\q\"\n", "1:5", "escape that YAML does not have", "single quotes"},
		{"a: \"\\xZZ\"\n", "1:7", "hexadecimal", "single quotes"},
		{"a: \"\\ud800\"\n", "1:7", "does not name a character", "character itself"},
		{"a: [,]\n", "1:5", "Expected a value", "extra comma"},
		{"a: ]\n", "1:4", "Expected a value", "extra comma"},
		{"a: [\n", "2:1", "file ends where a value is expected", "brackets"},
		{"a: {{b}} c\n", "1:10", "Text follows the closing bracket", "whole text in quotes"},
		{"a:\n  b: [c] d\n", "2:10", "Text follows the closing bracket", "whole text in quotes"},
		{"a:\n  b: {c} d\n", "2:10", "Text follows the closing bracket", "whole text in quotes"},
		{"a: {b: c #1, d: e}\nf: g\n", "1:4", "The { is not closed, because a #", "# in quotes"},
		{"a: [b #1, c]\nf: g\n", "1:4", "The [ is not closed, because a #", "# in quotes"},
		{"a: b\nc:\u00A0d\n", "2:1", "non-breaking space", "ordinary space"},
		{"a:\n  b:\n      id: c\n      d: e\n    - id: f\n      d: g\n", "3:7", "has no dash", "item on line 5"},
		{"a:\n  b:\n    \u2013 id: c\n      d: e\n", "3:5", `does not read "–" as the dash`, "hyphen"},
		{"a: [b]]\n", "1:7", "bracket closes nothing", "Remove it"},
		{"a: {b: c}}\n", "1:10", "bracket closes nothing", "Remove it"},
		{"{a: b} c\n", "1:8", "after the end of the first value", "name: value"},
		{"a: b\n...\nc: d\n", "3:1", "after the end of the first value", "name: value"},
		{"a: \x01\n", "1:4", "control character", "Remove"},
		{"a: " + strings.Repeat("[", 20_000), "1:10004", "nested too deeply", "Remove"},
	}
	used := map[string]bool{}
	for _, test := range tests {
		p := checkSyntaxError(t, test.yaml)
		if got := strconv.Itoa(p.Pos.Line) + ":" + strconv.Itoa(p.Pos.Column); got != test.pos || !strings.Contains(p.Message, test.message) || !strings.Contains(p.FixHint, test.hint) {
			t.Errorf("%.40q: got %s %s (%s), want %s %s (%s)", test.yaml, got, p.Message, p.FixHint, test.pos, test.message, test.hint)
		}
		used[p.FixHint] = true
	}
	for _, m := range syntaxMessages[:len(syntaxMessages)-1] {
		if !used[m.hint] {
			t.Errorf("no test has the message for %q", m.contains)
		}
	}
}

// checkSyntaxError returns the finding about invalid YAML. It checks that the
// finding is a full sentence with a hint and has none of the words of the library.
func checkSyntaxError(t *testing.T, content string) problem.Problem {
	t.Helper()
	fsys := fstest.MapFS{"a.yaml": {Data: []byte(content)}}
	entries, err := fsys.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	r := newFileReader(fsys, taxonomy.ID{})
	r.readDocument("a.yaml", entries[0])
	raw := syntaxErrorOf(content)
	for _, p := range r.found {
		if p.Code != yamlSyntax.Code {
			continue
		}
		if p.Pos.Line < 1 || p.Pos.Column < 1 || p.FixHint == "" || !strings.HasSuffix(p.Message, ".") {
			t.Errorf("%.40q: got %+v, want a position, a sentence and a hint", content, p)
		}
		for _, words := range []string{raw.Message, raw.ContextMsg, "did not find", "scalar", "token", "mapping", "in this context", "yaml:"} {
			if words != "" && strings.Contains(p.Message+p.FixHint, words) {
				t.Errorf("%.40q: got %q (%s), which has the words of the library, %q", content, p.Message, p.FixHint, words)
			}
		}
		return p
	}
	t.Errorf("%.40q: got %v, want %s", content, r.found, yamlSyntax.Code)
	return problem.Problem{}
}

// syntaxErrorOf returns the error of the YAML library, or nil.
func syntaxErrorOf(content string) *yaml.LoadError {
	loader, err := yaml.NewLoader(bytes.NewReader([]byte(content)), yaml.WithUniqueKeys(false))
	for err == nil {
		var n yaml.Node
		err = loader.Load(&n)
	}
	var load *yaml.LoadError
	if err != io.EOF && !errors.As(err, &load) {
		return &yaml.LoadError{Message: err.Error()}
	}
	return load
}

func TestOtherFormatsAreNamed(t *testing.T) {
	for name, test := range map[string]struct{ content, code, message string }{
		"PNG":                   {"\x89PNG\r\n\x1a\n", "FILE_NOT_UTF8", "a PNG image"},
		"gzip":                  {"\x1f\x8b\x08\x00", "FILE_NOT_UTF8", "compressed with gzip"},
		"PDF":                   {"%PDF-1.7\n", "YAML_SYNTAX", "a PDF document"},
		"HTML":                  {"<!doctype html>\n<p>", "YAML_SYNTAX", "a web page"},
		"UTF-16":                {"\xff\xfei\x00d\x00", "FILE_NOT_UTF8", "UTF-16"},
		"UTF-16 without a mark": {"\x00i\x00d\x00:", "FILE_NOT_UTF8", "UTF-16"},
		"Latin-1":               {"id: caf\xe9\n", "FILE_NOT_UTF8", "not encoded in UTF-8"},
	} {
		fsys := overlay(demo, Minimal)
		fsys[demo.Folder()+"/elements/street.yaml"].Data = []byte(test.content)
		_, found := Load(fsys, demo)
		if len(found) != 1 || string(found[0].Code) != test.code || !strings.Contains(found[0].Message, test.message) {
			t.Errorf("%s: got %v, want only %s with %q", name, found, test.code, test.message)
		}
	}
}
