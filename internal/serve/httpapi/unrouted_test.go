package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

func TestUnroutedRequestsGetTheNearestRoute(t *testing.T) {
	s := published(t)
	const v = "/api/v2/schemas/small@latest"
	for _, tc := range []struct{ method, path, want string }{
		{"GET", "/api/v2/schema", "GET /api/v2/schemas"},
		{"GET", "/api/v2/schema/small@latest/manifest", "GET " + v + "/manifest"},
		{"GET", v + "/element/sound", "GET " + v + "/elements/sound"},
		{"HEAD", v + "/element/sound", "GET " + v + "/elements/sound"},
		{"GET", v + "/Categories", "GET " + v + "/categories"},
		{"GET", "/API/V2/SCHEMAS", "GET /api/v2/schemas"},
		{"GET", v + "/symbol/box.svg", "GET " + v + "/symbols/box.svg"},
		{"GET", "/api/v2/openapi", "GET /api/v2/openapi.json"},
		{"GET", v + "/manifest.json", "GET " + v + "/manifest"},
		{"GET", v + "/valdate", "POST " + v + "/validate"},
		{"POST", v + "/validate-resolved", "POST " + v + "/validate_resolved"},
		{"POST", v + "/validate/", "POST " + v + "/validate"},
		{"GET", "/api/v1/schemas", "GET /api/v2/schemas"},
		{"GET", "/schemas", "GET /api/v2/schemas"},
		{"GET", "/openapi.json", "GET /api/v2/openapi.json"},
		{"GET", "/api/v2/schemas/", "GET /api/v2/schemas"},
		{"GET", "/api/v2//schemas", "GET /api/v2/schemas"},
		{"GET", v + "/x/../manifest", "GET " + v + "/manifest"},
		{"GET", "/api/v2/shapes/circle", "GET /api/v2/shapes/circle.svg"},
		{"GET", "/api/v2/shapes/circle.png", "GET /api/v2/shapes/circle.svg"},
		{"GET", v + "/elements/sound/icon.png", "GET " + v + "/elements/sound/icon.svg"},

		{"GET", "/", ""},
		{"GET", "/wp-login.php", ""},
		{"GET", "/api/v2/%FF%00", ""},
		{"GET", strings.Repeat("/schemas", 3000), ""},
	} {
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, nil))
		resp := response{w.Code, w.Header(), w.Body.String()}
		p := resp.failure(t)
		want := "Did you mean " + tc.want + "?"
		if tc.want == "" {
			want = "GET /api/v2/schemas lists the published versions."
		}
		want += " GET /api/v2/openapi.json describes all routes."
		if resp.status != 404 || p.Code != problem.NotFound || p.FixHint != want || len(p.Message) > 200 {
			t.Errorf("%s %.80s: got status %d, %v, hint %q, want 404 and hint %q", tc.method, tc.path, resp.status, p, p.FixHint, want)
		}
		if resp.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %.80s: got headers %v, want no-store", tc.method, tc.path, resp.header)
		}
	}
}

func TestSuggestionsIncludeOtherEndpoints(t *testing.T) {
	h := httpapi.New(httpapi.Options{Catalog: published(t).catalog, Others: []string{"GET /healthz", "GET /readyz", "POST /mcp"}})
	for path, want := range map[string]string{
		"/health": "GET /healthz", "/healthz/": "GET /healthz", "/ready": "GET /readyz", "/mcp/": "POST /mcp", "/api/mcp": "POST /mcp",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		p := response{w.Code, w.Header(), w.Body.String()}.failure(t)
		if want := "Did you mean " + want + "? GET /api/v2/openapi.json describes all routes."; p.FixHint != want {
			t.Errorf("%s: got hint %q, want %q", path, p.FixHint, want)
		}
	}
}

const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func TestUnroutedRequestsOfBrowsersGetAPage(t *testing.T) {
	s := published(t)
	for accept, want := range map[string]bool{
		browserAccept:                 true,
		"text/html":                   true,
		"Text/HTML;charset=utf-8":     true,
		"text/html;q=0.5, */*;q=0.4":  true,
		"":                            false,
		"*/*":                         false,
		"application/json":            false,
		"application/json, text/html": false,
		"text/plain, image/*":         false,
		";,=;q":                       false,
	} {
		for _, path := range []string{"/", "/nothing", "/api/v1/schemas", "//api/v2/schemas"} {
			resp := s.do("GET", path, "Accept", accept)
			isPage := resp.header.Get("Content-Type") == "text/html; charset=utf-8"
			if resp.status != 404 || isPage != want || resp.header.Get("Vary") != "Accept" || resp.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s with Accept %q: got status %d, headers %v, want 404, Vary: Accept and a page: %t", path, accept, resp.status, resp.header, want)
			}
			head := s.do("HEAD", path, "Accept", accept)
			if head.status != 404 || head.body != "" || head.header.Get("Content-Type") != resp.header.Get("Content-Type") || head.header.Get("Content-Length") != resp.header.Get("Content-Length") {
				t.Errorf("HEAD %s with Accept %q: got status %d, headers %v, want those of GET: %v", path, accept, head.status, head.header, resp.header)
			}
		}
	}
	for _, tc := range []struct{ method, path, why string }{
		{"GET", "/api/v2/schemas", "a route"},
		{"GET", "/api/v2/schemas/other@latest/manifest", "an error of a route"},
		{"POST", "/nothing", "not opened by a browser"},
		{"GET", "/api/v2", "below the API"},
		{"GET", "/api/v2/nothing", "below the API"},
		{"GET", "/api/v2/shapes/circle", "below the API"},
		{"GET", "/api/v2//schemas", "below the API"},
	} {
		if resp := s.do(tc.method, tc.path, "Accept", browserAccept); resp.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s (%s): got headers %v, want JSON", tc.method, tc.path, tc.why, resp.header)
		}
	}
}

// writeNotFoundPage writes a page that consists of the nearest request.
func writeNotFoundPage(w http.ResponseWriter, _ *http.Request, method, path string) {
	page := method + " " + path
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, page)
}

func TestNotFoundPagesGetTheNearestRequest(t *testing.T) {
	s := published(t)
	for path, want := range map[string]string{
		"/wp-login.php":                         " ",
		"/schemas":                              "GET /api/v2/schemas",
		"/api/v1/schemas/small@latest/validate": "POST /api/v2/schemas/small@latest/validate",
	} {
		if got := s.do("GET", path, "Accept", browserAccept); got.body != want {
			t.Errorf("%s: got a page for %q, want one for %q", path, got.body, want)
		}
	}
}

func TestBrowsersGetJSONWithoutANotFoundPage(t *testing.T) {
	h := httpapi.New(httpapi.Options{Catalog: published(t).catalog})
	r := httptest.NewRequest("GET", "/nothing", nil)
	r.Header.Set("Accept", browserAccept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	response{w.Code, w.Header(), w.Body.String()}.failure(t)
}

// TestRenderedDocumentInABrowser opens a rendered document as served, with its
// Content-Security-Policy.
func TestRenderedDocumentInABrowser(t *testing.T) {
	s := published(t)
	browser := envtest.Browser(t)
	run := func(actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(browser, actions...); err != nil {
			t.Fatal(err)
		}
	}
	// A browser navigates with GET, so a second server returns the response of
	// render to it.
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			s.Config.Handler.ServeHTTP(w, httptest.NewRequest("POST", "/api/v2/schemas/"+stable+"/render", strings.NewReader(thin)))
		}
	}))
	t.Cleanup(page.Close)
	run(chromedp.Navigate(page.URL))
	got, err := chromedp.Run(browser, chromedp.Evaluate[rendered](`({
		styled: getComputedStyle(document.querySelector("main")).maxWidth != "none",
		images: document.querySelectorAll("use").length,
		drawn: [...document.querySelectorAll("use")].filter((i) => i.getBBox().width > 0).length,
	})`))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Styled || got.Images == 0 || got.Drawn != got.Images {
		t.Errorf("a rendered document: got %+v, want a page with its style and all images", got)
	}
}

// rendered describes a rendered document in a browser.
type rendered struct {
	Styled bool `json:"styled"`
	Images int  `json:"images"`
	Drawn  int  `json:"drawn"`
}
