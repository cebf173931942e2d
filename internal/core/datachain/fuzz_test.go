package datachain

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"placard/internal/core/problem"
)

// addSeeds adds every example, and input that JSON parsers treat differently.
func addSeeds(f *testing.F) {
	for _, r := range Rules() {
		f.Add([]byte(r.Example))
	}
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `7`, `{"a":1,"a":2}`, `{"a":[{"b":{}}]}`, "\ufeff{}", "{\"\xff\":1}", `{} {}`, `{"elements":[[]]}`,
		exampleDocument, exampleResolved(), exampleWithWholeSchema(), string(twentyPlacements()),
		with(change{"authoring_provenance", `{"kind": "", "element_provenance": {"": {"variable_rationale": {"": 0}}, "\ud83d\ude00": {}}}`}),
	} {
		f.Add([]byte(s))
	}
}

// checkReport checks the invariants of a report on body.
func checkReport(t rapid.TB, body []byte, report Report, err error) {
	t.Helper()
	if err != nil {
		found, ok := errors.AsType[problem.Problem](err)
		if !ok || found.Code != problem.BadRequest && found.Code != problem.PayloadTooLarge || found.FixHint == "" {
			t.Fatalf("got error %#v, want bad_request or payload_too_large", err)
		}
		return
	}
	tree, err := readTree(body, new(meter))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []problem.List{report.Errors, report.Warnings} {
		if len(list) > maxFindings && (len(list) > maxFindings+1 || list[maxFindings].Code != findingsTruncated.Code) {
			t.Fatalf("got %d findings, want at most %d", len(list), maxFindings)
		}
		list = slices.DeleteFunc(slices.Clone(list), func(p problem.Problem) bool { return p.Code == findingsTruncated.Code })
		if !slices.IsSortedFunc(list, func(p, q problem.Problem) int {
			a, _ := tree.find(p.Path.String())
			b, _ := tree.find(q.Path.String())
			return cmp.Or(cmp.Compare(a, b), cmp.Compare(p.Path.String(), q.Path.String()), cmp.Compare(p.Code, q.Code))
		}) {
			t.Fatalf("got findings %v, want them in document order", list)
		}
		for _, p := range list {
			if p.Message == "" || p.FixHint == "" || p.Path.IsZero() || p.Severity == "" {
				t.Fatalf("got finding %+v, want a message, a hint, a path and a severity", p)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		d, report, err := Parse(body, nil)
		if !bytes.Equal(before, body) {
			t.Fatal("Parse modified the body")
		}
		checkReport(t, body, report, err)
		if (d != nil) != (err == nil && report.OK()) {
			t.Fatalf("got document %v with report %v and error %v, want a document only without errors", d, report, err)
		}
		if strict := jsontext.Value(bytes.TrimPrefix(body, []byte(byteOrderMark))).IsValid(); err == nil && !strict {
			t.Fatal("Parse accepted invalid JSON")
		} else if err != nil && strict && nesting(body) <= maxDepth {
			t.Fatalf("Parse rejected valid JSON: %v", err)
		}
		if err != nil {
			return
		}
		// The nodes are complete: the text can be rebuilt from them.
		tree, _ := readTree(body, new(meter))
		w := writer{tree: tree, meter: new(meter)}
		w.value(0)
		want, err := jsontext.AppendFormat(nil, bytes.TrimPrefix(body, []byte(byteOrderMark)), jsontext.ReorderRawObjects(true),
			jsontext.CanonicalizeRawFloats(false), jsontext.CanonicalizeRawInts(false))
		if err != nil || !bytes.Equal(want, w.out) {
			t.Fatalf("got\n%s\nwant\n%s (error %v)", w.out, want, err)
		}
	})
}

func nesting(body []byte) int {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	depth := 0
	for {
		if _, err := dec.ReadToken(); err != nil {
			return depth
		}
		depth = max(depth, dec.StackDepth())
	}
}

func FuzzValidate(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		d, report, err := Parse(body, nil)
		if err != nil || !report.OK() {
			return
		}
		report, err = Validate(d, exampleSchema(), nil)
		checkReport(t, body, report, err)
		r, err := Resolve(d, exampleSchema(), nil)
		checkReport(t, body, r.Report, err)
		if err != nil || !r.OK() {
			return
		}
		if !report.OK() {
			t.Fatalf("an invalid document was resolved: %v", report.Errors)
		}
		checked, err := run(OpValidateResolved, r.Response(), exampleSchema(), nil)
		if err != nil || !checked.OK() {
			t.Fatalf("the resolved document: got report %v, error %v, want no errors", checked, err)
		}
		want := slices.DeleteFunc(codesAt(Report{Warnings: r.Warnings}), func(s string) bool { return s == "unknown_field schema_snapshot" })
		if got := codesAt(checked); !slices.Equal(got, want) {
			t.Fatalf("the resolved document: got warnings %v, want those of the document, %v", got, want)
		}
		reparsed, _, err := Parse(r.Response(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := Resolve(reparsed, exampleSchema(), nil); err != nil || !bytes.Equal(second.Response(), r.Response()) {
			t.Fatalf("resolving again: error %v, got\n%s\nwant\n%s", err, second.Response(), r.Response())
		}
	})
}

func FuzzValidateResolved(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, s := range []*Schema{nil, exampleSchema()} {
			report, err := run(OpValidateResolved, body, s, nil)
			checkReport(t, body, report, err)
			if report.OK() && len(report.Warnings) > 0 {
				t.Fatalf("got warnings %v, want none", report.Warnings)
			}
		}
	})
}
