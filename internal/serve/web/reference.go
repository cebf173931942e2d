package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/show/view"
)

// referencePath is the path of the API reference.
const referencePath = "/docs/api-reference"

type referenceData struct {
	*apiReference
	Guides []*document
}

// reference is the overview of the API reference.
func (q *request) reference() (*page, error) {
	api, err := q.handler.api()
	if err != nil {
		return nil, err
	}
	return &page{
		template: "reference.html", Title: q.ui.get("reference.title"), Description: q.ui.get("reference.lead"),
		Path: referencePath, Crumbs: q.docsCrumbs(), Locales: pageLanguages(), Search: q.docsBox(""), Data: referenceData{api, q.guides()},
	}, nil
}

// operationData is the data of the page about an operation.
type operationData struct {
	*operation
	Inputs   []input
	Document string // body of the request; empty if it has none
	Snippets []snippet
}

// Required returns the fields that a request needs.
func (d operationData) Required() []input {
	return slices.DeleteFunc(slices.Clone(d.Inputs), func(i input) bool { return !i.Required })
}

// Optional returns the fields that may stay empty.
func (d operationData) Optional() []input {
	return slices.DeleteFunc(slices.Clone(d.Inputs), func(i input) bool { return i.Required })
}

// PathParts returns the path, divided after its slashes, where browsers may break it.
func (o *operation) PathParts() []string { return strings.SplitAfter(o.Path, "/") }

// input is the form field of a parameter.
type input struct {
	parameter
	Value       string
	Suggestions []string
}

// ID returns the id of the form field.
func (i *input) ID() string { return "param-" + i.Name }

// IsChoice reports whether the value is one of a list.
func (i *input) IsChoice() bool { return len(i.Values) > 0 && i.Type == "string" }

// operationPage is the page about an operation.
func (q *request) operationPage() (*page, error) {
	api, o, err := q.operation()
	if err != nil {
		return nil, err
	}
	p := &page{
		template: "operation.html", Title: o.ID + " · " + q.ui.get("reference.title"), Description: o.Summary, Path: o.PagePath(),
		Crumbs:  q.docsCrumbs(crumb{Text{Value: q.ui.get("reference.title")}, referencePath + "#" + o.Group}),
		Locales: pageLanguages(), Search: q.docsBox(""), LinkedData: q.linkedArticle(o.PagePath(), o.Summary),
	}
	if strings.HasPrefix(o.mediaType(), "text/html") {
		p.policy = renderedPolicy
	}
	// Without the release, the page shows the examples of the OpenAPI document.
	values, err := q.newSample(api, o)
	p.uncached = err != nil
	data := operationData{operation: o}
	path := make(map[string]string)
	for _, param := range o.Parameters {
		field := input{parameter: param}
		field.Value, field.Suggestions = values.value(&param)
		path[param.Name] = field.Value
		data.Inputs = append(data.Inputs, field)
	}
	if data.Document, err = values.body(o); err != nil {
		return nil, err
	}
	data.Snippets = snippets(o, q.base+expandPath(o.Path, path), data.Document)
	p.Data = data
	return p, nil
}

// renderedPolicy also allows the style of documents, which the page shows in a frame.
var renderedPolicy = func() []string {
	_, styles, _ := strings.Cut(view.Policy, "style-src ")
	styles, _, _ = strings.Cut(styles, ";")
	return []string{policy[0] + " " + styles} // ends with the sources of styles
}()

// runOperation redirects forms that are sent without script to the API.
func (q *request) runOperation() (*page, error) {
	_, o, err := q.operation()
	if err != nil {
		return nil, err
	}
	if !o.IsRead() {
		return nil, errNoPage
	}
	given := q.URL.Query()
	path := make(map[string]string)
	params := url.Values{}
	for _, p := range o.Parameters {
		value := given.Get(p.Name)
		if p.In == "path" {
			path[p.Name] = value
		} else if value != "" {
			params.Set(p.Name, value)
		}
	}
	target := expandPath(o.Path, path)
	if len(params) > 0 {
		target += "?" + params.Encode()
	}
	return &page{redirect: target}, nil
}

// operation returns the operation that the path names.
func (q *request) operation() (*apiReference, *operation, error) {
	api, err := q.handler.api()
	if err != nil {
		return nil, nil, err
	}
	id := q.PathValue("operation")
	if o := api.find(id); o != nil {
		return api, o, nil
	}
	var ids []string
	for _, o := range api.operations {
		ids = append(ids, o.ID)
	}
	return nil, nil, problem.New(problem.NotFound, "The API has no operation %q.", problem.Clip(id)).
		Hint("%s", strings.TrimSpace(problem.DidYouMean(id, ids)+fmt.Sprintf(" %s lists all operations.", referencePath)))
}

// expandPath replaces the parameters in a path by their values.
func expandPath(path string, values map[string]string) string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", url.PathEscape(value))
	}
	return strings.NewReplacer(pairs...).Replace(path)
}
