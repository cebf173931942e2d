package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/tools/txtar"

	"placard/internal/core/source"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
)

const previewed = "demo@2026-01-31-stable"

// preview is a server that previews an authoring tree.
type preview struct {
	*service
	tree fstest.MapFS
}

// newPreview previews a small tree. The pairs of texts are replaced in its files.
func newPreview(tb testing.TB, edits ...string) preview {
	tb.Helper()
	return newPreviewWith(tb, web.Options{}, edits...)
}

// newPreviewWith is like newPreview, with other options.
func newPreviewWith(tb testing.TB, opts web.Options, edits ...string) preview {
	tb.Helper()
	files := make(fstest.MapFS)
	for _, f := range txtar.Parse([]byte(source.Minimal)).Files {
		files["demo/2026-01-31-stable/"+f.Name] = &fstest.MapFile{
			Data: []byte(strings.NewReplacer(edits...).Replace(string(f.Data))), ModTime: time.Unix(1, 0),
		}
	}
	tree := catalog.NewTree(files, slog.New(slog.DiscardHandler))
	opts.Preview, opts.Findings = true, tree.Findings
	return preview{newService(tb, tree, opts), files}
}

// edit replaces text in a file, and recompiles the tree.
func (p preview) edit(file, before, after string) {
	p.tb.Helper()
	f := *p.tree["demo/2026-01-31-stable/"+file]
	if !bytes.Contains(f.Data, []byte(before)) {
		p.tb.Fatalf("%s: %q not found", file, before)
	}
	f.Data = bytes.ReplaceAll(f.Data, []byte(before), []byte(after))
	f.ModTime = f.ModTime.Add(time.Second)
	p.tree["demo/2026-01-31-stable/"+file] = &f
	if err := p.catalog.Refresh(p.tb.Context()); err != nil {
		p.tb.Fatal(err)
	}
}

type previewState struct {
	Revision string `json:"revision"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Findings []struct {
		Message string `json:"message"`
	} `json:"findings"`
}

func (p preview) state() previewState {
	p.tb.Helper()
	resp := p.get("/preview")
	var state previewState
	if err := json.Unmarshal([]byte(resp.body), &state); err != nil || state.Revision == "" {
		p.tb.Fatalf("got %s (%v), want a revision", resp.body, err)
	}
	if resp.header.Get("Cache-Control") != "no-store" || resp.header.Get("Content-Type") != "application/json" {
		p.tb.Errorf("got headers %v, want JSON that is not stored", resp.header)
	}
	if got := p.do("GET", "/preview", "If-None-Match", resp.header.Get("Etag")); got.status != http.StatusNotModified {
		p.tb.Errorf("with the ETag: got status %d, want 304", got.status)
	}
	return state
}

func TestPreviewShowsFindings(t *testing.T) {
	p := newPreview(t)
	first := p.state()
	if first.Errors != 0 || first.Warnings != 0 || p.state().Revision != first.Revision {
		t.Errorf("got %+v, want a stable state without findings", first)
	}
	p.get("/").contains(t, "No errors or warnings.", `data-revision="`+first.Revision+`"`, `<a href="">Reload</a>`)

	p.edit("elements/street.yaml", "category_id: place", "category_id: palce")
	failing := p.state()
	if failing.Revision == first.Revision || failing.Errors != 1 || len(failing.Findings) != 1 {
		t.Errorf("after an error: got %+v, want another revision and one error", failing)
	}
	for _, path := range []string{"/", "/explore/" + previewed, "/docs"} {
		page := p.get(path)
		page.contains(t, "<title>(1) ", `<a class="preview-problems" href="#preview">1 problem</a>`, "1 error, 0 warnings", "<code>demo/2026-01-31-stable/elements/street.yaml:2:14</code>", "Did you mean", `data-revision="`+failing.Revision+`"`)
		page.lacks(t, "<details>\n<summary>")
	}
	p.get("/?lang=fr").contains(t, "1 erreur, 0 avertissement", `<div class="preview-findings" lang="en">`)
	if got := p.do("GET", "/docs/none"); !strings.Contains(got.body, "street.yaml:2:14") {
		t.Error("the page of an error does not show the finding")
	}

	empty := newPreview(t, "category_id: place", "category_id: palce")
	empty.get("/").contains(t, "<h1>There is nothing to show yet</h1>", "street.yaml:2:14")

	p.edit("elements/street.yaml", "category_id: palce", "category_id: place")
	if got := p.state(); got.Revision == failing.Revision || got.Errors != 0 {
		t.Errorf("after the correction: got %+v, want another revision without errors", got)
	}
}

func TestPagesOfAChangedTreeReload(t *testing.T) {
	var p preview
	isEdited := false
	p = newPreviewWith(t, web.Options{Admit: func(_ http.ResponseWriter, _ *http.Request, b ratelimit.Bucket) (netip.Addr, error) {
		// The page is charged after its releases are looked up.
		if b == ratelimit.Read && !isEdited {
			isEdited = true
			p.edit("elements/street.yaml", "en: Street", "en: Road")
		}
		return netip.Addr{}, nil
	}})
	page := p.get("/explore/" + previewed)
	page.contains(t, "Street")
	page.lacks(t, `data-revision="`+p.state().Revision+`"`)
}

// TestPreviewShowsWarnings also checks that texts of the tree are escaped.
func TestPreviewShowsWarnings(t *testing.T) {
	p := newPreview(t)
	before := p.state()
	for _, name := range []string{"a", "b", "c", "<script>d"} {
		p.tree["demo/2026-01-31-stable/elements/"+name+".txt"] = &fstest.MapFile{Data: []byte("x")}
	}
	p.edit("elements/street.yaml", "en: Street", "en: Road")
	state := p.state()
	if state.Warnings+state.Errors != 4 || state.Revision == before.Revision {
		t.Errorf("got %+v, want four findings", state)
	}
	page := p.get("/")
	page.contains(t, ">1 more</summary>", "&lt;script&gt;d.txt")
	page.lacks(t, "<script>d")
}

func TestOnlyPreviewsHaveAStateAndABanner(t *testing.T) {
	s := builtinService(t)
	if got := s.do("GET", "/preview"); got.status != http.StatusNotFound || !strings.HasPrefix(got.body, `{"ok":false`) {
		t.Errorf("got status %d and %.100s, want 404 in the JSON envelope", got.status, got.body)
	}
	s.get("/").lacks(t, "preview-banner", `class="preview-problems"`)
}

func TestExamplesInAPreviewHaveTheBannerOrTheirFindings(t *testing.T) {
	examples := fstest.MapFS{}
	p := newPreviewWith(t, web.Options{Examples: examples})
	folder := "demo/2026-01-31-stable/examples/"
	document := `{"id": "d", "title": [{"locale": "en", "value": "Crossing"}], "schema_version": "` + previewed + `", "created_at": "2026-01-31T09:30:00Z", "elements": [{"element_id": "street"}]}`
	examples[folder+"good.json"] = &fstest.MapFile{Data: []byte(document)}
	examples[folder+"bad.json"] = &fstest.MapFile{Data: []byte(strings.Replace(document, "street", "<streat>", 1))}

	good := p.get("/example/" + previewed + "/good")
	good.contains(t, "Crossing", `data-revision="`+p.state().Revision+`"`, "No errors or warnings.")
	good.lacks(t, "<meta http-equiv", `class="preview-problems"`)
	if got := good.header.Get("Content-Security-Policy"); !strings.Contains(got, "script-src 'self' 'sha256-") || !strings.Contains(got, "connect-src 'self';") {
		t.Errorf("got policy %q, want one that allows the banner", got)
	}
	bad := p.get("/example/" + previewed + "/bad")
	bad.contains(t, "The example bad.json has errors", "<code>"+folder+"bad.json</code>", "&lt;streat&gt;")
	bad.lacks(t, "<streat>")
	p.get("/example/"+previewed+"/bad?lang=fr").contains(t, "L’exemple bad.json contient des erreurs")

	p.edit("elements/street.yaml", "category_id: place", "category_id: palce")
	p.get("/example/"+previewed+"/good").contains(t, "street.yaml:2:14", `<a class="preview-problems" href="#preview">1 problem</a>`)
	if got := p.do("GET", "/example/"+previewed+"/none"); got.status != http.StatusNotFound {
		t.Errorf("got status %d, want 404", got.status)
	}
}
