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

// checkResolved draws a valid document, resolves it and asks for a property.
func checkResolved(t *testing.T, property func(t *rapid.T, s *Schema, thin, answer string)) {
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
		property(t, s, thin, string(r.Answer()))
	})
}

func TestWhatResolvesIsValidResolved(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, thin, answer string) {
		for _, live := range []*Schema{s, nil} {
			if report, err := operate(OpValidateResolved, []byte(answer), live, nil); err != nil || codesAt(report) != nil {
				t.Fatal(report, err)
			}
		}
	})
}

func TestStrippingAResolvedDocumentGivesTheThinOneBack(t *testing.T) {
	checkResolved(t, func(t *rapid.T, _ *Schema, thin, answer string) {
		stripped := without(t, answer, "ok", "schema_snapshot", "suggested_elements")
		if diff := cmp.Diff(parsed(t, thin), parsed(t, stripped), sameContent); diff != "" {
			t.Fatalf("(-thin +stripped):\n%s", diff)
		}
		both := []string{"ok", "schema_snapshot", "suggested_elements", "authoring_provenance"}
		if diff := cmp.Diff(parsed(t, without(t, thin, both...)), parsed(t, without(t, answer, both...)), sameContent); diff != "" {
			t.Fatalf("without provenance (-thin +stripped):\n%s", diff)
		}
		// What was sent comes back member for member, not only what is known.
		for name, sent := range topMembers(t, thin) {
			if got := topMembers(t, answer)[name]; name != "ok" && got != ordered(t, sent) {
				t.Fatalf("%s is %s, not %s", name, got, ordered(t, sent))
			}
		}
	})
}

func TestResolvingTwiceGivesTheSameBytes(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, thin, answer string) {
		for _, document := range []string{thin, answer} {
			d, _, err := Parse([]byte(document), nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Resolve(d, s, nil)
			if err != nil || string(r.Answer()) != answer {
				t.Fatalf("%v\n%s\nis not\n%s", err, r.Answer(), answer)
			}
		}
	})
}

func TestAnyChangeToASnapshotIsReported(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, _, answer string) {
		tree, err := readTree([]byte(answer), new(meter))
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
		mutant := answer[:tree.nodes[value].start] + other + answer[tree.nodes[value].end:]

		report, err := operate(OpValidateResolved, []byte(mutant), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := tree.path(item).String()
		if !slices.ContainsFunc(report.Errors, func(p problem.Problem) bool {
			return p.Code == "snapshot_drift" && p.Path.String() == at ||
				p.Code == "parse_error" && strings.HasPrefix(p.Path.String(), at)
		}) {
			t.Fatalf("%s became %s and nobody saw it: %v", tree.path(value), other, report.Errors)
		}
	})
}

func TestUnknownMembersSurviveResolve(t *testing.T) {
	checkResolved(t, func(t *rapid.T, s *Schema, thin, _ string) {
		tree, err := readTree([]byte(thin), new(meter))
		if err != nil {
			t.Fatal(err)
		}
		objects := slices.DeleteFunc(valuesIn(tree, 0), func(n ref) bool {
			// The names in these two are ids, not members that could be unknown.
			path := tree.path(n).String()
			return tree.kind(n) != '{' || strings.HasSuffix(path, "element_provenance") || strings.HasSuffix(path, "variable_rationale")
		})
		at := rapid.SampledFrom(objects).Draw(t, "object")
		comma := ","
		if tree.size(at) == 0 {
			comma = ""
		}
		end := tree.nodes[at].end - 1
		d, _, err := Parse([]byte(thin[:end]+comma+`"wholly new": {"b": 1.50, "a": ["\u0061"]}`+thin[end:]), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Resolve(d, s, nil)
		if err != nil || !r.OK() {
			t.Fatal(r.Report, err)
		}
		if want := "unknown_field " + tree.path(at).Field("wholly new").String(); !slices.Contains(codesAt(r.Report), want) {
			t.Fatalf("found %v, not %s", codesAt(r.Report), want)
		}
		start, stop := NewLocator(r.Answer()).Locate(tree.path(at).Field("wholly new"))
		if got := string(r.Answer()[start:stop]); got != `"wholly new":{"a":["a"],"b":1.50}` {
			t.Fatalf("it comes back as %s", got)
		}
	})
}

// valuesIn returns n and every value in it.
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

// topMembers returns the members of document as they are spelt.
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

// ordered is the decoder's own idea of the canonical form, numbers left alone.
func ordered(t *rapid.T, value string) string {
	v, err := jsontext.AppendFormat(nil, value, jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawFloats(false),
		jsontext.CanonicalizeRawInts(false), jsontext.PreserveRawStrings(false))
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

func TestAnyDocumentGetsAProperReport(t *testing.T) {
	examples := []string{exampleDocument, exampleResolved(), string(twenty())}
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
				t.Fatalf("the second report is another: %v, %v", again, err)
			}
		}
	})
}

func TestDocumentsAndSchemasAreSafeForConcurrentUse(t *testing.T) {
	d, _, err := Parse(twenty(), nil)
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
			if got, err := Resolve(d, s, nil); err != nil || string(got.Answer()) != string(want.Answer()) {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
