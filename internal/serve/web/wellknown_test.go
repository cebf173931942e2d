package web_test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestBrowsersGetAPageAtTheAddressOfTheMCPServer(t *testing.T) {
	s := builtinService(t)
	page := s.get("/mcp", "Accept", browserAccept)
	contains(t, "/mcp", page.body, "<h1>A server for AI assistants</h1>", s.URL+"/mcp</code>", `href="/#agent"`, `href="/docs/mcp"`)
	contains(t, "French", s.get("/mcp?lang=fr", "Accept", browserAccept).body, "Un serveur pour les assistants IA")
	if got := strings.Join(page.header.Values("Vary"), ", "); !strings.Contains(got, "Accept, ") {
		t.Errorf("got Vary %q, want Accept", got)
	}
	// The service of this test has no MCP server.
	for _, tc := range [][2]string{
		{"GET", "text/event-stream"},
		{"GET", "application/json, text/event-stream, text/html"},
		{"GET", "*/*"},
		{"POST", browserAccept},
		{"DELETE", browserAccept},
	} {
		if got := s.do(tc[0], "/mcp", "Accept", tc[1]); strings.Contains(got.body, "A server for AI assistants") {
			t.Errorf("%s with Accept %s: got the page, want the response of the MCP server", tc[0], tc[1])
		}
	}
}

func TestSitemapListsPages(t *testing.T) {
	s := builtinService(t)
	contains(t, "robots.txt", s.get("/robots.txt").body, "User-agent: *\n", "\nSitemap: "+s.URL+"/sitemap.xml\n")
	resp := s.get("/sitemap.xml")
	var sitemap struct {
		URLs []string `xml:"url>loc"`
	}
	if err := xml.Unmarshal([]byte(resp.body), &sitemap); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/", "/explore/" + stable, "/explore/" + beta, "/docs/api", "/docs/codes", "/docs/api-reference"} {
		if !strings.Contains(resp.body, "<loc>"+s.URL+want+"</loc>") {
			t.Errorf("%s is missing in\n%s", want, resp.body)
		}
	}
	for _, address := range sitemap.URLs {
		if got := s.get(strings.TrimPrefix(address, s.URL)).body; strings.Contains(got, `content="noindex"`) {
			t.Errorf("%s is in the sitemap, but should not be found", address)
		}
	}
	publishedService(t).get("/sitemap.xml")
	if got := s.do("POST", "/sitemap.xml"); got.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: got status %d, want 405", got.status)
	}
}

func TestFaviconIsThatOfPages(t *testing.T) {
	s := builtinService(t)
	icon := s.get("/favicon.ico")
	if got := icon.header.Get("Content-Type"); got != "image/svg+xml" {
		t.Errorf("got Content-Type %q", got)
	}
	_, rest, _ := strings.Cut(s.get("/").body, `<link rel="icon" href="data:image/svg+xml,`)
	inPage, _, _ := strings.Cut(rest, `">`)
	if got, err := url.PathUnescape(inPage); err != nil || got != icon.body {
		t.Errorf("got %s in pages, %v; want %s", got, err, icon.body)
	}
}
