package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/storage/catalog"
)

// fetch returns the status and headers of a GET request.
func (d *daemon) fetch(path, ifNoneMatch string) (int, http.Header) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), "GET", d.url+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if ifNoneMatch != "" {
		req.Header.Set("If-None-Match", ifNoneMatch)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header
}

// degraded returns the degraded releases that /readyz lists.
func (d *daemon) degraded() []catalog.DegradedRelease {
	d.t.Helper()
	status, body := d.get("/readyz")
	var readiness struct {
		OK       bool                      `json:"ok"`
		Degraded []catalog.DegradedRelease `json:"degraded"`
	}
	if err := json.Unmarshal([]byte(body), &readiness, json.RejectUnknownMembers(true)); err != nil || status != 200 || !readiness.OK {
		d.t.Fatalf("/readyz: got %d %s (%v), want 200", status, body, err)
	}
	return readiness.Degraded
}

func TestServeSourceDoesNotLetClientsCacheWithoutRevalidation(t *testing.T) {
	t.Parallel()
	dir := copyTree(t)
	d := start(t, "--source", dir)
	d.ready()
	release := "/api/v2/schemas/" + stable
	etags := make(map[string]string)
	for _, path := range []string{
		release + "/manifest", release + "/elements", release + "/elements/radar/icon.svg", release + "/symbols/radar.svg",
		"/api/v2/schemas/place@beta/manifest", "/api/v2/schemas", "/api/v2/shapes/circle.svg", "/api/v2/codes", "/api/v2/openapi.json",
	} {
		status, header := d.fetch(path, "")
		etags[path] = header.Get("ETag")
		if status != 200 || header.Get("Cache-Control") != "no-cache" || etags[path] == "" {
			t.Errorf("%s: got %d with Cache-Control %q and ETag %q, want 200 with no-cache and an ETag", path, status, header.Get("Cache-Control"), etags[path])
		}
	}
	icon := release + "/elements/radar/icon.svg"
	if status, _ := d.fetch(icon, etags[icon]); status != 304 {
		t.Errorf("icon with its ETag: got %d, want 304", status)
	}
	symbol := filepath.Join(dir, "place/2026-06-01-stable/symbols/radar.svg")
	replace(t, symbol, "</svg>", `<path d="M15 6h6v24h-6z"/></svg>`)
	d.eventually("a new icon", func() bool { status, _ := d.fetch(icon, etags[icon]); return status == 200 })
}

func TestReadyzAndSchemasReportFindingsUntilTheyAreFixed(t *testing.T) {
	t.Parallel()
	dir := copyTree(t)
	d := start(t, "--source", dir)
	d.ready()
	if got := d.degraded(); len(got) != 0 {
		t.Fatalf("valid tree: got degraded releases %+v, want none", got)
	}
	file := filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml")
	replace(t, file, "category_id: sensing", "category_id: sensnig")
	d.eventually("a degraded release", func() bool { return len(d.degraded()) > 0 })
	got := d.degraded()[0]
	if got.ID.String() != beta || got.State != catalog.Stale || got.Errors != 1 || time.Since(got.Since) > time.Minute ||
		got.FirstError.Pos.String() != "place/2026-10-19-beta/elements/radar.yaml:2:14" || got.FirstError.FixHint == "" {
		t.Errorf("got %+v, want one error at radar.yaml:2:14", got)
	}
	if _, body := d.get("/api/v2/schemas"); strings.Count(body, `"degraded":{"state":"stale",`) != 1 {
		t.Errorf("GET /api/v2/schemas: got %s, want one stale version", body)
	}
	replace(t, file, "category_id: sensnig", "category_id: sensing")
	d.eventually("the correction", func() bool { return len(d.degraded()) == 0 })
	if _, body := d.get("/api/v2/schemas"); strings.Contains(body, "degraded") {
		t.Errorf("GET /api/v2/schemas after the correction: got %s, want no degraded version", body)
	}
	d.eventually("the log line of the correction", func() bool { return strings.Contains(d.logs.String(), "release can be loaded again") })
	if n := strings.Count(d.logs.String(), "release cannot be loaded"); n != 1 {
		t.Errorf("the failure was logged %d times, want once\n%s", n, d.logs)
	}
}

func TestServeSourceStartsWithInvalidReleases(t *testing.T) {
	t.Parallel()
	dir := copyTree(t)
	if err := os.RemoveAll(filepath.Join(dir, "place/2026-06-01-stable")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml")
	replace(t, file, "category_id: sensing", "category_id: sensnig")
	d := start(t, "--source", dir)
	d.eventually("the findings", func() bool {
		status, body := d.get("/readyz")
		return status == 503 && strings.Contains(body, beta+" has an error. place/2026-10-19-beta/elements/radar.yaml:2:14: ")
	})
	if status, body := d.get("/api/v2/schemas/" + beta + "/manifest"); status != 404 || !strings.Contains(body, "radar.yaml:2:14") {
		t.Errorf("invalid release: got %d %s, want 404 with the position of the error", status, body)
	}
	replace(t, file, "category_id: sensnig", "category_id: sensing")
	d.ready()
}

func TestReadyzReportsADamagedRelease(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	publish := func(tree string) {
		t.Helper()
		var out strings.Builder
		if code := execute(t.Context(), []string{"publish", tree, "--store", dir}, &out, &out); code != 0 {
			t.Fatalf("publish: exit status = %d, want 0\n%s", code, out.String())
		}
	}
	tree := copyTree(t)
	publish(tree)
	d := start(t, "--store", dir)
	d.ready()
	if got := d.degraded(); len(got) != 0 {
		t.Fatalf("intact store: got degraded releases %+v, want none", got)
	}
	// A publish whose files are damaged before the server reads them.
	replace(t, filepath.Join(tree, "place/2026-10-19-beta/elements/radar.yaml"), "en: Radar", "en: Radar gun")
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.CopyFS(damaged, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	original := dir
	dir = damaged
	publish(tree)
	index, err := os.ReadFile(filepath.Join(damaged, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(original, "index.json"), index, 0o644); err != nil {
		t.Fatal(err)
	}
	d.eventually("a degraded release", func() bool { return len(d.degraded()) > 0 })
	got := d.degraded()[0]
	if got.ID.String() != beta || got.State != catalog.Stale || strings.Contains(got.FirstError.Message, original) {
		t.Errorf("got %+v, want %s stale, without the path of the store", got, beta)
	}
	if status, _ := d.get("/api/v2/schemas/" + beta + "/manifest"); status != 200 {
		t.Errorf("the last good copy: got %d, want 200", status)
	}
	dir = original
	publish(tree)
	d.eventually("the restored release", func() bool { return len(d.degraded()) == 0 })
}

func TestPreviewedPagesShowFindingsAndChangeTheirRevision(t *testing.T) {
	t.Parallel()
	dir := copyTree(t)
	d := start(t, "--source", dir)
	d.ready()
	revision := func() string {
		t.Helper()
		status, body := d.get("/preview")
		if status != 200 {
			t.Fatalf("/preview: got %d %s, want 200", status, body)
		}
		return body
	}
	first := revision()
	if _, body := d.get("/"); !strings.Contains(body, "No errors or warnings.") {
		t.Errorf("valid tree: got %s, want a banner without findings", body)
	}
	file := filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml")
	replace(t, file, "category_id: sensing", "category_id: sensnig")
	d.eventually("another revision", func() bool { return revision() != first })
	d.eventually("the finding", func() bool {
		_, body := d.get("/explore/" + stable)
		return strings.Contains(body, "<code>place/2026-10-19-beta/elements/radar.yaml:2:14</code>")
	})
	if _, body := d.get("/example/" + stable + "/smart_crossing"); !strings.Contains(body, "Linden Avenue") {
		t.Errorf("got %.200s, want the example of the tree", body)
	}
}

func TestPreviewShowsBrokenExamplesAndReloadsThem(t *testing.T) {
	t.Parallel()
	dir := copyTree(t)
	d := start(t, "--source", dir)
	d.ready()
	example := "/example/" + stable + "/smart_crossing"
	_, page := d.get(example)
	for _, want := range []string{"Linden Avenue", `class="preview-banner"`, "/assets/preview-page."} {
		if !strings.Contains(page, want) {
			t.Errorf("valid example: the page lacks %s", want)
		}
	}
	file := filepath.Join(dir, "place/2026-06-01-stable/examples/smart_crossing.json")
	replace(t, file, `"element_id": "traffic_flow"`, `"element_id": "trafic_flow"`)
	d.eventually("the finding", func() bool {
		_, state := d.get("/preview")
		return strings.Contains(state, `"file":"place/2026-06-01-stable/examples/smart_crossing.json"`) && !strings.Contains(state, `"warnings":0`)
	})
	status, page := d.get(example)
	for _, want := range []string{"The example smart_crossing.json has errors", "<code>place/2026-06-01-stable/examples/smart_crossing.json:", "traffic_flow", `class="preview-problems"`} {
		if status != 200 || !strings.Contains(page, want) {
			t.Errorf("broken example: got %d, and the page lacks %s", status, want)
		}
	}
	if strings.Contains(d.logs.String(), "path=/preview") || !strings.Contains(d.logs.String(), "path=/example/") {
		t.Errorf("got log\n%s\nwant the pages, but not the polls", d.logs)
	}
}

func TestUnknownPathsHaveAPageForBrowsers(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.ready()
	req, err := http.NewRequestWithContext(t.Context(), "GET", d.url+"/nothing", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 404 || !strings.Contains(string(body), "/assets/site.") {
		t.Errorf("got %d %s (%v), want 404 with a page", resp.StatusCode, body, err)
	}
	if status, body := d.get("/preview"); status != 404 || !strings.HasPrefix(body, `{"ok":false`) {
		t.Errorf("/preview without --source: got %d %s, want 404 in the JSON envelope", status, body)
	}
}
