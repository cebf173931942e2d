package httpapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/serve/ratelimit"
)

//go:generate go test . -run TestOpenAPIDocumentIsUpToDate -update

// operation describes a route in the OpenAPI document.
type operation struct {
	id       string
	title    string // a verb and its object
	tag      string
	files    []file // the file names that {file} in the pattern matches
	params   []param
	needs    map[string]string // examples of the required query parameters, by name
	body     string            // type of the request body
	example  jsontext.Value    // a request body that the built-in taxonomy accepts
	result   object            // schema of the body of a 200 response; nil: an SVG image
	media    string            // media type of result; default JSON
	rendered []string          // other media types of the body of a 200 response, which is then a text
	archive  bool              // the body of a 200 response is a zip archive
}

// file is a file name that the {file} of a pattern matches.
type file struct{ id, title, name string }

// param is a query parameter.
type param struct {
	name        string
	schema      object
	description string
}

// openAPI returns the OpenAPI document. It is generated from the table of routes.
func (a *api) openAPI(*http.Request, func() error) (reply, error) {
	if cached := a.openapi.Load(); cached != nil {
		return *cached, nil
	}
	routes := a.routes()
	body, err := json.Marshal(object{
		{"openapi", "3.1.1"},
		{"info", object{
			{"title", "Placard"},
			{"version", "2"},
			{"summary", "Versioned taxonomies, and the disclosures (datachains) written in them."},
			{"description", openAPIDescription},
			{"license", object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		// Relative to the URL of the document, which has the scheme and host that
		// clients use, even behind a proxy.
		{"servers", []object{{{"url", "/"}, {"description", "The server of this document."}}}},
		{"security", []object{}},
		{"tags", openAPITags},
		{"paths", paths(routes)},
		{"components", object{{"schemas", openAPISchemas()}, {"responses", failures(routes)}, {"parameters", openAPIParameters}, {"headers", openAPIHeaders}}},
	}, jsontext.WithIndent("  "))
	if err != nil {
		return reply{}, err
	}
	body = append(body, '\n')
	doc := jsonReply(body)
	a.openapi.Store(&doc)
	return doc, nil
}

// paths returns the path items of all routes.
func paths(routes []route) object {
	var all object
	for _, rt := range routes {
		for _, f := range rt.files() {
			path := strings.Replace(rt.pattern, "{file}", f.name, 1)
			methods, _ := all.Get(path).(object)
			all = all.Set(path, methods.With(strings.ToLower(rt.method), rt.describe(f, path)))
		}
	}
	return all
}

// files returns the file names that {file} in the pattern matches. A pattern
// without {file} has one, which has no effect.
func (rt route) files() []file {
	if rt.doc.files == nil {
		return []file{{rt.doc.id, rt.doc.title, "{file}"}}
	}
	return rt.doc.files
}

func (rt route) describe(f file, path string) object {
	op := object{{"operationId", f.id}, {"summary", f.title}, {"description", rt.summary + "\n\n" + rt.limits()}, {"tags", []string{rt.doc.tag}}}
	var params []object
	for part := range strings.SplitSeq(path, "{") {
		if name, _, ok := strings.Cut(part, "}"); ok {
			p := pathParams[name]
			described := object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", p.schema}, {"example", p.example}}
			if p.description != "" {
				described = described.With("description", p.description)
			}
			params = append(params, described)
		}
	}
	for _, p := range rt.doc.params {
		described := object{{"name", p.name}, {"in", "query"}, {"description", p.description}, {"schema", p.schema}}
		if p.schema.Get("type") == "array" {
			described = described.With("style", "form").With("explode", false)
		}
		if example, ok := rt.doc.needs[p.name]; ok {
			described = described.With("required", true).With("example", example)
		}
		params = append(params, described)
	}
	params = append(params, parameterRef("Service-Client"))
	if !rt.doc.archive {
		params = append(params, parameterRef("Accept-Encoding"))
	}
	if rt.method == http.MethodGet {
		params = append(params, parameterRef("If-None-Match"))
	}
	op = op.With("parameters", params)
	if rt.doc.body != "" {
		content := object{{"schema", schemas.Type(rt.doc.body)}, {"example", rt.doc.example}}
		op = op.With("requestBody", object{{"required", true}, {"content", object{{typeJSON[0], content}}}})
	}
	return op.With("responses", rt.responses(path))
}

// limits describes the default rate limit and budget of a route.
func (rt route) limits() string {
	limit := ratelimit.DefaultPolicy.Limit(rt.bucket)
	text := fmt.Sprintf("%d requests in %.0f seconds for each client; responses within %.0f seconds",
		limit.Requests, limit.Window.Seconds(), rt.budget.Wall.Seconds())
	if rt.budget.CPU > 0 {
		text += fmt.Sprintf(" and %d ms of CPU time", rt.budget.CPU.Milliseconds())
	}
	return text + "."
}

// responses returns the responses of a route, ordered by status.
func (rt route) responses(path string) object {
	isRead := rt.method == http.MethodGet
	versioned := strings.Contains(path, "{version}")

	headers := object{{"Cache-Control", headerRef("Cache-Control")}, {"X-Request-Id", headerRef("X-Request-Id")}}
	if isRead {
		headers = headers.With("ETag", headerRef("ETag"))
	}
	if versioned {
		headers = headers.With("Service-Content-Hash", headerRef("Service-Content-Hash"))
	}
	content := object{{cmp.Or(rt.doc.media, typeJSON[0]), object{{"schema", rt.doc.result}}}}
	if rt.doc.result == nil {
		content = object{{"image/svg+xml", object{{"schema", object{{"type", "string"}}}}}}
	}
	if rt.doc.archive {
		content = object{{typeZip[0], object{}}}
	}
	for _, media := range slices.Backward(rt.doc.rendered) {
		content = append(object{{media, object{{"schema", object{{"type", "string"}}}}}}, content...)
	}
	all := object{{"200", object{{"description", rt.summary}, {"headers", headers}, {"content", content}}}}
	if isRead {
		all = all.With("304", object{{"description", "Not modified: If-None-Match contains the ETag."}, {"headers", headers}})
	}
	for _, code := range rt.failures() {
		all = all.With(strconv.Itoa(statuses[code]), object{{"$ref", "#/components/responses/" + string(code)}})
	}
	return all
}

// failures returns the codes with which requests to a route can fail, ordered by
// status.
func (rt route) failures() []problem.Code {
	codes := []problem.Code{problem.BadRequest, problem.RateLimited, problem.InternalError, problem.Overloaded, problem.Timeout}
	if strings.Contains(rt.pattern, "{") {
		codes = append(codes, problem.NotFound)
	}
	if strings.Contains(rt.pattern, "{version}") {
		codes = append(codes, problem.Gone)
	}
	if strings.HasPrefix(rt.pattern, "/api/v2/schemas") {
		codes = append(codes, problem.UpstreamError)
	}
	if rt.doc.body != "" || rt.doc.archive {
		codes = append(codes, problem.PayloadTooLarge)
	}
	if rt.doc.body != "" {
		codes = append(codes, problem.UnsupportedMediaType)
	}
	slices.SortFunc(codes, func(a, b problem.Code) int { return statuses[a] - statuses[b] })
	return codes
}

// failures returns the error responses of the routes by code.
func failures(routes []route) object {
	used := make(map[problem.Code]bool)
	for _, rt := range routes {
		for _, code := range rt.failures() {
			used[code] = true
		}
	}
	var all object
	for _, rule := range problem.Faults {
		if !used[rule.Code] {
			continue
		}
		headers := object{{"Cache-Control", headerRef("Cache-Control")}, {"X-Request-Id", headerRef("X-Request-Id")}}
		if rule.Code == problem.RateLimited || rule.Code == problem.Overloaded || rule.Code == problem.UpstreamError {
			headers = headers.With("Retry-After", headerRef("Retry-After"))
		}
		all = all.With(string(rule.Code), object{
			{"description", rule.Title + " " + rule.Why},
			{"headers", headers},
			{"content", object{{typeJSON[0], object{{"schema", schemas.Type("Failure")}}}}},
		})
	}
	return all
}

func parameterRef(name string) object {
	return object{{"$ref", "#/components/parameters/" + name}}
}

func headerRef(name string) object { return object{{"$ref", "#/components/headers/" + name}} }
