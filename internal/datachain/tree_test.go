package datachain

import (
	"errors"
	"strings"
	"testing"

	"placard/internal/problem"
)

func TestWhatIsNotStrictJSONIsABadRequest(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, test := range []struct{ name, body, message string }{
		{"nothing", "", "The document is empty."},
		{"white space", " \n\t", "The document is empty."},
		{"a word", "hello", "The document is not valid JSON: … (line 1, column 1)."},
		{"a broken literal", "[nul]", "The document is not valid JSON: … (line 1, column 5)."},
		{"a missing comma", "{\"a\": 1\n \"b\": 2}", "The document is not valid JSON: … (line 2, column 2)."},
		{"a trailing comma", `{"é": [1,]}`, "The document is not valid JSON: … (line 1, column 9)."},
		{"a comment", `{} // no`, "Something follows the end of the document (line 1, column 4)."},
		{"another document", "{}\n{}", "Something follows the end of the document (line 2, column 1)."},
		{"a comma at the end", "{},", "Something follows the end of the document (line 1, column 3)."},
		{"a number spelt wrong", `{"a": 01}`, "The document is not valid JSON: … (line 1, column 8)."},
		{"half a document", `{"a": [1, "b`, "The document ends before it is complete (line 1, column 13)."},
		{"an object that is not closed", `{"a": 1`, "The document ends before it is complete (line 1, column 8)."},
		{"a name twice", `{"a": 1, "b": 2, "a": 3}`, `The name "a" occurs twice in one object (line 1, column 18).`},
		{"a name twice in disguise", `{"a": 1, "\u0061": 3}`, `The name "a" occurs twice in one object (line 1, column 10).`},
		{"a name twice far down", `{"x": [{"a": 1, "a": 3}]}`, `The name "a" occurs twice in one object (line 1, column 17).`},
		{"Latin-1", "{\"a\": \"caf\xe9\"}", "The document is not valid UTF-8 (line 1, column 11)."},
		{"half a character", "{\"\xc3\": 1}", "The document is not valid UTF-8 (line 1, column 3)."},
		{"half a surrogate pair", `{"a": "\ud800"}`, "The document is not valid JSON: … (line 1, column 8)."},
		{"a byte order mark", "\ufeff{}", "The document begins with a byte order mark (line 1, column 1)."},
		{"UTF-16", "\xff\xfe{\x00}\x00", "The document is not valid UTF-8 (line 1, column 1)."},
		{"65 arrays", nested(65), "The document is nested more than 64 deep (line 1, column 65)."},
		{"65 levels under a member", `{"a":` + nested(64) + `}`, "The document is nested more than 64 deep (line 1, column 69)."},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, op := range onAny {
				_, err := operate(op, []byte(test.body), exampleSchema(), nil)
				found, ok := errors.AsType[problem.Problem](err)
				if !ok || found.Code != problem.BadRequest || found.FixHint == "" || !found.Path.IsZero() {
					t.Fatalf("%s: %#v", op, err)
				}
				// What the decoder says is its own.
				prefix, suffix, open := strings.Cut(test.message, "…")
				if found.Message != test.message &&
					(!open || !strings.HasPrefix(found.Message, prefix) || !strings.HasSuffix(found.Message, suffix)) {
					t.Errorf("%s says\n%s\nnot\n%s", op, found.Message, test.message)
				}
			}
		})
	}
}

func TestNestingOf64IsRead(t *testing.T) {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	if found := codesAt(perform(t, OpValidate, with(change{"deep", deep}))); len(found) != 1 || found[0] != "unknown_field deep" {
		t.Errorf("found %v", found)
	}
}

func TestParsingLeavesTheBodyAsItIs(t *testing.T) {
	body := []byte(exampleDocument)
	d, _, err := Parse(body, nil)
	if err != nil || string(body) != exampleDocument {
		t.Fatal("the body changed", err)
	}
	for i := range body {
		body[i] = '#'
	}
	if d.Elements[1].ElementID != "camera" {
		t.Error("the document changed with the body it was read from")
	}
}

func TestLocateFindsWhatPathsName(t *testing.T) {
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
			t.Errorf("at %q is %s, not %s", test.path, body[start:end], test.want)
		}
	}
}

func TestLocateFindsWhereJSONBreaks(t *testing.T) {
	if start, end := NewLocator([]byte(`{"a": 1,, "b": 2}`)).Locate(problem.Root); start != 8 || end != 8 {
		t.Errorf("at %d to %d", start, end)
	}
}

func TestLocateFindsEveryFinding(t *testing.T) {
	document := with(change{"elements[1].odd name", "1"}, change{"elements[1].variables[0].value[0].locale", `"xx"`})
	for _, p := range perform(t, OpValidate, document).Warnings {
		start, end := NewLocator([]byte(document)).Locate(p.Path)
		if got := document[start:end]; got != `"locale": "xx"` && !strings.HasPrefix(got, `"odd name`) {
			t.Errorf("%s is at %s", p.Path, got)
		}
	}
}

func TestIsResolved(t *testing.T) {
	for body, want := range map[string]bool{
		exampleDocument: false, exampleResolved(): true, `{"a": {"schema_snapshot": 1}}`: false,
		`{"a": [1, {}], "schema_snapshot": 1}`: true, `["schema_snapshot"]`: false, `{"a":`: false, ``: false, `{}`: false,
	} {
		if IsResolved([]byte(body)) != want {
			t.Errorf("IsResolved(%s) = %t", body, !want)
		}
	}
}
