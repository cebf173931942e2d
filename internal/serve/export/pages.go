package export

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Site describes a handler of HTML pages that link to each other.
type Site struct {
	Handler  http.Handler
	Serves   func(*http.Request) bool // whether a request is for a page, or for a part of one
	Param    string                   // the query parameter with the language of a page
	Language string                   // of pages at addresses without a language
	// PublicURL is the address of the host, without a slash at the end. If it is empty,
	// links are relative to the host, and texts have an example of an address.
	PublicURL string
}

// pages serves the pages of a site at addresses for which a host of files needs no
// query: the language is the first segment of the path, and other parameters the last
// ones. Forms, which need a server, are left out.
type pages struct {
	Site
	requests map[string]string // the request for a page, by path
	others   http.Handler
}

// WithPages adds the pages of a site, which are found by following links from the given
// paths on, and the files that they need. Pages that do not exist are left out, and links to
// them stay as they are.
func (o *Options) WithPages(ctx context.Context, site Site, paths ...string) error {
	p := &pages{site, make(map[string]string), o.Handler}
	for _, path := range paths {
		p.requests[path] = path
	}
	var found []Resource
	for next := slices.Clone(paths); len(next) > 0; next = next[1:] {
		path := next[0]
		if isFile(path) {
			found = append(found, Resource{Path: path})
			continue
		}
		r, err := p.get(ctx, path)
		switch {
		case err != nil:
			return err
		case r.status >= http.StatusInternalServerError:
			return fmt.Errorf("GET %s: %s", p.requests[path], http.StatusText(r.status))
		case r.status != http.StatusOK:
			p.requests[path] = notFound
			continue
		}
		found = append(found, Resource{Path: path})
		rewriteLinks(r.body, func(link string) string {
			if path, request := p.locate(link); path != "" && p.requests[path] == "" {
				p.requests[path] = request
				next = append(next, path)
			}
			return link
		})
	}
	o.Handler = p
	o.Resources = append(found, o.Resources...)
	return nil
}

// notFound is the request for a page that does not exist.
const notFound = "-"

// isFile reports whether a path has the extension of a file. Pages have none.
func isFile(path string) bool { return strings.Contains(path[strings.LastIndexByte(path, '/'):], ".") }

// ServeHTTP implements [http.Handler].
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.requests[r.URL.Path] == "" {
		p.others.ServeHTTP(w, r)
		return
	}
	page, err := p.get(r.Context(), r.URL.Path)
	if err != nil {
		return // the request was cancelled
	}
	for name, values := range page.header {
		w.Header()[name] = values
	}
	if !isFile(r.URL.Path) {
		page.body = rewriteLinks(page.body, func(link string) string {
			path, _ := p.locate(link)
			link, isAbsolute := strings.CutPrefix(link, origin)
			if path != "" && p.requests[path] != notFound {
				_, fragment, ok := strings.Cut(link, "#")
				link = path
				if ok {
					link += "#" + fragment
				}
			}
			if isAbsolute {
				link = p.PublicURL + link
			}
			return link
		})
		if p.PublicURL != "" {
			page.body = bytes.ReplaceAll(page.body, []byte(origin), []byte(p.PublicURL))
		}
	}
	w.WriteHeader(page.status)
	_, _ = w.Write(page.body) // a response in memory does not fail
}

// get returns the response for a path. It follows redirects.
func (p *pages) get(ctx context.Context, path string) (*response, error) {
	address := p.requests[path]
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+address, nil)
		if err != nil {
			return nil, err
		}
		r.RemoteAddr = "127.0.0.1:0"
		r.Header.Set("Accept-Language", p.Language)
		page := &response{header: make(http.Header)}
		p.Handler.ServeHTTP(page, r)
		if page.status != http.StatusFound {
			return page, ctx.Err()
		}
		address = page.header.Get("Location")
	}
}

// locate returns the path at which a host of files has the target of a link, and the
// request for it. The path is empty if the target is not part of the site.
func (p *pages) locate(link string) (path, request string) {
	link, _, _ = strings.Cut(strings.TrimPrefix(link, origin), "#")
	u, err := url.Parse(link)
	if err != nil || u.Host != "" || !strings.HasPrefix(u.Path, "/") || !p.Serves(&http.Request{Method: http.MethodGet, URL: u}) {
		return "", ""
	}
	path = strings.TrimSuffix(u.Path, "/")
	params := u.Query()
	if language := params.Get(p.Param); language != "" && language != p.Language {
		path = "/" + language + path
	}
	params.Del(p.Param)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		path += "/" + name + "/" + params.Get(name)
	}
	return cmp.Or(path, "/"), u.RequestURI()
}

// rewriteLinks replaces the addresses in a page and removes its forms.
func rewriteLinks(page []byte, replace func(link string) string) []byte {
	var b bytes.Buffer
	inForm := false
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return b.Bytes()
		}
		raw := slices.Clone(z.Raw()) // Token changes it
		token := z.Token()
		isTag := kind == html.StartTagToken || kind == html.SelfClosingTagToken
		switch {
		case token.Data == "form" && kind != html.TextToken:
			inForm = kind == html.StartTagToken
		case inForm:
		case isTag && slices.ContainsFunc(token.Attr, isLink):
			for i := range token.Attr {
				if isLink(token.Attr[i]) {
					token.Attr[i].Val = replace(token.Attr[i].Val)
				}
			}
			b.WriteString(token.String())
		default:
			b.Write(raw)
		}
	}
}

// isLink reports whether an attribute is an address of the site.
func isLink(a html.Attribute) bool {
	switch a.Key {
	case "href", "src", "content":
		return strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//") || strings.HasPrefix(a.Val, origin)
	}
	return false
}
