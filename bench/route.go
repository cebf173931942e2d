package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/query"
	"placard/internal/release"
)

// distinct is how many different inputs the routes get that compute an answer,
// so that nothing kept from an earlier request answers for the code.
const distinct = 5_000

// route is one row of the table: what is asked, and what it may cost.
type route struct {
	name string
	ask  func(asker) ([]request, error)

	known bool   // asked as one who has the answer already
	want  string // how the body of every answer begins; default `{"ok":true`, "*" anyhow

	cpu    float64 // target: CPU time against the bare handler's; 0: none
	allocs float64 // target: allocations beyond the bare handler's; 0: none
	small  bool    // asked of the generated taxonomies of every size too
	large  bool    // asked of the largest generated taxonomy too
}

// readAllocs is what one read may allocate beyond net/http's own.
const readAllocs = 5

// routes are all rows. Of reads whose answers are a few, all are asked for.
var routes = []route{
	{name: "manifest", ask: get("/manifest"), cpu: 1.3, allocs: readAllocs},
	{name: "categories", ask: get("/categories"), cpu: 1.3, allocs: readAllocs},
	{name: "element", ask: everyElement("/elements/%s"), cpu: 1.3, allocs: readAllocs, small: true},
	{name: "elements", ask: get("/elements"), cpu: 1.3, allocs: readAllocs},
	{name: "icon", ask: everyIcon, want: "<svg", cpu: 1.3, allocs: readAllocs, small: true},
	{name: "symbol", ask: everySymbol, want: "<svg", cpu: 1.3, allocs: readAllocs},
	{name: "shape", ask: everyShape, want: "<svg", cpu: 1.3, allocs: readAllocs},
	{name: "manifest, 304", ask: get("/manifest"), known: true, cpu: 1.2, allocs: readAllocs},
	{name: "elements, 304", ask: get("/elements"), known: true, cpu: 1.2, allocs: readAllocs},
	{name: "icon, 304", ask: everyIcon, known: true, cpu: 1.2, allocs: readAllocs},
	{name: "elements fields=all", ask: get("/elements?fields=all"), cpu: 1.4, allocs: readAllocs},
	{name: "elements locales", ask: everyLocales, cpu: 1.4, allocs: readAllocs},
	{name: "elements category_id", ask: everyCategory(""), cpu: 1.4, allocs: readAllocs},
	{name: "elements category_id, five", ask: everyCategory("&limit=5"), allocs: readAllocs, small: true},
	{name: "elements, last page", ask: lastPage, allocs: readAllocs, small: true},
	{name: "elements, compressed", ask: compressed("/elements"), want: "*", allocs: readAllocs},
	{name: "search, one word", ask: search(1), allocs: readAllocs},
	{name: "search, six words", ask: search(6), cpu: 3, allocs: readAllocs, large: true},
	{name: "schemas", ask: schemas, allocs: readAllocs},
	{name: "validate", ask: send("/validate", thin), cpu: 3, large: true},
	{name: "resolve", ask: send("/resolve", thin), want: `{"`, cpu: 4, large: true},
	{name: "validate_resolved", ask: send("/validate_resolved", resolved)},
	{name: "MCP get_element", ask: callGetElement, want: `{"`, cpu: 2},
	{name: "MCP validate_datachain", ask: callValidate, want: `{"`},
}

// asker makes the requests of a route to one release.
type asker struct {
	release *release.Release
	rand    *rand.Rand
}

func (a asker) path(below string) string {
	return "/api/v2/schemas/" + a.release.ID().String() + below
}

func get(below string) func(asker) ([]request, error) {
	return func(a asker) ([]request, error) {
		return []request{{target: a.path(below)}}, nil
	}
}

// compressed asks as browsers do.
func compressed(below string) func(asker) ([]request, error) {
	return func(a asker) ([]request, error) {
		return []request{{target: a.path(below), header: "Accept-Encoding: gzip, deflate, br, zstd\r\n"}}, nil
	}
}

func schemas(asker) ([]request, error) { return []request{{target: "/api/v2/schemas"}}, nil }

func everyElement(below string) func(asker) ([]request, error) {
	return func(a asker) ([]request, error) {
		var all []request
		for _, e := range a.release.Taxonomy.Elements {
			all = append(all, request{target: a.path(fmt.Sprintf(below, e.ID))})
		}
		return a.some(all), nil
	}
}

// some returns at most as many requests as are asked of computing routes, in
// no order.
func (a asker) some(all []request) []request {
	a.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), distinct)]
}

func everyIcon(a asker) ([]request, error) {
	var all []request
	for _, e := range a.release.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			all = append(all, request{target: a.path(fmt.Sprintf("/elements/%s/icon.%s.svg", e.ID, variant))})
		}
	}
	return a.some(all), nil
}

func everySymbol(a asker) ([]request, error) {
	var all []request
	for _, e := range a.release.Taxonomy.Elements {
		all = append(all, request{target: a.path("/symbols/" + e.SymbolID + ".svg")})
	}
	return a.some(all), nil
}

func everyShape(asker) ([]request, error) {
	return []request{
		{target: "/api/v2/shapes/circle.svg"},
		{target: "/api/v2/shapes/hexagon.svg"},
		{target: "/api/v2/shapes/octagon.svg"},
		{target: "/api/v2/shapes/rounded-square.svg"},
	}, nil
}

func everyCategory(more string) func(asker) ([]request, error) {
	return func(a asker) ([]request, error) {
		var all []request
		for _, c := range a.release.Taxonomy.Categories {
			all = append(all, request{target: a.path("/elements?category_id=" + c.ID + more)})
		}
		return all, nil
	}
}

// everyLocales asks for every selection of the release's locales.
func everyLocales(a asker) ([]request, error) {
	var all []request
	locales := a.release.Manifest.Locales
	for set := 1; set < 1<<len(locales); set++ {
		all = append(all, request{target: a.path("/elements?locales=" + strings.Join(selection(locales, set), ","))})
	}
	return all, nil
}

func selection(list []string, set int) []string {
	var chosen []string
	for i, item := range list {
		if set&(1<<i) != 0 {
			chosen = append(chosen, item)
		}
	}
	return chosen
}

// lastPage is as far from the first element as a page can be.
func lastPage(a asker) ([]request, error) {
	var cursor string
	for {
		page, err := query.List(a.release, query.Elements{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		if page.Next == "" {
			return []request{{target: a.path("/elements?cursor=" + url.QueryEscape(cursor))}}, nil
		}
		cursor = page.Next
	}
}

// search asks for words that stand together in one element.
func search(words int) func(asker) ([]request, error) {
	return func(a asker) ([]request, error) {
		want := distinct
		if words == 1 {
			want = 500 // there are not more words than some hundreds
		}
		seen := make(map[string]bool)
		var all []request
		for len(all) < want {
			e := a.release.Taxonomy.Elements[a.rand.IntN(len(a.release.Taxonomy.Elements))]
			title, _ := e.Title.Get("en")
			description, _ := e.Description.Get("en")
			text := strings.Fields(title + " " + description)
			a.rand.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
			q := strings.Join(text[:min(words, len(text))], " ")
			if !seen[q] {
				seen[q] = true
				all = append(all, request{target: a.path("/elements?query=" + url.QueryEscape(q))})
			}
		}
		return all, nil
	}
}

// placements is how many elements the documents that are sent place.
const placements = 20

func thin(a asker) ([][]byte, error) {
	writer := newAuthor(a.rand, a.release.Taxonomy)
	documents := make([][]byte, distinct)
	for i := range documents {
		var err error
		if documents[i], err = writer.document(placements); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

func resolved(a asker) ([][]byte, error) {
	documents, err := thin(a)
	if err != nil {
		return nil, err
	}
	for i, d := range documents {
		verdict, resolution, err := query.Resolve(a.release, d, nil)
		if err != nil {
			return nil, err
		}
		if resolution == nil {
			return nil, fmt.Errorf("a generated document is not valid: %v", verdict.Errors)
		}
		documents[i] = resolution.Answer()
	}
	return documents, nil
}

func send(below string, documents func(asker) ([][]byte, error)) func(asker) ([]request, error) {
	return func(a asker) ([]request, error) {
		bodies, err := documents(a)
		all := make([]request, len(bodies))
		for i, body := range bodies {
			all[i] = request{method: "POST", target: a.path(below), header: contentJSON, body: body}
		}
		return all, err
	}
}

const contentJSON = "Content-Type: application/json\r\n"

// call is a request to a tool.
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

func callGetElement(a asker) ([]request, error) {
	elements, locales := a.release.Taxonomy.Elements, a.release.Manifest.Locales
	all := make([]request, distinct)
	for i := range all {
		arguments := map[string]any{
			"version":    a.release.ID().String(),
			"element_id": elements[i%len(elements)].ID,
		}
		// Every second call wants some of the locales.
		if set := i / len(elements) % (2 << len(locales)); set < 1<<len(locales) && set > 0 {
			arguments["locales"] = selection(locales, set)
		}
		var err error
		if all[i], err = call(i+1, "get_element", arguments); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func callValidate(a asker) ([]request, error) {
	documents, err := thin(a)
	if err != nil {
		return nil, err
	}
	all := make([]request, len(documents))
	for i, d := range documents {
		arguments := map[string]any{"version": a.release.ID().String(), "datachain": jsontext.Value(d)}
		if all[i], err = call(i+1, "validate_datachain", arguments); err != nil {
			return nil, err
		}
	}
	return all, nil
}
