package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
	"golang.org/x/tools/txtar"

	"placard/internal/core/icon"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store/storetest"
	"placard/scripts/envtest"
)

// embedding is a website that allows all scripts and shows SVG documents.
type embedding struct {
	*httptest.Server
	t         *testing.T
	browser   context.Context
	documents map[string][]byte // by path

	mu         sync.Mutex
	unexpected []string // paths requested by the documents
}

func newEmbedding(t *testing.T, documents map[string][]byte) *embedding {
	functions, err := os.ReadFile("testdata/embed.js")
	if err != nil {
		t.Fatal(err)
	}
	e := &embedding{t: t, documents: documents, browser: envtest.Browser(t)}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	// The functions are available in every document, even in one opened directly.
	script := "window.alert = (n) => { (top.ran ??= []).push(Number(n)) };\n" + string(functions)
	e.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return chromedp.Void{}, err
	})
	return e
}

func (e *embedding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch svg, ok := e.documents[r.URL.Path]; {
	case ok:
		w.Header().Set("Content-Type", "image/svg+xml; charset=utf-8")
		_, _ = w.Write(svg) // if this fails, so does the test
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>Page</title><body>"))
	default:
		if r.URL.Path != "/missing" && r.URL.Path != "/favicon.ico" {
			e.mu.Lock()
			e.unexpected = append(e.unexpected, r.URL.Path)
			e.mu.Unlock()
		}
		http.NotFound(w, r)
	}
}

func (e *embedding) run(action chromedp.Action[chromedp.Void]) {
	e.t.Helper()
	if err := chromedp.Do(e.browser, action); err != nil {
		e.t.Fatal(err)
	}
}

// effects are the effects of documents on a page.
type effects struct {
	Ran        []int    `json:"ran"`   // arguments of alert
	Found      []string `json:"found"` // unexpected nodes, attributes and pixels
	unexpected []string // requests
}

// call opens a page and calls a function of embed.js in it.
func (e *embedding) call(page, function string, argument any) effects {
	e.t.Helper()
	e.mu.Lock()
	e.unexpected = nil
	e.mu.Unlock()
	e.run(chromedp.Navigate(e.URL + page))
	encoded, err := json.Marshal(argument)
	if err != nil {
		e.t.Fatal(err)
	}
	result, err := chromedp.Run(e.browser, chromedp.Evaluate[effects](function+"("+string(encoded)+")", chromedp.EvalAwaitPromise))
	if err != nil {
		e.t.Fatalf("%s(%v): %v", function, argument, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	result.unexpected = slices.Clone(e.unexpected)
	return result
}

// embedAll embeds the documents in every way a page can, and returns the effects of
// each. References to documents and opening them take long, so without
// [envtest.Long], it tries one of twelve, and those in always.
func (e *embedding) embedAll(always ...string) map[string]effects {
	e.t.Helper()
	paths := slices.Sorted(maps.Keys(e.documents))
	sample := paths
	if !envtest.Long {
		sample = slices.Clone(always)
		for i := 0; i < len(paths); i += 12 {
			sample = append(sample, paths[i])
		}
	}
	all := map[string]effects{
		"innerHTML": e.call("/", "inline", paths),
		"img":       e.call("/", "images", paths),
		"use":       e.call("/", "uses", sample),
	}
	var opened effects
	for _, path := range sample {
		result := e.call(path, "direct", path)
		opened.Ran = append(opened.Ran, result.Ran...)
		opened.Found = append(opened.Found, result.Found...)
		opened.unexpected = append(opened.unexpected, result.unexpected...)
	}
	all["opened directly"] = opened
	return all
}

// hostileSymbols returns the files of the corpus of package icon.
func hostileSymbols(t *testing.T) []txtar.File {
	t.Helper()
	corpus, err := txtar.ParseFile("../../core/icon/testdata/hostile.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return corpus.Files
}

func TestHostileSymbolsAreHarmlessInPages(t *testing.T) {
	tax := releasetest.Taxonomy(t, stable)
	var ids []string
	for _, file := range hostileSymbols(t) {
		if path.Dir(file.Name) != "accepted" {
			continue
		}
		id := strings.TrimSuffix(path.Base(file.Name), ".svg")
		ids = append(ids, id)
		tax.Symbols[id] = file.Data
		tax.Elements = append(tax.Elements, taxonomy.Element{ID: id, CategoryID: "data", SymbolID: id, Title: tax.Title, Description: tax.Title})
	}
	if len(ids) < 40 {
		t.Fatalf("got %d symbols that pass the checks, want at least 40", len(ids))
	}
	tax.Derive()
	compiled, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t)
	if _, err := storetest.Publish(t.Context(), s.store, compiled); err != nil {
		t.Fatal(err)
	}
	s.refresh()

	documents := make(map[string][]byte)
	for _, id := range ids {
		for name, route := range map[string]string{
			"/symbol/": "/symbols/" + id + ".svg",
			"/icon/":   "/elements/" + id + "/icon.dark.svg",
		} {
			resp := s.get("/api/v2/schemas/" + stable + route)
			if resp.status != http.StatusOK {
				t.Fatalf("%s: got status %d, want 200", route, resp.status)
			}
			documents[name+id+".svg"] = []byte(resp.body)
		}
	}
	for name, got := range newEmbedding(t, documents).embedAll() {
		if len(got.Ran) > 0 || len(got.Found) > 0 || len(got.unexpected) > 0 {
			t.Errorf("%s: got %d scripts, nodes and attributes %q, and requests %q, want none", name, len(got.Ran), got.Found, got.unexpected)
		}
	}
}

// TestHostileSymbolFilesRunScripts shows that the test above detects scripts and
// requests: the files of the same corpus cause both.
func TestHostileSymbolFilesRunScripts(t *testing.T) {
	documents := make(map[string][]byte)
	var names []string
	for i, file := range hostileSymbols(t) {
		name := strings.TrimSuffix(file.Name, ".svg")
		names = append(names, name)
		data := bytes.ReplaceAll(file.Data, []byte("alert(1)"), fmt.Appendf(nil, "alert(%d)", i))
		documents["/"+file.Name] = data
	}
	opened := []string{"refused/script", "refused/script-prefixed", "refused/foreign-object", "refused/root-onload"}
	var paths []string
	for _, name := range opened {
		paths = append(paths, "/"+name+".svg")
	}
	got := newEmbedding(t, documents).embedAll(paths...)
	for way, want := range map[string][]string{
		// Browsers differ in what else they run.
		"innerHTML":       {"accepted/prefixed-root", "refused/xhtml-image"},
		"opened directly": opened,
	} {
		ran := make(map[string]bool)
		for _, i := range got[way].Ran {
			ran[names[i]] = true
		}
		for _, name := range want {
			if !ran[name] {
				t.Errorf("%s: the script of %s did not run", way, name)
			}
		}
		if len(ran) < len(want) || len(got[way].unexpected) == 0 {
			t.Errorf("%s: got %d scripts and %d requests, want at least %d and 1", way, len(ran), len(got[way].unexpected), len(want))
		}
	}
}

func TestSymbolsLookLikeTheirFiles(t *testing.T) {
	const start = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" `
	files := map[string][]byte{
		"mask": []byte(start + `viewBox="0 0 36 36"><mask id="m"><rect width="36" height="36" fill="white"/><circle cx="18" cy="18" r="6" fill="black"/></mask>` +
			`<rect x="4" y="4" width="28" height="28" mask="url(#m)"/></svg>`),
		"gradient": []byte(start + `viewBox="0 0 36 36"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="navy"/></linearGradient>` +
			`<radialGradient id="h" xlink:href="#g"/></defs><path fill="url('#g')" d="M0 0h36v18H0z"/><path fill="url(#h)" d="M0 18h36v18H0z"/></svg>`),
		"clip":       []byte(start + `viewBox="0 0 36 36"><clipPath id="c"><circle cx="18" cy="18" r="9"/></clipPath><rect width="36" height="36" clip-path="url(#c)"/></svg>`),
		"use":        []byte(start + `viewBox="0 0 36 36" fill="none" stroke="green"><path id="p" d="M9 9h9"/><use xlink:href="#p" x="5" y="5" transform="rotate(20)"/></svg>`),
		"scaled":     []byte(start + `viewBox="-3.5 -2 48 24" preserveAspectRatio="xMinYMax slice" width="48" height="48px"><path d="M0 0h24v12z"/></svg>`),
		"background": []byte(start + `viewBox="0 0 36 36"><rect width="36" height="36"/><path fill="var(--symbol-bg, orange)" d="M9 9h18v18z"/></svg>`),
		"commented":  []byte(`<?xml version="1.0"?><!-- a -->` + start + `viewBox="0 0 36 36"><title>A</title><g><!-- b --><desc>B</desc><path d="M9 9h18v18z"/></g></svg>`),
		"style": []byte(start + `viewBox="0 0 36 36"><linearGradient id="g"><stop offset="0" style="stop-color:red"/><stop offset="1" style="stop-color:navy;stop-opacity:.5"/></linearGradient>` +
			`<g fill="green" style="stroke:orange!important;stroke:red;FILL/**/:url('#g');stroke-width:3px"><path d="M9 9h18v18z"/></g>` +
			`<rect x="2" y="2" width="9" height="9" fill="red" style="fill:none;stroke-dasharray:2/**/1;stroke:#000000;font:9px 'a;b'"/></svg>`),
		"inkscape": []byte(start + `xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" width="36mm" height="36mm" viewBox="0 0 36 36"><sodipodi:namedview pagecolor="#ffffff"/>` +
			`<metadata><g/></metadata><defs id="d"/><rect sodipodi:type="rect" style="fill:#000000;stroke:#ff0000;stroke-width:0.26458;marker:none" x="9" y="9" width="12" height="6"/></svg>`),
	}
	err := fs.WalkDir(envtest.BuiltinTree(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".svg" {
			return err
		}
		files[strings.TrimSuffix(path.Base(name), ".svg")], err = fs.ReadFile(envtest.BuiltinTree(), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	documents := make(map[string][]byte)
	var pairs [][2]string
	for name, file := range files {
		symbol, found := icon.ParseSymbol(file)
		if symbol == nil {
			t.Fatal(found)
		}
		pair := [2]string{"/file/" + name, "/symbol/" + name}
		documents[pair[0]], documents[pair[1]] = file, symbol.SVG()
		pairs = append(pairs, pair)
	}
	if got := newEmbedding(t, documents).call("/", "differences", pairs); len(got.Found) > 0 {
		t.Error(strings.Join(got.Found, "\n"))
	}
}
