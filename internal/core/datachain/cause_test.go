package datachain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

func TestConsequencesOfOtherFindingsAreLeftOut(t *testing.T) {
	for _, test := range []struct {
		name    string
		changes []change
		want    []string
	}{
		{
			"A misspelt element explains a missing category.",
			[]change{{"elements[0].element_id", `"saftey"`}},
			[]string{"INSTANCE_ELEMENT_UNKNOWN elements[0].element_id"},
		},
		{
			"An unknown element that resembles none does not.",
			[]change{{"elements[0].element_id", `"spaceship"`}},
			[]string{"REQUIRED_CATEGORY_MISSING elements", "INSTANCE_ELEMENT_UNKNOWN elements[0].element_id"},
		},
		{
			"Nor does a misspelt element of another category.",
			[]change{{"elements[0].element_id", `"polcie"`}},
			[]string{"REQUIRED_CATEGORY_MISSING elements", "INSTANCE_ELEMENT_UNKNOWN elements[0].element_id"},
		},
		{
			"A misspelt element explains a category with too few elements.",
			[]change{{"elements[3]", `{"element_id": "staff"}`}, {"elements[4]", `{"element_id": "polise"}`}},
			[]string{"INSTANCE_ELEMENT_UNKNOWN elements[4].element_id"},
		},
		{
			"A misspelt element explains a required element that is not placed.",
			[]change{{"elements[2].element_id", `"contcat"`}},
			[]string{"INSTANCE_ELEMENT_UNKNOWN elements[2].element_id"},
		},
		{
			"A misspelt element explains a provenance key without a placement.",
			[]change{{"elements[0].element_id", `"saftey"`}, {"authoring_provenance", `{"kind": "human", "element_provenance": {"safety": {}, "ghost": {}}}`}},
			[]string{
				"INSTANCE_ELEMENT_UNKNOWN elements[0].element_id",
				"element_provenance_unknown_element authoring_provenance.element_provenance.ghost",
			},
		},
		{
			"The context and variables of an unknown element are not checked.",
			[]change{{"elements[3]", `{"element_id": "camra", "context_type_id": "x", "variables": [{"id": "x", "value": ["y"]}]}`}},
			[]string{"INSTANCE_ELEMENT_UNKNOWN elements[3].element_id"},
		},
		{
			"A misspelt variable explains a missing one.",
			[]change{{"elements[1].variables[0].id", `"postion"`}},
			[]string{"INSTANCE_VARIABLE_UNKNOWN elements[1].variables[0].id"},
		},
		{
			"An unknown variable that resembles none does not.",
			[]change{{"elements[1].variables[0].id", `"colour"`}},
			[]string{"INSTANCE_REQUIRED_VARIABLE_MISSING elements[1].variables", "INSTANCE_VARIABLE_UNKNOWN elements[1].variables[0].id"},
		},
		{
			"A misspelt variable explains a shown one without a value.",
			[]change{{"elements[0]", `{"element_id": "comfort", "variables": [{"id": "detial", "value": [{"locale": "en", "value": "Heating"}]}]}`}},
			[]string{"INSTANCE_VARIABLE_UNKNOWN elements[0].variables[0].id"},
		},
		{
			"A misspelt member explains a missing context value.",
			[]change{{"elements[1].context_type_id", `"on_event"`}, {"elements[3]", `{"element_id": "camera", "context_type": "continuous", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Door"}]}]}`}},
			[]string{"unknown_field elements[3].context_type"},
		},
		{
			"A misspelt member is only a warning, so it does not explain an error.",
			[]change{{"elements[3]", `{"element_id": "camera", "context_type_id": "on_event", "variable": [{"id": "position", "value": [{"locale": "en", "value": "Door"}]}]}`}},
			[]string{"INSTANCE_REQUIRED_VARIABLE_MISSING elements[3].variables", "unknown_field elements[3].variable"},
		},
		{
			"A misspelt context value is not also missing.",
			[]change{{"elements[1].context_type_id", `"continous"`}},
			[]string{"CONTEXT_TYPE_UNKNOWN elements[1].context_type_id"},
		},
		{
			"A repeated instance id explains a rationale for a variable of the other placement.",
			[]change{
				{"elements[0].element_instance_id", `"gate-camera"`},
				{"authoring_provenance", `{"kind": "human", "element_provenance": {"gate-camera": {"variable_rationale": {"position": "It is in the plans."}}}}`},
			},
			[]string{"INSTANCE_ELEMENT_INSTANCE_ID_DUPLICATE elements[1].element_instance_id"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, codesAt(mustRun(t, OpValidate, with(test.changes...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMisspeltElementsExplainMissingOnesInResolvedDocuments(t *testing.T) {
	document := changed(exampleWithWholeSchema(), change{"elements[0].element_id", `"saftey"`})
	if diff := cmp.Diff([]string{"unknown_element_id elements[0].element_id"}, codesAt(mustRun(t, OpValidateResolved, document))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestElementsWithNewIdsAreNamedAndCountAsPlaced(t *testing.T) {
	tax := ExampleTaxonomy()
	tax.Elements[0].Replaces = taxonomy.IDs{"wellbeing", "security"}
	tax.Derive()
	report, err := run(OpValidate, []byte(with(change{"elements[0].element_id", `"security"`})), NewSchema(tax), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"INSTANCE_ELEMENT_UNKNOWN elements[0].element_id"}, codesAt(report)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	found := report.Errors[0]
	if found.Message != `Element "security" is now "safety".` || found.FixHint != `Write "safety".` || found.Call != problem.Upgrade(tax.ID.String()) {
		t.Errorf("got %q, hint %q, call %v", found.Message, found.FixHint, found.Call)
	}
}

func TestPartsOfPlacementsWithNewIdsAreNamedAndExplainWhatIsMissing(t *testing.T) {
	tax := ExampleTaxonomy()
	c := &tax.Categories[1]
	c.Context.Values[0].Replaces = taxonomy.IDs{"always"}
	c.Variables[0].Replaces = taxonomy.IDs{"place", "spot"}
	c.Variables[1].Options[0].Replaces = taxonomy.IDs{"images"}
	tax.Derive()
	document := with(change{"elements[1].context_type_id", `"always"`},
		change{"elements[1].variables", `[{"id": "spot", "value": [{"locale": "en", "value": "At the gate"}]}, {"id": "formats", "value": ["images"]}]`},
		change{"authoring_provenance", `{"kind": "human", "element_provenance": {"gate-camera": {"variable_rationale": {"spot": "Seen."}}}}`})
	report, err := run(OpValidate, []byte(document), NewSchema(tax), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range append(report.Errors, report.Warnings...) {
		got = append(got, fmt.Sprintf("%s %s: %s %s %v", p.Code, p.Path, p.Message, p.FixHint, p.Call == problem.Upgrade(tax.ID.String())))
	}
	want := []string{
		`CONTEXT_TYPE_UNKNOWN elements[1].context_type_id: Context value "always" is now "continuous". Write "continuous". true`,
		`INSTANCE_VARIABLE_UNKNOWN elements[1].variables[0].id: Variable "spot" is now "position". Write "position". true`,
		`INSTANCE_VARIABLE_OPTION_UNKNOWN elements[1].variables[1].value[0]: Option "images" is now "pictures". Write "pictures". true`,
		`variable_rationale_unknown_variable authoring_provenance.element_provenance.gate-camera.variable_rationale.spot: Variable "spot" is now "position". Write "position". true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDeprecatedElementsAreReportedInTheLanguageOfTheDocument(t *testing.T) {
	for _, test := range []struct {
		deprecation     taxonomy.Deprecation
		title           string
		message, advice string
	}{
		{
			taxonomy.Deprecation{Message: taxonomy.Localized{{Locale: "en", Value: "Too vague."}, {Locale: "fr", Value: "Trop vague."}}},
			"fr",
			`Element "safety" is deprecated. Trop vague.`, "Place another element, or remove the placement.",
		},
		{
			taxonomy.Deprecation{Message: taxonomy.Localized{{Locale: "en", Value: "Too vague."}}, Use: taxonomy.IDs{"comfort", "camera"}},
			"fr",
			`Element "safety" is deprecated. Too vague.`, "Place comfort, camera instead.",
		},
		{taxonomy.Deprecation{Use: taxonomy.IDs{"comfort"}}, "en", `Element "safety" is deprecated.`, "Place comfort instead."},
	} {
		tax := ExampleTaxonomy()
		tax.Elements[0].Deprecated = &test.deprecation
		document := with(change{"title[0].locale", `"` + test.title + `"`}, change{"elements[3]", `{"element_id": "safety"}`})
		report, err := run(OpValidate, []byte(document), NewSchema(tax), nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(report.Warnings, func(p problem.Problem) bool { return p.Code == "element_deprecated" })
		if i < 0 || report.Warnings[i].Message != test.message || report.Warnings[i].FixHint != test.advice || report.Warnings[i].Path.String() != "elements[0].element_id" {
			t.Errorf("%+v: got %v", test.deprecation, report.Warnings)
		}
	}
}

func TestDeprecationsAreComparedByTheirContent(t *testing.T) {
	tax := ExampleTaxonomy()
	tax.Elements[0].Deprecated = &taxonomy.Deprecation{Use: taxonomy.IDs{"comfort"}}
	schema := NewSchema(tax)
	d, _, err := Parse([]byte(with()), nil)
	if err != nil {
		t.Fatal(err)
	}
	resolution, err := Resolve(d, schema, nil)
	if err != nil || !resolution.OK() {
		t.Fatal(resolution.Report, err)
	}
	// Other white space than resolve writes.
	spaced := strings.ReplaceAll(string(resolution.Document()), `":`, `": `)
	for document, want := range map[string]int{
		spaced: 0,
		strings.Replace(spaced, `{"use": "comfort"}`, `{"use": "camera"}`, 1): 1,
	} {
		report, err := run(OpValidateResolved, []byte(document), schema, nil)
		if err != nil || len(report.Errors) != want {
			t.Errorf("got %v, %v, want %d errors in %s", report.Errors, err, want, document)
		}
	}
}
