package datachain

import (
	"errors"
	"strings"
	"testing"

	"placard/internal/core/problem"
)

func TestInvalidJSONIsABadRequest(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, test := range []struct{ name, body, message string }{
		{"empty input", "", "The document is empty."},
		{"white space", " \n\t", "The document is empty."},
		{"a word", "hello", "The document is not valid JSON: … (line 1, column 1)."},
		{"a broken literal", "[nul]", "The document is not valid JSON: … (line 1, column 5)."},
		{"a missing comma", "{\"a\": 1\n \"b\": 2}", "The document is not valid JSON: … (line 2, column 2)."},
		{"a trailing comma in an array", `{"é": [1,]}`, "The document has a trailing comma (line 1, column 9)."},
		{"a trailing comma in an object", "{\"a\": 1,\n}", "The document has a trailing comma (line 1, column 8)."},
		{"two commas", `[1,,2]`, "The document is not valid JSON: … (line 1, column 4)."},
		{"a comma at the end", `[1,`, "The document ends before it is complete (line 1, column 4)."},
		{"a negative number", "--1", "The document is not valid JSON: … (line 1, column 2)."},
		{"an assignment", "a=1", "The document is not valid JSON: … (line 1, column 1)."},
		{"a comment", `{} // no`, "Data follows the end of the document (line 1, column 4)."},
		{"another document", "{}\n{}", "Data follows the end of the document (line 2, column 1)."},
		{"a comma after the document", "{},", "Data follows the end of the document (line 1, column 3)."},
		{"a leading zero", `{"a": 01}`, "The document is not valid JSON: … (line 1, column 8)."},
		{"a truncated document", `{"a": [1, "b`, "The document ends before it is complete (line 1, column 13)."},
		{"an unclosed object", `{"a": 1`, "The document ends before it is complete (line 1, column 8)."},
		{"a duplicate name", `{"a": 1, "b": 2, "a": 3}`, `Duplicate name "a" in an object (line 1, column 18).`},
		{"an escaped duplicate name", `{"a": 1, "\u0061": 3}`, `Duplicate name "a" in an object (line 1, column 10).`},
		{"a nested duplicate name", `{"x": [{"a": 1, "a": 3}]}`, `Duplicate name "a" in an object (line 1, column 17).`},
		{"Latin-1", "{\"a\": \"caf\xe9\"}", "The document is not valid UTF-8 (line 1, column 11)."},
		{"a truncated character", "{\"\xc3\": 1}", "The document is not valid UTF-8 (line 1, column 3)."},
		{"an unpaired surrogate", `{"a": "\ud800"}`, "The document is not valid JSON: … (line 1, column 8)."},
		{"a byte order mark before nothing", "\ufeff", "The document is empty."},
		{"a byte order mark before an error", "\ufeff{1}", "The document is not valid JSON: … (line 1, column 3)."},
		{"two byte order marks", "\ufeff\ufeff{}", "The document is not valid JSON: … (line 1, column 2)."},
		{"UTF-16", "\xff\xfe{\x00}\x00", "The document is not valid UTF-8 (line 1, column 1)."},
		{"65 arrays", nested(65), "The document is nested more than 64 levels deep (line 1, column 65)."},
		{"65 levels below a member", `{"a":` + nested(64) + `}`, "The document is nested more than 64 levels deep (line 1, column 69)."},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, op := range onAny {
				_, err := run(op, []byte(test.body), exampleSchema(), nil)
				found, ok := errors.AsType[problem.Problem](err)
				if !ok || found.Code != problem.BadRequest || found.FixHint == "" || !found.Path.IsZero() {
					t.Fatalf("%s: got error %#v, want a bad_request with a hint", op, err)
				}
				// The wording of the decoder is not checked.
				prefix, suffix, open := strings.Cut(test.message, "…")
				if found.Message != test.message &&
					(!open || !strings.HasPrefix(found.Message, prefix) || !strings.HasSuffix(found.Message, suffix)) {
					t.Errorf("%s: got\n%s\nwant\n%s", op, found.Message, test.message)
				}
			}
		})
	}
}

func TestNestingOf64LevelsIsAllowed(t *testing.T) {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	if found := codesAt(mustRun(t, OpValidate, with(change{"deep", deep}))); len(found) != 1 || found[0] != "unknown_field deep" {
		t.Errorf("got %v, want unknown_field deep", found)
	}
}

func TestParseCopiesTheBody(t *testing.T) {
	body := []byte(exampleDocument)
	d, _, err := Parse(body, nil)
	if err != nil || string(body) != exampleDocument {
		t.Fatalf("got error %v, body %s, want an unmodified body", err, body)
	}
	for i := range body {
		body[i] = '#'
	}
	if d.Elements[1].ElementID != "camera" {
		t.Error("the document shares memory with the body")
	}
}

func TestLocate(t *testing.T) {
	const body = `{"a": {"b": [10, {"c d": "x", "e": 3}]}, "f": []}`
	for _, test := range []struct {
		path problem.Path
		want string
	}{
		{problem.Root, body},
		{problem.Path{}, body},
		{problem.Root.Field("f"), `"f": []`},
		{problem.Root.Field("a").Field("b").Index(0), `10`},
		{problem.Root.Field("a").Field("b").Index(1).Field("e"), `"e": 3`},
		{problem.Root.Field("a").Field("b").Index(1).Field("c d"), `"c d": "x"`},
		{problem.Root.Field("a").Field("b").Index(1).Field("missing"), `{"c d": "x", "e": 3}`},
		{problem.Root.Field("a").Field("b").Index(7).Field("e"), `"b": [10, {"c d": "x", "e": 3}]`},
		{problem.Root.Field("f").Field("b"), `"f": []`},
		{problem.Root.Field("a").Field("b").Index(0).Field("x"), `10`},
	} {
		if start, end := NewLocator([]byte(body)).Locate(test.path); body[start:end] != test.want {
			t.Errorf("Locate(%q) = %s, want %s", test.path, body[start:end], test.want)
		}
	}
}

func TestLocateReturnsSyntaxErrorPosition(t *testing.T) {
	if start, end := NewLocator([]byte(`{"a": 1,, "b": 2}`)).Locate(problem.Root); start != 8 || end != 8 {
		t.Errorf("Locate = %d, %d; want 8, 8", start, end)
	}
}

func TestLocateFindsEveryFinding(t *testing.T) {
	document := with(change{"elements[1].odd name", "1"}, change{"elements[1].variables[0].value[0].locale", `"xx"`})
	for _, p := range mustRun(t, OpValidate, document).Warnings {
		start, end := NewLocator([]byte(document)).Locate(p.Path)
		if got := document[start:end]; got != `"locale": "xx"` && !strings.HasPrefix(got, `"odd name`) {
			t.Errorf("Locate(%q) = %s, want the member of the finding", p.Path, got)
		}
	}
}

func TestIsResolved(t *testing.T) {
	for body, want := range map[string]bool{
		exampleDocument: false, exampleResolved(): true, `{"a": {"schema_snapshot": 1}}`: false,
		`{"a": [1, {}], "schema_snapshot": 1}`: true, `["schema_snapshot"]`: false, `{"a":`: false, ``: false, `{}`: false,
	} {
		if got := IsResolved([]byte(body)); got != want {
			t.Errorf("IsResolved(%s) = %t, want %t", body, got, want)
		}
	}
}

func TestPathsOfLongEscapedNamesAreClipped(t *testing.T) {
	for _, character := range []string{`\u0041`, `\n`, `\u00e9`, `\ud83d\ude00`, `a\ud83d\ude00`, `\"é`, `\\`} {
		tree, err := readTree([]byte(`{"`+strings.Repeat(character, 5000)+`": 0}`), new(meter))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tree.path(2), problem.Root.Field(tree.str(1)); got != want {
			t.Errorf("%s: got %q, want %q", character, got, want)
		}
	}
}

func TestAByteOrderMarkBeforeADocumentIsIgnored(t *testing.T) {
	for op, document := range map[Operation]string{OpValidate: exampleDocument, OpValidateResolved: exampleResolved()} {
		report, err := run(op, []byte("\ufeff"+document), exampleSchema(), nil)
		if err != nil || !report.OK() {
			t.Errorf("%s: got %v, error %v, want a valid document", op, report, err)
		}
	}
	if !IsResolved([]byte("\ufeff" + exampleResolved())) {
		t.Error("got a thin document, want a resolved one")
	}
	if start, _ := NewLocator([]byte("\ufeff" + exampleDocument)).Locate(problem.Root.Field("id")); start == 0 {
		t.Error("the id is not found")
	}
}
