package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"strings"

	"placard/internal/core/release"
	"placard/internal/serve/query"
)

// distinctInputs is the number of different inputs of routes that compute a
// response, so that caches cannot hide the cost.
const distinctInputs = 2_000

// route is one row of the table: the requests and the targets.
type route struct {
	name  string
	build func(requestBuilder) ([]request, error)

	conditional bool   // send If-None-Match, expect 304
	want        string // prefix of every response body, or "*" for any; default `{"ok":true`

	cpu    float64 // target for the ratio of CPU times; 0 for none
	allocs float64 // target for additional allocations; 0 for none
	growth bool    // also measured on generated taxonomies of all sizes
}

// Targets of several routes.
const (
	readCPU    = 1.5 // ratio of the CPU times of a read
	readAllocs = 12  // additional allocations of a read
	pageCPU    = 2   // ratio of the CPU times of a page
)

// Paths, bodies and headers of several routes.
const (
	api         = "/api/v2/schemas/{version}"
	explorer    = "/explore/{version}"
	htmlStart   = "<!doctype html>"
	contentJSON = "Content-Type: application/json\r\n"
)

// routes lists all routes. Reads with few possible responses request all of them.
var routes = []route{
	{name: "manifest", build: get(api + "/manifest"), cpu: readCPU, allocs: readAllocs},
	{name: "categories", build: get(api + "/categories"), cpu: readCPU, allocs: readAllocs},
	{name: "element", build: get(api + "/elements/{element}"), cpu: readCPU, allocs: readAllocs, growth: true},
	{name: "elements", build: get(api + "/elements"), cpu: readCPU, allocs: readAllocs},
	{name: "icon", build: get(api + "/elements/{element}/icon.dark.svg"), want: "<svg", cpu: readCPU, allocs: readAllocs, growth: true},
	{name: "symbol", build: get(api + "/symbols/{symbol}.svg"), want: "<svg", cpu: readCPU, allocs: readAllocs},
	{name: "manifest, 304", build: get(api + "/manifest"), conditional: true, cpu: readCPU, allocs: readAllocs},
	{name: "elements, 304", build: get(api + "/elements"), conditional: true, cpu: readCPU, allocs: readAllocs},
	{name: "icon, 304", build: get(api + "/elements/{element}/icon.dark.svg"), conditional: true, cpu: readCPU, allocs: readAllocs},
	{name: "elements fields=all", build: get(api + "/elements?fields=all"), cpu: readCPU, allocs: readAllocs},
	{name: "elements, two locales", build: get(api + "/elements?locales=en,fr"), cpu: readCPU, allocs: readAllocs},
	{name: "elements category_id", build: everyCategory(""), cpu: readCPU, allocs: readAllocs},
	{name: "elements category_id, five", build: everyCategory("&limit=5"), allocs: readAllocs, growth: true},
	{name: "elements, last page", build: lastPage, allocs: readAllocs, growth: true},
	{name: "elements, compressed", build: compressed(get(api + "/elements")), want: "*", allocs: readAllocs},
	{name: "search, six words", build: search(api + "/elements?query="), cpu: 3, allocs: readAllocs},
	{name: "schemas", build: get("/api/v2/schemas"), allocs: readAllocs},
	{name: "validate", build: post("/validate"), cpu: 3},
	{name: "resolve", build: post("/resolve"), want: `{"`, cpu: 4},
	{name: "render", build: post("/render"), want: htmlStart},
	{name: "sign", build: post("/sign?url=https://example.org/sensors"), want: "<svg "},
	{name: "page, home", build: get("/"), want: htmlStart, cpu: pageCPU},
	{name: "page, explorer", build: get(explorer), want: htmlStart, cpu: pageCPU},
	{name: "page, explorer, compressed", build: compressed(get(explorer)), want: "*", cpu: pageCPU},
	{name: "page, element", build: get(explorer + "/{element}"), want: htmlStart, cpu: pageCPU},
	{name: "page, search", build: search(explorer + "?q="), want: htmlStart},
	{name: "MCP get_element", build: callGetElement, want: `{"`, cpu: 2},
}

// requestBuilder builds requests about a release.
type requestBuilder struct {
	release *release.Release
	rand    *rand.Rand
}

// newRequestBuilder returns a requestBuilder. The same seed gives the same
// requests.
func newRequestBuilder(r *release.Release, seed string) requestBuilder {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed))
	return requestBuilder{r, rand.New(rand.NewPCG(h.Sum64(), uint64(len(r.Elements))))}
}

// path replaces {version} in a path.
func (b requestBuilder) path(path string) string {
	return strings.ReplaceAll(path, "{version}", b.release.ID().String())
}

// get builds a request for a path or, if it contains {element} or {symbol}, at most
// distinctInputs requests for the elements of the release in random order.
func get(path string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		path := b.path(path)
		if !strings.Contains(path, "{") {
			return []request{{target: path}}, nil
		}
		elements := b.release.Taxonomy.Elements
		var all []request
		for _, n := range b.rand.Perm(len(elements))[:min(len(elements), distinctInputs)] {
			values := strings.NewReplacer("{element}", elements[n].ID, "{symbol}", elements[n].SymbolID)
			all = append(all, request{target: values.Replace(path)})
		}
		return all, nil
	}
}

// compressed adds the Accept-Encoding of a browser to requests.
func compressed(build func(requestBuilder) ([]request, error)) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		all, err := build(b)
		for i := range all {
			all[i].header = "Accept-Encoding: gzip, deflate, br, zstd\r\n"
		}
		return all, err
	}
}

func everyCategory(parameters string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		var all []request
		for _, c := range b.release.Taxonomy.Categories {
			all = append(all, request{target: b.path(api + "/elements?category_id=" + c.ID + parameters)})
		}
		return all, nil
	}
}

// lastPage builds a request for the last page of elements.
func lastPage(b requestBuilder) ([]request, error) {
	var cursor string
	for {
		page, err := query.List(b.release, query.Elements{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		if page.Next == "" {
			return []request{{target: b.path(api + "/elements?cursor=" + url.QueryEscape(cursor))}}, nil
		}
		cursor = page.Next
	}
}

// search builds searches for six words that occur in the same element.
func search(path string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		seen := make(map[string]bool)
		var all []request
		for len(all) < distinctInputs {
			e := b.release.Taxonomy.Elements[b.rand.IntN(len(b.release.Taxonomy.Elements))]
			title, _ := e.Title.Get("en")
			description, _ := e.Description.Get("en")
			text := strings.Fields(title + " " + description)
			b.rand.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
			q := strings.Join(text[:min(6, len(text))], " ")
			if !seen[q] {
				seen[q] = true
				all = append(all, request{target: b.path(path) + url.QueryEscape(q)})
			}
		}
		return all, nil
	}
}

// placements is the number of placements in generated documents.
const placements = 20

// post builds requests with different documents.
func post(suffix string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		generator := newDocumentGenerator(b.rand, b.release.Taxonomy)
		all := make([]request, distinctInputs)
		for i := range all {
			body, err := generator.document(placements)
			if err != nil {
				return nil, err
			}
			all[i] = request{method: "POST", target: b.path(api + suffix), header: contentJSON, body: body}
		}
		return all, nil
	}
}

func callGetElement(b requestBuilder) ([]request, error) {
	elements := b.release.Taxonomy.Elements
	all := make([]request, distinctInputs)
	for i := range all {
		all[i] = request{
			method: "POST", target: "/mcp", header: contentJSON + "Accept: application/json, text/event-stream\r\n",
			body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_element",`+
				`"arguments":{"version":%q,"element_id":%q}}}`, i+1, b.release.ID(), elements[i%len(elements)].ID),
		}
	}
	return all, nil
}
