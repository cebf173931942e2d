package datachain

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferences(t *testing.T) {
	text := `{
  "id": "safety", "schema_version": "demo@2026-01-15\u002dstable", "created_at": "2026-02-03T09:30:00Z",
  "elements": [
    {"element_id": "safety", "label": "safety"},
    {"element_instance_id": "gate", "context_type_id": "on_event", "variables": [{"id": "formats", "value": ["pictures", "sound"]}], "element_id": "cam\u0065ra"}
  ],
  "subchain_instances": [{"id": "a", "subchain_id": "flow", "head_refs": ["gate", "camera"]}, {"id": "b", "subchain_id": "flow"}],
  "authoring_provenance": {"kind": "human", "element_provenance": {"gate": {"variable_rationale": {"formats": "seen"}}, "safety": {"rationale": "safety"}}}
}`
	d, report, err := Parse([]byte(text), nil)
	if err != nil || !report.OK() {
		t.Fatalf("got report %v, error %v, want a document", report, err)
	}
	var got []string
	for _, r := range append(d.References(), d.VersionReference()) {
		got = append(got, fmt.Sprintf("%s: %s %s%s%s %s", r.Path, r.Kind, r.Element, r.Variable, r.ID, text[r.Start:r.End]))
	}
	want := []string{
		`elements[0].element_id: element safety "safety"`,
		`elements[1].context_type_id: context_value cameraon_event "on_event"`,
		`elements[1].variables[0].id: variable cameraformats "formats"`,
		`elements[1].variables[0].value[0]: option cameraformatspictures "pictures"`,
		`elements[1].variables[0].value[1]: option cameraformatssound "sound"`,
		`elements[1].element_id: element camera "cam\u0065ra"`,
		`subchain_instances[0].head_refs[1]: element camera "camera"`,
		`authoring_provenance.element_provenance.gate.variable_rationale.formats: variable cameraformats "formats"`,
		`authoring_provenance.element_provenance.safety: element safety "safety"`,
		`schema_version:  demo@2026-01-15-stable "demo@2026-01-15\u002dstable"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}
