package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/release"
	"placard/internal/serve/query"
)

// distinctInputs is the number of different inputs of routes that compute a
// response, so that caches cannot hide the cost.
const distinctInputs = 5_000

// route is one row of the table: the requests and the targets.
type route struct {
	name  string
	build func(requestBuilder) ([]request, error)

	conditional bool   // send If-None-Match, expect 304
	want        string // prefix of every response body, or "*" for any; default `{"ok":true`

	cpu    float64 // target for the ratio of CPU times; 0 for none
	allocs float64 // target for additional allocations; 0 for none
	small  bool    // also measured on generated taxonomies of all sizes
	large  bool    // also measured on the largest generated taxonomy
}

// pageCPU is the target for the ratio of the CPU times of a page.
const pageCPU = 2

// htmlStart is the prefix of pages.
const htmlStart = "<!doctype html>"

// acceptCodings is the Accept-Encoding header of a browser.
const acceptCodings = "Accept-Encoding: gzip, deflate, br, zstd\r\n"

// readAllocs is the target for additional allocations of a read.
const readAllocs = 5

// routes lists all routes. Reads with few possible responses request all of them.
var routes = []route{
	{name: "manifest", build: get("/manifest"), cpu: 1.3, allocs: readAllocs},
	{name: "categories", build: get("/categories"), cpu: 1.3, allocs: readAllocs},
	{name: "element", build: everyElement("/elements/%s"), cpu: 1.3, allocs: readAllocs, small: true},
	{name: "elements", build: get("/elements"), cpu: 1.3, allocs: readAllocs},
	{name: "icon", build: everyIcon, want: "<svg", cpu: 1.3, allocs: readAllocs, small: true},
	{name: "symbol", build: everySymbol, want: "<svg", cpu: 1.3, allocs: readAllocs},
	{name: "shape", build: everyShape, want: "<svg", cpu: 1.3, allocs: readAllocs},
	{name: "manifest, 304", build: get("/manifest"), conditional: true, cpu: 1.2, allocs: readAllocs},
	{name: "elements, 304", build: get("/elements"), conditional: true, cpu: 1.2, allocs: readAllocs},
	{name: "icon, 304", build: everyIcon, conditional: true, cpu: 1.2, allocs: readAllocs},
	{name: "elements fields=all", build: get("/elements?fields=all"), cpu: 1.4, allocs: readAllocs},
	{name: "elements locales", build: everyLocaleSubset, cpu: 1.4, allocs: readAllocs},
	{name: "elements category_id", build: everyCategory(""), cpu: 1.4, allocs: readAllocs},
	{name: "elements category_id, five", build: everyCategory("&limit=5"), allocs: readAllocs, small: true},
	{name: "elements, last page", build: lastPage, allocs: readAllocs, small: true},
	{name: "elements, compressed", build: compressed("/elements"), want: "*", allocs: readAllocs},
	{name: "search, one word", build: search(1), allocs: readAllocs},
	{name: "search, six words", build: search(6), cpu: 3, allocs: readAllocs, large: true},
	{name: "schemas", build: schemas, allocs: readAllocs},
	{name: "validate", build: post("/validate", thinDocuments), cpu: 3, large: true},
	{name: "resolve", build: post("/resolve", thinDocuments), want: `{"`, cpu: 4, large: true},
	{name: "validate_resolved", build: post("/validate_resolved", resolvedDocuments)},
	{name: "render", build: post("/render", thinDocuments), want: htmlStart},
	{name: "sign", build: post("/sign?url=https://example.org/sensors", thinDocuments), want: "<svg "},
	{name: "page, home", build: page("/"), want: htmlStart, cpu: pageCPU},
	{name: "page, explorer", build: explorer(""), want: htmlStart, cpu: pageCPU},
	{name: "page, explorer, compressed", build: explorer(acceptCodings), want: "*", cpu: pageCPU},
	{name: "page, element", build: everyElementPage, want: htmlStart, cpu: pageCPU},
	{name: "page, search", build: searchPage, want: htmlStart},
	{name: "MCP get_element", build: callGetElement, want: `{"`, cpu: 2},
	{name: "MCP validate_datachain", build: callValidate, want: `{"`},
}

// requestBuilder builds requests about a release.
type requestBuilder struct {
	release *release.Release
	rand    *rand.Rand
}

// path returns the URL path of a resource of the release.
func (b requestBuilder) path(suffix string) string {
	return "/api/v2/schemas/" + b.release.ID().String() + suffix
}

func get(suffix string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		return []request{{target: b.path(suffix)}}, nil
	}
}

// compressed builds a request with the Accept-Encoding of a browser.
func compressed(suffix string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		return []request{{target: b.path(suffix), header: acceptCodings}}, nil
	}
}

func page(path string) func(requestBuilder) ([]request, error) {
	return func(requestBuilder) ([]request, error) { return []request{{target: path}}, nil }
}

// explorer builds a request for the explorer of the release with an additional header.
func explorer(header string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		return []request{{target: "/explore/" + b.release.ID().String(), header: header}}, nil
	}
}

func everyElementPage(b requestBuilder) ([]request, error) {
	var all []request
	for _, e := range b.release.Taxonomy.Elements {
		all = append(all, request{target: "/explore/" + b.release.ID().String() + "/" + e.ID})
	}
	return b.sample(all), nil
}

// searchPage builds the searches of the explorer that correspond to one-word searches of
// the API.
func searchPage(b requestBuilder) ([]request, error) {
	all, err := search(1)(b)
	for i := range all {
		_, words, _ := strings.Cut(all[i].target, "?query=")
		all[i].target = "/explore/" + b.release.ID().String() + "?q=" + words
	}
	return all, err
}

func schemas(requestBuilder) ([]request, error) { return []request{{target: "/api/v2/schemas"}}, nil }

func everyElement(format string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		var all []request
		for _, e := range b.release.Taxonomy.Elements {
			all = append(all, request{target: b.path(fmt.Sprintf(format, e.ID))})
		}
		return b.sample(all), nil
	}
}

// sample returns at most distinctInputs of the requests, in random order.
func (b requestBuilder) sample(all []request) []request {
	b.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), distinctInputs)]
}

func everyIcon(b requestBuilder) ([]request, error) {
	var all []request
	for _, e := range b.release.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			all = append(all, request{target: b.path(fmt.Sprintf("/elements/%s/icon.%s.svg", e.ID, variant))})
		}
	}
	return b.sample(all), nil
}

func everySymbol(b requestBuilder) ([]request, error) {
	var all []request
	for _, e := range b.release.Taxonomy.Elements {
		all = append(all, request{target: b.path("/symbols/" + e.SymbolID + ".svg")})
	}
	return b.sample(all), nil
}

func everyShape(requestBuilder) ([]request, error) {
	return []request{
		{target: "/api/v2/shapes/circle.svg"},
		{target: "/api/v2/shapes/hexagon.svg"},
		{target: "/api/v2/shapes/octagon.svg"},
		{target: "/api/v2/shapes/rounded-square.svg"},
	}, nil
}

func everyCategory(parameters string) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		var all []request
		for _, c := range b.release.Taxonomy.Categories {
			all = append(all, request{target: b.path("/elements?category_id=" + c.ID + parameters)})
		}
		return all, nil
	}
}

// everyLocaleSubset builds a request for every non-empty subset of the locales.
func everyLocaleSubset(b requestBuilder) ([]request, error) {
	var all []request
	locales := b.release.Manifest.Locales
	for set := 1; set < 1<<len(locales); set++ {
		all = append(all, request{target: b.path("/elements?locales=" + strings.Join(subset(locales, set), ","))})
	}
	return all, nil
}

// subset returns the items of list whose bits are set.
func subset(list []string, set int) []string {
	var selected []string
	for i, item := range list {
		if set&(1<<i) != 0 {
			selected = append(selected, item)
		}
	}
	return selected
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
			return []request{{target: b.path("/elements?cursor=" + url.QueryEscape(cursor))}}, nil
		}
		cursor = page.Next
	}
}

// search builds queries of words that occur in the same element.
func search(words int) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		want := distinctInputs
		if words == 1 {
			want = 500 // the taxonomy has only a few hundred words
		}
		seen := make(map[string]bool)
		var all []request
		for len(all) < want {
			e := b.release.Taxonomy.Elements[b.rand.IntN(len(b.release.Taxonomy.Elements))]
			title, _ := e.Title.Get("en")
			description, _ := e.Description.Get("en")
			text := strings.Fields(title + " " + description)
			b.rand.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
			q := strings.Join(text[:min(words, len(text))], " ")
			if !seen[q] {
				seen[q] = true
				all = append(all, request{target: b.path("/elements?query=" + url.QueryEscape(q))})
			}
		}
		return all, nil
	}
}

// placements is the number of placements in generated documents.
const placements = 20

func thinDocuments(b requestBuilder) ([][]byte, error) {
	generator := newDocumentGenerator(b.rand, b.release.Taxonomy)
	documents := make([][]byte, distinctInputs)
	for i := range documents {
		var err error
		if documents[i], err = generator.document(placements); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

func resolvedDocuments(b requestBuilder) ([][]byte, error) {
	documents, err := thinDocuments(b)
	if err != nil {
		return nil, err
	}
	for i, d := range documents {
		verdict, resolution, err := query.Resolve(b.release, d, nil)
		if err != nil {
			return nil, err
		}
		if resolution == nil {
			return nil, fmt.Errorf("a generated document is invalid: %v", verdict.Errors)
		}
		documents[i] = resolution.Response()
	}
	return documents, nil
}

func post(suffix string, documents func(requestBuilder) ([][]byte, error)) func(requestBuilder) ([]request, error) {
	return func(b requestBuilder) ([]request, error) {
		bodies, err := documents(b)
		all := make([]request, len(bodies))
		for i, body := range bodies {
			all[i] = request{method: "POST", target: b.path(suffix), header: contentJSON, body: body}
		}
		return all, err
	}
}

const contentJSON = "Content-Type: application/json\r\n"

// call builds an MCP tool call.
func call(id int, tool string, arguments any) (request, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": arguments},
	}, json.Deterministic(true))
	return request{
		method: "POST", target: "/mcp", body: body,
		header: contentJSON + "Accept: application/json, text/event-stream\r\n",
	}, err
}

func callGetElement(b requestBuilder) ([]request, error) {
	elements, locales := b.release.Taxonomy.Elements, b.release.Manifest.Locales
	all := make([]request, distinctInputs)
	for i := range all {
		arguments := map[string]any{
			"version":    b.release.ID().String(),
			"element_id": elements[i%len(elements)].ID,
		}
		// Every second call selects locales.
		if set := i / len(elements) % (2 << len(locales)); set < 1<<len(locales) && set > 0 {
			arguments["locales"] = subset(locales, set)
		}
		var err error
		if all[i], err = call(i+1, "get_element", arguments); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func callValidate(b requestBuilder) ([]request, error) {
	documents, err := thinDocuments(b)
	if err != nil {
		return nil, err
	}
	all := make([]request, len(documents))
	for i, d := range documents {
		arguments := map[string]any{"version": b.release.ID().String(), "datachain": jsontext.Value(d)}
		if all[i], err = call(i+1, "validate_datachain", arguments); err != nil {
			return nil, err
		}
	}
	return all, nil
}
