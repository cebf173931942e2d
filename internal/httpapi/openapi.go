package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
	"placard/internal/ratelimit"
	"placard/internal/release"
)

//go:generate go test . -run TestTheOpenAPIDocumentIsFresh -update

// operation is what the OpenAPI document says of a route beyond its row.
type operation struct {
	id     string
	tag    string
	files  []file // what the pattern's {file} stands for; the first has this id
	params []param
	body   string // schema of the request's body
	answer object // schema of a 200's body; nil: an SVG image
}

// file is one form of the names that a pattern's {file} stands for.
type file struct{ id, name string }

// param is a parameter of the query.
type param struct {
	name   string
	schema object
	about  string
}

// openAPI answers with the OpenAPI document of the table of routes.
func (a *api) openAPI(*http.Request) (reply, error) {
	if made := a.openapi.Load(); made != nil {
		return *made, nil
	}
	body, err := json.Marshal(object{
		{"openapi", "3.1.1"},
		{"info", object{
			{"title", "Placard"},
			{"version", "2"},
			{"summary", "Versioned taxonomies, and the disclosures (datachains) written in them."},
			{"description", openAPIDescription},
			{"license", object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}},
		}},
		{"tags", openAPITags},
		{"paths", paths(a.routes())},
		{"components", object{{"schemas", openAPISchemas()}, {"responses", failures()}, {"headers", openAPIHeaders}}},
	}, jsontext.WithIndent("  "))
	if err != nil {
		return reply{}, err
	}
	body = append(body, '\n')
	made := reply{
		contentType: typeJSON,
		cache:       noCache,
		etag:        []string{`"` + release.Digest(body)[:32] + `"`},
		body:        body,
	}
	a.openapi.Store(&made)
	return made, nil
}

// paths describes every address once, with all its methods.
func paths(routes []route) object {
	var all object
	for _, rt := range routes {
		files := rt.doc.files
		if files == nil {
			files = []file{{rt.doc.id, "{file}"}}
		}
		for _, f := range files {
			address := strings.Replace(rt.pattern, "{file}", f.name, 1)
			methods, _ := all.Get(address).(object)
			all = all.Set(address, methods.With(strings.ToLower(rt.method), rt.describe(f.id, address)))
		}
	}
	return all
}

func (rt route) describe(id, address string) object {
	op := object{{"operationId", id}, {"summary", rt.summary}, {"description", rt.limits()}, {"tags", []string{rt.doc.tag}}}
	var params []object
	for part := range strings.SplitSeq(address, "{") {
		if name, _, ok := strings.Cut(part, "}"); ok {
			params = append(params, object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", pathParams[name]}})
		}
	}
	for _, p := range rt.doc.params {
		described := object{{"name", p.name}, {"in", "query"}, {"description", p.about}, {"schema", p.schema}}
		if p.schema.Get("type") == "array" {
			described = described.With("style", "form").With("explode", false)
		}
		params = append(params, described)
	}
	if params != nil {
		op = op.With("parameters", params)
	}
	if rt.doc.body != "" {
		op = op.With("requestBody", object{{"required", true}, {"content", object{{typeJSON[0], object{{"schema", schemas.Type(rt.doc.body)}}}}}})
	}
	return op.With("responses", rt.responses(address))
}

// limits says what the row's bucket and budget are unless they are configured
// otherwise.
func (rt route) limits() string {
	limit := ratelimit.DefaultPolicy.Limit(rt.bucket)
	text := fmt.Sprintf("Charged to the bucket %s: %d requests in %.0f s for each client. Answered within %.0f s",
		rt.bucket, limit.Requests, limit.Window.Seconds(), rt.budget.Wall.Seconds())
	if rt.budget.CPU > 0 {
		text += fmt.Sprintf(" and %d ms of processor time", rt.budget.CPU.Milliseconds())
	}
	return text + "."
}

// responses are the answers that a route can give, the statuses rising.
func (rt route) responses(address string) object {
	isRead := rt.method == http.MethodGet
	versioned := strings.Contains(address, "{version}")

	sent := object{{"Cache-Control", headerRef("Cache-Control")}, {"X-Request-Id", headerRef("X-Request-Id")}}
	if isRead {
		sent = sent.With("ETag", headerRef("ETag"))
	}
	if versioned {
		sent = sent.With("Service-Content-Hash", headerRef("Service-Content-Hash"))
	}
	content := object{{typeJSON[0], object{{"schema", rt.doc.answer}}}}
	if rt.doc.answer == nil {
		content = object{{"image/svg+xml", object{{"schema", object{{"type", "string"}}}}}}
	}
	all := object{{"200", object{{"description", rt.summary}, {"headers", sent}, {"content", content}}}}
	if isRead {
		all = all.With("304", object{{"description", "The caller has it already: If-None-Match names its ETag."}, {"headers", sent}})
	}
	codes := []problem.Code{problem.RateLimited, problem.InternalError, problem.Overloaded, problem.Timeout}
	if strings.Contains(address, "{") {
		codes = append(codes, problem.BadRequest, problem.NotFound)
	}
	if versioned || strings.HasSuffix(address, "/schemas") {
		codes = append(codes, problem.UpstreamError)
	}
	if rt.doc.body != "" {
		codes = append(codes, problem.PayloadTooLarge, problem.UnsupportedMediaType)
	}
	slices.SortFunc(codes, func(a, b problem.Code) int { return statuses[a] - statuses[b] })
	for _, code := range codes {
		all = all.With(strconv.Itoa(statuses[code]), object{{"$ref", "#/components/responses/" + string(code)}})
	}
	return all
}

// failures are the answers that routes share, by their codes.
func failures() object {
	var all object
	for _, rule := range problem.Faults {
		sent := object{{"Cache-Control", headerRef("Cache-Control")}, {"X-Request-Id", headerRef("X-Request-Id")}}
		if rule.Code == problem.RateLimited || rule.Code == problem.Overloaded {
			sent = sent.With("Retry-After", headerRef("Retry-After"))
		}
		all = all.With(string(rule.Code), object{
			{"description", rule.Title + " " + rule.Why},
			{"headers", sent},
			{"content", object{{typeJSON[0], object{{"schema", schemas.Type("Failure")}}}}},
		})
	}
	return all
}

func headerRef(name string) object { return object{{"$ref", "#/components/headers/" + name}} }
