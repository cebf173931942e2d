package mcpapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/serve/mcpapi"
)

func TestReadToolsReturnTheSameDataAsREST(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tc := range []struct {
		tool, arguments, member string
		path, restMember        string
	}{
		{"list_schema_versions", `{}`, "versions", "", "versions"},
		{"get_schema", `{"version":"place@latest","locales":"*"}`, "manifest", "/place@latest/manifest", "manifest"},
		{"get_schema", `{"version":"place@beta","locales":"*"}`, "categories", "/place@beta/categories", "categories"},
		{"get_schema", `{"version":"place@latest","include":"full"}`, "elements", "/place@latest/elements?fields=all&limit=200", "elements"},
		{"list_categories", `{"version":"place@latest"}`, "categories", "/place@latest/categories", "categories"},
		{"list_categories", `{"version":"place@latest","locales":["fr"]}`, "categories", "/place@latest/categories?locales=fr", "categories"},
		{"list_elements", `{"version":"place@latest"}`, "elements", "/place@latest/elements", "elements"},
		{"list_elements", `{"version":"place@latest","category_id":"sensing","limit":2,"fields":["description"],"locales":["ja","en"]}`, "elements", "/place@latest/elements?category_id=sensing&limit=2&fields=description&locales=ja,en", "elements"},
		{"list_elements", `{"version":"place@latest","query":"caméra","locale":"fr","fields":"all"}`, "elements", "/place@latest/elements?query=cam%C3%A9ra&locale=fr&fields=all", "elements"},
		{"get_element", `{"version":"place@latest","element_id":"kept_for"}`, "element", "/place@latest/elements/kept_for", "element"},
		{"get_element", `{"version":"place@latest","element_id":"kept_for","fields":["title"],"locales":["en"]}`, "element", "/place@latest/elements/kept_for?fields=title&locales=en", "element"},
	} {
		r := s.call(tc.tool, tc.arguments)
		if diff := cmp.Diff(s.getREST(tc.path, tc.restMember), r.dataMember(t, tc.member)); diff != "" || !r.OK {
			t.Errorf("%s %s: mismatch (-rest +tool):\n%.1000s", tc.tool, tc.arguments, diff)
		}
		if tc.tool == "list_schema_versions" {
			continue
		}
		if v := r.dataMember(t, "version"); v != r.EnvelopeMeta.Version || !strings.HasPrefix(r.EnvelopeMeta.Version, "place@2026-") || !strings.HasPrefix(r.EnvelopeMeta.Hash, "sha256-") {
			t.Errorf("%s %s: got version %v, meta %+v", tc.tool, tc.arguments, v, r.EnvelopeMeta)
		}
	}
	r := s.call("get_elements", `{"version":"place@latest","element_ids":["radar","kept_for","radar"]}`)
	want := map[string]any{
		"radar":    s.getREST("/place@latest/elements/radar", "element"),
		"kept_for": s.getREST("/place@latest/elements/kept_for", "element"),
	}
	if diff := cmp.Diff(want, r.dataMember(t, "elements")); diff != "" || !r.OK {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
