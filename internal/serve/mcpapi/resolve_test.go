package mcpapi_test

import (
	"strings"
	"testing"

	"placard/internal/serve/mcpapi"
)

// outline is the outline of a resolved document.
type outline struct {
	ID            string `json:"id"`
	Title         any    `json:"title"`
	SchemaVersion string `json:"schema_version"`
	Categories    int    `json:"category_count"`
	Elements      int    `json:"element_count"`
	Bytes         int    `json:"byte_count"`
	Snapshot      any    `json:"schema_snapshot"` // only in the document itself
}

func TestResolveReturnsTheDocumentOrItsOutline(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := example(t, stable, "station_gates")
	full := s.call("resolve_datachain", documentArguments(stable, document))
	if !strings.Contains(string(full.Data), `"schema_snapshot":{`) || !strings.Contains(full.EnvelopeMeta.Notice, `shorter with return "outline".`) {
		t.Errorf("got notice %q, data %.300s", full.EnvelopeMeta.Notice, full.Data)
	}
	r := s.call("resolve_datachain", documentArguments(stable, document, `,"return":"outline"`))
	var got outline
	r.into(t, &got)
	if got.Bytes != len(full.Data) || got.Title != "Ticket gates and face-entry trial at Harbour Station" || got.ID == "" || got.SchemaVersion != stable || got.Categories < 10 || got.Elements < 20 {
		t.Errorf("got %s", r.Data)
	}
	if got.Snapshot != nil || r.EnvelopeMeta.Notice != "" {
		t.Errorf("got %s", r.Structured)
	}
}

// shortDocument is a valid document whose resolved form fits in a result.
const shortDocument = `{"id":"d","schema_version":"` + stable + `","created_at":"2026-01-05T10:00:00Z","elements":[
	{"element_id":"upkeep"},{"element_id":"radar","context_type_id":"continuous"},{"element_id":"surroundings","context_type_id":"not_personal"},
	{"element_id":"public_authority","context_type_id":"decides","variables":[{"id":"name","value":[{"locale":"en","value":"The town"}]}]},
	{"element_id":"open_data"},{"element_id":"never_stored"},
	{"element_id":"contact_point","actions":[{"type":"email","label":[{"locale":"en","value":"Write to us"}],"target":"town@example.org"}]}]}`

func TestResolvedDocumentWithWarningsHasANotice(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	contact := `{"element_id":"contact_point"}`
	unfinished := shortDocument[:strings.LastIndex(shortDocument, `{"element_id":"contact_point"`)] + contact
	for name, tc := range map[string]struct{ document, session, notice string }{
		"no warning":   {shortDocument, "a", ""},
		"one warning":  {unfinished + `]}`, "a", "The document has warnings. Call validate_datachain with meta.handle for the details."},
		"two warnings": {unfinished + `,` + contact + `]}`, "a", "The document has warnings. Call validate_datachain with meta.handle for the details."},
		"no session":   {unfinished + `]}`, "", "The document has warnings. Call validate_datachain with the document for the details."},
		"very many":    {unfinished + strings.Repeat(`,`+contact, 300) + `]}`, "a", "The document has warnings."},
	} {
		r := s.call("resolve_datachain", documentArguments(stable, tc.document), "Mcp-Session-Id", tc.session)
		if got := r.EnvelopeMeta.Notice; !r.OK || !strings.Contains(got, tc.notice) || strings.Contains(got, "warning") != (tc.notice != "") {
			t.Errorf("%s: got notice %q, want %q", name, got, tc.notice)
		}
		if tc.session == "" {
			continue
		}
		valid := s.call("validate_datachain", `{"version":"`+stable+`","datachain":"`+r.EnvelopeMeta.Handle+`"}`, "Mcp-Session-Id", tc.session)
		if warnings, _ := valid.dataMember(t, "warnings").([]any); (len(warnings) > 0) != (tc.notice != "") {
			t.Errorf("%s: got warnings %v", name, warnings)
		}
	}
}

func TestLocalesDoNotReduceResolvedDocuments(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := documentArguments(stable, shortDocument)
	want := s.call("resolve_datachain", document)
	if !strings.Contains(string(want.Data), `"locale":"fr"`) || want.EnvelopeMeta.Notice != "" {
		t.Fatalf("got %.300s", want.Structured)
	}
	got := s.call("resolve_datachain", strings.TrimSuffix(document, "}")+`,"locales":["en"]}`)
	if string(got.Data) != string(want.Data) || !strings.Contains(got.EnvelopeMeta.Notice, "all locales") {
		t.Errorf("got notice %q, data %.300s", got.EnvelopeMeta.Notice, got.Data)
	}
}
