package httpapi

import (
	"net/http"
	"net/url"
	"strings"
)

// call is a request for a route.
type call struct {
	*http.Request
	to     *place
	values [maxValues]string
}

// maxValues is how many parts of its path a route may leave open.
const maxValues = 3

// PathValue returns the part of the path that a pattern's {name} stands for.
func (c call) PathValue(name string) string {
	for i, has := range c.to.names {
		if has == name {
			return c.values[i]
		}
	}
	return ""
}

// place is where a path leads: the routes there by method, and what may follow.
// It is a [http.ServeMux] for a table as plain as ours, at a fifth of the cost.
type place struct {
	pattern string
	names   []string // of the parts that the pattern leaves open
	methods methods  // nil: nothing is here

	fixed map[string]*place
	open  *place
}

// firstPart cuts a path after its first part, which begins behind a slash. A
// path without one has no parts.
func firstPart(path string) (part, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, "/")
	if !ok {
		return "", "", false
	}
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:], true
	}
	return path, "", true
}

// add makes room for a route.
func (p *place) add(rt route) {
	var names []string
	for path := rt.pattern; path != ""; {
		var part string
		part, path, _ = firstPart(path)
		if name, isOpen := strings.CutPrefix(part, "{"); isOpen {
			names = append(names, strings.TrimSuffix(name, "}"))
			if p.open == nil {
				p.open = new(place)
			}
			p = p.open
			continue
		}
		if p.fixed == nil {
			p.fixed = make(map[string]*place)
		}
		if p.fixed[part] == nil {
			p.fixed[part] = new(place)
		}
		p = p.fixed[part]
	}
	if p.methods == nil {
		p.pattern, p.names, p.methods = rt.pattern, names, make(methods)
	}
	if _, twice := p.methods[rt.method]; twice || len(names) > maxValues {
		panic("there is no room for " + rt.method + " " + rt.pattern)
	}
	p.methods[rt.method] = &rt
}

// find returns the call that a request makes, if its path leads anywhere. A
// part of the path may have a slash in it that is escaped.
func (p *place) find(r *http.Request) (call, bool) {
	c := call{Request: r}
	path, escaped := r.URL.Path, false
	if r.URL.RawPath != "" {
		path, escaped = r.URL.EscapedPath(), true
	}
	open := 0
	for path != "" {
		part, rest, ok := firstPart(path)
		if ok && escaped {
			var err error
			part, err = url.PathUnescape(part)
			ok = err == nil
		}
		if !ok || part == "" {
			return c, false
		}
		path = rest
		if next, ok := p.fixed[part]; ok {
			p = next
			continue
		}
		if p.open == nil {
			return c, false
		}
		p = p.open
		c.values[open] = part
		open++
	}
	c.to = p
	return c, p.methods != nil
}
