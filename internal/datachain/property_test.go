package datachain

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/problem"
)

// checkResolved draws a valid document, resolves it and checks a property.
func checkResolved(t *testing.T, property func(t *rapid.T, s *Schema, thin, response string)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		x := anyTaxonomy(t)
		s, thin := NewSchema(x), anyDocument(t, x)
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
		for _, live := range []*Schema{s, nil} {
			if report, err := operate(OpValidateResolved, []byte(response), live, nil); err != nil || codesAt(report) != nil {
				t.Fatal(report, err)
			}
		}
	})
}

func TestStrippedResolvedDocumentEqualsTheThinOne(t *testing.T) {
	checkResolved(t, func(t *rapid.T, _ *Schema, thin, response string) {
		stripped := without(t, response, "ok", "schema_snapshot", "suggested_elements")
		if diff := cmp.Diff(parsed(t, thin), parsed(t, stripped), sameContent); diff != "" {
			t.Fatalf("(-thin +stripped):\n%s", diff)
		}
		both := []string{"ok", "schema_snapshot", "suggested_elements", "authoring_provenance"}
		if diff := cmp.Diff(parsed(t, without(t, thin, both...)), parsed(t, without(t, response, both...)), sameContent); diff != "" {
			t.Fatalf("without provenance (-thin +stripped):\n%s", diff)
		}
		// Unknown members are unchanged too.
		for name, sent := range topMembers(t, thin) {
			if got := topMembers(t, response)[name]; name != "ok" && got != ordered(t, sent) {
				t.Fatalf("%s: got %s, want %s", name, got, ordered(t, sent))
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
				t.Fatalf("error %v, got\n%s\nwant\n%s", err, r.Response(), response)
			}
		}
	})
}

func TestEveryChangeOfASnapshotIsReported(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, _, response string) {
		tree, err := readTree([]byte(response), new(meter))
		if err != nil {
			t.Fatal(err)
		}
		// The values below schema_snapshot.categories[i], .elements[i] and .datachain_type, by item.
		snapshot := tree.member(0, "schema_snapshot")
		items := slices.Concat(tree.list(tree.member(snapshot, "categories")), tree.list(tree.member(snapshot, "elements")),
			[]ref{tree.member(snapshot, "datachain_type")})
		item := rapid.SampledFrom(items).Draw(t, "item")
		value := rapid.SampledFrom(valuesIn(tree, item)[1:]).Draw(t, "value")
		other := rapid.SampledFrom([]string{"null", "true", "false", "7", "-1", `""`, `"x"`, `"circle"`, "[]", "{}", `["x"]`, `[{"locale":"en","value":"?"}]`}).
			Filter(func(s string) bool { return s != tree.raw(value) }).Draw(t, "other")
		mutant := response[:tree.nodes[value].start] + other + response[tree.nodes[value].end:]

		report, err := operate(OpValidateResolved, []byte(mutant), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := tree.path(item).String()
		if !slices.ContainsFunc(report.Errors, func(p problem.Problem) bool {
			return p.Code == "snapshot_drift" && p.Path.String() == at ||
				p.Code == "parse_error" && strings.HasPrefix(p.Path.String(), at)
		}) {
			t.Fatalf("%s changed to %s, got only %v", tree.path(value), other, report.Errors)
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
		at := rapid.SampledFrom(objects).Draw(t, "object")
		comma := ","
		if tree.size(at) == 0 {
			comma = ""
		}
		end := tree.nodes[at].end - 1
		d, _, err := Parse([]byte(thin[:end]+comma+`"new member": {"b": 1.50, "a": ["\u0061"]}`+thin[end:]), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Resolve(d, s, nil)
		if err != nil || !r.OK() {
			t.Fatal(r.Report, err)
		}
		if want := "unknown_field " + tree.path(at).Field("new member").String(); !slices.Contains(codesAt(r.Report), want) {
			t.Fatalf("got %v, want %s", codesAt(r.Report), want)
		}
		start, stop := NewLocator(r.Response()).Locate(tree.path(at).Field("new member"))
		if got := string(r.Response()[start:stop]); got != `"new member":{"a":["a"],"b":1.50}` {
			t.Fatalf("got %s", got)
		}
	})
}

// valuesIn returns n and all its descendants except names.
func valuesIn(t *tree, n ref) []ref {
	values := []ref{n}
	switch t.kind(n) {
	case '{':
		for _, v := range t.members(n) {
			values = append(values, valuesIn(t, v)...)
		}
	case '[':
		for _, v := range t.items(n) {
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
	for name, v := range tree.members(0) {
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

// ordered returns value as the decoder canonicalizes it, with numbers unchanged.
func ordered(t *rapid.T, value string) string {
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
			report, err := operate(op, []byte(document), exampleSchema(), nil)
			checkReport(t, []byte(document), report, err)
			again, err := operate(op, []byte(document), exampleSchema(), nil)
			if err != nil || !cmp.Equal(report, again, cmp.AllowUnexported(problem.Path{})) {
				t.Fatalf("the second report differs: %v, %v", again, err)
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
				t.Error(err)
			}
		})
	}
	group.Wait()
}
