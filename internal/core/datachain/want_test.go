package datachain

import (
	"strings"
	"testing"

	"placard/internal/core/taxonomy"
)

// byID is a set of schemas that has the example schema only.
type byID struct{}

func (byID) SchemaOf(id taxonomy.ID) *Schema {
	if id == exampleSchema().id {
		return exampleSchema()
	}
	return nil
}

func TestExamplesInHintsUseIDsOfTheSchema(t *testing.T) {
	for _, test := range []struct {
		document string
		path     string
		want     string
	}{
		{`{}`, "schema_version", `"demo@2026-01-15-stable"`},
		{`{}`, "elements", `[{"element_id": "safety"}]`},
		{`{"elements": [7]}`, "elements[0]", `{"element_id": "safety"}`},
		{`{"elements": [{}]}`, "elements[0].element_id", `"safety"`},
		{`{"subchain_instances": [7]}`, "subchain_instances[0]", `"subchain_id": "flow"`},
		{`{"authoring_provenance": {"kind": "human", "element_provenance": 7}}`, "authoring_provenance.element_provenance", `{"safety": {`},
		{`{"schema_snapshot": {"datachain_type": 7}}`, "schema_snapshot.datachain_type", `{"id": "demo", "categories": ["purpose"]`},
		{`{"schema_snapshot": {"elements": [7]}}`, "schema_snapshot.elements[0]", `"category_id": "purpose"`},
	} {
		op := OpValidate
		if IsResolved([]byte(test.document)) {
			op = OpValidateResolved
		}
		found := false
		for _, p := range mustRun(t, op, test.document).Errors {
			if strings.ContainsAny(p.FixHint, "<>") || strings.Contains(p.FixHint, "place@") {
				t.Errorf("%s %s: got hint %q", test.document, p.Path, p.FixHint)
			}
			if p.Path.String() == test.path {
				found = strings.Contains(p.FixHint, test.want)
			}
		}
		if !found {
			t.Errorf("%s: got no hint with %s at %s", test.document, test.want, test.path)
		}
	}
}

func TestExamplesInHintsFollowThePinnedRelease(t *testing.T) {
	for document, want := range map[string]string{
		`{"elements": [], "schema_version": "demo@2026-01-15-stable"}`: `"safety"`,
		`{"elements": [], "schema_version": "demo@2026-01-16-stable"}`: `"video_camera"`,
		`{"elements": [], "schema_version": 7}`:                        `"video_camera"`,
		`{"elements": []}`:                                             `"video_camera"`,
		`[]`:                                                           `{"id": "gate-7"`,
	} {
		_, report, err := ParseFor([]byte(document), byID{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		hints := ""
		for _, p := range report.Errors {
			hints += p.FixHint
		}
		if !strings.Contains(hints, want) {
			t.Errorf("%s: got hints %q, want %s", document, hints, want)
		}
	}
}
