package datachain

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"placard/internal/problem"
)

// resolved resolves a document in terms of the example taxonomy.
func resolved(t *testing.T, document string) Resolution {
	t.Helper()
	d, report, err := Parse([]byte(document), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	r, err := Resolve(d, exampleSchema(), nil)
	if err != nil || !r.OK() {
		t.Fatal(r.Report, err)
	}
	return r
}

func TestAResolvedDocumentIsAnsweredInCanonicalForm(t *testing.T) {
	r := resolved(t, exampleDocument)
	golden(t, "resolved.golden", append(r.Answer(), '\n'))

	// Nothing in it is spelt otherwise than RFC 8785 has it.
	canonical := jsontext.Value(r.Answer()).Clone()
	if err := canonical.Canonicalize(); err != nil || string(canonical) != string(r.Answer()) {
		t.Errorf("not canonical: %v\n%s", err, r.Answer())
	}
}

func TestADocumentIsTheAnswerWithoutOK(t *testing.T) {
	for _, document := range []string{exampleDocument, with(change{"ol", `{"ok": true, "a": 1}`}, change{"ok", "7"}, change{"oz", "1"}), with(change{"aa", `"\"ok\":true,"`})} {
		r := resolved(t, document)
		answer := members(t, r.Answer())
		if string(answer["ok"]) != "true" {
			t.Errorf("ok is %s", answer["ok"])
		}
		delete(answer, "ok")
		if diff := cmp.Diff(answer, members(t, r.Document())); diff != "" {
			t.Errorf("(-answer +document):\n%s", diff)
		}
	}
}

func members(t *testing.T, document []byte) map[string]jsontext.Value {
	t.Helper()
	var m map[string]jsontext.Value
	if err := json.Unmarshal(document, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestResolveFillsInDefaultsAtTheTopLevelOnly(t *testing.T) {
	answer := members(t, resolved(t, `{"id": "x", "schema_version": "demo@2026-01-15-stable", "created_at": "2026-02-03T09:30:00Z",
		"elements": [{"element_id": "safety"}, `+camera+`, {"element_id": "contact"}]}`).Answer())
	for _, name := range []string{"title", "description", "sources", "linked_instance_ids", "subchain_instances", "suggested_elements"} {
		if string(answer[name]) != "[]" {
			t.Errorf("%s is %s", name, answer[name])
		}
	}
	for _, name := range []string{"updated_at", "instance_version", "authoring_provenance"} {
		if answer[name] != nil {
			t.Errorf("%s is %s", name, answer[name])
		}
	}
	if got := string(answer["elements"]); !strings.HasPrefix(got, `[{"element_id":"safety"},{"context_type_id":"on_event",`) {
		t.Errorf("elements are %s", got)
	}
}

func TestResolveKeepsWhatWasSent(t *testing.T) {
	answer := members(t, resolved(t, with(
		change{"elements[0]", `{ "z": {"b": 1e2, "a": [1.50, -0, 0.0, 1E+400, 12345678901234567890]}, "\ud83d\ude00": 1, "\uff21": 2, "\u00e9\/": "\u00e9\/\u0007\n\"", "priority": 2.00, "element_id": "safety", "ok": false }`},
		change{"authoring_provenance", `{"kind": "human", "x": null}`},
		change{"instance_version", `1.10`},
		change{"ok", `false`},
		change{"unknown", `{"b": [], "a": {}}`},
		change{"schema_snapshot", `{"x": 1}`},
		change{"suggested_elements", `[7]`},
	)).Answer())
	for name, want := range map[string]string{
		"ok":                   `true`,
		"authoring_provenance": `{"kind":"human","x":null}`,
		"instance_version":     `1.10`,
		"unknown":              `{"a":{},"b":[]}`,
		"suggested_elements":   `[]`,
	} {
		if string(answer[name]) != want {
			t.Errorf("%s is %s, not %s", name, answer[name], want)
		}
	}
	want := `[{"element_id":"safety","ok":false,"priority":2.00,"z":{"a":[1.50,-0,0.0,1E+400,12345678901234567890],"b":1e2},` +
		`"é/":"é/\u0007\n\"","😀":1,"Ａ":2},`
	if got := string(answer["elements"]); !strings.HasPrefix(got, want) {
		t.Errorf("elements are\n%s, not\n%s", got, want)
	}
	if got := string(answer["schema_snapshot"]); strings.Contains(got, `"x"`) {
		t.Errorf("the snapshot is %s", got)
	}
}

func TestASnapshotHasWhatTheDocumentRefersTo(t *testing.T) {
	var got struct {
		Snapshot struct {
			Type       struct{ ID string } `json:"datachain_type"`
			Categories []struct{ ID string }
			Elements   []struct{ ID string }
		} `json:"schema_snapshot"`
	}
	answer := resolved(t, with(
		change{"elements[3]", `{"element_id": "complain"}`},
		change{"elements[4]", microphone + `{"id": "formats", "value": ["sound"]}]}`},
		change{"elements[5]", camera},
		change{"subchain_instances[0].head_refs", `["gate-camera", "police"]`},
	)).Answer()
	if err := json.Unmarshal(answer, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var categories, elements []string
	for _, c := range got.Snapshot.Categories {
		categories = append(categories, c.ID)
	}
	for _, e := range got.Snapshot.Elements {
		elements = append(elements, e.ID)
	}
	// Categories in declaration order, elements in element order, each once.
	if diff := cmp.Diff([]string{"purpose", "sensing", "access", "rights"}, categories); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"safety", "camera", "microphone", "police", "contact", "complain"}, elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	if got.Snapshot.Type.ID != "demo" {
		t.Errorf("the type is %q", got.Snapshot.Type.ID)
	}
}

func TestResolveRefusesADocumentForAnotherRelease(t *testing.T) {
	report := perform(t, OpResolve, with(change{"schema_version", `"demo@2025-11-30-stable"`}, change{"x", "1"}))
	if diff := cmp.Diff([]string{"SCHEMA_VERSION_MISMATCH schema_version", "unknown_field x"}, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if report.OK() || len(report.Warnings) != 1 || report.Errors[0].Severity != problem.Error {
		t.Errorf("%+v", report)
	}
}

func TestAFailedResolveHasNoAnswer(t *testing.T) {
	d, _, err := Parse([]byte(with(change{"elements[0].element_id", `"x"`})), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(d, exampleSchema(), nil)
	if err != nil || r.OK() || r.Answer() != nil || r.Document() != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestResolvedDocumentsHaveAtMost524288Bytes(t *testing.T) {
	empty := len(resolved(t, with(change{"x", `""`})).Answer())
	fill := func(n int) string { return with(change{"x", `"` + strings.Repeat("a", n) + `"`}) }

	if r := resolved(t, fill(524288-empty)); len(r.Answer()) != 524288 {
		t.Errorf("%d bytes", len(r.Answer()))
	}
	d, _, err := Parse([]byte(fill(524288-empty+1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(d, exampleSchema(), nil)
	found, ok := errors.AsType[problem.Problem](err)
	if !ok || found.Code != problem.PayloadTooLarge || found.FixHint == "" || !strings.Contains(found.Message, "524289") {
		t.Errorf("%v", err)
	}
	// Only what is answered counts: white space does not.
	resolved(t, strings.Replace(fill(500000), "{", "{"+strings.Repeat(" ", 500000), 1))
}

func TestASnapshotThatIsTooLargeIsNotEvenMade(t *testing.T) {
	everything := "[" + camera + `, {"element_id": "safety"}, {"element_id": "contact"}`
	for _, id := range manyIDs().elementIDs[8:5000] {
		everything += `, ` + strings.Replace(camera, `"camera"`, `"`+id+`"`, 1)
	}
	d, _, err := Parse([]byte(with(change{"elements", everything + "]"})), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(d, manyIDs(), nil)
	if found, ok := errors.AsType[problem.Problem](err); !ok || found.Code != problem.PayloadTooLarge {
		t.Errorf("%v", err)
	}
}

func TestNamesAreOrderedByUTF16(t *testing.T) {
	for _, pair := range [][2]string{
		{"", "a"},
		{"a", "b"},
		{"a", "aa"},
		{"Z", "a"},
		{"z", "é"},
		{"é", "ê"},
		{"\ud7ff", "😀"},
		{"😀", "\ue000"},
		{"😀", "\uffff"},
		{"a😀", "a\uff21"},
		{"😀", "😁"},
		{"a", "a😀"},
		{"a", "a\uffff"},
		{"\uff21", "\uff22"},
	} {
		a, b := pair[0], pair[1]
		if compareUTF16(a, b) >= 0 || compareUTF16(b, a) <= 0 || compareUTF16(a, a) != 0 || compareUTF16(b, b) != 0 {
			t.Errorf("%q does not come before %q", a, b)
		}
	}
}
