package web

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
)

// Files that browsers and search engines request on every server.
const (
	faviconPath = "/favicon.ico"
	robotsPath  = "/robots.txt"
	sitemapPath = "/sitemap.xml"
)

// favicon is also in the template of all pages, as a data URL.
const favicon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3' fill='#14161a'/><path d='M3.5 5h9M3.5 8h9M3.5 11h5' stroke='#fff' stroke-width='1.6'/></svg>`

var faviconBody = newRepeatedBody([]byte(favicon))

// maxSitemapVersions is the number of versions in the sitemap, which search engines
// limit to 50,000 addresses.
const maxSitemapVersions = 10_000

func (*request) favicon() (file, error) { return file{body: faviconBody, contentType: typeSVG}, nil }

// robots allows everything but the address that is only for agents. Pages that should
// not be found are marked themselves.
func (q *request) robots() (file, error) {
	text := "User-agent: *\nDisallow: " + mcpPath + "\n\nSitemap: " + q.base + sitemapPath + "\n"
	return file{body: newBody([]byte(text)), contentType: typeText}, nil
}

// sitemap lists the pages from which links lead to all others.
func (q *request) sitemap() (file, error) {
	if err := q.charge(); err != nil {
		return file{}, err
	}
	paths := []string{"/", docsPath, codesPath, referencePath}
	if l, err := q.handler.library(); err == nil {
		for _, d := range slices.Concat(l.guides, l.decisions) {
			paths = append(paths, d.Path)
		}
	}
	if err := q.open(); err != nil {
		return file{}, err
	}
	served := q.snapshot.Served()
	for _, v := range slices.Backward(served[max(0, len(served)-maxSitemapVersions):]) {
		paths = append(paths, explorePath(v.ID.String()))
	}
	var text strings.Builder
	text.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range paths {
		text.WriteString("<url><loc>")
		_ = xml.EscapeText(&text, []byte(q.base+path)) // a builder does not fail
		text.WriteString("</loc></url>\n")
	}
	text.WriteString("</urlset>\n")
	return file{body: newBody([]byte(text.String())), contentType: typeXML}, nil
}

// mcpPath is the address of the MCP server. Browsers that open it get a page.
const mcpPath = "/mcp"

// opensMCP reports whether a browser opens the address of the MCP server. Clients
// request an event stream, or send messages.
func opensMCP(r *http.Request) bool {
	accept := strings.Join(r.Header["Accept"], ",")
	return r.URL.Path == mcpPath && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		strings.Contains(accept, "text/html") && !strings.Contains(accept, "text/event-stream")
}

// mcp is the page that says how to connect to the MCP server.
func (q *request) mcp() (*page, error) {
	return &page{template: "mcp.html", Title: q.ui.get("mcp.title"), Path: mcpPath, Crumbs: q.crumbs(), Locales: pageLanguages(), NoIndex: true, Data: q.base + mcpPath}, nil
}
