package mcpapi_test

import (
	"strings"
	"testing"

	"placard/internal/serve/mcpapi"
)

func TestResolvedDocumentsAlwaysPassValidateResolved(t *testing.T) {
	check := func(t *testing.T, name string, call caller, version, document string) {
		t.Helper()
		for _, arguments := range []string{``, `,"locales":["en"]`, `,"return":"outline"`} {
			r := call("resolve_datachain", documentArguments(version, document, arguments))
			if !r.OK {
				t.Fatalf("%s%s: got %.300s", name, arguments, r.Structured)
			}
			checked := map[string]string{"handle": `"` + r.EnvelopeMeta.Handle + `"`}
			if !strings.Contains(arguments, "outline") {
				checked["data"] = string(r.Data)
			}
			for what, document := range checked {
				if r := call("validate_resolved", `{"datachain":`+document+`}`); !r.OK || r.EnvelopeMeta.Version != version {
					t.Errorf("%s%s: validate_resolved with the %s: got %.500s", name, arguments, what, r.Structured)
				}
				if r := call("render_datachain", documentArguments(version, document)); !r.OK {
					t.Errorf("%s%s: render_datachain with the %s: got %.500s", name, arguments, what, r.Structured)
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
}
