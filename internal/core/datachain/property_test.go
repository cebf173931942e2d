package datachain

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/problem"
)

// checkResolved draws a valid document, resolves it and checks a property.
func checkResolved(t *testing.T, property func(t *rapid.T, s *Schema, thin, response string)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		tax := anyTaxonomy(t)
		s, thin := NewSchema(tax), anyDocument(t, tax)
		d, report, err := Parse([]byte(thin), nil)
		if err != nil || !report.OK() {
			t.Fatal(report, err)
		}
		r, err := Resolve(d, s, nil)
		if err != nil || !r.OK() {
			t.Fatal(r.Report, err)
		}
		property(t, s, thin, string(r.Response()))
	})
}

func TestResolvedDocumentsAreValid(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, thin, response string) {
		for _, published := range []*Schema{s, nil} {
			if report, err := run(OpValidateResolved, []byte(response), published, nil); err != nil || !report.OK() {
				t.Fatal(report, err)
			}
		}
	})
}

func TestStrippedResolvedDocumentEqualsThinDocument(t *testing.T) {
	checkResolved(t, func(t *rapid.T, _ *Schema, thin, response string) {
		stripped := without(t, response, "ok", "schema_snapshot", "suggested_elements")
		if diff := cmp.Diff(parsed(t, thin), parsed(t, stripped), sameContent); diff != "" {
			t.Fatalf("(-thin +stripped):\n%s", diff)
		}
		names := []string{"ok", "schema_snapshot", "suggested_elements", "authoring_provenance"}
		if diff := cmp.Diff(parsed(t, without(t, thin, names...)), parsed(t, without(t, response, names...)), sameContent); diff != "" {
			t.Fatalf("without provenance (-thin +stripped):\n%s", diff)
		}
		// Unknown members are unchanged too.
		for name, sent := range topMembers(t, thin) {
			if got := topMembers(t, response)[name]; name != "ok" && got != canonicalized(t, sent) {
				t.Fatalf("%s: got %s, want %s", name, got, canonicalized(t, sent))
			}
		}
	})
}

func TestResolveIsIdempotent(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, thin, response string) {
		for _, document := range []string{thin, response} {
			d, _, err := Parse([]byte(document), nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Resolve(d, s, nil)
			if err != nil || string(r.Response()) != response {
				t.Fatalf("got\n%s\nwant\n%s (error %v)", r.Response(), response, err)
			}
		}
	})
}

func TestEverySnapshotChangeIsReported(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, _, response string) {
		tree, err := readTree([]byte(response), new(meter))
		if err != nil {
			t.Fatal(err)
		}
		// Change a value in an item of the snapshot: a category, an element or the type.
		snapshot := tree.member(0, "schema_snapshot")
		items := slices.Concat(tree.list(tree.member(snapshot, "categories")), tree.list(tree.member(snapshot, "elements")),
			[]ref{tree.member(snapshot, "datachain_type")})
		item := rapid.SampledFrom(items).Draw(t, "item")
		value := rapid.SampledFrom(valuesIn(tree, item)[1:]).Draw(t, "value")
		other := rapid.SampledFrom([]string{"null", "true", "false", "7", "-1", `""`, `"x"`, `"circle"`, "[]", "{}", `["x"]`, `[{"locale":"en","value":"?"}]`}).
			Filter(func(s string) bool {
				// An example without texts is the same with and without its members.
				return s != tree.raw(value) && (s != "{}" || tree.raw(value) != `{"narrative":[],"scenario":[]}`)
			}).Draw(t, "other")
		mutant := response[:tree.nodes[value].start] + other + response[tree.nodes[value].end:]

		report, err := run(OpValidateResolved, []byte(mutant), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		path := tree.path(item).String()
		if !slices.ContainsFunc(report.Errors, func(p problem.Problem) bool {
			return p.Code == "snapshot_drift" && p.Path.String() == path ||
				p.Code == "parse_error" && strings.HasPrefix(p.Path.String(), path)
		}) {
			t.Fatalf("%s changed to %s: got %v, want snapshot_drift or parse_error", tree.path(value), other, report.Errors)
		}
	})
}

func TestResolveKeepsUnknownMembers(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, thin, _ string) {
		tree, err := readTree([]byte(thin), new(meter))
		if err != nil {
			t.Fatal(err)
		}
		objects := slices.DeleteFunc(valuesIn(tree, 0), func(n ref) bool {
			// The names in these two are ids and cannot be unknown.
			path := tree.path(n).String()
			return tree.kind(n) != '{' || strings.HasSuffix(path, "element_provenance") || strings.HasSuffix(path, "variable_rationale")
		})
		object := rapid.SampledFrom(objects).Draw(t, "object")
		comma := ","
		if tree.size(object) == 0 {
			comma = ""
		}
		end := tree.nodes[object].end - 1
		d, _, err := Parse([]byte(thin[:end]+comma+`"new member": {"b": 1.50, "a": ["\u0061"]}`+thin[end:]), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Resolve(d, s, nil)
		if err != nil || !r.OK() {
			t.Fatal(r.Report, err)
		}
		if want := "unknown_field " + tree.path(object).Field("new member").String(); !slices.Contains(codesAt(r.Report), want) {
			t.Fatalf("got %v, want %s", codesAt(r.Report), want)
		}
		start, stop := NewLocator(r.Response()).Locate(tree.path(object).Field("new member"))
		if got := string(r.Response()[start:stop]); got != `"new member":{"a":["a"],"b":1.50}` {
			t.Fatalf("got %s, want the new member in canonical form", got)
		}
	})
}

// valuesIn returns n and all its descendants except names.
func valuesIn(t *tree, n ref) []ref {
	values := []ref{n}
	switch t.kind(n) {
	case '{':
		for _, v := range t.members(n, new(meter)) {
			values = append(values, valuesIn(t, v)...)
		}
	case '[':
		for _, v := range t.items(n, new(meter)) {
			values = append(values, valuesIn(t, v)...)
		}
	}
	return values
}

func parsed(t *rapid.T, document string) *Document {
	d, report, err := Parse([]byte(document), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	return d
}

// topMembers returns the members of document in their original spelling.
func topMembers(t *rapid.T, document string) map[string]string {
	tree, err := readTree([]byte(document), new(meter))
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]string{}
	for name, v := range tree.members(0, new(meter)) {
		members[name] = tree.raw(v)
	}
	return members
}

func without(t *rapid.T, document string, names ...string) string {
	var b strings.Builder
	for name, value := range topMembers(t, document) {
		if !slices.Contains(names, name) {
			b.WriteString(`,"` + name + `":` + value)
		}
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// canonicalized returns value in canonical form, with numbers unchanged.
func canonicalized(t *rapid.T, value string) string {
	v, err := jsontext.AppendFormat(nil, value, jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawFloats(false),
		jsontext.CanonicalizeRawInts(false), jsontext.PreserveRawStrings(false))
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

func TestReportsOfMutatedDocuments(t *testing.T) {
	examples := []string{exampleDocument, exampleResolved(), string(twentyPlacements())}
	for _, r := range Rules() {
		examples = append(examples, r.Example)
	}
	values := []string{
		"null", "true", "0", "-1.5", `""`, `"en"`, `"camera"`, `"gate-camera"`, `"formats"`, `"é\u0000"`, "[]", "{}", "[0]", `["sound", "sound"]`,
		`[{}]`, `[{"locale": "en", "value": ""}]`, `{"id": "position", "value": []}`, `{"element_id": "camera"}`, `{"kind": "ai_generated"}`, suggestion,
	}
	rapid.Check(t, func(t *rapid.T) {
		document := rapid.SampledFrom(examples).Draw(t, "document")
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			tree, err := readTree([]byte(document), new(meter))
			if err != nil {
				t.Fatal(err)
			}
			n := rapid.SampledFrom(valuesIn(tree, 0)).Draw(t, "node")
			document = document[:tree.nodes[n].start] + rapid.SampledFrom(values).Draw(t, "value") + document[tree.nodes[n].end:]
		}
		for _, op := range onAny {
			report, err := run(op, []byte(document), exampleSchema(), nil)
			checkReport(t, []byte(document), report, err)
			second, err := run(op, []byte(document), exampleSchema(), nil)
			if err != nil || !cmp.Equal(report, second, cmp.AllowUnexported(problem.Path{}, problem.Problem{})) {
				t.Fatalf("second report: got %v, error %v, want %v", second, err, report)
			}
		}
	})
}

func TestDocumentsAndSchemasAreSafeForConcurrentUse(t *testing.T) {
	d, _, err := Parse(twentyPlacements(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSchema(largeTaxonomy())
	want, err := Resolve(d, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got, err := Resolve(d, s, nil); err != nil || string(got.Response()) != string(want.Response()) {
				t.Errorf("got response %s, error %v, want %s", got.Response(), err, want.Response())
			}
		})
	}
	group.Wait()
}
