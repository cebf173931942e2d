package datachain

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

const (
	camera     = `{"element_id": "camera", "context_type_id": "on_event", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Door"}]}]}`
	microphone = `{"element_id": "microphone", "context_type_id": "on_event", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Lift"}]}, `
	staff      = `{"element_id": "staff"}`
	police     = `{"element_id": "police"}`
	liftFlow   = `{"id": "lift-flow", "subchain_id": "flow"}`
	stairFlow  = `{"id": "stair-flow", "subchain_id": "flow"}`
	contact    = `{"element_id": "contact", "actions": [{"type": "postal", "label": [{"locale": "en", "value": "Write to us"}], "target": "1 High Street"}]}`
)

// inFlow returns a placement with a subchain_instance_id.
func inFlow(placement, instance string) string {
	return strings.Replace(placement, "{", `{"subchain_instance_id": "`+instance+`", `, 1)
}

func TestValidate(t *testing.T) {
	always := strings.Replace(camera, "on_event", "continuous", 1)
	for _, test := range []struct {
		name    string
		changes []change
		want    []string
	}{
		{
			"Unknown elements are reported in placements and head_refs.",
			[]change{{"elements[3]", `{"element_id": ""}`}, {"subchain_instances[0].head_refs", `["camera", "gate-camera", "police", "ghost"]`}},
			[]string{"INSTANCE_ELEMENT_UNKNOWN elements[3].element_id", "INSTANCE_ELEMENT_UNKNOWN subchain_instances[0].head_refs[3]"},
		},
		{
			"Placements of unknown elements are checked as far as possible.",
			[]change{{"elements[3]", `{"element_id": "ghost", "context_type_id": "x", "label": "", "lable": "", "variables": [
				{"id": "v", "value": []}, {"id": "v", "value": ["a", "b", "a"]}]}`}},
			[]string{
				"INSTANCE_ELEMENT_UNKNOWN elements[3].element_id", "INSTANCE_VARIABLE_VALUE_EMPTY elements[3].variables[0].value",
				"INSTANCE_VARIABLE_DUPLICATE elements[3].variables[1].id", "INSTANCE_VARIABLE_VALUE_DUPLICATE elements[3].variables[1].value[2]",
				"placement_label_empty elements[3].label", "unknown_field elements[3].lable",
			},
		},
		{
			"A category may have exactly min_elements placements.",
			[]change{{"elements[3]", `{"element_id": "staff"}`}, {"elements[4]", `{"element_id": "staff"}`}},
			nil,
		},
		{
			"An element with too many placements is reported once.",
			[]change{{"elements[3]", contact}, {"elements[4]", contact}},
			[]string{"ELEMENT_PLACED_TOO_OFTEN elements[3].element_id"},
		},
		{
			"An element without a context has no context values.",
			[]change{{"elements[0].context_type_id", `"continuous"`}},
			[]string{"CONTEXT_TYPE_UNKNOWN elements[0].context_type_id"},
		},
		{
			"An empty context value is unknown, not missing.",
			[]change{{"elements[1].context_type_id", `""`}},
			[]string{"CONTEXT_TYPE_UNKNOWN elements[1].context_type_id"},
		},
		{
			"A placement without variables is checked for required ones.",
			[]change{{"elements[3]", `{"element_id": "camera", "context_type_id": "on_event"}`}},
			[]string{"INSTANCE_REQUIRED_VARIABLE_MISSING elements[3].variables"},
		},
		{
			"An empty value is empty, not missing.",
			[]change{{"elements[1].variables[0].value", `[]`}},
			[]string{"INSTANCE_VARIABLE_VALUE_EMPTY elements[1].variables[0].value"},
		},
		{
			"One text of a value may be blank.",
			[]change{{"elements[1].variables[0].value[1]", `{"locale": "fr", "value": ""}`}},
			nil,
		},
		{
			"An empty list of options is empty.",
			[]change{{"elements[1].variables[1]", `{"id": "formats", "value": []}`}},
			[]string{"INSTANCE_VARIABLE_VALUE_EMPTY elements[1].variables[1].value"},
		},
		{
			"A text in place of options is reported only once.",
			[]change{{"elements[1].variables[1]", `{"id": "formats", "value": [{"locale": "en", "value": ""}, {"locale": "en", "value": ""}]}`}},
			[]string{"INSTANCE_VARIABLE_VALUE_SHAPE elements[1].variables[1].value"},
		},
		{
			"Options may apply to some elements only.",
			[]change{{"elements[3]", microphone + `{"id": "formats", "value": ["sound", "pictures"]}]}`}},
			nil,
		},
		{
			"Every invalid option is reported.",
			[]change{{"elements[3]", `{"element_id": "camera", "context_type_id": "on_event", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Door"}]},
				{"id": "formats", "value": ["sound", "smell", "sound", ""]}]}`}},
			[]string{
				"INSTANCE_VARIABLE_OPTION_NOT_APPLICABLE elements[3].variables[1].value[0]",
				"INSTANCE_VARIABLE_OPTION_UNKNOWN elements[3].variables[1].value[1]",
				"INSTANCE_VARIABLE_OPTION_NOT_APPLICABLE elements[3].variables[1].value[2]",
				"INSTANCE_VARIABLE_VALUE_DUPLICATE elements[3].variables[1].value[2]",
				"INSTANCE_VARIABLE_OPTION_UNKNOWN elements[3].variables[1].value[3]",
			},
		},
		{
			"Locales are compared case-insensitively.",
			[]change{{"title[0].locale", `"EN"`}, {"description", `[{"locale": "Fr", "value": "Hall"}]`}},
			nil,
		},
		{
			"Locales are checked in every localized string.",
			[]change{
				{"title[0].locale", `"a"`},
				{"elements[1].variables[0].value[0].locale", `"b"`},
				{"elements[1].label", `[{"locale": "c", "value": "Gate"}]`},
				{"elements[1].actions", `[{"type": "url", "label": [{"locale": "d", "value": "See"}], "target": "https://example.org"}]`},
			},
			[]string{
				"LOCALE_UNKNOWN title[0].locale", "LOCALE_UNKNOWN elements[1].variables[0].value[0].locale",
				"LOCALE_UNKNOWN elements[1].label[0].locale", "LOCALE_UNKNOWN elements[1].actions[0].label[0].locale",
			},
		},
		{
			"Localized labels may be blank too.",
			[]change{{"elements[0].label", `[]`}, {"elements[1].label", `[{"locale": "en", "value": "\u00a0 \n"}]`}, {"elements[2].label", `[{"locale": "en", "value": ""}, {"locale": "fr", "value": "Oui"}]`}},
			[]string{"placement_label_empty elements[0].label", "placement_label_empty elements[1].label"},
		},
		{
			"Empty instance ids are compared.",
			[]change{{"elements[0].element_instance_id", `""`}, {"elements[2].element_instance_id", `""`}},
			[]string{"INSTANCE_ELEMENT_INSTANCE_ID_DUPLICATE elements[2].element_instance_id"},
		},
		{
			"An instance id must not be the id of the placed element.",
			[]change{{"elements[1].element_instance_id", `"camera"`}},
			[]string{"INSTANCE_ELEMENT_INSTANCE_ID_COLLIDES_WITH_ELEMENT_ID elements[1].element_instance_id"},
		},
		{
			"An instance id may be the id of an element that is not placed.",
			[]change{{"elements[1].element_instance_id", `"microphone"`}},
			nil,
		},
		{
			"Provenance is keyed by either id.",
			[]change{{"authoring_provenance", `{"kind": "human", "element_provenance": {"gate-camera": {}, "camera": {}, "safety": {"variable_rationale": {"detail": 1, "x": 2}}}}`}},
			[]string{"variable_rationale_unknown_variable authoring_provenance.element_provenance.safety.variable_rationale.x"},
		},
		{
			"An instance id is an unambiguous key.",
			[]change{{"elements[3]", camera}, {"authoring_provenance", `{"kind": "human", "element_provenance": {"gate-camera": {}, "camera": {"variable_rationale": {"x": 1}}}}`}},
			[]string{
				"element_provenance_ambiguous authoring_provenance.element_provenance.camera",
				"variable_rationale_unknown_variable authoring_provenance.element_provenance.camera.variable_rationale.x",
			},
		},
		{
			"A key is an instance id rather than an element id.",
			[]change{
				{"elements[3]", `{"element_id": "complain", "element_instance_id": "safety"}`},
				{"authoring_provenance", `{"kind": "human", "element_provenance": {"safety": {"variable_rationale": {"detail": 1}}}}`},
			},
			[]string{
				"INSTANCE_ELEMENT_INSTANCE_ID_COLLIDES_WITH_ELEMENT_ID elements[3].element_instance_id",
				"variable_rationale_unknown_variable authoring_provenance.element_provenance.safety.variable_rationale.detail",
			},
		},
		{
			"Unexpected values in provenance cause warnings.",
			[]change{{"authoring_provenance", `{"kind": "", "model": 7, "generated_at": "today", "tool": 1, "element_provenance": {"camera": {
				"rationale": [], "confidence": "sure", "source_references": [{}, 7, {"quote": 1, "context": null, "page": 3}], "why": ""},
				"safety": {"source_references": {}, "confidence": 1}, "contact": {"confidence": "medium", "source_references": []}}}`}},
			[]string{
				"provenance_value_unexpected authoring_provenance.kind",
				"provenance_value_unexpected authoring_provenance.model",
				"provenance_value_unexpected authoring_provenance.generated_at",
				"unknown_field authoring_provenance.tool",
				"provenance_value_unexpected authoring_provenance.element_provenance.camera.rationale",
				"provenance_value_unexpected authoring_provenance.element_provenance.camera.confidence",
				"provenance_value_unexpected authoring_provenance.element_provenance.camera.source_references[0]",
				"provenance_value_unexpected authoring_provenance.element_provenance.camera.source_references[1]",
				"provenance_value_unexpected authoring_provenance.element_provenance.camera.source_references[2].quote",
				"provenance_value_unexpected authoring_provenance.element_provenance.camera.source_references[2].context",
				"unknown_field authoring_provenance.element_provenance.camera.source_references[2].page",
				"unknown_field authoring_provenance.element_provenance.camera.why",
				"provenance_value_unexpected authoring_provenance.element_provenance.safety.source_references",
				"provenance_value_unexpected authoring_provenance.element_provenance.safety.confidence",
			},
		},
		{
			"A variable is shown in the title or the description, in any locale.",
			[]change{{"elements[0]", `{"element_id": "comfort", "variables": []}`}},
			[]string{"variable_not_filled_in elements[0].variables"},
		},
		{
			"A variable with a blank value is reported once.",
			[]change{{"elements[0]", `{"element_id": "comfort", "variables": [{"id": "detail", "value": []}]}`}},
			[]string{"INSTANCE_VARIABLE_VALUE_EMPTY elements[0].variables[0].value"},
		},
		{
			"Exclusion applies in both directions, at the later placement, and once for each pair.",
			[]change{{"elements[0]", `{"element_id": "anonymous"}`}, {"elements[3]", `{"element_id": "safety"}`}, {"elements[4]", camera}, {"elements[5]", `{"element_id": "anonymous"}`}},
			[]string{"elements_exclude_each_other elements[1].element_id"},
		},
		{
			"Elements in different instances do not exclude each other.",
			[]change{
				{"elements[3]", inFlow(`{"element_id": "anonymous"}`, "lift-flow")},
				{"elements[4]", inFlow(always, "lift-flow")},
				{"elements[5]", inFlow(always, "stair-flow")},
				{"subchain_instances[1]", liftFlow},
				{"subchain_instances[2]", stairFlow},
			},
			[]string{"subchain_category_not_listed elements[3].subchain_instance_id", "elements_exclude_each_other elements[4].element_id"},
		},
		{
			"An element outside all instances excludes those in every instance, and is reported once.",
			[]change{{"elements[3]", inFlow(camera, "lift-flow")}, {"elements[4]", `{"element_id": "anonymous"}`}, {"subchain_instances[1]", liftFlow}},
			[]string{"elements_exclude_each_other elements[4].element_id"},
		},
		{
			"A placement outside all instances answers for all of them.",
			[]change{{"elements[3]", camera}, {"elements[4]", inFlow(staff, "lift-flow")}, {"elements[5]", inFlow(police, "lift-flow")}, {"subchain_instances[1]", liftFlow}},
			nil,
		},
		{
			"Every instance that lacks a required category is reported.",
			[]change{
				{"elements[3]", inFlow(staff, "lift-flow")},
				{"elements[4]", inFlow(police, "stair-flow")},
				{"elements[5]", inFlow(always, "stair-flow")},
				{"elements[6]", inFlow(staff, "hall-flow")},
				{"subchain_instances[1]", liftFlow},
				{"subchain_instances[2]", stairFlow},
				{"subchain_instances[3]", `{"id": "hall-flow", "subchain_id": "flow"}`},
			},
			[]string{"subchain_category_missing subchain_instances[1]", "subchain_category_missing subchain_instances[3]"},
		},
		{
			"An unknown element in an instance may be of the category that the instance lacks.",
			[]change{{"elements[3]", inFlow(`{"element_id": "camra"}`, "lift-flow")}, {"subchain_instances[1]", liftFlow}},
			[]string{"INSTANCE_ELEMENT_UNKNOWN elements[3].element_id"},
		},
		{
			"An instance is not empty if a placement may belong to it.",
			[]change{{"elements[3]", `{"element_id": "complain", "subchain_instnce_id": "lift-flow"}`}, {"subchain_instances[1]", liftFlow}},
			[]string{"unknown_field elements[3].subchain_instnce_id"},
		},
		{
			"Every empty instance is reported.",
			[]change{{"subchain_instances[1]", liftFlow}, {"subchain_instances[2]", stairFlow}},
			[]string{"subchain_instance_empty subchain_instances[1]", "subchain_instance_empty subchain_instances[2]"},
		},
		{
			"The category of every placement in an instance is checked.",
			[]change{{"elements[0].subchain_instance_id", `"gate-flow"`}, {"elements[2].subchain_instance_id", `"gate-flow"`}},
			[]string{"subchain_category_not_listed elements[0].subchain_instance_id", "subchain_category_not_listed elements[2].subchain_instance_id"},
		},
		{
			"Labels of instances can be blank in every locale, and in unknown ones.",
			[]change{{"subchain_instances[0].label", `[{"locale": "en", "value": ""}, {"locale": "nl", "value": " "}]`}},
			[]string{"placement_label_empty subchain_instances[0].label", "LOCALE_UNKNOWN subchain_instances[0].label[1].locale"},
		},
		{
			"A context value may have exactly max_placements placements.",
			[]change{{"elements[3]", camera}},
			nil,
		},
		{
			"A context value with too many placements is reported once.",
			[]change{{"elements[3]", camera}, {"elements[4]", camera}, {"elements[5]", camera}},
			[]string{"context_type_used_too_often elements[4].context_type_id"},
		},
		{
			"A contact needs an action or a text.",
			[]change{{"elements[2]", `{"element_id": "contact", "actions": [], "label": "Ask"}`}},
			[]string{"contact_empty elements[2].actions"},
		},
		{
			"An action without a target is reported once.",
			[]change{{"elements[2].actions[0].target", `"\t"`}},
			[]string{"action_target_empty elements[2].actions[0].target"},
		},
		{
			"The URLs of sources are addresses.",
			[]change{
				{"sources", `[{"type": "law", "title": "Act", "url": "www.example.org"}, {"type": "law", "title": "Act", "url": "data:,x"}, {"type": "law", "title": "Act", "url": ""}]`},
				{"elements[1].sources", `[{"type": "law", "title": "Act", "url": "https://example.org"}, {"type": "law", "title": "Act", "url": "file:///etc/passwd"}]`},
			},
			[]string{
				"address_unsafe elements[1].sources[1].url", "address_unsafe sources[1].url",
				"address_invalid sources[0].url",
			},
		},
		{
			"A blank label of an action is reported, with and without texts.",
			[]change{{"elements[2].actions", `[
				{"type": "email", "label": [], "target": "a@example.org"},
				{"type": "email", "label": [{"locale": "en", "value": " "}, {"locale": "fr", "value": ""}], "target": "b@example.org"},
				{"type": "email", "label": [{"locale": "en", "value": ""}, {"locale": "fr", "value": "Écrire"}], "target": "c@example.org"}]`}},
			[]string{"action_label_empty elements[2].actions[0].label", "action_label_empty elements[2].actions[1].label"},
		},
		{
			"Unknown members are reported at every depth, but not their contents.",
			[]change{
				{"x", `{"y": 1}`},
				{"ok", `{"z": 1}`},
				{"title[0].x", `1`},
				{"elements[1].x", `1`},
				{"elements[1].variables[0].x", `1`},
				{"elements[1].variables[0].value[0].x", `1`},
				{"subchain_instances[0].x", `1`},
				{"sources", `[{"type": "", "title": "", "x": 1}]`},
				{"elements[1].actions", `[{"type": "url", "label": [{"locale": "en", "value": "Write to us"}], "target": "https://example.org", "x": 1}]`},
			},
			[]string{
				"unknown_field title[0].x", "unknown_field elements[1].variables[0].value[0].x", "unknown_field elements[1].variables[0].x",
				"unknown_field elements[1].x", "unknown_field elements[1].actions[0].x", "unknown_field subchain_instances[0].x",
				"unknown_field x", "unknown_field sources[0].x",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, codesAt(mustRun(t, OpValidate, with(test.changes...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestElementContextReplacesCategoryContext(t *testing.T) {
	tax := ExampleTaxonomy()
	own := *tax.Categories[1].Context
	own.Values = own.Values[1:]
	tax.Elements[2].Context = &own
	report, err := run(OpValidate, []byte(exampleDocument), NewSchema(tax), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CONTEXT_TYPE_UNKNOWN elements[1].context_type_id"}, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVariablesWithoutOptionsHaveNoValidValue(t *testing.T) {
	tax := ExampleTaxonomy()
	tax.Categories[1].Variables[1].Options = nil
	tax.Derive()
	schema := NewSchema(tax)
	for value, want := range map[string]string{
		`["pictures"]`: "INSTANCE_VARIABLE_OPTION_UNKNOWN",
		`[]`:           "INSTANCE_VARIABLE_VALUE_EMPTY",
	} {
		document := with(change{"elements[1].variables[1]", `{"id": "formats", "value": ` + value + `}`})
		report, err := run(OpValidate, []byte(document), schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Errors) != 1 || string(report.Errors[0].Code) != want || report.Errors[0].FixHint != hintNoOptions {
			t.Errorf("value %s: got %+v, want %s with the hint %q", value, report.Errors, want, hintNoOptions)
		}
	}
	if report, err := run(OpValidate, []byte(exampleDocument), schema, nil); err != nil || len(report.Errors)+len(report.Warnings) > 0 {
		t.Errorf("without a value: got %+v and error %v, want no findings", report, err)
	}
}

func TestVariablesAreRequiredForSomeElements(t *testing.T) {
	tax := ExampleTaxonomy()
	tax.Categories[0].Variables[0].RequiredFor = []string{"safety"}
	tax.Derive()
	schema := NewSchema(tax)
	detailed := with(change{"elements[0].variables", `[{"id": "detail", "value": [{"locale": "en", "value": "At night"}]}]`})
	for _, tc := range []struct {
		name, document string
		want           []string
	}{
		{"missing", exampleDocument, []string{"INSTANCE_REQUIRED_VARIABLE_MISSING elements[0].variables"}},
		{"present", detailed, nil},
		{"another element", with(change{"elements[0].element_id", `"comfort"`}), []string{"variable_not_filled_in elements[0].variables"}},
	} {
		report, err := run(OpValidate, []byte(tc.document), schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, codesAt(report)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}

	d, _, err := Parse([]byte(detailed), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(d, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolved := string(r.Document())
	report, err := run(OpValidateResolved, []byte(resolved), schema, nil)
	if err != nil || !report.OK() {
		t.Errorf("resolved document: got report %v, error %v, want no errors", report, err)
	}
	report, err = run(OpValidateResolved, []byte(change{"elements[0].variables", `[]`}.apply(resolved)), schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"INSTANCE_REQUIRED_VARIABLE_MISSING elements[0].variables"}, codesAt(report)); diff != "" {
		t.Errorf("resolved document without the variable (-want +got):\n%s", diff)
	}
}

// golden compares got with a file in testdata.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	file = "testdata/" + file
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestTenErrorsAreReportedInOrder(t *testing.T) {
	report := mustRun(t, OpValidate, with(
		change{"elements[0].element_id", `"saftey"`},
		change{"elements[1].context_type_id", `"continous"`},
		change{"elements[1].variables", `[{"id": "formats", "value": ["sound", "smell"]}, {"id": "formats", "value": [{"locale": "en", "value": "x"}]}]`},
		change{"elements[2].element_id", `"complain"`},
		change{"elements[2].variables", `[{"id": "detail", "value": [{"locale": "en", "value": " "}]}]`},
	))
	want := []string{
		"element_required elements",
		"INSTANCE_ELEMENT_UNKNOWN elements[0].element_id",
		"CONTEXT_TYPE_UNKNOWN elements[1].context_type_id",
		"INSTANCE_REQUIRED_VARIABLE_MISSING elements[1].variables",
		"INSTANCE_VARIABLE_OPTION_NOT_APPLICABLE elements[1].variables[0].value[0]",
		"INSTANCE_VARIABLE_OPTION_UNKNOWN elements[1].variables[0].value[1]",
		"INSTANCE_VARIABLE_DUPLICATE elements[1].variables[1].id",
		"INSTANCE_VARIABLE_VALUE_SHAPE elements[1].variables[1].value",
		"INSTANCE_VARIABLE_UNKNOWN elements[2].variables[0].id",
		"INSTANCE_VARIABLE_VALUE_EMPTY elements[2].variables[0].value",
	}
	if diff := cmp.Diff(want, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	report.Errors.Render(func(problem.Call) string { return "" })
	encoded, err := json.Marshal(report.Errors, jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "errors.golden", append(encoded, '\n'))
}

func TestReportsListTheFirst200Findings(t *testing.T) {
	many := func(n int) string {
		return with(
			change{"title", "[" + strings.TrimSuffix(strings.Repeat(`{"locale": "xx", "value": ""},`, n), ",") + "]"},
			change{"elements[0].variables", "[" + strings.TrimSuffix(strings.Repeat(`{"id": "detail", "value": []},`, n), ",") + "]"},
		)
	}
	// Each variable is empty, and all but the first are duplicates.
	if report := mustRun(t, OpValidate, many(100)); len(report.Errors) != 199 || len(report.Warnings) != 100 {
		t.Errorf("got %d errors and %d warnings, want 199 and 100", len(report.Errors), len(report.Warnings))
	}
	report := mustRun(t, OpValidate, many(5000))
	if len(report.Errors) != 200 || len(report.Warnings) != 201 {
		t.Fatalf("got %d errors and %d warnings, want 200 and 201", len(report.Errors), len(report.Warnings))
	}
	if got := report.Errors[199].Path.String(); got != "elements[0].variables[100].id" {
		t.Errorf("got the last error at %s, want elements[0].variables[100].id", got)
	}
	if got := report.Warnings[199].Path.String(); got != "title[199].locale" {
		t.Errorf("got the last warning at %s, want title[199].locale", got)
	}
	last := report.Warnings[200]
	if last.Code != findingsTruncated.Code || !strings.HasPrefix(last.Message, "9799 errors and 4800 warnings ") {
		t.Errorf("got last warning %+v, want findings_truncated", last)
	}
}

// Above maxLinear, ids are looked up in maps.
func TestValidateLargeDocuments(t *testing.T) {
	tax := ExampleTaxonomy()
	sensing := &tax.Categories[1]
	var entries, options []string
	for i := range 40 {
		id := fmt.Sprintf("n%d", i)
		tax.Type.Subchains = append(tax.Type.Subchains, taxonomy.Subchain{ID: id})
		sensing.Context.Values = append(sensing.Context.Values, taxonomy.ContextValue{ID: id})
		sensing.Variables = append(sensing.Variables, taxonomy.Variable{ID: id, Kind: taxonomy.LocalizedText})
		sensing.Variables[1].Options = append(sensing.Variables[1].Options, taxonomy.Option{ID: id})
		entries = append(entries, `{"id": "`+id+`", "value": [{"locale": "en", "value": "x"}]}`)
		options = append(options, `"`+id+`"`)
	}
	for i := range 40 {
		sensing.Variables[1].Options[2].AppliesTo = append(sensing.Variables[1].Options[2].AppliesTo, fmt.Sprintf("other%d", i))
	}
	tax.Derive()
	document := with(
		change{"subchain_instances[0].subchain_id", `"n39"`},
		change{"elements[1].context_type_id", `"n39"`},
		change{"elements[1].variables[1]", strings.Join(entries, ",")},
		change{"elements[1].variables[41]", `{"id": "n20", "value": [{"locale": "en", "value": "x"}]}`},
		change{"elements[1].variables[42]", `{"id": "n40", "value": [{"locale": "en", "value": "x"}]}`},
		change{"elements[1].variables[43]", `{"id": "formats", "value": [` + strings.Join(options, ",") + `, "n40", "n20"]}`},
	)
	schema := NewSchema(tax)
	want := []string{
		"INSTANCE_VARIABLE_DUPLICATE elements[1].variables[41].id",
		"INSTANCE_VARIABLE_UNKNOWN elements[1].variables[42].id",
		"INSTANCE_VARIABLE_OPTION_NOT_APPLICABLE elements[1].variables[43].value[0]",
		"INSTANCE_VARIABLE_OPTION_UNKNOWN elements[1].variables[43].value[40]",
		"INSTANCE_VARIABLE_VALUE_DUPLICATE elements[1].variables[43].value[41]",
	}
	report, err := run(OpValidate, []byte(document), schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if schema.ID() != tax.ID {
		t.Errorf("got schema id %s, want %s", schema.ID(), tax.ID)
	}
}
