package mcpapi_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

var toolNames = []string{
	"list_schema_versions", "get_schema", "list_categories", "list_elements", "get_element", "get_elements",
	"validate_datachain", "resolve_datachain", "validate_resolved", "render_datachain", "get_icon_url",
}

func TestToolDefinitionsAreComplete(t *testing.T) {
	tools := listTools(t, newService(t, mcpapi.Options{}))
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		want := map[string]any{"title": tool.Title, "readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": false}
		if diff := cmp.Diff(want, tool.Annotations); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", tool.Name, diff)
		}
		others := slices.DeleteFunc(slices.Clone(toolNames), func(name string) bool { return name == tool.Name })
		if !slices.ContainsFunc(others, func(name string) bool { return strings.Contains(tool.Description, name) }) {
			t.Errorf("%s: the description names no other tool", tool.Name)
		}
		if len(tool.Description) < 150 || len(tool.Description) > 700 || tool.Title == "" {
			t.Errorf("%s: got title %q and a description of %d bytes", tool.Name, tool.Title, len(tool.Description))
		}
		for _, schema := range [][]byte{tool.InputSchema, tool.OutputSchema} {
			if _, err := compile(schema); err != nil {
				t.Errorf("%s: %v", tool.Name, err)
			}
		}
		var input struct {
			Type       string
			Properties map[string]struct{ Description string }
			Required   []string
			Additional *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(tool.InputSchema, &input, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if input.Type != "object" || input.Additional == nil || *input.Additional {
			t.Errorf("%s: got input schema %s", tool.Name, tool.InputSchema)
		}
		for name, p := range input.Properties {
			if p.Description == "" {
				t.Errorf("%s: parameter %s has no description", tool.Name, name)
			}
		}
		meta := map[string]any{"ui": map[string]any{"resourceUri": "ui://service/datachain/view.html"}, "ui/resourceUri": "ui://service/datachain/view.html"}
		if tool.Name != "render_datachain" {
			meta = nil
		}
		if diff := cmp.Diff(meta, tool.Meta); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", tool.Name, diff)
		}
	}
	if diff := cmp.Diff(toolNames, names); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// getREST returns a member of a REST response.
func (s *service) getREST(path, member string) any {
	s.t.Helper()
	resp, err := s.Client().Get(s.URL + "/api/v2/schemas" + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: got %d %s", path, resp.StatusCode, data)
	}
	return v[member]
}

// dataMember returns a member of the data of a result.
func (r toolResult) dataMember(t testing.TB, name string) any {
	t.Helper()
	var v map[string]any
	r.into(t, &v)
	return v[name]
}

func TestListElementsPages(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	var ids []string
	cursor := ""
	for {
		r := s.call("list_elements", `{"version":"place@latest","limit":"30","locales":"en","cursor":"`+cursor+`"}`)
		var page struct {
			Elements        []struct{ ID string }
			Total, Returned int
		}
		if err := json.Unmarshal(r.Data, &page, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if page.Returned != len(page.Elements) || page.Total != 84 {
			t.Errorf("got returned %d and total %d for %d elements, want total 84", page.Returned, page.Total, len(page.Elements))
		}
		for _, e := range page.Elements {
			ids = append(ids, e.ID)
		}
		if r.EnvelopeMeta.NextCursor == nil {
			break
		}
		cursor = *r.EnvelopeMeta.NextCursor
	}
	slices.Sort(ids)
	if distinct := len(slices.Compact(ids)); distinct != 84 {
		t.Errorf("got %d distinct elements, want 84", distinct)
	}
	r := s.call("list_elements", `{"version":"place@latest","cursor":"x"}`)
	if !r.IsError || r.Errors[0].Code != "bad_request" || r.Errors[0].Message != "Invalid pagination cursor." || r.Errors[0].Path.String() != "cursor" {
		t.Errorf("got %+v", r.Errors)
	}
}

func TestArgumentsOfTheWrongTypeAreConverted(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tc := range []struct{ tool, want, arguments string }{
		{"list_elements", `{"version":"place@latest","limit":3}`, `{"version":"place@latest","limit":"3"}`},
		{"list_elements", `{"version":"place@latest","limit":3}`, `{"version":"place@latest","limit":3.0}`},
		{"list_elements", `{"version":"place@latest","limit":30}`, `{"version":"place@latest","limit":3e1}`},
		{"list_elements", `{"version":"place@latest","locales":["en"]}`, `{"version":"place@latest","locales":"en"}`},
		{"list_elements", `{"version":"place@latest","locales":["en","fr"]}`, `{"version":"place@latest","locales":"en, fr"}`},
		{"list_elements", `{"version":"place@latest","fields":"all"}`, `{"version":"place@latest","fields":["all"]}`},
		{"list_elements", `{"version":"place@latest","fields":["title","shape"]}`, `{"version":"place@latest","fields":"title,shape"}`},
		{"list_elements", `{"version":"place@latest"}`, `{"version":"place@latest","limit":null,"cursor":"","query":null,"locales":[],"fields":"","category_id":""}`},
		{"list_elements", `{"version":"place@latest","query":"7"}`, `{"version":"place@latest","query":7}`},
		{"get_elements", `{"version":"place@latest","element_ids":["radar"]}`, `{"version":"place@latest","element_ids":"radar"}`},
		{"get_elements", `{"version":"place@latest","element_ids":["radar","upkeep"]}`, `{"version":"place@latest","element_ids":"radar,upkeep"}`},
		{"get_icon_url", `{"version":"place@latest","element_id":"radar"}`, `{"version":"place@latest","element_id":"radar","variant":""}`},
		{"validate_datachain", `{"version":"place@latest","datachain":{"id":"é"}}`, `{"version":"place@latest","datachain":" {\"id\":\"\\u00e9\"} "}`},
		{"list_schema_versions", `{}`, `null`},
	} {
		want, got := s.call(tc.tool, tc.want), s.call(tc.tool, tc.arguments)
		if got.IsError || string(got.Structured) != string(want.Structured) {
			t.Errorf("%s %s: got %.300s, want %.300s", tc.tool, tc.arguments, got.Structured, want.Structured)
		}
	}
	var none toolResult
	s.invoke("tools/call", `{"name":"list_schema_versions"}`, &none)
	if none.IsError || len(none.Content) != 1 {
		t.Errorf("without arguments: got %s", none.Structured)
	}
}

func TestAllWrongArgumentsAreReported(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tc := range []struct {
		tool, arguments string
		paths           []string
		hint            string // of the first problem
	}{
		{"get_element", `{}`, []string{"version", "element_id"}, "list_schema_versions"},
		{"get_element", `{"version":["a"],"element_id":{}}`, []string{"version", "element_id"}, "list_schema_versions"},
		{"get_element", `{"version":null,"element_id":"radar"}`, []string{"version"}, "list_schema_versions"},
		{"get_element", `{"version":"place@latest","element":"radar"}`, []string{"element", "element_id"}, `"element_id"`},
		{"list_schema_versions", `{"version":"place@latest"}`, []string{"version"}, `"datachain_type"`},
		{"list_elements", `{"version":"place@latest","limit":0}`, []string{"limit"}, "50"},
		{"list_elements", `{"version":"place@latest","limit":201}`, []string{"limit"}, "50"},
		{"list_elements", `{"version":"place@latest","limit":"many","locales":7,"fields":[1]}`, []string{"limit", "locales", "fields"}, "50"},
		{"list_elements", `{"version":"place@latest","limit":1.5}`, []string{"limit"}, "50"},
		{"list_elements", `{"version":"place@latest","limit":1e400}`, []string{"limit"}, "50"},
		{"list_elements", `{"version":"place@latest","query":"` + strings.Repeat("é", 257) + `"}`, []string{"query"}, "fewer"},
		{"list_elements", `{"version":"place@latest","fields":"` + strings.Repeat("x,", 101) + `","locales":"` + strings.Repeat("en,", 101) + `"}`, []string{"fields", "locales"}, "title"},
		{"get_schema", `{"version":"place@latest","include":"everything"}`, []string{"include"}, "manifest"},
		{"get_elements", `{"version":"place@latest","element_ids":[]}`, []string{"element_ids"}, "list_elements"},
		{"validate_datachain", `{"version":"place@latest","datachain":[]}`, []string{"datachain"}, "object"},
		{"validate_datachain", `{"version":"place@latest","datachain":"not JSON"}`, []string{"datachain"}, "object"},
		{"validate_datachain", `{"version":"place@latest","datachain":"{\"a\":1,\"a\":2}"}`, []string{"datachain"}, "object"},
	} {
		r := s.call(tc.tool, tc.arguments)
		var paths []string
		for _, p := range r.Errors {
			paths = append(paths, p.Path.String())
			if p.Code != "invalid_arguments" || p.FixHint == "" {
				t.Errorf("%s %s: got %+v", tc.tool, tc.arguments, p)
			}
		}
		if diff := cmp.Diff(tc.paths, paths); diff != "" || !r.IsError || r.OK || r.Data != nil {
			t.Errorf("%s %s: mismatch (-want +got):\n%s\n%.300s", tc.tool, tc.arguments, diff, r.Structured)
			continue
		}
		if !strings.Contains(r.Errors[0].FixHint, tc.hint) {
			t.Errorf("%s %s: got hint %q, want one with %q", tc.tool, tc.arguments, r.Errors[0].FixHint, tc.hint)
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `,"a%d":1`, i)
	}
	if r := s.call("list_schema_versions", `{"datachain_type":"place"`+many.String()+`}`); !r.IsError || len(r.Errors) != 20 {
		t.Errorf("1000 unknown arguments: got %d errors, want 20", len(r.Errors))
	}
	r := s.call("list_elements", `{"version":"place@latest","locales":["en_US"]}`)
	if !r.IsError || r.Errors[0].Code != "bad_request" || r.Errors[0].Path.String() != "locales" {
		t.Errorf("got %s", r.Structured)
	}
}

// requiredArguments returns the required arguments of each tool.
func requiredArguments(t testing.TB, version, document string) map[string]string {
	with := func(members string) string { return `{"version":"` + version + `"` + members + `}` }
	return map[string]string{
		"get_schema": with(``), "list_categories": with(``), "list_elements": with(``),
		"get_element": with(`,"element_id":"radar"`), "get_elements": with(`,"element_ids":["radar"]`),
		"get_icon_url":       with(`,"element_id":"radar"`),
		"validate_datachain": with(`,"datachain":` + document), "resolve_datachain": with(`,"datachain":` + document),
		"validate_resolved": with(`,"datachain":` + document), "render_datachain": with(`,"datachain":` + document),
	}
}

func TestUnusableVersionsAreUnknown(t *testing.T) {
	dir := t.TempDir()
	folder := store.OpenFolder(dir)
	const damaged, intact = "small@2026-01-02-stable", "small@2026-03-01-beta"
	for _, id := range []string{damaged, intact} {
		if _, err := storetest.Publish(t.Context(), folder, releasetest.Release(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range headerFiles(t, dir, "2026-01-02-stable") {
		if err := os.WriteFile(name, []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := serveReleases(t, folder, mcpapi.Options{})
	for _, version := range []string{"", "small", "small@2026-02-30-beta", "small@latest@x", "small@2027-01-01-stable", "other@latest", damaged} {
		for tool, arguments := range requiredArguments(t, version, `{"id":"d"}`) {
			if tool == "validate_resolved" && version == "" {
				continue // its version is optional
			}
			r := s.call(tool, arguments)
			if !r.IsError || r.OK || len(r.Errors) != 1 || r.Errors[0].Code != "unknown_version" || r.Errors[0].Path.String() != "version" || r.Errors[0].FixHint == "" {
				t.Errorf("%s %q: got %s", tool, version, r.Structured)
			}
		}
	}
	if r := s.call("get_schema", `{"version":"`+intact+`"}`); !r.OK {
		t.Errorf("got %s", r.Structured)
	}
}

// headerFiles returns the release headers in dir whose path contains version.
func headerFiles(t *testing.T, dir, version string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(name, version) && d.Name() == release.HeaderFile {
			found = append(found, name)
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("got files %v, error %v", found, err)
	}
	return found
}

func TestUnknownElementErrorsSuggestSimilarIDs(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tool := range []string{"get_element", "get_icon_url"} {
		r := s.call(tool, `{"version":"place@latest","element_id":"video_camra"}`)
		if !r.IsError || r.Errors[0].Code != "element_not_found" || r.Errors[0].FixHint != `Did you mean "video_camera"?` || r.EnvelopeMeta.Version != stable {
			t.Errorf("%s: got %s", tool, r.Structured)
		}
	}
	r := s.call("get_elements", `{"version":"place@latest","element_ids":["radr","radar","nothing like it","radr"],"fields":["shape"]}`)
	if r.IsError || r.OK {
		t.Errorf("got %s", r.Structured)
	}
	want := `{"version":"` + stable + `","elements":{"radr":null,"radar":{"id":"radar","shape":"circle"},"nothing like it":null}}`
	if string(r.Data) != want {
		t.Errorf("got %s, want %s", r.Data, want)
	}
	var paths []string
	for _, p := range r.Errors {
		paths = append(paths, p.Path.String()+" "+string(p.Code))
	}
	if diff := cmp.Diff([]string{"element_ids[0] element_not_found", "element_ids[2] element_not_found"}, paths); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestGetElementsLimitsDistinctIDs(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	ids := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("e%d", i)
		}
		encoded, err := json.Marshal(append(list, list...)) // every id twice
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	if r := s.call("get_elements", `{"version":"place@latest","element_ids":`+ids(100)+`}`); r.IsError || len(r.Errors) != 100 {
		t.Errorf("100 ids: got %.300s", r.Structured)
	}
	r := s.call("get_elements", `{"version":"place@latest","element_ids":`+ids(101)+`}`)
	if !r.IsError || r.Data != nil || len(r.Errors) != 1 || r.Errors[0].Code != "element_ids_too_many" {
		t.Errorf("101 ids: got %.300s", r.Structured)
	}
}

func TestIconURLs(t *testing.T) {
	type icon struct {
		URL      string   `json:"url"`
		Type     string   `json:"content_type"`
		Variant  string   `json:"variant"`
		Variants []string `json:"valid_variants"`
	}
	s := newService(t, mcpapi.Options{})
	for variant, file := range map[string]string{"": "icon.svg", "default": "icon.svg", "dark": "icon.dark.svg", "identifying": "icon.identifying.svg"} {
		var got icon
		s.call("get_icon_url", `{"version":"place@latest","element_id":"pictures","variant":"`+variant+`"}`).into(t, &got)
		if got.URL != s.URL+"/api/v2/schemas/"+stable+"/elements/pictures/"+file || !slices.Contains(got.Variants, got.Variant) {
			t.Errorf("got %+v", got)
		}
		resp, err := s.Client().Get(got.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), got.Type) {
			t.Errorf("%s: got %d %s", got.URL, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
	r := s.call("get_icon_url", `{"version":"place@latest","element_id":"pictures","variant":"blue"}`)
	if !r.IsError || r.Errors[0].Code != "unknown_variant" || !strings.Contains(r.Errors[0].FixHint, `"dark", "identifying"`) {
		t.Errorf("got %s", r.Structured)
	}

	var public icon
	newService(t, mcpapi.Options{PublicURL: "https://placard.example/"}).
		call("get_icon_url", `{"version":"place@latest","element_id":"radar"}`).into(t, &public)
	if public.URL != "https://placard.example/api/v2/schemas/"+stable+"/elements/radar/icon.svg" {
		t.Errorf("got %+v", public)
	}

	// Without a base URL, the icon is a data: URL.
	var inline icon
	responses := streamResponses(t, s, mcpapi.Options{}, request("tools/call", `{"name":"get_icon_url","arguments":{"version":"place@latest","element_id":"radar"}}`))
	var result toolResult
	if err := json.Unmarshal(responses[0].Result, &result); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(result.Structured, &result.envelope); err != nil {
		t.Fatal(err)
	}
	result.into(t, &inline)
	encoded, ok := strings.CutPrefix(inline.URL, "data:image/svg+xml;base64,")
	svg, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || !strings.HasPrefix(string(svg), "<svg") {
		t.Errorf("got %+v", inline)
	}
}
