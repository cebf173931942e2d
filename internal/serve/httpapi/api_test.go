package httpapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/docschema"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/httpapi"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

const (
	beta   = "small@2026-03-01-beta"
	stable = "small@2026-01-02-stable"
)

// service is an HTTP server that serves the API from a store in a folder.
type service struct {
	*httptest.Server
	t       *testing.T
	dir     string
	store   *store.Store
	catalog *catalog.Catalog
	logs    *bytes.Buffer
	missed  atomic.Int32 // icons that were not stored
}

func newService(t *testing.T) *service {
	dir := t.TempDir()
	s := &service{t: t, dir: dir, store: store.OpenFolder(dir), logs: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	s.catalog = catalog.New(s.store, catalog.Options{Log: log})
	s.Server = httptest.NewServer(httpapi.New(httpapi.Options{
		Catalog: s.catalog, Log: log, IconMissed: func() { s.missed.Add(1) }, NotFoundPage: writeNotFoundPage,
	}))
	t.Cleanup(s.Close)
	return s
}

// published returns a service with a stable release and a newer beta release.
func published(t *testing.T) *service {
	s := newService(t)
	for _, id := range []string{stable, beta} {
		if _, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	s.refresh()
	return s
}

func (s *service) refresh() {
	s.t.Helper()
	if err := s.catalog.Refresh(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

type response struct {
	status int
	header http.Header
	body   string
}

func (s *service) do(method, path string, header ...string) response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, string(body)}
}

// transport does not add Accept-Encoding to requests.
var transport = &http.Transport{DisableCompression: true}

func (s *service) get(path string) response { return s.do("GET", path) }

// failure returns the problem in an error response.
func (resp response) failure(t *testing.T) problem.Problem {
	t.Helper()
	var body struct {
		OK     bool              `json:"ok"`
		Errors []problem.Problem `json:"errors"`
	}
	if err := json.Unmarshal([]byte(resp.body), &body, json.RejectUnknownMembers(true)); err != nil || body.OK || len(body.Errors) != 1 {
		t.Fatalf("status %d: got body %q (%v), want an error envelope", resp.status, resp.body, err)
	}
	if resp.header.Get("Content-Type") != "application/json" || resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("error response: got headers %v, want Content-Type application/json and Cache-Control no-store", resp.header)
	}
	return body.Errors[0]
}

func (resp response) json(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(resp.body), &v); err != nil || resp.status != http.StatusOK || v["ok"] != true {
		t.Fatalf("got status %d, body %s (%v), want ok", resp.status, resp.body, err)
	}
	return v
}

func TestListSchemas(t *testing.T) {
	s := published(t)
	resp := s.get("/api/v2/schemas")
	hash := releasetest.Release(t, beta).Hash()
	want := map[string]any{"ok": true, "versions": []any{
		map[string]any{"id": stable, "status": "stable", "content_hash": hash, "aliases": []any{"small@2026-01-02", "small@latest", "small@stable"}},
		map[string]any{"id": beta, "status": "beta", "content_hash": hash, "aliases": []any{"small@2026-03-01", "small@beta"}},
	}}
	if diff := cmp.Diff(want, resp.json(t)); diff != "" {
		t.Error(diff)
	}
	if resp.header.Get("Cache-Control") != "no-cache" || resp.header.Get("ETag") == "" || resp.header.Get("Service-Content-Hash") != "" {
		t.Errorf("got headers %v, want Cache-Control no-cache, an ETag and no Service-Content-Hash", resp.header)
	}
	if _, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, beta), "pilot"); err != nil {
		t.Fatal(err)
	}
	s.refresh()
	if resp := s.do("GET", "/api/v2/schemas", "If-None-Match", resp.header.Get("ETag")); resp.status != 200 || !strings.Contains(resp.body, `"small@pilot"`) {
		t.Errorf("after a publish: got status %d, body %s, want 200 and the new alias", resp.status, resp.body)
	}
}

func TestManifest(t *testing.T) {
	s := published(t)
	resp := s.get("/api/v2/schemas/small@latest/manifest").json(t)
	text := func(en, fr string) []any {
		return []any{map[string]any{"locale": "en", "value": en}, map[string]any{"locale": "fr", "value": fr}}
	}
	want := map[string]any{"ok": true, "version": stable, "manifest": map[string]any{
		"id": stable, "status": "stable", "content_hash": releasetest.Release(t, stable).Hash(),
		"title": text("Small", "Petit"), "description": text("A small taxonomy.", "Une petite taxonomie."),
		"type": "small", "locales": []any{"en", "fr"},
		"subchains":  []any{map[string]any{"id": "flow", "name": text("Flow", "Flux"), "categories": []any{"data"}}},
		"created_at": "2026-01-02T03:04:05Z", "notes": "For tests.",
	}}
	if diff := cmp.Diff(want, resp); diff != "" {
		t.Error(diff)
	}
}

func TestCategories(t *testing.T) {
	s := published(t)
	resp := s.get("/api/v2/schemas/" + beta + "/categories?locales=FR").json(t)
	categories := resp["categories"].([]any)
	if len(categories) != 2 || resp["version"] != beta {
		t.Fatalf("got %v, want two categories of %s", resp, beta)
	}
	first, second := categories[0].(map[string]any), categories[1].(map[string]any)
	if first["id"] != "purpose" || second["id"] != "data" || first["shape"] != "hexagon" || first["required"] != true {
		t.Errorf("got %v and %v, want purpose (hexagon, required) and data", first, second)
	}
	if _, has := first["context"]; has {
		t.Error("a category without a context has the member context")
	}
	wantName := []any{map[string]any{"locale": "fr", "value": "But"}}
	if diff := cmp.Diff(wantName, first["name"]); diff != "" {
		t.Error(diff)
	}
	values := second["context"].(map[string]any)["values"].([]any)
	for i, want := range []map[string]any{{"color": "#1B4F9F", "tinted": true}, {"color": "#000000", "tinted": false}} {
		value := values[i].(map[string]any)
		if value["color"] != want["color"] || value["tinted"] != want["tinted"] {
			t.Errorf("context value %d: got %v, want %v", i, value, want)
		}
	}
}

func TestElementParameters(t *testing.T) {
	s := published(t)
	path := "/api/v2/schemas/" + stable + "/elements"
	for params, want := range map[string]string{
		"?locales=en":                 `[{"id":"safety","title":[{"locale":"en","value":"Safety"}],"category_id":"purpose"},{"id":"pictures","title":[{"locale":"en","value":"Pictures"}],"category_id":"data"},{"id":"sound","title":[{"locale":"en","value":"Sound"}],"category_id":"data"}]|3|3|null`,
		"?fields=id&category_id=data": `[{"id":"pictures"},{"id":"sound"}]|2|2|null`,
		"?fields=symbol_id,nonsense&limit=1&category_id=purpose": `[{"id":"safety","symbol_id":"ring"}]|1|1|null`,
		"?fields=id&category_id=nothing":                         `[]|0|0|null`,
		"?fields=id&limit=":                                      `[{"id":"safety"},{"id":"pictures"},{"id":"sound"}]|3|3|null`,
		"?fields=id&query=heard":                                 `[{"id":"sound"}]|1|1|null`,
		"?fields=id&query=s%C3%A9curite&locale=fr":               `[{"id":"safety"}]|1|1|null`,
		"?fields=title&locales=de&category_id=purpose":           `[{"id":"safety","title":[]}]|1|1|null`,
	} {
		resp := s.get(path + params)
		elements, meta, _ := strings.Cut(resp.body, `,"meta":`)
		_, elements, _ = strings.Cut(elements, `"elements":`)
		var m struct {
			Total    int     `json:"total"`
			Returned int     `json:"returned"`
			Next     *string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(strings.TrimSuffix(meta, "}")), &m); err != nil {
			t.Fatalf("%s: %v in %s", params, err, resp.body)
		}
		got, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(want, "|")
		wantMeta := `{"total":` + parts[1] + `,"returned":` + parts[2] + `,"next_cursor":` + parts[3] + `}`
		if elements != parts[0] || string(got) != wantMeta {
			t.Errorf("%s:\n got %s %s\nwant %s %s", params, elements, got, parts[0], wantMeta)
		}
	}
	first := s.get(path + "?limit=2&fields=id").json(t)
	cursor := first["meta"].(map[string]any)["next_cursor"].(string)
	second := s.get(path + "?limit=2&fields=all&cursor=" + cursor).json(t)
	if got := second["elements"].([]any); len(got) != 1 || got[0].(map[string]any)["id"] != "sound" {
		t.Errorf("second page: got %v, want the element sound", got)
	}
}

func TestElement(t *testing.T) {
	s := published(t)
	path := "/api/v2/schemas/" + beta + "/elements/sound"
	e := s.get(path).json(t)["element"].(map[string]any)
	if diff := cmp.Diff([]any{"default", "dark", "loud"}, e["icon_variants"]); diff != "" {
		t.Error(diff)
	}
	if e["shape"] != "circle" || len(e["variables"].([]any)) != 2 || e["required"] != false {
		t.Errorf("got %v, want an optional element with a circle and two variables", e)
	}
	want := `"element":{"id":"sound","symbol_id":"ring"}`
	if got := s.get(path + "?fields=id,symbol_id&locales=en"); !strings.Contains(got.body, want) {
		t.Errorf("got %s, want %s", got.body, want)
	}
}

func TestSVGRoutes(t *testing.T) {
	s := published(t)
	v := "/api/v2/schemas/" + stable
	icon := s.get(v + "/elements/pictures/icon.svg")
	for path, want := range map[string]string{
		"/api/v2/shapes/circle.svg":              "<circle",
		"/api/v2/shapes/rounded-square.svg":      "<rect",
		v + "/symbols/box.svg":                   `fill="currentColor"`,
		v + "/elements/pictures/icon.svg":        "<svg",
		v + "/elements/pictures/icon.dark.svg":   "<svg",
		v + "/elements/pictures/icon.coarse.svg": "#1B4F9F",
	} {
		resp := s.get(path)
		if resp.status != 200 || !strings.Contains(resp.body, want) || resp.header.Get("Content-Type") != "image/svg+xml; charset=utf-8" {
			t.Errorf("%s: got status %d, headers %v, body %s, want an SVG image with %s", path, resp.status, resp.header, resp.body, want)
		}
	}
	for _, same := range []string{"/elements/pictures/icon.default.svg", "/elements/pictures/icon.fine.svg"} {
		if s.get(v+same).body != icon.body {
			t.Errorf("%s differs from icon.svg", same)
		}
	}
}

func TestJSONSchemaRoutes(t *testing.T) {
	s := published(t)
	for _, file := range docschema.AuthoringFiles {
		path := "/api/v2/authoring/" + string(file) + ".schema.json"
		if got, want := s.get(path).body, string(docschema.Authoring(file, nil)); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	want, err := docschema.ThinOf(releasetest.Taxonomy(t, stable), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{stable, "small@latest", "small@latest"} { // the last one is cached
		if got := s.get("/api/v2/schemas/" + version + "/datachain.schema.json").body; got != string(want) {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}

func TestCacheControl(t *testing.T) {
	s := published(t)
	for _, tc := range []struct{ path, want string }{
		{"/api/v2/schemas/" + stable + "/manifest", "public, max-age=86400, immutable"},
		{"/api/v2/schemas/" + stable + "/elements?limit=1", "public, max-age=86400, immutable"},
		{"/api/v2/schemas/" + stable + "/categories", "public, max-age=86400, immutable"},
		{"/api/v2/schemas/" + stable + "/elements/sound", "public, max-age=86400, immutable"},
		{"/api/v2/schemas/small@latest/manifest", "public, max-age=300"},
		{"/api/v2/schemas/small@2026-01-02/categories", "public, max-age=300"},
		{"/api/v2/schemas/" + beta + "/manifest", "no-store"},
		{"/api/v2/schemas/small@beta/elements", "no-store"},
		{"/api/v2/schemas/" + stable + "/symbols/box.svg", "public, max-age=31536000, immutable"},
		{"/api/v2/schemas/small@stable/symbols/box.svg", "public, max-age=300"},
		{"/api/v2/schemas/" + beta + "/symbols/box.svg", "public, max-age=3600"},
		{"/api/v2/schemas/small@beta/symbols/box.svg", "public, max-age=3600"},
		{"/api/v2/schemas/" + stable + "/elements/sound/icon.svg", "public, max-age=31536000, immutable"},
		{"/api/v2/schemas/small@latest/elements/sound/icon.svg", "public, max-age=300"},
		{"/api/v2/schemas/" + beta + "/elements/sound/icon.svg", "public, max-age=3600"},
		{"/api/v2/shapes/octagon.svg", "public, max-age=31536000, immutable"},
		{"/api/v2/schemas/" + stable + "/datachain.schema.json", "public, max-age=86400, immutable"},
		{"/api/v2/schemas/small@latest/datachain.schema.json", "public, max-age=300"},
		{"/api/v2/schemas/" + beta + "/datachain.schema.json", "no-store"},
		{"/api/v2/schemas/" + stable + "/skos.ttl", "public, max-age=86400, immutable"},
		{"/api/v2/schemas/small@latest/skos.jsonld", "public, max-age=300"},
		{"/api/v2/schemas/" + beta + "/skos.ttl", "no-store"},
		{"/api/v2/authoring/element.schema.json", "public, max-age=86400"},
	} {
		resp := s.get(tc.path)
		if resp.status != 200 || resp.header.Get("Cache-Control") != tc.want {
			t.Errorf("%s: got status %d, Cache-Control %q, want %q", tc.path, resp.status, resp.header.Get("Cache-Control"), tc.want)
		}
		wantHash := ""
		if strings.Contains(tc.path, "small@") {
			wantHash = releasetest.Release(t, stable).Hash()
		}
		if resp.header.Get("Service-Content-Hash") != wantHash {
			t.Errorf("%s: got Service-Content-Hash %q, want %q", tc.path, resp.header.Get("Service-Content-Hash"), wantHash)
		}
	}
}

func TestConditionalRequestsAndHead(t *testing.T) {
	s := published(t)
	for _, path := range []string{
		"/api/v2/schemas", "/api/v2/schemas/" + beta + "/manifest", "/api/v2/schemas/" + stable + "/elements?fields=all",
		"/api/v2/schemas/" + stable + "/elements/sound/icon.svg", "/api/v2/shapes/circle.svg", "/api/v2/schemas/" + beta + "/symbols/box.svg",
		"/api/v2/schemas/" + stable + "/datachain.schema.json", "/api/v2/authoring/meta.schema.json",
		"/api/v2/schemas/" + stable + "/skos.ttl", "/api/v2/schemas/small@beta/skos.jsonld",
	} {
		full := s.get(path)
		etag := full.header.Get("ETag")
		if !strings.HasPrefix(etag, `"`) || len(etag) < 10 {
			t.Fatalf("%s: got ETag %q, want a strong one", path, etag)
		}
		for _, header := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
			resp := s.do("GET", path, "If-None-Match", header)
			if resp.status != http.StatusNotModified || resp.body != "" {
				t.Errorf("%s with If-None-Match %s: got status %d, body %q, want 304", path, header, resp.status, resp.body)
			}
			for _, name := range []string{"ETag", "Cache-Control", "Service-Content-Hash"} {
				if resp.header.Get(name) != full.header.Get(name) {
					t.Errorf("%s: the 304 response has %s %q, want %q", path, name, resp.header.Get(name), full.header.Get(name))
				}
			}
		}
		for _, header := range []string{`"other"`, "nonsense", `"`, `W/"`} {
			if resp := s.do("GET", path, "If-None-Match", header); resp.status != 200 || resp.body != full.body {
				t.Errorf("%s with If-None-Match %s: got status %d, want 200", path, header, resp.status)
			}
		}
		head := s.do("HEAD", path)
		if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != full.header.Get("Content-Length") || head.header.Get("ETag") != etag {
			t.Errorf("HEAD %s: got status %d, headers %v, want 200 and the headers of GET: %v", path, head.status, head.header, full.header)
		}
	}
}

func TestErrors(t *testing.T) {
	s := published(t)
	v := "/api/v2/schemas/" + stable
	for _, tc := range []struct {
		method, path string
		status       int
		code         problem.Code
		hint         string
	}{
		{"GET", "/api/v2/schemas/nonsense/manifest", 400, "bad_request", "<type>@"},
		{"GET", "/api/v2/schemas/small@2026-02-30-beta/manifest", 400, "bad_request", "real date"},
		{"GET", "/api/v2/schemas/small@2026-01-02-final/categories", 400, "bad_request", ""},
		{"GET", "/api/v2/schemas/sm%2Fall@latest/manifest", 400, "bad_request", ""},
		{"GET", "/api/v2/schemas/small@LATEST/manifest", 400, "bad_request", `Did you mean "small@latest"? Write small@<YYYY`},
		{"GET", "/api/v2/schemas/small@2026-1-2/manifest", 400, "bad_request", `Did you mean "small@2026-01-02"?`},
		{"POST", "/api/v2/schemas/small/validate", 400, "bad_request", `Did you mean "small@latest"?`},
		{"GET", "/api/v2/schemas/small@2026-03-02-beta/manifest", 404, "not_found", beta},
		{"GET", "/api/v2/schemas/other@latest/elements", 404, "not_found", stable},
		{"GET", v + "/elements?limit=0", 400, "bad_request", "50"},
		{"GET", v + "/elements?limit=201", 400, "bad_request", ""},
		{"GET", v + "/elements?limit=abc", 400, "bad_request", ""},
		{"GET", v + "/elements?limit=+5", 400, "bad_request", ""},
		{"GET", v + "/elements?limit=5.0", 400, "bad_request", ""},
		{"GET", v + "/elements?limit=-1", 400, "bad_request", ""},
		{"GET", v + "/elements?limit=99999999999999999999", 400, "bad_request", ""},
		{"GET", v + "/elements?limit=%D9%A5", 400, "bad_request", ""},
		{"GET", v + "/elements?cursor=abc", 400, "bad_request", "to start at the first page"},
		{"GET", v + "/elements?locales=en_US", 400, "bad_request", "en, fr"},
		{"GET", v + "/categories?locales=e", 400, "bad_request", "en, fr"},
		{"GET", v + "/elements/sound?locales=e_n", 400, "bad_request", "en, fr"},
		{"GET", v + "/elements?query=x&locale=de", 400, "bad_request", "en, fr"},
		{"GET", v + "/elements?query=%zz", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/elements?query=%FF", 400, "bad_request", "UTF-8"},
		{"GET", "/api/v2/schemas?a=%zz", 400, "bad_request", "Percent-encode"},
		{"GET", "/api/v2/codes?a=%zz", 400, "bad_request", "Percent-encode"},
		{"GET", "/api/v2/openapi.json?%zz", 400, "bad_request", "Percent-encode"},
		{"GET", "/api/v2/shapes/circle.svg?%zz", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/manifest?a;b", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/categories?%zz", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/elements/sound?%zz", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/elements/sound/icon.svg?x=%zz", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/symbols/box.svg?x=%zz", 400, "bad_request", "Percent-encode"},
		{"POST", v + "/validate?locale=%zz", 400, "bad_request", "Percent-encode"},
		{"POST", v + "/resolve?%", 400, "bad_request", "Percent-encode"},
		{"POST", v + "/validate_resolved?%2", 400, "bad_request", "Percent-encode"},
		{"POST", v + "/render?%zz", 400, "bad_request", "Percent-encode"},
		{"GET", v + "/elements/so.und", 400, "bad_request", "0-9"},
		{"GET", v + "/elements/so%20und", 400, "bad_request", ""},
		{"GET", v + "/elements/soundd", 404, "not_found", `"sound"`},
		{"GET", v + "/elements/sound/icon.purple.svg", 404, "not_found", `"default", "dark" and "loud"`},
		{"GET", v + "/elements/sound/icon.a.b.svg", 400, "bad_request", ""},
		{"GET", v + "/elements/sound/icon..svg", 400, "bad_request", ""},
		{"GET", v + "/elements/so.und/icon.svg", 400, "bad_request", ""},
		{"GET", v + "/elements/other/icon.svg", 404, "not_found", ""},
		{"GET", v + "/elements/sound/icon.png", 404, "not_found", ""},
		{"GET", v + "/elements/sound/symbol.svg", 404, "not_found", ""},
		{"GET", v + "/symbols/bo%20x.svg", 400, "bad_request", ""},
		{"GET", v + "/symbols/.svg", 400, "bad_request", ""},
		{"GET", v + "/symbols/other.svg", 404, "not_found", v + "/elements?fields=symbol_id&limit=200 "},
		{"GET", v + "/symbols/rign.svg", 404, "not_found", `Did you mean "ring"?`},
		{"GET", v + "/symbols/box", 404, "not_found", ""},
		{"GET", "/api/v2/shapes/star.svg", 404, "not_found", `"circle", "hexagon", "octagon" and "rounded-square"`},
		{"GET", "/api/v2/shapes/a.b.svg", 400, "bad_request", ""},
		{"GET", "/api/v2/shapes/circle", 404, "not_found", ""},
		{"GET", "/", 404, "not_found", "/api/v2/schemas"},
		{"GET", "/api/v2/schemas/", 404, "not_found", ""},
		{"GET", "/api//v2/schemas", 404, "not_found", ""},
		{"GET", "/api/v2/../v2/schemas", 404, "not_found", ""},
		{"GET", "/api/v2/%2e%2e/v2/schemas", 404, "not_found", ""},
		{"GET", v + "/manifest/", 404, "not_found", ""},
		{"GET", v, 404, "not_found", ""},
		{"POST", "/api/v2/schemas", 405, "method_not_allowed", "GET"},
		{"DELETE", v + "/manifest", 405, "method_not_allowed", "GET or HEAD"},
		{"PUT", "/api/v2/shapes/circle.svg", 405, "method_not_allowed", ""},
		{"BREW", v + "/elements", 405, "method_not_allowed", ""},
	} {
		resp := s.do(tc.method, tc.path)
		p := resp.failure(t)
		if resp.status != tc.status || p.Code != tc.code || p.Message == "" || !strings.Contains(p.FixHint, tc.hint) {
			t.Errorf("%s %s: got status %d, %+v, want %d, %s and a hint with %q", tc.method, tc.path, resp.status, p, tc.status, tc.code, tc.hint)
		}
		if resp.status == 405 && resp.header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s %s: got Allow %q, want %q", tc.method, tc.path, resp.header.Get("Allow"), "GET, HEAD, OPTIONS")
		}
	}
	if resp := s.get("/api/v2/schemas/small%40latest/manifest"); resp.status != 200 {
		t.Errorf("%%40 for @: got status %d, want 200", resp.status)
	}
}

func TestMissingIconsAreDrawnAndLogged(t *testing.T) {
	s := newService(t)
	r := releasetest.Release(t, stable)
	n, _ := r.Element("sound")
	want, _, _ := r.Icon(n, "loud")
	for _, id := range []string{stable, beta} {
		e, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, id))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(s.dir, e.Path, "icons.pack")); err != nil {
			t.Fatal(err)
		}
	}
	s.refresh()
	for version, cache := range map[string]string{
		beta: "public, max-age=60", "small@beta": "public, max-age=60",
		stable: "public, max-age=31536000, immutable", "small@stable": "public, max-age=300",
	} {
		s.logs.Reset()
		resp := s.get("/api/v2/schemas/" + version + "/elements/sound/icon.loud.svg")
		if resp.status != 200 || resp.body != string(want) || resp.header.Get("Cache-Control") != cache {
			t.Errorf("%s: got status %d, Cache-Control %q, want %q", version, resp.status, resp.header.Get("Cache-Control"), cache)
		}
		if !strings.Contains(s.logs.String(), "icon_miss_fallback") {
			t.Errorf("%s: the miss is not logged", version)
		}
	}
	if n := s.missed.Load(); n != 4 {
		t.Errorf("got %d misses, want 4", n)
	}
	s.store.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if _, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	s.refresh()
	s.logs.Reset()
	if s.get("/api/v2/schemas/" + beta + "/elements/sound/icon.dark.svg"); strings.Contains(s.logs.String(), "icon_miss_fallback") {
		t.Error("a stored icon is logged as a miss")
	}
	if n := s.missed.Load(); n != 4 {
		t.Error("a stored icon is counted as a miss")
	}
}

func TestUnreadableStoreIsAnUpstreamError(t *testing.T) {
	s := newService(t)
	for _, path := range []string{"/api/v2/schemas", "/api/v2/schemas/small@latest/manifest"} {
		resp := s.get(path)
		if p := resp.failure(t); resp.status != 502 || p.Code != problem.UpstreamError || p.FixHint == "" {
			t.Errorf("%s before the index is read: got status %d, %+v, want 502", path, resp.status, p)
		}
	}
	e, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, stable))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(s.dir, e.Path, "content.json"), 1); err != nil {
		t.Fatal(err)
	}
	s.refresh()
	resp := s.get("/api/v2/schemas/" + stable + "/manifest")
	if p := resp.failure(t); resp.status != 502 || p.Code != problem.UpstreamError {
		t.Errorf("a damaged release: got status %d, %+v, want 502", resp.status, p)
	}
	if !strings.Contains(s.logs.String(), "content.json") {
		t.Errorf("the log does not name the damaged file: %s", s.logs)
	}
	if resp := s.get("/api/v2/schemas/" + beta + "/manifest"); resp.status != 200 {
		t.Errorf("the intact release: got status %d, want 200", resp.status)
	}
}
