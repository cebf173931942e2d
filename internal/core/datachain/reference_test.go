package datachain

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestElementReferences(t *testing.T) {
	text := `{
  "id": "safety", "schema_version": "demo@2026-01-15\u002dstable", "created_at": "2026-02-03T09:30:00Z",
  "elements": [
    {"element_id": "safety", "label": "safety"},
    {"element_instance_id": "gate", "element_id": "cam\u0065ra"}
  ],
  "subchain_instances": [{"id": "a", "subchain_id": "flow", "head_refs": ["gate", "camera"]}, {"id": "b", "subchain_id": "flow"}],
  "authoring_provenance": {"kind": "human", "element_provenance": {"gate": {}, "safety": {"rationale": "safety"}}}
}`
	d, report, err := Parse([]byte(text), nil)
	if err != nil || !report.OK() {
		t.Fatalf("got report %v, error %v, want a document", report, err)
	}
	var got []string
	for _, r := range append(d.ElementReferences(), d.VersionReference()) {
		got = append(got, fmt.Sprintf("%s: %s %s", r.Path, r.ID, text[r.Start:r.End]))
	}
	want := []string{
		`elements[0].element_id: safety "safety"`,
		`elements[1].element_id: camera "cam\u0065ra"`,
		`subchain_instances[0].head_refs[1]: camera "camera"`,
		`authoring_provenance.element_provenance.safety: safety "safety"`,
		`schema_version: demo@2026-01-15-stable "demo@2026-01-15\u002dstable"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}
