package mcpapi_test

import (
	"strings"
	"testing"

	"placard/internal/serve/mcpapi"
)

func TestResolvedDocumentsAlwaysPassValidateResolved(t *testing.T) {
	outlines, inFull := 0, 0
	check := func(t *testing.T, name string, call caller, version, document string) {
		t.Helper()
		for _, locales := range []string{``, `,"locales":"*"`, `,"locales":["en"]`, `,"locales":["fr","en"]`, `,"locales":["de"]`, `,"locales":[]`} {
			r := call("resolve_datachain", documentArguments(version, document, locales))
			if !r.OK {
				t.Fatalf("%s%s: got %.300s", name, locales, r.Structured)
			}
			checked := map[string]string{"handle": `"` + r.EnvelopeMeta.Handle + `"`}
			var data outline
			if r.into(t, &data); data.Snapshot != nil {
				inFull++
				checked["data"] = string(r.Data)
			} else if outlines++; strings.Contains(locales, "*") || data.Bytes <= 60_000 {
				t.Errorf("%s%s: got the outline %s, want the document", name, locales, r.Data)
			}
			for what, document := range checked {
				if r := call("validate_resolved", `{"datachain":`+document+`}`); !r.OK || r.EnvelopeMeta.Version != version {
					t.Errorf("%s%s: validate_resolved with the %s: got %.500s", name, locales, what, r.Structured)
				}
				if r := call("render_datachain", documentArguments(version, document)); !r.OK {
					t.Errorf("%s%s: render_datachain with the %s: got %.500s", name, locales, what, r.Structured)
				}
			}
		}
	}
	for name, releases := range knownReleases(t) {
		s := serveReleases(t, releases, mcpapi.Options{})
		snapshot, err := s.catalog.Current()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range snapshot.Releases() {
			check(t, name+" "+r.ID().String(), s.client("Mcp-Session-Id", "a"), r.ID().String(), validDocument(t, r))
		}
	}
	s := newService(t, mcpapi.Options{})
	check(t, "short", s.client("Mcp-Session-Id", "a"), stable, shortDocument)
	for name, document := range examples(t) {
		version, _, _ := strings.Cut(name, " ")
		check(t, name, s.client("Mcp-Session-Id", "a"), version, document)
	}
	if outlines == 0 || inFull == 0 {
		t.Errorf("got %d outlines and %d documents in full, want some of both", outlines, inFull)
	}
}
