package datachain

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
)

// suggesting returns the changes that add suggested elements and their provenance.
func suggesting(elements string) []change {
	return []change{{"authoring_provenance", `{"kind": "ai_generated"}`}, {"suggested_elements", elements}}
}

func TestValidateResolved(t *testing.T) {
	lidar := func(rest string) string {
		return `[{"id": "lidar", "title": [{"locale": "en", "value": "Lidar"}], "category_id": "sensing"` + rest + `}]`
	}
	place := func(rest string) change { return change{"elements[3]", `{"element_id": "lidar"` + rest + `}`} }
	const positioned = `, "context_type_id": "on_event", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Door"}]}`
	for _, test := range []struct {
		name    string
		changes []change
		want    []string
	}{
		{
			"Suggested elements may be placed.",
			append(suggesting(lidar("")), place(positioned+"]")),
			nil,
		},
		{
			"Suggested elements need not be placed.",
			suggesting(lidar("")),
			nil,
		},
		{
			"A suggested element has the variables and the context of its category.",
			append(suggesting(lidar(`, "variables": []`)), place(`, "context_type_id": "x", "variables": [{"id": "formats", "value": ["smell"]}]`)),
			[]string{
				"CONTEXT_TYPE_UNKNOWN elements[3].context_type_id", "INSTANCE_REQUIRED_VARIABLE_MISSING elements[3].variables",
				"INSTANCE_VARIABLE_OPTION_UNKNOWN elements[3].variables[0].value[0]",
			},
		},
		{
			"A suggested element may declare variables.",
			append(suggesting(lidar(`, "variables": [{"id": "range", "required": true}, {"id": "position"}]`)), place(`, "variables": [{"id": "range", "value": []}]`)),
			[]string{"INSTANCE_VARIABLE_VALUE_EMPTY elements[3].variables[0].value", "CONTEXT_TYPE_MISSING elements[3].context_type_id"},
		},
		{
			"The limits of suggested elements are checked.",
			append(suggesting(`[{"id": "a", "title": [], "category_id": "rights", "required": true}, {"id": "b", "title": [], "category_id": "rights", "max_placements": 1}]`),
				change{"elements[3]", `{"element_id": "b"}`}, change{"elements[4]", `{"element_id": "b"}`}),
			[]string{"element_required elements", "ELEMENT_PLACED_TOO_OFTEN elements[4].element_id"},
		},
		{
			"A suggested element without a category has no context.",
			append(suggesting(`[{"id": "lidar", "title": [], "category_id": "x"}]`), place(`, "context_type_id": "on_event"`)),
			[]string{"CONTEXT_TYPE_UNKNOWN elements[3].context_type_id", "SUGGESTED_CATEGORY_UNKNOWN suggested_elements[0].category_id"},
		},
		{
			"Suggested elements require ai_generated.",
			[]change{{"authoring_provenance", `{"kind": "human"}`}, {"suggested_elements", lidar("")}},
			[]string{"provenance_required authoring_provenance.kind"},
		},
		{
			"The snapshot takes precedence over a suggestion with the same id.",
			append(suggesting(`[{"id": "safety", "title": [], "category_id": "sensing"}]`), change{"elements[0].variables", `[{"id": "detail", "value": [{"locale": "en", "value": "x"}]}]`}),
			[]string{"element_id_collision suggested_elements[0].id"},
		},
		{
			"Suggestions with the same id collide.",
			suggesting(`[{"id": "a", "title": [], "category_id": "rights"}, {"id": "a", "title": [], "category_id": "rights"}, {"id": "a", "title": [], "category_id": "rights"}]`),
			[]string{"element_id_collision suggested_elements[1].id", "element_id_collision suggested_elements[2].id"},
		},
		{
			"An element that the release does not have is unknown.",
			[]change{{"elements[3]", `{"element_id": "ghost"}`}, {"subchain_instances[0].head_refs[1]", `"ghoul"`}},
			[]string{"unknown_element_id elements[3].element_id", "unknown_element_id subchain_instances[0].head_refs[1]"},
		},
		{
			"An element missing only from the snapshot is unknown and drift.",
			[]change{{"elements[3]", `{"element_id": "complain"}`}, {"elements[4]", `{"element_id": "complain"}`}},
			[]string{"unknown_element_id elements[3].element_id", "unknown_element_id elements[4].element_id", "snapshot_drift schema_snapshot"},
		},
		{
			"An element of the release must not be suggested.",
			append(suggesting(`[{"id": "complain", "title": [], "category_id": "rights"}]`), change{"elements[3]", `{"element_id": "complain"}`}),
			[]string{"snapshot_drift schema_snapshot"},
		},
		{
			"The categories of elements in the snapshot must not be missing.",
			[]change{{"schema_snapshot.categories[2].id", `"access"`}},
			[]string{"snapshot_drift schema_snapshot", "snapshot_drift schema_snapshot.categories[2]"},
		},
		{
			"Unknown and duplicate items of the snapshot are drift.",
			[]change{
				{"schema_snapshot.categories[3]", `{"id": "rights", "name": [], "description": [], "shape": "circle"}`},
				{"schema_snapshot.categories[4]", `{"id": "x", "name": [], "description": [], "shape": "circle"}`},
				{"schema_snapshot.elements[3]", `{"id": "x", "title": [], "description": [], "category_id": "x", "symbol_id": "x", "icon_variants": [], "variables": []}`},
				{"schema_snapshot.elements[4]", `{"id": "x", "title": [], "description": [], "category_id": "x", "symbol_id": "x", "icon_variants": [], "variables": []}`},
			},
			[]string{
				"snapshot_drift schema_snapshot.categories[3]", "snapshot_drift schema_snapshot.categories[4]",
				"snapshot_drift schema_snapshot.elements[3]", "snapshot_drift schema_snapshot.elements[4]",
			},
		},
		{
			"The datachain type is compared.",
			[]change{{"schema_snapshot.datachain_type.locales", `["fr", "en"]`}},
			[]string{"snapshot_drift schema_snapshot.datachain_type"},
		},
		{
			"Warnings are reported.",
			[]change{{"x", "1"}, {"elements[1].label", `""`}, {"schema_snapshot.x", "1"}, {"title[0].locale", `"xx"`}, {"authoring_provenance", `{"kind": "robot"}`}},
			[]string{"placement_label_empty elements[1].label", "LOCALE_UNKNOWN title[0].locale", "unknown_field x", "provenance_value_unexpected authoring_provenance.kind"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, codesAt(mustRun(t, OpValidateResolved, resolvedWith(test.changes...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCategoryRulesUseSnapshotCategories(t *testing.T) {
	document := changed(exampleWithWholeSchema(),
		change{"elements[0].element_id", `"contact"`}, // leaves purpose without a placement and places contact twice
		change{"elements[3]", `{"element_id": "staff"}`},
		change{"schema_snapshot.categories[3].max_elements", `1`},
	)
	d, report, err := ParseResolved([]byte(document), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	report, err = ValidateResolved(d, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"CATEGORY_TOO_FEW_ELEMENTS elements", "CATEGORY_TOO_MANY_ELEMENTS elements", "REQUIRED_CATEGORY_MISSING elements",
		"ELEMENT_PLACED_TOO_OFTEN elements[2].element_id", "contact_empty elements[0].actions",
	}
	if diff := cmp.Diff(want, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDriftReportsTheFirstDifference(t *testing.T) {
	for _, test := range []struct {
		change
		field string // empty if there is no drift
	}{
		{change{"schema_snapshot.elements[1].title[0].value", `"Kamera"`}, "title"},
		{change{"schema_snapshot.elements[1].title", `[]`}, "title"},
		{change{"schema_snapshot.elements[1].title[1]", `{"locale": "fr", "value": "x"}`}, "title"},
		{change{"schema_snapshot.elements[1].title[0].x", `1`}, "x"},
		{change{"schema_snapshot.elements[1].guidance", `[{"locale": "en", "value": "x"}]`}, "guidance"},
		{change{"schema_snapshot.elements[1].required", `true`}, "required"},
		{change{"schema_snapshot.elements[1].icon_variants", `["default", "dark", "on_event", "continuous"]`}, "icon_variants"},
		{change{"schema_snapshot.elements[1].icon_variants", `["default", "dark", "continuous"]`}, "icon_variants"},
		{change{"schema_snapshot.elements[1].variables[1].options[1].applies_to", `["microphone", "camera"]`}, "variables"},
		{change{"schema_snapshot.elements[1].variables[1].options[0].applies_to", `[]`}, ""},
		{change{"schema_snapshot.elements[1].max_placements", `0`}, ""},
		{change{"schema_snapshot.elements[1].extra", `1`}, "extra"},
		{change{"schema_snapshot.elements[1].keywords", `[{"locale": "en", "value": ["x"]}]`}, "keywords"},
		{change{"schema_snapshot.categories[0].order", `2`}, "order"},
		{change{"schema_snapshot.categories[0].order", `1.0`}, ""},
		{change{"schema_snapshot.categories[1].context.values[1].label[0].value", `"\u0057hen something happens"`}, ""},
		{change{"schema_snapshot.categories[1].context.values[1].label[0].value", `"Seldom"`}, "context"},
		{change{"schema_snapshot.categories[1].context.values[0].color", `"#1f77b4"`}, "context"},
		{change{"schema_snapshot.datachain_type.subchains[0].categories[0]", `"rights"`}, "subchains"},
	} {
		report := mustRun(t, OpValidateResolved, resolvedWith(test.change))
		switch {
		case test.field == "" && report.OK():
		case len(report.Errors) != 1 || report.Errors[0].Code != "snapshot_drift":
			t.Errorf("%s=%s: got %v, want one snapshot_drift", test.path, test.json, report.Errors)
		case !strings.HasSuffix(report.Errors[0].Message, `the first difference is in "`+test.field+`".`):
			t.Errorf("%s=%s: got %q, want a difference in %q", test.path, test.json, report.Errors[0].Message, test.field)
		}
	}
}

func TestDriftIgnoresIrrelevantOrder(t *testing.T) {
	tax := ExampleTaxonomy()
	tax.Elements[2].Title = append(tax.Elements[2].Title, tax.Elements[2].Title[0])
	tax.Elements[2].Title[1].Locale = "fr"
	schema := NewSchema(tax)
	d, _, err := Parse([]byte(exampleDocument), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(d, schema, nil)
	if err != nil || !r.OK() {
		t.Fatal(r.Report, err)
	}
	reverse := func(document, path string) string {
		tree, err := readTree([]byte(document), new(meter))
		if err != nil {
			t.Fatal(err)
		}
		n, rest := tree.find(path)
		if rest != "" {
			t.Fatalf("%s does not exist", path)
		}
		var items []string
		for i := n + 1; i < tree.nodes[n].next; i = tree.nodes[i].next {
			item := tree.raw(i)
			if tree.kind(n) == '{' {
				item += ":" + tree.raw(i+1)
			}
			items = append([]string{item}, items...)
		}
		raw := tree.raw(n)
		return change{path, raw[:1] + strings.Join(items, ",") + raw[len(raw)-1:]}.apply(document)
	}
	for path, drifts := range map[string]bool{
		"schema_snapshot":                              false,
		"schema_snapshot.categories":                   false,
		"schema_snapshot.elements":                     false,
		"schema_snapshot.elements[1]":                  false,
		"schema_snapshot.elements[1].title":            false,
		"schema_snapshot.elements[1].title[0]":         false,
		"schema_snapshot.elements[1].variables[0]":     false,
		"schema_snapshot.elements[1].variables":        true,
		"schema_snapshot.elements[1].icon_variants":    true,
		"schema_snapshot.categories[1].context":        false,
		"schema_snapshot.categories[1].context.values": true,
		"schema_snapshot.datachain_type":               false,
		"schema_snapshot.datachain_type.categories":    true,
	} {
		report, err := run(OpValidateResolved, []byte(reverse(string(r.Document()), path)), schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := !report.OK(); got != drifts {
			t.Errorf("with %s reversed: got errors %v, want drift: %v", path, report.Errors, drifts)
		}
	}
}

func TestDriftIsNotCheckedWithoutARelease(t *testing.T) {
	document := resolvedWith(change{"schema_snapshot.elements[1].title[0].value", `"Kamera"`}, change{"schema_version", `"demo@2020-01-01-beta"`})
	report, err := run(OpValidateResolved, []byte(document), nil, nil)
	if err != nil || !report.OK() {
		t.Errorf("got report %v, error %v, want no errors", report, err)
	}
}

func TestResolveResponseIsAValidRequest(t *testing.T) {
	r := resolved(t, exampleDocument)
	if report := mustRun(t, OpValidateResolved, string(r.Response())); !report.OK() {
		t.Errorf("got errors %v, want none", report.Errors)
	}
	report := mustRun(t, OpValidate, string(r.Response()))
	if diff := cmp.Diff([]string{"unknown_field schema_snapshot"}, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	second := resolved(t, string(r.Response()))
	if diff := cmp.Diff(string(r.Response()), string(second.Response())); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

func TestValidateResolvedReportsTruncation(t *testing.T) {
	report := mustRun(t, OpValidateResolved, resolvedWith(change{"subchain_instances", "[]"},
		change{"elements", "[" + strings.Repeat(`{"element_id": "x"},`, 300) + `{"element_id": "x"}]`}))
	if len(report.Errors) != 200 || len(report.Warnings) != 1 || report.Warnings[0].Severity != problem.Warning {
		t.Errorf("got %d errors and warnings %v, want 200 errors and findings_truncated", len(report.Errors), report.Warnings)
	}
}

func TestUnknownSnapshotMembersAreDrift(t *testing.T) {
	document := exampleWithWholeSchema()
	tree, err := readTree([]byte(document), new(meter))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range slices.Backward(valuesIn(tree, tree.member(0, "schema_snapshot"))) {
		if tree.kind(n) == '{' {
			start := tree.nodes[n].start + 1
			document = document[:start] + `"unknown": 1, ` + document[start:]
		}
	}
	d, report, err := ParseResolved([]byte(document), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	if report, err = ValidateResolved(d, nil, nil); err != nil || codesAt(report) != nil {
		t.Errorf("without a release: got %v, error %v, want no findings", codesAt(report), err)
	}
	report, err = ValidateResolved(d, exampleSchema(), nil)
	if want := 1 + len(exampleSchema().categories) + len(exampleSchema().elements); err != nil || len(report.Errors) != want {
		t.Errorf("got %d errors, want %d; error %v", len(report.Errors), want, err)
	}
}

func TestMissingElementsInLargeSnapshotsAreFound(t *testing.T) {
	s := NewSchema(largeTaxonomy())
	d, _, err := Parse(twentyPlacements(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(d, s, nil)
	if err != nil || !r.OK() {
		t.Fatal(r.Report, err)
	}
	document := strings.Replace(string(r.Document()), `"id":"element_4_4"`, `"id":"element_4_5"`, 1)
	report, err := run(OpValidateResolved, []byte(document), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The renamed element equals element_4_5 of the release, so it is not drift.
	want := []string{"unknown_element_id elements[4].element_id", "snapshot_drift schema_snapshot"}
	if diff := cmp.Diff(want, codesAt(report)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResolvedDocumentsAreCheckedAgainstTheWholeRelease(t *testing.T) {
	var d struct {
		Elements []jsontext.Value          `json:"elements"`
		Snapshot map[string]jsontext.Value `json:"schema_snapshot"`
		Other    jsontext.Value            `json:",embed"`
	}
	if err := json.Unmarshal([]byte(exampleResolved()), &d); err != nil {
		t.Fatal(err)
	}
	// Neither the only placement of a required category nor what the snapshot says about it is left.
	d.Elements = d.Elements[1:]
	for list, id := range map[string]string{"categories": "purpose", "elements": "safety"} {
		var all []jsontext.Value
		if err := json.Unmarshal(d.Snapshot[list], &all); err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(v jsontext.Value) bool { return strings.Contains(string(v), `"id":"`+id+`"`) })
		d.Snapshot[list], _ = json.Marshal(all)
	}
	document, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := codesAt(mustRun(t, OpValidateResolved, string(document))), []string{"REQUIRED_CATEGORY_MISSING elements"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	// The suggested element is in a category that only the release has.
	suggested := resolvedWith(
		change{"authoring_provenance", `{"kind": "ai_generated"}`},
		change{"suggested_elements", `[{"id": "guards", "title": [{"locale": "en", "value": "Guards"}], "category_id": "access"}]`},
		change{"elements[3]", `{"element_id": "guards", "label": " "}`},
	)
	if got, want := codesAt(mustRun(t, OpValidateResolved, suggested)), []string{"CATEGORY_TOO_FEW_ELEMENTS elements", "placement_label_empty elements[3].label"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
