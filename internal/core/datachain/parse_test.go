package datachain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// parseErrors returns the paths of the errors in a report, which must all be
// parse_error.
func parseErrors(t *testing.T, r Report) []string {
	t.Helper()
	var paths []string
	for _, p := range r.Errors {
		if p.Code != parseError.Code || p.Path.IsZero() || p.FixHint == "" || p.Severity != problem.Error {
			t.Errorf("got %+v, want a complete parse_error", p)
		}
		paths = append(paths, p.Path.String())
	}
	if len(r.Warnings) > 0 {
		t.Errorf("got warnings %v, want none", r.Warnings)
	}
	return paths
}

func TestDocumentMustBeAnObject(t *testing.T) {
	for _, body := range []string{`[]`, `"x"`, `7`, `true`, `null`} {
		for _, op := range onAny {
			if diff := cmp.Diff([]string{""}, parseErrors(t, mustRun(t, op, body))); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", op, body, diff)
			}
		}
	}
}

func TestMissingMembersAreReported(t *testing.T) {
	want := []string{"created_at", "elements", "id", "schema_version"}
	if diff := cmp.Diff(want, parseErrors(t, mustRun(t, OpValidate, `{}`))); diff != "" {
		t.Errorf("thin (-want +got):\n%s", diff)
	}
	want = append(want[:3:3], "schema_snapshot", "schema_version")
	if diff := cmp.Diff(want, parseErrors(t, mustRun(t, OpValidateResolved, `{}`))); diff != "" {
		t.Errorf("resolved (-want +got):\n%s", diff)
	}
}

func TestMemberTypes(t *testing.T) {
	for _, test := range []struct {
		change
		want string // the paths of errors; empty for the changed path, - for none
	}{
		{change{"id", `7`}, ""},
		{change{"id", `null`}, ""},
		{change{"id", `""`}, "-"},
		{change{"title", `"Entrance"`}, ""},
		{change{"title", `null`}, ""},
		{change{"title", `{}`}, ""},
		{change{"title", `[]`}, "-"},
		{change{"title", `["Entrance", null]`}, "title[0], title[1]"},
		{change{"title", `[{}]`}, "title[0].locale, title[0].value"},
		{change{"title", `[{"locale": 1, "value": null}]`}, "title[0].locale, title[0].value"},
		{change{"description", `7`}, ""},
		{change{"schema_version", `"demo@latest"`}, ""},
		{change{"schema_version", `"demo@2026-02-30-stable"`}, ""},
		{change{"schema_version", `7`}, ""},
		{change{"created_at", `"yesterday"`}, ""},
		{change{"created_at", `1700000000`}, ""},
		{change{"created_at", `"2026-02-03T09:30+0100"`}, "-"},
		{change{"updated_at", `"2026-02-03"`}, ""},
		{change{"updated_at", `null`}, ""},
		{change{"updated_at", `"2026-02-03T09:30:00.5Z"`}, "-"},
		{change{"instance_version", `"1.2"`}, "-"},
		{change{"instance_version", `3.5`}, "-"},
		{change{"instance_version", `[]`}, ""},
		{change{"elements", `[]`}, ""},
		{change{"elements", `{}`}, ""},
		{change{"elements", `null`}, ""},
		{change{"elements[0]", `"safety"`}, ""},
		{change{"elements[0]", `{}`}, "elements[0].element_id"},
		{change{"elements[0].element_id", `null`}, ""},
		{change{"elements[0].context_type_id", `7`}, ""},
		{change{"elements[0].context_type_id", `null`}, ""},
		{change{"elements[0].variables", `{}`}, ""},
		{change{"elements[0].variables", `null`}, ""},
		{change{"elements[0].variables", `["detail", {}]`}, "elements[0].variables[0], elements[0].variables[1].id, elements[0].variables[1].value"},
		{change{"elements[1].variables[0].id", `7`}, ""},
		{change{"elements[1].variables[0].value", `"Above"`}, ""},
		{change{"elements[1].variables[0].value", `null`}, ""},
		{change{"elements[1].variables[0].value", `7`}, ""},
		{change{"elements[1].variables[0].value", `{"locale": "en", "value": "Above"}`}, ""},
		{change{"elements[1].variables[0].value", `[7, null]`}, "elements[1].variables[0].value[0], elements[1].variables[0].value[1]"},
		{change{"elements[1].variables[0].value", `["a", {"locale": "en", "value": "b"}]`}, "elements[1].variables[0].value[1]"},
		{change{"elements[1].variables[0].value", `[{"locale": "en", "value": "b"}, "a"]`}, "elements[1].variables[0].value[1]"},
		{change{"elements[1].variables[0].value", `[{"locale": "en"}]`}, "elements[1].variables[0].value[0].value"},
		{change{"elements[0].element_instance_id", `7`}, ""},
		{change{"elements[0].label", `7`}, ""},
		{change{"elements[0].label", `null`}, ""},
		{change{"elements[0].label", `{}`}, ""},
		{change{"elements[0].label", `"Gate"`}, "-"},
		{change{"elements[0].label", `[{"locale": "en", "value": "Gate"}]`}, "-"},
		{change{"elements[0].label", `["Gate"]`}, "elements[0].label[0]"},
		{change{"elements[0].priority", `0`}, "-"},
		{change{"elements[0].priority", `-0`}, "-"},
		{change{"elements[0].priority", `2.0`}, "-"},
		{change{"elements[0].priority", `1e400`}, "-"},
		{change{"elements[0].priority", `-1`}, ""},
		{change{"elements[0].priority", `-1e400`}, ""},
		{change{"elements[0].priority", `1.5`}, ""},
		{change{"elements[0].priority", `"1"`}, ""},
		{change{"elements[0].priority", `null`}, ""},
		{change{"elements[0].subchain_instance_id", `7`}, ""},
		{change{"elements[0].sources", `{}`}, ""},
		{change{"elements[0].sources", `[{"type": "law", "title": "Act", "url": "https://example.org", "citation": "p. 3"}]`}, "-"},
		{change{"elements[0].sources", `[{"type": "law", "url": 7, "citation": null}, 7]`}, "elements[0].sources[0].title, elements[0].sources[0].url, elements[0].sources[0].citation, elements[0].sources[1]"},
		{change{"elements[0].actions", `"call"`}, ""},
		{change{"elements[0].actions", `[{"type": "phone", "label": [{"locale": "en", "value": "Call"}], "target": "+1"}]`}, "-"},
		{change{"elements[0].actions", `[{"type": "fax", "label": "Call", "target": 1}]`}, "elements[0].actions[0].type, elements[0].actions[0].label, elements[0].actions[0].target"},
		{change{"elements[0].actions", `[{}]`}, "elements[0].actions[0].label, elements[0].actions[0].target, elements[0].actions[0].type"},
		{change{"sources", `null`}, ""},
		{change{"sources", `[{}]`}, "sources[0].title, sources[0].type"},
		{change{"linked_instance_ids", `"x"`}, ""},
		{change{"linked_instance_ids", `["x", 7, null]`}, "linked_instance_ids[1], linked_instance_ids[2]"},
		{change{"subchain_instances", `{}`}, ""},
		{change{"subchain_instances[0]", `7`}, ""},
		{change{"subchain_instances[0].id", `7`}, ""},
		{change{"subchain_instances[0].subchain_id", `null`}, ""},
		{change{"subchain_instances[0].label", `7`}, ""},
		{change{"subchain_instances[0].label", `[{"locale": "en"}]`}, "subchain_instances[0].label[0].value"},
		{change{"subchain_instances[0].label", `""`}, "-"},
		{change{"subchain_instances[0].head_refs", `"camera"`}, ""},
		{change{"subchain_instances[0].head_refs[0]", `7`}, ""},
		{change{"subchain_instances[0].order", `-3`}, "-"},
		{change{"subchain_instances[0].order", `"first"`}, ""},
		{change{"subchain_instances[0].order", `0.5`}, ""},
		{change{"subchain_instances[1]", `{}`}, "subchain_instances[1].id, subchain_instances[1].subchain_id"},
		{change{"authoring_provenance", `null`}, ""},
		{change{"authoring_provenance", `"human"`}, ""},
		{change{"authoring_provenance", `{}`}, "authoring_provenance.kind"},
		{change{"authoring_provenance", `{"kind": 7}`}, "authoring_provenance.kind"},
		{change{"authoring_provenance", `{"kind": "human", "element_provenance": []}`}, "authoring_provenance.element_provenance"},
		{change{"authoring_provenance", `{"kind": "human", "element_provenance": {"camera": null, "a b": 7}}`}, `authoring_provenance.element_provenance.camera, authoring_provenance.element_provenance["a b"]`},
		{change{"authoring_provenance", `{"kind": "human", "element_provenance": {"camera": {"variable_rationale": "x"}}}`}, "authoring_provenance.element_provenance.camera.variable_rationale"},
		{change{"ok", `null`}, "-"},
	} {
		t.Run(fmt.Sprintf("%s=%s", test.path, test.json), func(t *testing.T) {
			var want []string
			switch test.want {
			case "-":
			case "":
				want = []string{test.path}
			default:
				want = strings.Split(test.want, ", ")
			}
			for op, document := range map[Operation]string{OpValidate: exampleDocument, OpResolve: exampleDocument, OpValidateResolved: exampleResolved()} {
				report := mustRun(t, op, test.apply(document))
				if test.want == "-" {
					if !report.OK() && report.Errors[0].Code == parseError.Code {
						t.Errorf("%s: got %v, want no parse_error", op, report.Errors)
					}
					continue
				}
				if diff := cmp.Diff(want, parseErrors(t, report)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", op, diff)
				}
			}
		})
	}
}

func TestSnapshotMemberTypes(t *testing.T) {
	for _, test := range []struct {
		change
		want string // the paths of errors relative to the changed path, which is "."
	}{
		{change{"schema_snapshot", `null`}, "."},
		{change{"schema_snapshot", `[]`}, "."},
		{change{"schema_snapshot", `{}`}, ".categories .datachain_type .elements"},
		{change{"schema_snapshot.datachain_type", `"demo"`}, "."},
		{change{"schema_snapshot.datachain_type", `{}`}, ".categories .id .subchains"},
		{change{"schema_snapshot.datachain_type", `{"id": 1, "name": 1, "description": 1, "categories": 1, "subchains": 1, "locales": 1, "sources": 1}`}, ".id .name .description .categories .subchains .locales .sources"},
		{change{"schema_snapshot.datachain_type.categories[1]", `7`}, "."},
		{change{"schema_snapshot.datachain_type.subchains[0]", `7`}, "."},
		{change{"schema_snapshot.datachain_type.subchains[0]", `{"name": 1, "categories": [1]}`}, ".id .name .categories[0]"},
		{change{"schema_snapshot.categories", `{}`}, "."},
		{change{"schema_snapshot.categories[0]", `"purpose"`}, "."},
		{change{"schema_snapshot.categories[0]", `{}`}, ".description .id .name .shape"},
		{change{"schema_snapshot.categories[0]", `{"id": 1, "name": 1, "description": 1, "prompt": 1, "guidance": 1, "shape": 1, "required": 1, "order": "1",
			"min_elements": -1, "max_elements": 0.5, "sign": "1", "context": 1, "variables": 1, "sources": 1, "examples": 1}`}, ".id .name .description .prompt .guidance .shape .required .order .min_elements .max_elements .sign .context .variables .sources .examples"},
		{change{"schema_snapshot.categories[0].shape", `"star"`}, "."},
		{change{"schema_snapshot.categories[0].required", `null`}, "."},
		{change{"schema_snapshot.categories[0].examples", `[1, {"scenario": 1, "narrative": 1}]`}, "[0] [1].scenario [1].narrative"},
		{change{"schema_snapshot.categories[1].context", `{}`}, ".values"},
		{change{"schema_snapshot.categories[1].context", `{"id": 1, "name": 1, "description": 1, "values": 1}`}, ".id .name .description .values"},
		{change{"schema_snapshot.categories[1].context.values[0]", `7`}, "."},
		{change{"schema_snapshot.categories[1].context.values[0]", `{}`}, ".color .id .label"},
		{change{"schema_snapshot.categories[1].context.values[0]", `{"id": 1, "label": 1, "description": 1, "color": 1, "tinted": 1, "max_placements": -1}`}, ".id .label .description .color .tinted .max_placements"},
		{change{"schema_snapshot.categories[1].context.values[0].color", `"blue"`}, "."},
		{change{"schema_snapshot.categories[1].context.values[0].color", `"#12345G"`}, "."},
		{change{"schema_snapshot.categories[1].context.values[0].color", `"123456"`}, "."},
		{change{"schema_snapshot.categories[1].variables[0]", `7`}, "."},
		{change{"schema_snapshot.categories[1].variables[0]", `{}`}, ".id"},
		{change{"schema_snapshot.categories[1].variables[0]", `{"id": 1, "label": 1, "required": 1, "required_for": [1], "kind": 1, "options": 1, "sources": 1}`}, ".id .label .required .required_for[0] .kind .options .sources"},
		{change{"schema_snapshot.categories[1].variables[0].kind", `"number"`}, "."},
		{change{"schema_snapshot.categories[1].variables[1].options[0]", `7`}, "."},
		{change{"schema_snapshot.categories[1].variables[1].options[0]", `{"name": 1, "description": 1, "applies_to": [1], "guidance": 1, "sources": [1], "examples": [1]}`}, ".id .name .description .applies_to[0] .guidance .sources[0] .examples[0]"},
		{change{"schema_snapshot.elements", `null`}, "."},
		{change{"schema_snapshot.elements[2]", `7`}, "."},
		{change{"schema_snapshot.elements[2].title", `"Ask"`}, "."},
		{change{"schema_snapshot.elements[2]", `{}`}, ".category_id .description .icon_variants .id .symbol_id .title .variables"},
		{change{"schema_snapshot.elements[2]", `{"id": 1, "title": 1, "description": 1, "category_id": 1, "symbol_id": 1, "required": 1, "max_placements": -1, "excludes": [1], "replaces": 1, "guidance": 1,
			"context": 1, "sources": 1, "examples": 1, "shape": 1, "icon_variants": 1, "variables": 1}`}, ".id .title .description .category_id .symbol_id .required .max_placements .excludes[0] .replaces .guidance .context .sources .examples .shape .icon_variants .variables"},
		{change{"suggested_elements", `null`}, "."},
		{change{"suggested_elements", `[7, {}]`}, "[0] [1].category_id [1].id [1].title"},
	} {
		t.Run(fmt.Sprintf("%s=%s", test.path, test.json), func(t *testing.T) {
			var want []string
			for _, suffix := range strings.Fields(test.want) {
				want = append(want, test.path+strings.TrimSuffix(suffix, "."))
			}
			report := mustRun(t, OpValidateResolved, resolvedWith(test.change))
			if diff := cmp.Diff(want, parseErrors(t, report)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestThinDocumentsIgnoreSnapshots(t *testing.T) {
	document := with(change{"schema_snapshot", "7"}, change{"suggested_elements", "null"})
	want := []string{"unknown_field schema_snapshot"} // once for both members
	for _, op := range onThin {
		if diff := cmp.Diff(want, codesAt(mustRun(t, op, document))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", op, diff)
		}
	}
}

func TestHintsAboutNullsSuggestRemovingOnlyOptionalValues(t *testing.T) {
	const remove, omit = ", or remove the item", ", or omit the member"
	manyNulls := strings.TrimSuffix(strings.Repeat(`{"element_id": null},`, 2*maxFindings), ",")
	for _, test := range []struct {
		document string
		path     string
		want     string // the end of the sentence
	}{
		{`null`, "", ""},
		{with(change{"id", `null`}), "id", ""},
		{with(change{"elements", `null`}), "elements", ""},
		{with(change{"elements[1]", `null`}), "elements[1]", remove},
		{with(change{"elements[1].element_id", `null`}), "elements[1].element_id", ""},
		{with(change{"elements[1].context_type_id", `null`}), "elements[1].context_type_id", omit},
		{with(change{"elements[1].variables[0].value[0].value", `null`}), "elements[1].variables[0].value[0].value", ""},
		{with(change{"elements[2].actions[0].label", `null`}), "elements[2].actions[0].label", ""},
		{with(change{"title", `null`}), "title", omit},
		{with(change{"title[0]", `null`}), "title[0]", remove},
		{with(change{"linked_instance_ids", `[null]`}), "linked_instance_ids[0]", remove},
		// The members of the document are complete after its placements.
		{with(change{"id", `null`}, change{"elements", "[" + manyNulls + "]"}), "id", ""},
		{with(change{"id", `null`}, change{"elements", "[" + manyNulls + "]"}), "elements[100].element_id", ""},
	} {
		found := false
		for _, p := range mustRun(t, OpValidate, test.document).Errors {
			if p.Path.String() != test.path {
				continue
			}
			found = true
			hint := strings.TrimSuffix(strings.TrimSuffix(p.FixHint, rulesLater), ".")
			for _, end := range []string{remove, omit} {
				if got, want := strings.HasSuffix(hint, end), end == test.want; got != want {
					t.Errorf("%.200s: %s: got hint %q, want end %q", test.document, test.path, p.FixHint, test.want)
				}
			}
			if strings.Contains(hint, "if it is optional") {
				t.Errorf("%.200s: %s: got hint %q", test.document, test.path, p.FixHint)
			}
		}
		if !found {
			t.Errorf("%.200s: got no finding at %s", test.document, test.path)
		}
	}
}

func TestHintsSuggestRenamingMisspeltMembers(t *testing.T) {
	report := mustRun(t, OpValidate, `{"id": "x", "schemaVersion": "demo@2026-01-15-stable", "created_at": "2026-02-03T09:30:00Z", "elements": [{"elementId": "camera"}]}`)
	var hints []string
	for _, p := range report.Errors {
		hints = append(hints, strings.TrimSuffix(p.FixHint, rulesLater))
	}
	want := []string{
		`Rename "schemaVersion" to "schema_version" if that is the intended name.`,
		`Rename "elementId" to "element_id" if that is the intended name.`,
	}
	if diff := cmp.Diff(want, hints); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseReadsEveryMember(t *testing.T) {
	en := func(s string) taxonomy.Localized { return taxonomy.Localized{{Locale: "en", Value: s}} }
	got, report, err := Parse([]byte(`{
		"id": "g\u0061te", "schema_version": "demo@2026-01-15-stable", "created_at": "2026-02-03T09:30:00Z", "updated_at": "2026-02-04T09:30Z",
		"instance_version": 1.50, "title": [{"locale": "en", "value": "Gate"}], "description": [{"value": "A gate", "locale": "en"}],
		"elements": [{"element_id": "camera", "context_type_id": "continuous", "element_instance_id": "c1", "label": "Over", "priority": 2,
			"subchain_instance_id": "s", "sources": [{"type": "law", "title": "Act"}],
			"variables": [{"id": "position", "value": [{"locale": "en", "value": "Roof"}]}, {"id": "formats", "value": ["pictures", "sound"]}],
			"actions": [{"type": "email", "label": [{"locale": "en", "value": "Write"}], "target": "a@example.org"}]},
			{"elem\u0065nt_id": "safety", "label": [{"locale": "en", "value": "Safe"}]}],
		"sources": [{"type": "web", "title": "Plans", "url": "https://example.org", "citation": "p. 1"}],
		"linked_instance_ids": ["other"], "subchain_instances": [{"id": "s", "subchain_id": "flow", "label": "North", "head_refs": ["camera"], "order": 1},
			{"id": "t", "subchain_id": "flow", "label": [{"locale": "en", "value": "South"}]}],
		"authoring_provenance": {"kind": "ai_generated", "model": "m", "generated_at": "2026-02-03T09:30:00Z", "element_provenance": {
			"c1": {"rationale": "Seen.", "confidence": "low", "source_references": [{"quote": "q", "context": "c"}], "variable_rationale": {"position": "Plans.", "formats": 7}}}}}`), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	want := &Document{
		ID: "gate", SchemaVersion: taxonomy.ID{Type: "demo", Date: "2026-01-15", Status: taxonomy.Stable},
		CreatedAt: "2026-02-03T09:30:00Z", UpdatedAt: "2026-02-04T09:30Z", InstanceVersion: "1.50",
		Title: en("Gate"), Description: en("A gate"),
		Elements: []Placement{
			{
				ElementID: "camera", ContextTypeID: "continuous", ElementInstanceID: "c1", Label: Label{Text: "Over"}, Priority: 2,
				SubchainInstanceID: "s", Sources: []taxonomy.Source{{Type: "law", Title: "Act"}},
				Variables: []Variable{
					{ID: "position", Value: Value{kind: taxonomy.LocalizedText, text: en("Roof")}},
					{ID: "formats", Value: Value{kind: taxonomy.MultiSelectEnum, options: []string{"pictures", "sound"}}},
				},
				Actions: []Action{{Type: "email", Label: en("Write"), Target: "a@example.org"}},
			},
			{ElementID: "safety", Label: Label{Localized: en("Safe")}},
		},
		Sources:           []taxonomy.Source{{Type: "web", Title: "Plans", URL: "https://example.org", Citation: "p. 1"}},
		LinkedInstanceIDs: []string{"other"},
		SubchainInstances: []SubchainInstance{
			{ID: "s", SubchainID: "flow", Label: Label{Text: "North"}, HeadRefs: []string{"camera"}, Order: 1},
			{ID: "t", SubchainID: "flow", Label: Label{Localized: en("South")}},
		},
		Provenance: &Provenance{Kind: AIGenerated, Model: "m", GeneratedAt: "2026-02-03T09:30:00Z", Elements: []ElementProvenance{{
			Key: "c1", Rationale: "Seen.", Confidence: "low", SourceReferences: []SourceReference{{Quote: "q", Context: "c"}},
			VariableRationale: []VariableRationale{{VariableID: "position", Text: "Plans."}, {VariableID: "formats"}},
		}}},
	}
	if diff := cmp.Diff(want, got, sameContent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// sameContent compares the content of documents and ignores positions.
var sameContent = cmp.Options{
	cmpopts.IgnoreUnexported(Document{}, Placement{}, Label{}, Variable{}, SubchainInstance{}, Provenance{}, ElementProvenance{},
		VariableRationale{}, Resolved{}, Snapshot{}),
	cmp.AllowUnexported(Value{}),
	cmpopts.EquateEmpty(),
	// These come from the members of objects, which are unordered.
	cmpopts.SortSlices(func(a, b ElementProvenance) bool { return a.Key < b.Key }),
	cmpopts.SortSlices(func(a, b VariableRationale) bool { return a.VariableID < b.VariableID }),
}

func TestParsedSnapshotEqualsTheTaxonomy(t *testing.T) {
	d, report, err := ParseResolved([]byte(exampleWithWholeSchema()), nil)
	if err != nil || !report.OK() {
		t.Fatal(report, err)
	}
	tax := ExampleTaxonomy()
	want := Snapshot{Type: tax.Type, Categories: tax.Categories, Elements: tax.Elements}
	if diff := cmp.Diff(want, d.Snapshot, sameContent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRecordsHaveAtMostMaxFields(t *testing.T) {
	for _, record := range taxonomy.Records {
		if len(record.Fields) > maxFields || snapshotRecords[record].want == nil {
			t.Errorf("%s: got %d fields and want %v", record.Name, len(record.Fields), snapshotRecords[record].want)
		}
	}
}

func TestTheLastParseErrorSaysThatMoreFindingsMayFollow(t *testing.T) {
	for op, document := range map[Operation]string{
		OpValidate:         with(change{"id", "7"}, change{"elements[0].element_id", `"ghost"`}, change{"elements[1].priority", `"high"`}),
		OpValidateResolved: resolvedWith(change{"id", "7"}, change{"elements[1].priority", `"high"`}),
		OpResolve:          with(change{"elements", `[]`}),
	} {
		report := mustRun(t, op, document)
		for i, p := range report.Errors {
			if last := i == len(report.Errors)-1; strings.Contains(p.FixHint, rulesLater) != last {
				t.Errorf("%s, error %d of %d: got hint %q", op, i+1, len(report.Errors), p.FixHint)
			}
		}
	}
}

func TestThinDocumentsAreNotResolvedOnes(t *testing.T) {
	for _, document := range []string{exampleDocument, with(change{"id", "7"}, change{"elements", "[]"})} {
		report := mustRun(t, OpValidateResolved, document)
		if len(report.Errors) != 1 || report.Errors[0].Path.String() != "schema_snapshot" || report.Errors[0].Call != problem.Validate("demo@2026-01-15-stable") {
			t.Errorf("got %+v, want one error that names validate", report.Errors)
		}
	}
	report := mustRun(t, OpValidateResolved, with(change{"schema_version", `"demo@latest"`}))
	if len(report.Errors) != 1 || report.Errors[0].Call != problem.Validate("") {
		t.Errorf("got %+v, want one error that names validate", report.Errors)
	}
}

func TestHintsNameNoVersionThatMayNotExist(t *testing.T) {
	for _, document := range []string{
		with(change{"schema_version", `"demo@latest"`}), with(change{"schema_version", `7`}), with(change{"schema_version", `null`}),
		strings.Replace(exampleDocument, `"schema_version"`, `"release"`, 1),
	} {
		_, report, err := Parse([]byte(document), nil)
		if err != nil || len(report.Errors) != 1 || report.Errors[0].Call != problem.ListVersions() || strings.Contains(report.Errors[0].FixHint, "@") {
			t.Errorf("got %+v, error %v, want one error that names the list of versions", report.Errors, err)
		}
	}
	report := mustRun(t, OpValidate, with(change{"schema_version", `"demo@2020-02-02-beta"`}))
	if p := report.Warnings[0]; strings.Contains(p.FixHint, "2020") {
		t.Errorf("got hint %q, which recommends the version in the document", p.FixHint)
	}
}
