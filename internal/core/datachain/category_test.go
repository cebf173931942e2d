package datachain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

func TestHintsAboutCategoriesListAllOrNoneOfTheirElements(t *testing.T) {
	grown := func(category string, n int) *Schema {
		tax := ExampleTaxonomy()
		for i := range n {
			tax.Elements = append(tax.Elements, taxonomy.Element{ID: fmt.Sprint("extra", i), CategoryID: category})
		}
		tax.Derive()
		return NewSchema(tax)
	}
	without := func(id string) *Schema {
		tax := ExampleTaxonomy()
		tax.Elements = slices.DeleteFunc(tax.Elements, func(e taxonomy.Element) bool { return e.ID == id })
		tax.Derive()
		return NewSchema(tax)
	}
	const ask = " If you do not know which apply, ask someone who knows the system; do not guess."
	purposeMissing := with(change{"elements[0].element_id", `"complain"`})
	tooFew := with(change{"elements[3]", `{"element_id": "staff"}`})
	for _, test := range []struct {
		name     string
		document string
		schema   *Schema
		hint     string
		call     problem.Call
	}{
		{
			"missing, few", purposeMissing, exampleSchema(),
			"Place at least 1 element of this category: safety, comfort." + ask,
			problem.Call{},
		},
		{
			"missing, as many as a hint lists", purposeMissing, grown("purpose", 10),
			"Place at least 1 element of this category: safety, comfort, extra0, extra1, extra2, extra3, extra4, extra5, extra6, extra7, extra8, extra9." + ask,
			problem.Call{},
		},
		{
			"missing, more than a hint lists", purposeMissing, grown("purpose", 11),
			"Place at least 1 element of this category." + ask, problem.ListElementsIn("demo@2026-01-15-stable", "purpose"),
		},
		{
			"missing, one", purposeMissing, without("comfort"),
			"Place its only element, safety. If you do not know whether it applies, ask someone who knows the system; do not guess.",
			problem.Call{},
		},
		{
			"too few, few", tooFew, exampleSchema(),
			"Place 1 more of its elements: staff, police." + ask,
			problem.Call{},
		},
		{
			"too few, more than a hint lists", tooFew, grown("access", 11),
			"Place 1 more of its elements." + ask, problem.ListElementsIn("demo@2026-01-15-stable", "access"),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := run(OpValidate, []byte(test.document), test.schema, nil)
			if err != nil || len(report.Errors) != 1 {
				t.Fatalf("got errors %v and %v, want one finding", report.Errors, err)
			}
			if p := report.Errors[0]; p.FixHint != test.hint || p.Call != test.call {
				t.Errorf("got hint %q and call %+v, want %q and %+v", p.FixHint, p.Call, test.hint, test.call)
			}
		})
	}
}

func TestHintsAboutCategoriesOfResolvedDocumentsRecommendNoCall(t *testing.T) {
	var extra strings.Builder
	for i := range 20 {
		fmt.Fprintf(&extra, `{"id": "extra%d", "title": [], "category_id": "purpose"}, `, i)
	}
	document := changed(exampleWithWholeSchema(),
		change{"suggested_elements", "[" + strings.TrimSuffix(extra.String(), ", ") + "]"},
		change{"authoring_provenance", `{"kind": "ai_generated"}`},
		change{"elements[0].element_id", `"complain"`})
	report := mustRun(t, OpValidateResolved, document)
	const want = "Place at least 1 element of this category. If you do not know which apply, ask someone who knows the system; do not guess."
	if len(report.Errors) != 1 || report.Errors[0].FixHint != want || !report.Errors[0].Call.IsZero() {
		t.Errorf("got %+v, want one finding with the hint %q and no call", report.Errors, want)
	}
}

func TestHintsAboutMissingContextsSayToAsk(t *testing.T) {
	report := mustRun(t, OpValidate, with(change{"elements[3]", `{"element_id": "microphone", "variables": [{"id": "position", "value": [{"locale": "en", "value": "In the lift"}]}]}`}))
	const want = "Add context_type_id, one of continuous, on_event. If you do not know which applies, ask someone who knows the system; do not guess."
	if len(report.Warnings) != 1 || report.Warnings[0].FixHint != want {
		t.Errorf("got %+v, want one warning with the hint %q", report.Warnings, want)
	}
}
