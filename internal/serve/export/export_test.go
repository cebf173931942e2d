package export_test

import (
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/serve/export"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/server"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

const (
	stable = "small@2026-01-02-stable"
	beta   = "small@2026-03-01-beta"
)

func TestMain(m *testing.M) {
	budget.Read.Wall = time.Minute // the machine may be slow or busy
	os.Exit(m.Run())
}

// manyElements is enough for several pages of every list.
const manyElements = 210

// api returns a catalog with a stable release with additional elements, and a beta.
func api(t *testing.T, elements int) *catalog.Catalog {
	t.Helper()
	s := store.OpenFolder(t.TempDir())
	var extra []string
	for i := range elements {
		extra = append(extra, fmt.Sprintf("extra_%d", i))
	}
	for id, extra := range map[string][]string{stable: extra, beta: nil} {
		if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, id, extra...)); err != nil {
			t.Fatal(err)
		}
	}
	c := catalog.New(s, catalog.Options{Log: slog.New(slog.DiscardHandler)})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// options returns the options for an export of the given releases, or of all.
func options(t *testing.T, c *catalog.Catalog, ids ...string) export.Options {
	t.Helper()
	isListed := func(id taxonomy.ID) bool {
		for _, listed := range ids {
			if id.String() == listed {
				return true
			}
		}
		return len(ids) == 0
	}
	log := slog.New(slog.DiscardHandler)
	opts := export.Options{Handler: server.Handler(server.Options{
		Handler: httpapi.New(httpapi.Options{Catalog: c, IsListed: isListed, Log: log}),
		Log:     log,
	})}
	snapshot, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	for resource := range httpapi.Resources(snapshot, isListed) {
		opts.Resources = append(opts.Resources, export.Resource(resource))
	}
	return opts
}

func mustExport(t *testing.T, target export.Target, opts export.Options) *export.Report {
	t.Helper()
	report, err := export.Export(t.Context(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// answer is the part of a response that static hosts must reproduce.
type answer struct {
	Status int
	Header map[string]string
	Body   string
}

// comparedFields are the header fields that hosts must send as the API does.
var comparedFields = []string{
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Cache-Control", "Content-Security-Policy", "Content-Type",
	"Referrer-Policy", "Service-Content-Hash", "X-Content-Type-Options",
}

func answerOf(status int, header http.Header, body string) answer {
	a := answer{status, make(map[string]string), body}
	for _, name := range comparedFields {
		a.Header[name] = header.Get(name)
	}
	return a
}

// live returns the answers of the API over HTTP, by target.
func live(t *testing.T, opts export.Options) map[string]answer {
	t.Helper()
	s := httptest.NewServer(opts.Handler)
	t.Cleanup(s.Close)
	answers := make(map[string]answer)
	for _, resource := range opts.Resources {
		resp, err := s.Client().Get(s.URL + resource.String())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		answers[resource.String()] = answerOf(resp.StatusCode, resp.Header, string(body))
	}
	return answers
}

// request returns the response of a host without a network.
func request(t *testing.T, h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// files returns the content of the files in a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// smallSite returns options for a site with the given bodies by path. Paths without a
// body are refused with the given status.
func smallSite(status int, bodies map[string]string, paths ...string) export.Options {
	opts := export.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		if !ok {
			w.WriteHeader(status)
			body = `{"ok":false,"errors":[{"code":"some_code","message":"It is refused."}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	})}
	for _, path := range paths {
		opts.Resources = append(opts.Resources, export.Resource{Pattern: path, Path: path})
	}
	return opts
}

func TestTooLargePagesAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	opts := smallSite(http.StatusRequestEntityTooLarge, map[string]string{"/a/list": "{}"}, "/a/zip", "/a/list")
	report := mustExport(t, export.Folder(dir), opts)
	want := []export.LeftOut{{Path: "/a/zip", Code: "some_code", Message: "It is refused."}}
	if diff := cmp.Diff(want, report.LeftOut); diff != "" || report.Files != 1 {
		t.Errorf("got %d files and (-want +got):\n%s", report.Files, diff)
	}
	if !strings.Contains(files(t, dir)[export.IndexFile], "It is refused.") {
		t.Error("the index does not list the resource that is left out")
	}
}

func TestFailedPagesLeaveTheExportUsable(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout} {
		dir := t.TempDir()
		mustExport(t, export.Folder(dir), smallSite(status, map[string]string{"/a/b": "old", "/a/list": "old"}, "/a/b", "/a/list"))
		bodies := map[string]string{"/a/c": "new", "/a/list": "new"}
		opts := smallSite(status, bodies, "/a/c", "/a/b", "/a/list")
		_, err := export.Export(t.Context(), export.Folder(dir), opts)
		if err == nil || err.Error() != "GET /a/b: It is refused." {
			t.Errorf("status %d: got %v, want the message of the response", status, err)
		}
		if found := files(t, dir); found["a/b"] != "old" || found["a/list"] != "old" {
			t.Errorf("status %d: got files %v, want the resource and the list of the earlier export", status, found)
		}
		bodies["/a/b"] = "new"
		mustExport(t, export.Folder(dir), opts)
		if found := files(t, dir); found["a/b"] != "new" || found["a/c"] != "new" || found["a/list"] != "new" {
			t.Errorf("status %d: got files %v, want those of the second export", status, found)
		}
	}
}

func TestAliasesAreWrittenAfterOtherPages(t *testing.T) {
	dir := t.TempDir()
	bodies := map[string]string{"/a/alias": "{}", "/a/list": "{}"}
	opts := smallSite(http.StatusNotFound, bodies, "/a/alias", "/a/id", "/a/list")
	opts.Resources[0].IsAlias = true
	if _, err := export.Export(t.Context(), export.Folder(dir), opts); err == nil {
		t.Error("got no error about the resource that has failed")
	}
	if _, ok := files(t, dir)["a/alias"]; ok {
		t.Error("the alias was written before the resource that it may refer to")
	}
}

func TestPagesThatBecomeTooLargeAreRemoved(t *testing.T) {
	dir := t.TempDir()
	bodies := map[string]string{"/a/zip": "small", "/a/list": "{}"}
	opts := smallSite(http.StatusRequestEntityTooLarge, bodies, "/a/zip", "/a/list")
	mustExport(t, export.Folder(dir), opts)
	delete(bodies, "/a/zip")
	if report := mustExport(t, export.Folder(dir), opts); report.Removed != 1 || len(report.LeftOut) != 1 {
		t.Errorf("got report %+v, want one file removed and left out", report)
	}
	if _, ok := files(t, dir)["a/zip"]; ok {
		t.Error("the earlier file of the resource is left")
	}
}

func TestUnsafePathsAreRefused(t *testing.T) {
	for _, path := range []string{"/../x", "/a/../../x", `/a\b`, "/a//b", "/a/"} {
		dir := t.TempDir()
		opts := smallSite(http.StatusNotFound, map[string]string{path: "{}", "/list": "{}"}, path, "/list")
		if _, err := export.Export(t.Context(), export.Folder(dir), opts); err == nil {
			t.Errorf("%s: got no error", path)
		}
		if found := files(t, dir); len(found) != 0 {
			t.Errorf("%s: got files %v, want none", path, found)
		}
	}
}

func TestManyVersionsExceedTheRulesOfCloudflare(t *testing.T) {
	bodies := make(map[string]string)
	opts := smallSite(http.StatusNotFound, bodies)
	handler := opts.Handler
	opts.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Service-Content-Hash", r.URL.Path) // differs between versions
		handler.ServeHTTP(w, r)
	})
	for i := range 120 {
		path := fmt.Sprintf("/api/%d/manifest", i)
		bodies[path] = "{}"
		opts.Resources = append(opts.Resources, export.Resource{Pattern: "/api/{version}/manifest", Path: path})
	}
	bodies["/api/list"] = "{}"
	opts.Resources = append(opts.Resources, export.Resource{Pattern: "/api/list", Path: "/api/list"})
	report := mustExport(t, export.Folder(t.TempDir()), opts)
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "Cloudflare Pages reads only the first 100") {
		t.Errorf("got notes %q, want one about Cloudflare Pages", report.Notes)
	}
}
