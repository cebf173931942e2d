package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"placard/internal/problem"
	"placard/internal/testenv"
)

func TestUnroutedRequestsGetTheNearestRoute(t *testing.T) {
	s := published(t)
	const v = "/api/v2/schemas/small@latest"
	for _, tc := range []struct{ method, path, want string }{
		// A misspelt word.
		{"GET", "/api/v2/schema", "GET /api/v2/schemas"},
		{"GET", "/api/v2/schema/small@latest/manifest", "GET " + v + "/manifest"},
		{"GET", v + "/element/sound", "GET " + v + "/elements/sound"},
		{"GET", v + "/Categories", "GET " + v + "/categories"},
		{"GET", "/API/V2/SCHEMAS", "GET /api/v2/schemas"},
		{"GET", v + "/symbol/box.svg", "GET " + v + "/symbols/box.svg"},
		{"GET", "/api/v2/shape/circle.svg", "GET /api/v2/shapes/circle.svg"},
		{"GET", "/api/v2/code", "GET /api/v2/codes"},
		{"GET", "/api/v2/openapi", "GET /api/v2/openapi.json"},
		{"GET", "/api/v2/openapi.yaml", "GET /api/v2/openapi.json"},
		{"GET", v + "/manifest.json", "GET " + v + "/manifest"},
		{"POST", v + "/validte", "POST " + v + "/validate"},
		{"POST", v + "/validate-resolved", "POST " + v + "/validate_resolved"},
		{"POST", v + "/resolved", "POST " + v + "/resolve"},

		// Missing and additional segments.
		{"GET", v, "GET " + v + "/manifest"},
		{"HEAD", v, "GET " + v + "/manifest"},
		{"POST", v, "POST " + v + "/validate"},
		{"GET", v + "/anything", "GET " + v + "/manifest"},
		{"GET", v + "/manifest/title", "GET " + v + "/manifest"},
		{"GET", v + "/elements/sound/title", "GET " + v + "/elements/sound"},
		{"GET", "/api/v2/schemas/elements/sound", "GET /api/v2/schemas/{version}/elements/sound"},
		{"GET", "/api/v2/small@latest/elements", "GET " + v + "/elements"},
		{"GET", "/api/v2/schemas/anything", "GET /api/v2/schemas"},
		{"GET", "/api/v2/shapes", "GET /api/v2/shapes/{shape}.svg"},

		// Another base path.
		{"GET", "/api/v1/schemas", "GET /api/v2/schemas"},
		{"GET", "/v2/schemas", "GET /api/v2/schemas"},
		{"GET", "/schemas", "GET /api/v2/schemas"},
		{"GET", "/schemas/small@latest/elements/sound", "GET " + v + "/elements/sound"},
		{"POST", "/api/schemas/small@latest/render", "POST " + v + "/render"},
		{"GET", "/openapi.json", "GET /api/v2/openapi.json"},

		// Unclean paths.
		{"GET", "/api/v2/schemas/", "GET /api/v2/schemas"},
		{"GET", "/api/v2//schemas", "GET /api/v2/schemas"},
		{"GET", v + "/x/../manifest", "GET " + v + "/manifest"},
		{"GET", "/api/v2%2Fschemas", "GET /api/v2/schemas"},
		{"POST", v + "/validate/", "POST " + v + "/validate"},

		// File names.
		{"GET", "/api/v2/shapes/circle", "GET /api/v2/shapes/circle.svg"},
		{"GET", "/api/v2/shapes/circle.png", "GET /api/v2/shapes/circle.svg"},
		{"GET", "/api/v2/shapes/star", "GET /api/v2/shapes/{shape}.svg"},
		{"GET", v + "/symbols/box", "GET " + v + "/symbols/box.svg"},
		{"GET", v + "/elements/sound/icon", "GET " + v + "/elements/sound/icon.svg"},
		{"GET", v + "/elements/sound/icon.dark.png", "GET " + v + "/elements/sound/icon.dark.svg"},

		// Values that cannot be right are not repeated.
		{"GET", "/api/v2/schemas/small/element", "GET /api/v2/schemas/{version}/elements"},
		{"GET", v + "/element/so.und!/icon.svg", "GET " + v + "/elements/{element_id}/icon.svg"},
		{"GET", v + "/element/" + strings.Repeat("x", 500), "GET " + v + "/elements"},

		// Nothing is near.
		{"GET", "/", ""},
		{"GET", "/api/v2", ""},
		{"GET", "/api/v2/", ""},
		{"GET", "/api/v2/anything", ""},
		{"GET", "/favicon.ico", ""},
		{"GET", "/wp-login.php", ""},
		{"GET", "/api/v2/%FF%00", ""},
		{"GET", strings.Repeat("/schemas", 3000), ""},
		{"GET", "/" + strings.Repeat("s", 30000), ""},
		{"GET", v + "/element/" + strings.Repeat("x", 2000), ""},
	} {
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, nil))
		resp := response{w.Code, w.Header(), w.Body.String()}
		p := resp.failure(t)
		want := "Did you mean " + tc.want + "? GET /api/v2/openapi.json describes all routes."
		if tc.want == "" {
			want = "GET /api/v2/schemas lists the published versions. GET /api/v2/openapi.json describes all routes."
		}
		if resp.status != 404 || p.Code != problem.NotFound || p.FixHint != want || len(p.Message) > 200 {
			t.Errorf("%s %.80s: got status %d, %v, hint %q, want 404 and hint %q", tc.method, tc.path, resp.status, p, p.FixHint, want)
		}
		if resp.header.Get("Vary") != "Accept" || resp.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %.80s: got headers %v, want Vary: Accept and no-store", tc.method, tc.path, resp.header)
		}
	}
}

const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func TestUnroutedRequestsGetAPageIfTheyPreferHTML(t *testing.T) {
	s := published(t)
	for accept, want := range map[string]bool{
		browserAccept:                          true,
		"text/html":                            true,
		"Text/HTML;charset=utf-8":              true,
		"text/*":                               true,
		"text/html;q=0.5, */*;q=0.4":           true,
		"text/html, application/json;q=0.9":    true,
		"application/json;q=0.1,text/html;Q=1": true,
		"*/*, application/json;q=0":            true,
		"":                                     false,
		"*/*":                                  false,
		"application/json":                     false,
		"application/json, text/html":          false,
		"text/html;q=0.5, application/json":    false,
		"text/html;q=0":                        false,
		"text/html;q=0, */*":                   false,
		"text/html;q=nonsense":                 false,
		"text/html;q=0.5, application/*":       false,
		"application/*, text/*":                false,
		"text/plain, image/*":                  false,
		";,=;q":                                false,
	} {
		for _, path := range []string{"/", "/api/v2/nothing", "/api/v2/shapes/circle", "/api/v2//schemas"} {
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
		{"POST", "/api/v2/nothing", "not opened by a browser"},
	} {
		if resp := s.do(tc.method, tc.path, "Accept", browserAccept); resp.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s (%s): got headers %v, want JSON", tc.method, tc.path, tc.why, resp.header)
		}
	}
}

func TestNotFoundPage(t *testing.T) {
	s := published(t)
	for _, tc := range []struct{ path, want string }{
		{"/", `<code>/</code>`},
		{"/wp-login.php", `<code>/wp-login.php</code>`},
		{"/api/v2/schema", `Did you mean <a href="/api/v2/schemas"><code>/api/v2/schemas</code></a>?`},
		{"/api/v2/schemas/small@latest", `<a href="/api/v2/schemas/small@latest/manifest">`},
		// Browsers can open neither of these.
		{"/api/v2/schemas/small@latest/valdate", `Did you mean <code>POST /api/v2/schemas/small@latest/validate</code>?`},
		{"/api/v2/shapes", `Did you mean <code>GET /api/v2/shapes/{shape}.svg</code>?`},
		{"/%3Cscript%3Ealert(1)%3C/script%3E", `<code>/%3Cscript%3Ealert(1)%3C/script%3E</code>`},
		{"/a'&<b>", `<code>/a%27&amp;%3Cb%3E</code>`},
		{"/" + strings.Repeat("x", 20000), `xxx…</code>`},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", tc.path, nil)
		r.Header.Set("Accept", browserAccept)
		s.Config.Handler.ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != 404 || !strings.Contains(body, tc.want) || strings.Contains(body, "<script") || len(body) > 4000 {
			t.Errorf("%.80s: got status %d, %s, want 404 and %s", tc.path, w.Code, body, tc.want)
		}
		isNear := strings.Contains(tc.want, "/api/v2/")
		if strings.Contains(body, "Did you mean") != isNear {
			t.Errorf("%.80s: got %s, want a suggestion only if a route is near", tc.path, body)
		}
		for _, link := range []string{`href="/api/v2/schemas"`, `href="/api/v2/openapi.json"`} {
			if !strings.Contains(body, link) {
				t.Errorf("%.80s: the page has no %s", tc.path, link)
			}
		}
	}
}

// TestPagesInABrowser opens the page of an unknown path and a rendered document as
// served, with their Content-Security-Policy.
func TestPagesInABrowser(t *testing.T) {
	s := published(t)
	browser := testenv.Browser(t)
	run := func(actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(browser, actions...); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int64{320, 390, 1280} {
		for scheme, background := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(19, 21, 24)"} {
			run(chromedp.EmulateViewport(width, 800), func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
				})
				return chromedp.Void{}, err
			}, chromedp.Navigate(s.URL+"/api/v2/schemas/small@latest/element/"+strings.Repeat("x", 200)))
			type look struct {
				Background string `json:"background"`
				Heading    string `json:"heading"`
				Overflow   int    `json:"overflow"`
			}
			got, err := chromedp.Run(browser, chromedp.Evaluate[look](`({
				background: getComputedStyle(document.documentElement).backgroundColor,
				heading: document.querySelector("h1").textContent,
				overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
			})`))
			if err != nil {
				t.Fatal(err)
			}
			if want := (look{background, "There is nothing at this address", 0}); got != want {
				t.Errorf("%d px, %s: got %+v, want %+v", width, scheme, got, want)
			}
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
		styled: getComputedStyle(document.querySelector("#view")).maxWidth != "none",
		images: document.images.length,
		drawn: [...document.images].filter((i) => i.naturalWidth > 0).length,
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
