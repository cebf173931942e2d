package httpapi_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"

	"placard/internal/core/source"
	"placard/internal/serve/httpapi"
	"placard/internal/storage/catalog"
)

const (
	previewed       = "demo@2026-01-31-stable"
	previewedFolder = "demo/2026-01-31-stable/"
)

// newPreview returns a service that previews an authoring tree with a stable
// release and a beta.
func newPreview(t *testing.T) (*service, fstest.MapFS) {
	tree := make(fstest.MapFS)
	for _, f := range txtar.Parse([]byte(source.Minimal)).Files {
		for _, folder := range []string{previewedFolder, "demo/2026-02-28-beta/"} {
			tree[folder+f.Name] = &fstest.MapFile{Data: f.Data, ModTime: time.Unix(1, 0)}
		}
	}
	s := &service{t: t, logs: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	s.catalog = catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
	s.Server = httptest.NewServer(httpapi.New(httpapi.Options{Catalog: s.catalog, Preview: true, Log: log}))
	t.Cleanup(s.Close)
	s.refresh()
	return s, tree
}

// edit replaces text in a file of the stable release.
func edit(t *testing.T, tree fstest.MapFS, file, before, after string) {
	t.Helper()
	f := *tree[previewedFolder+file]
	if !bytes.Contains(f.Data, []byte(before)) {
		t.Fatalf("%s: %q not found", file, before)
	}
	f.Data = bytes.Replace(f.Data, []byte(before), []byte(after), 1)
	f.ModTime = f.ModTime.Add(time.Second)
	tree[previewedFolder+file] = &f
}

func TestEveryReadOfAPreviewIsRevalidated(t *testing.T) {
	s, _ := newPreview(t)
	for path, item := range newContract(t).Paths.Map() {
		if item.Get == nil {
			continue
		}
		for _, version := range []string{previewed, "demo@latest", "demo@2026-02-28-beta", "demo@beta"} {
			path := strings.NewReplacer("{version}", version, "{element_id}", "street", "{variant}", "dark", "{symbol_id}", "street", "{shape}", "circle").Replace(path)
			for _, method := range []string{"GET", "HEAD"} {
				resp := s.do(method, path)
				etag := resp.header.Get("ETag")
				if resp.status != http.StatusOK || resp.header.Get("Cache-Control") != "no-cache" || etag == "" {
					t.Errorf("%s %s: got status %d and headers %v, want 200 with Cache-Control no-cache and an ETag", method, path, resp.status, resp.header)
				}
				resp = s.do(method, path, "If-None-Match", etag)
				if resp.status != http.StatusNotModified || resp.header.Get("Cache-Control") != "no-cache" || resp.header.Get("ETag") != etag {
					t.Errorf("%s %s with If-None-Match: got status %d and headers %v, want 304 with Cache-Control no-cache and ETag %s", method, path, resp.status, resp.header, etag)
				}
			}
		}
	}
	if got := s.get("/api/v2/schemas/" + previewed + "/elements/avenue").failure(t); got.Code != "not_found" {
		t.Errorf("unknown element: got code %s, want not_found", got.Code)
	}
	if resp := s.post(previewed+"/validate", "{}"); resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("POST: got Cache-Control %q, want no-store", resp.header.Get("Cache-Control"))
	}
}

func TestETagsOfAPreviewChangeWithTheFiles(t *testing.T) {
	s, tree := newPreview(t)
	release := "/api/v2/schemas/" + previewed
	for _, tc := range []struct{ file, before, after, path string }{
		{"symbols/street.svg", "M15 6h6v24h-6z", "M14 6h8v24h-8z", release + "/elements/street/icon.svg"},
		{"symbols/street.svg", "M14 6h8v24h-8z", "M15 6h6v24h-6z", release + "/symbols/street.svg"},
		{"elements/street.yaml", "en: Street", "en: Avenue", release + "/elements/street"},
		{"categories/place.yaml", "en: Place", "en: Site", release + "/categories"},
		{"meta.yaml", "locales", "notes: Edited.\nlocales", release + "/manifest"},
		{"datachain-type.yaml", "en: Demonstration", "en: Example", release + "/manifest"},
		{"elements/street.yaml", "en: Avenue", "en: Road", "/api/v2/schemas"},
	} {
		before := s.get(tc.path)
		edit(t, tree, tc.file, tc.before, tc.after)
		s.refresh()
		after := s.do("GET", tc.path, "If-None-Match", before.header.Get("ETag"))
		if after.status != http.StatusOK || after.body == before.body || after.header.Get("ETag") == before.header.Get("ETag") {
			t.Errorf("%s after an edit of %s: got status %d and ETag %s, want 200 with another body and ETag", tc.path, tc.file, after.status, after.header.Get("ETag"))
		}
	}
}

func TestListSchemasReportsDegradedVersions(t *testing.T) {
	s, tree := newPreview(t)
	c := newContract(t)
	list := func() map[string]any {
		t.Helper()
		resp := s.get("/api/v2/schemas")
		c.check(t, "GET", "/api/v2/schemas", "", resp)
		versions, _ := resp.json(t)["versions"].([]any)
		if len(versions) != 2 || versions[1].(map[string]any)["degraded"] != nil {
			t.Fatalf("got %s, want two versions, the second not degraded", resp.body)
		}
		degraded, _ := versions[0].(map[string]any)["degraded"].(map[string]any)
		return degraded
	}
	if got := list(); got != nil {
		t.Fatalf("valid tree: got degraded %v, want none", got)
	}
	etag := s.get("/api/v2/schemas").header.Get("ETag")
	edit(t, tree, "elements/street.yaml", "category_id: place", "category_id: palce")
	s.refresh()
	got := list()
	first, _ := got["first_error"].(map[string]any)
	position, _ := first["position"].(map[string]any)
	if got["state"] != "stale" || got["errors"] != 1.0 || first["severity"] != "error" ||
		position["file"] != previewedFolder+"elements/street.yaml" || position["line"] != 2.0 {
		t.Errorf("invalid tree: got degraded %v, want one error at line 2 of street.yaml", got)
	}
	if s.get("/api/v2/schemas").header.Get("ETag") == etag {
		t.Error("the ETag of the list has not changed")
	}
	edit(t, tree, "elements/street.yaml", "category_id: palce", "category_id: place")
	s.refresh()
	if got := list(); got != nil {
		t.Errorf("corrected tree: got degraded %v, want none", got)
	}
}
