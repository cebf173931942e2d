package datachain

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// resolved resolves a document with the example taxonomy.
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

func TestResponseIsCanonical(t *testing.T) {
	r := resolved(t, exampleDocument)
	golden(t, "resolved.golden", append(r.Response(), '\n'))

	// All numbers in it have their RFC 8785 spelling.
	canonical := jsontext.Value(r.Response()).Clone()
	if err := canonical.Canonicalize(); err != nil || string(canonical) != string(r.Response()) {
		t.Errorf("got response\n%s\nwant canonical form (error %v)\n%s", r.Response(), err, canonical)
	}
}

func TestDocumentIsTheResponseWithoutOK(t *testing.T) {
	for _, document := range []string{exampleDocument, with(change{"ol", `{"ok": true, "a": 1}`}, change{"ok", "7"}, change{"oz", "1"}), with(change{"aa", `"\"ok\":true,"`})} {
		r := resolved(t, document)
		response := members(t, r.Response())
		if string(response["ok"]) != "true" {
			t.Errorf("got ok %s, want true", response["ok"])
		}
		delete(response, "ok")
		if diff := cmp.Diff(response, members(t, r.Document())); diff != "" {
			t.Errorf("(-response +document):\n%s", diff)
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

func TestResolveAddsDefaultsAtTheTopLevelOnly(t *testing.T) {
	response := members(t, resolved(t, `{"id": "x", "schema_version": "demo@2026-01-15-stable", "created_at": "2026-02-03T09:30:00Z",
		"elements": [{"element_id": "safety"}, `+camera+`, {"element_id": "contact"}]}`).Response())
	for _, name := range []string{"title", "description", "sources", "linked_instance_ids", "subchain_instances", "suggested_elements"} {
		if string(response[name]) != "[]" {
			t.Errorf("%s: got %s, want []", name, response[name])
		}
	}
	for _, name := range []string{"updated_at", "instance_version", "authoring_provenance"} {
		if response[name] != nil {
			t.Errorf("%s: got %s, want none", name, response[name])
		}
	}
	if got := string(response["elements"]); !strings.HasPrefix(got, `[{"element_id":"safety"},{"context_type_id":"on_event",`) {
		t.Errorf("got elements %s, want no defaults", got)
	}
}

func TestResolveKeepsOtherMembers(t *testing.T) {
	response := members(t, resolved(t, with(
		change{"elements[0]", `{ "z": {"b": 1e2, "a": [1.50, -0, 0.0, 1E+400, 12345678901234567890]}, "\ud83d\ude00": 1, "\uff21": 2, "\u00e9\/": "\u00e9\/\u0007\n\"", "priority": 2.00, "element_id": "safety", "ok": false }`},
		change{"authoring_provenance", `{"kind": "human", "x": null}`},
		change{"instance_version", `1.10`},
		change{"ok", `false`},
		change{"unknown", `{"b": [], "a": {}}`},
		change{"schema_snapshot", `{"x": 1}`},
		change{"suggested_elements", `[7]`},
	)).Response())
	for name, want := range map[string]string{
		"ok":                   `true`,
		"authoring_provenance": `{"kind":"human","x":null}`,
		"instance_version":     `1.10`,
		"unknown":              `{"a":{},"b":[]}`,
		"suggested_elements":   `[]`,
	} {
		if string(response[name]) != want {
			t.Errorf("%s: got %s, want %s", name, response[name], want)
		}
	}
	want := `[{"element_id":"safety","ok":false,"priority":2.00,"z":{"a":[1.50,-0,0.0,1E+400,12345678901234567890],"b":1e2},` +
		`"é/":"é/\u0007\n\"","😀":1,"Ａ":2},`
	if got := string(response["elements"]); !strings.HasPrefix(got, want) {
		t.Errorf("elements: got\n%s, want prefix\n%s", got, want)
	}
	if got := string(response["schema_snapshot"]); strings.Contains(got, `"x"`) {
		t.Errorf("the snapshot contains members of the thin document: %s", got)
	}
}

func TestSnapshotContainsReferencedParts(t *testing.T) {
	var got struct {
		Snapshot struct {
			Type       struct{ ID string } `json:"datachain_type"`
			Categories []struct{ ID string }
			Elements   []struct{ ID string }
		} `json:"schema_snapshot"`
	}
	response := resolved(t, with(
		change{"elements[3]", `{"element_id": "complain"}`},
		change{"elements[4]", microphone + `{"id": "formats", "value": ["sound"]}]}`},
		change{"elements[5]", camera},
		change{"subchain_instances[0].head_refs", `["gate-camera", "police"]`},
	)).Response()
	if err := json.Unmarshal(response, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var categories, elements []string
	for _, c := range got.Snapshot.Categories {
		categories = append(categories, c.ID)
	}
	for _, e := range got.Snapshot.Elements {
		elements = append(elements, e.ID)
	}
	// Categories are in declaration order and elements in element order, without
	// duplicates.
	if diff := cmp.Diff([]string{"purpose", "sensing", "access", "rights"}, categories); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"safety", "camera", "microphone", "police", "contact", "complain"}, elements); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	if got.Snapshot.Type.ID != "demo" {
		t.Errorf("got type %q, want demo", got.Snapshot.Type.ID)
	}
}

func TestResolveRejectsDocumentsForAnotherRelease(t *testing.T) {
	report := mustRun(t, OpResolve, with(change{"schema_version", `"demo@2025-11-30-stable"`}, change{"x", "1"}))
	if diff := cmp.Diff([]string{"SCHEMA_VERSION_MISMATCH schema_version", "unknown_field x"}, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if report.OK() || len(report.Warnings) != 1 || report.Errors[0].Severity != problem.Error {
		t.Errorf("got %+v, want one error and one warning", report)
	}
}

func TestFailedResolveHasNoResponse(t *testing.T) {
	d, _, err := Parse([]byte(with(change{"elements[0].element_id", `"x"`})), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(d, exampleSchema(), nil)
	if err != nil || r.OK() || r.Response() != nil || r.Document() != nil {
		t.Errorf("got %+v, %v; want errors and no response", r, err)
	}
}

func TestResolveLimitsResponseSize(t *testing.T) {
	empty := len(resolved(t, with(change{"x", `""`})).Response())
	fill := func(n int) string { return with(change{"x", `"` + strings.Repeat("a", n) + `"`}) }

	if r := resolved(t, fill(524288-empty)); len(r.Response()) != 524288 {
		t.Errorf("got %d bytes, want 524288", len(r.Response()))
	}
	d, _, err := Parse([]byte(fill(524288-empty+1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(d, exampleSchema(), nil)
	found, ok := errors.AsType[problem.Problem](err)
	if !ok || found.Code != problem.PayloadTooLarge || found.FixHint == "" || !strings.Contains(found.Message, "524289") {
		t.Errorf("got error %v, want payload_too_large", err)
	}
	// White space in the request does not count.
	resolved(t, strings.Replace(fill(500000), "{", "{"+strings.Repeat(" ", 500000), 1))
}

func TestResolveRejectsOversizedSnapshots(t *testing.T) {
	placements := "[" + camera + `, {"element_id": "safety"}, {"element_id": "contact"}`
	for _, id := range manyIDs().elementIDs[10:5000] {
		placements += `, ` + strings.Replace(camera, `"camera"`, `"`+id+`"`, 1)
	}
	d, _, err := Parse([]byte(with(change{"elements", placements + "]"})), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(d, manyIDs(), nil)
	if found, ok := errors.AsType[problem.Problem](err); !ok || found.Code != problem.PayloadTooLarge {
		t.Errorf("got error %v, want payload_too_large", err)
	}
}

func TestCompareUTF16(t *testing.T) {
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
			t.Errorf("compareUTF16(%q, %q) = %d and %d in reverse, want %[1]q first", a, b, compareUTF16(a, b), compareUTF16(b, a))
		}
	}
}

func TestSnapshotHasNoKeywords(t *testing.T) {
	tax := ExampleTaxonomy()
	for i := range tax.Elements {
		tax.Elements[i].Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("CCTV")}}
	}
	schema := NewSchema(tax)
	d, report, err := Parse([]byte(exampleDocument), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	r, err := Resolve(d, schema, nil)
	if err != nil || !r.OK() {
		t.Fatal(r.Report, err)
	}
	if diff := cmp.Diff(string(resolved(t, exampleDocument).Response()), string(r.Response())); diff != "" {
		t.Errorf("keywords change the resolved document (-without +with):\n%s", diff)
	}
	self, report, err := ParseResolved(r.Document(), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	if report, err = ValidateResolved(self, schema, nil); err != nil || len(report.Errors)+len(report.Warnings) > 0 {
		t.Errorf("got %v, error %v, want no findings", report, err)
	}
	if tax.Elements[0].Keywords == nil {
		t.Error("resolving removed the keywords of the release")
	}
}
