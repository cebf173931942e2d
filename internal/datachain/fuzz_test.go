package datachain

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"placard/internal/problem"
)

// seeds adds every example, and what sets JSON readers apart.
func seeds(f *testing.F) {
	for _, r := range Rules() {
		f.Add([]byte(r.Example))
	}
	for _, s := range []string{
		``, `{}`, `[]`, `null`, `7`, `{"a":1,"a":2}`, `{"a":[{"b":{}}]}`, "\ufeff{}", "{\"\xff\":1}", `{} {}`, `{"elements":[[]]}`,
		exampleDocument, exampleResolved(), exampleWithWholeSchema(), string(twenty()),
		with(change{"authoring_provenance", `{"kind": "", "element_provenance": {"": {"variable_rationale": {"": 0}}, "\ud83d\ude00": {}}}`}),
	} {
		f.Add([]byte(s))
	}
}

// checkReport holds what is true of every report on body.
func checkReport(t rapid.TB, body []byte, report Report, err error) {
	t.Helper()
	if err != nil {
		found, ok := errors.AsType[problem.Problem](err)
		if !ok || found.Code != problem.BadRequest && found.Code != problem.PayloadTooLarge || found.FixHint == "" {
			t.Fatalf("%#v", err)
		}
		return
	}
	tree, err := readTree(body, new(meter))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []problem.List{report.Errors, report.Warnings} {
		if len(list) > most && (len(list) > most+1 || list[most].Code != findingsTruncated.Code) {
			t.Fatalf("%d findings", len(list))
		}
		list = slices.DeleteFunc(slices.Clone(list), func(p problem.Problem) bool { return p.Code == findingsTruncated.Code })
		if !slices.IsSortedFunc(list, func(p, q problem.Problem) int {
			at, _ := tree.find(p.Path.String())
			bt, _ := tree.find(q.Path.String())
			return cmp.Or(cmp.Compare(at, bt), cmp.Compare(p.Path.String(), q.Path.String()), cmp.Compare(p.Code, q.Code))
		}) {
			t.Fatalf("not in order: %v", list)
		}
		for _, p := range list {
			if p.Message == "" || p.FixHint == "" || p.Path.IsZero() || p.Severity == "" {
				t.Fatalf("half a finding: %+v", p)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		d, report, err := Parse(body, nil)
		if !bytes.Equal(before, body) {
			t.Fatal("the body changed")
		}
		checkReport(t, body, report, err)
		if (d != nil) != (err == nil && report.OK()) {
			t.Fatalf("%v, %v, %v", d, report, err)
		}
		if strict := jsontext.Value(body).IsValid(); err == nil && !strict {
			t.Fatal("what is not JSON was read")
		} else if err != nil && strict && nesting(body) <= deepest {
			t.Fatalf("what is JSON was not read: %v", err)
		}
		if err != nil {
			return
		}
		// Where everything stands is known: the text can be told from the nodes.
		tree, _ := readTree(body, new(meter))
		w := writer{tree: tree, meter: new(meter)}
		w.value(0)
		want, err := jsontext.AppendFormat(nil, body, jsontext.ReorderRawObjects(true),
			jsontext.CanonicalizeRawFloats(false), jsontext.CanonicalizeRawInts(false))
		if err != nil || !bytes.Equal(want, w.out) {
			t.Fatalf("%v\n%s\nis not\n%s", err, w.out, want)
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
	seeds(f)
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
			t.Fatalf("resolved although invalid: %v", report.Errors)
		}
		checked, err := operate(OpValidateResolved, r.Answer(), exampleSchema(), nil)
		if err != nil || codesAt(checked) != nil {
			t.Fatalf("resolved to something invalid: %v, %v", checked, err)
		}
		again, _, err := Parse(r.Answer(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := Resolve(again, exampleSchema(), nil); err != nil || !bytes.Equal(second.Answer(), r.Answer()) {
			t.Fatalf("resolved again, it is another: %v\n%s\n%s", err, second.Answer(), r.Answer())
		}
	})
}

func FuzzValidateResolved(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, live := range []*Schema{nil, exampleSchema()} {
			report, err := operate(OpValidateResolved, body, live, nil)
			checkReport(t, body, report, err)
			if report.OK() && len(report.Warnings) > 0 {
				t.Fatalf("a valid document with warnings: %v", report.Warnings)
			}
		}
	})
}
