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
	for _, test := range []struct{ yaml, pos, message, hint string }{
		{"a:\n\tb: c\n", "2:1", "indented with a tab", "spaces"},
		{"\ta: b\n", "1:1", "indented with a tab", "spaces"},
		{"a: |\n\tb\n", "2:1", "indented with a tab", "spaces"},
		{"a:\n- b\n\t- c\n", "3:1", "indented with a tab", "spaces"},
		{"a: 'open\nb: c\n", "1:4", "quote is not closed", "whole text"},
		{"a: \"open\nb: c\n", "1:4", "quote is not closed", "whole text"},
		{"a: 'open", "1:4", "quote is not closed", "whole text"},
		{"a: 'b\n---\nc'\n", "1:4", "quote is not closed", "whole text"},
		{"a: 'b' c\n", "1:8", "Text follows the closing quote", "whole text"},
		{"a: 'It's here'\n", "1:8", "Text follows the closing quote", "apostrophe"},
		{"a: b: c\n", "1:5", "colon followed by a space", "quotes"},
		{"é: b: c\n", "1:5", "colon followed by a space", "quotes"},
		{"a: b\nc:d\n", "2:1", "space is missing after the colon", "name: value"},
		{"a:b\nc: d\n", "1:1", "space is missing after the colon", "name: value"},
		{"a:\n  - en:Street\n    fr: Rue\n", "2:5", "space is missing after the colon", "name: value"},
		{"<<<<<<< HEAD\na: b\n=======\na: c\n>>>>>>> theirs\n", "1:1", "merge conflict", "Keep one"},
		{"a: b\n=======\na: c\n>>>>>>> theirs\n", "2:1", "merge conflict", "Keep one"},
		{"a: [b, c\nd: e\n", "1:4", "',' or ']'", "brackets"},
		{"a:\n   b: c\n  d: e\n", "3:3", "did not find expected key", "indentation"},
		{"a: @home\n", "1:4", "cannot start any token", "quotes"},
		{"a: \"\\q\"\n", "1:5", "unknown escape character", "quotes"},
		{"a: *x, y\n", "1:4", "unknown anchor", "quotes"},
		{"a: \x01\n", "1:4", "control characters", "quotes"},
		{"a: " + strings.Repeat("[", 20_000), "1:10004", "max depth", "brackets"},
	} {
		p := checkSyntaxError(t, test.yaml)
		if got := strconv.Itoa(p.Pos.Line) + ":" + strconv.Itoa(p.Pos.Column); got != test.pos || !strings.Contains(p.Message, test.message) || !strings.Contains(p.FixHint, test.hint) {
			t.Errorf("%.40q: got %s %s (%s), want %s %s (%s)", test.yaml, got, p.Message, p.FixHint, test.pos, test.message, test.hint)
		}
	}
}

// checkSyntaxError returns the finding about invalid YAML. It checks that the
// finding is a full sentence with a position and a hint.
func checkSyntaxError(t *testing.T, content string) problem.Problem {
	t.Helper()
	fsys := fstest.MapFS{"a.yaml": {Data: []byte(content)}}
	entries, err := fsys.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	r := newFileReader(fsys, taxonomy.ID{})
	r.readDocument("a.yaml", entries[0])
	for _, p := range r.found {
		if p.Code != yamlSyntax.Code {
			continue
		}
		if p.Pos.Line < 1 || p.Pos.Column < 1 || p.FixHint == "" || !strings.HasSuffix(p.Message, ".") {
			t.Errorf("%.40q: got %+v, want a position, a sentence and a hint", content, p)
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
