package httpapi

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestPathsLeadWhereServeMuxWouldLeadThem tries paths that are put together from
// parts of our patterns and from what does not belong there.
func TestPathsLeadWhereServeMuxWouldLeadThem(t *testing.T) {
	var root place
	mux := http.NewServeMux()
	known := make(map[string]bool)
	var parts []string
	for _, rt := range new(api).routes() {
		root.add(rt)
		if !known[rt.pattern] {
			known[rt.pattern] = true
			mux.HandleFunc(rt.pattern, func(http.ResponseWriter, *http.Request) {})
		}
		parts = append(parts, strings.Split(rt.pattern, "/")...)
	}
	parts = append(parts, "", "x", "a.b", "a%2Fb", "%7Bversion%7D", "%20", "é", "%C3%A9", "a=b", "elements%2Fx", "%65lements")

	random := rand.New(rand.NewPCG(1, 2))
	found := make(map[string]int)
	for range 200_000 {
		var path strings.Builder
		for _, part := range strings.Split([]string{
			"/api/v2/schemas/v/elements/e/f", "/api/v2/schemas/v/symbols/s", "/api/v2/shapes/s", "/api/v2/codes",
		}[random.IntN(4)], "/")[1:] {
			switch random.IntN(12) {
			case 0:
				part = parts[random.IntN(len(parts))]
			case 1:
				continue
			}
			path.WriteString("/" + part)
		}
		target, err := url.Parse(path.String())
		if err != nil || !isClean(target.Path) {
			continue // no handler gets to see it
		}
		theirs := httptest.NewRequest("GET", "/", nil)
		theirs.URL = target
		_, pattern := mux.Handler(theirs)
		c, ok := root.find(&http.Request{URL: target})
		if ok != (pattern != "") || ok && c.to.pattern != pattern {
			t.Fatalf("%s leads to %v, want %q", target, c.to, pattern)
		}
		if !ok {
			continue
		}
		found[pattern]++
		mux.ServeHTTP(httptest.NewRecorder(), theirs)
		for _, name := range []string{"version", "element_id", "file", "other"} {
			if got, want := c.PathValue(name), theirs.PathValue(name); got != want {
				t.Fatalf("%s of %s is %q, want %q", name, target, got, want)
			}
		}
	}
	for pattern := range known {
		if found[pattern] == 0 && !strings.Contains("/api/v2/openapi.json /api/v2/schemas", pattern) {
			t.Errorf("no path led to %s", pattern)
		}
	}
}
