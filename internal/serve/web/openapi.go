package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// apiReference is the part of the OpenAPI document that pages show.
type apiReference struct {
	Description [][]quotedPart // paragraphs
	Groups      []operationGroup
	operations  []*operation // in the order of the groups
}

// quotedPart is a part of a text in which code is quoted by backticks.
type quotedPart struct {
	Text   string
	IsCode bool
}

// quotedParts divides a text at its backticks.
func quotedParts(text string) []quotedPart {
	var parts []quotedPart
	for i, part := range strings.Split(text, "`") {
		parts = append(parts, quotedPart{part, i%2 == 1})
	}
	return parts
}

// operationGroup is the operations with one tag.
type operationGroup struct {
	Name        string
	Description string
	Operations  []*operation
}

// operation is one operation of the API. Everything that it refers to is resolved.
type operation struct {
	ID          string
	Method      string
	Path        string // with parameters in braces
	Summary     string
	Description []string // paragraphs
	Group       string
	Parameters  []parameter
	Body        *requestBody // nil if requests have no body
	Responses   []apiResponse
	Errors      []apiResponse
	ErrorBody   []schemaView // of the errors; usually one

	Previous, Next *operation
}

type parameter struct {
	schemaView // with an example
	In         string
}

type requestBody struct {
	Schema  schemaView
	Example jsontext.Value
}

type apiResponse struct {
	Status      int
	Code        string // of a problem; empty if the response is not an error
	Description string
	Headers     []apiHeader
	Content     []apiContent
}

// StatusText returns the name of the status, such as Not Found.
func (r apiResponse) StatusText() string { return http.StatusText(r.Status) }

type apiHeader struct {
	Name, Description string
	isNew             bool // no response before it on the page has the header
}

// NewHeaders returns the headers that are described with this response.
func (r apiResponse) NewHeaders() []apiHeader {
	return slices.DeleteFunc(slices.Clone(r.Headers), func(h apiHeader) bool { return !h.isNew })
}

// KnownHeaders returns the headers that are described with another response.
func (r apiResponse) KnownHeaders() []apiHeader {
	return slices.DeleteFunc(slices.Clone(r.Headers), func(h apiHeader) bool { return h.isNew })
}

// apiContent is a body of a response in one media type.
type apiContent struct {
	MediaType string
	Schema    *schemaView // nil if it is not JSON
	Example   string
}

// PagePath returns the path of the page about the operation.
func (o *operation) PagePath() string { return referencePath + "/" + o.ID }

// IsRead reports whether the operation is a GET request.
func (o *operation) IsRead() bool { return o.Method == http.MethodGet }

// mediaType returns the first media type of the body of a successful response.
func (o *operation) mediaType() string {
	for _, r := range o.Responses {
		if r.Status == http.StatusOK && len(r.Content) > 0 {
			return r.Content[0].MediaType
		}
	}
	return ""
}

// find returns the operation with the given id, or nil.
func (a *apiReference) find(id string) *operation {
	for _, o := range a.operations {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// The JSON form of the OpenAPI document.
type (
	rawDocument struct {
		Info struct {
			Description string `json:"description"`
		} `json:"info"`
		Tags []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"tags"`
		Paths      members[members[jsontext.Value]] `json:"paths"`
		Components rawComponents                    `json:"components"`
	}
	rawComponents struct {
		Schemas   map[string]*rawSchema   `json:"schemas"`
		Responses map[string]*rawResponse `json:"responses"`
		Headers   map[string]*rawHeader   `json:"headers"`
	}
	rawOperation struct {
		ID          string         `json:"operationId"`
		Summary     string         `json:"summary"`
		Description string         `json:"description"`
		Tags        []string       `json:"tags"`
		Parameters  []rawParameter `json:"parameters"`
		RequestBody *struct {
			Content members[rawMedia] `json:"content"`
		} `json:"requestBody"`
		Responses members[*rawResponse] `json:"responses"`
	}
	rawParameter struct {
		Ref         string         `json:"$ref"`
		Name        string         `json:"name"`
		In          string         `json:"in"`
		Required    bool           `json:"required"`
		Description string         `json:"description"`
		Schema      *rawSchema     `json:"schema"`
		Example     jsontext.Value `json:"example"`
	}
	rawMedia struct {
		Schema  *rawSchema     `json:"schema"`
		Example jsontext.Value `json:"example"`
	}
	rawResponse struct {
		Ref         string              `json:"$ref"`
		Description string              `json:"description"`
		Headers     members[*rawHeader] `json:"headers"`
		Content     members[rawMedia]   `json:"content"`
	}
	rawHeader struct {
		Ref         string `json:"$ref"`
		Description string `json:"description"`
	}
)

// members are the members of a JSON object in their order.
type members[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

// UnmarshalJSONFrom reads an object.
func (m *members[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != jsontext.KindBeginObject {
		return fmt.Errorf("got %v, want an object", kind)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		var next member[T]
		if err := json.UnmarshalDecode(dec, &next.name); err != nil {
			return err
		}
		if err := json.UnmarshalDecode(dec, &next.value); err != nil {
			return err
		}
		*m = append(*m, next)
	}
	_, err := dec.ReadToken()
	return err
}

// methods are the members of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "patch"}

// readReference reads the OpenAPI document.
func readReference(docs fs.FS) (*apiReference, error) {
	if docs == nil {
		return nil, errNoPage
	}
	data, err := fs.ReadFile(docs, openAPIFile)
	if err != nil {
		return nil, err
	}
	var raw rawDocument
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", openAPIFile, err)
	}
	a := &apiReference{}
	for text := range strings.SplitSeq(raw.Info.Description, "\n\n") {
		a.Description = append(a.Description, quotedParts(text))
	}
	for _, tag := range raw.Tags {
		a.Groups = append(a.Groups, operationGroup{Name: tag.Name, Description: tag.Description})
	}
	for _, path := range raw.Paths {
		for _, item := range path.value {
			if !slices.Contains(methods, item.name) {
				continue
			}
			o, err := raw.Components.operation(item.name, path.name, item.value)
			if err != nil {
				return nil, fmt.Errorf("%s: %s %s: %w", openAPIFile, item.name, path.name, err)
			}
			i := slices.IndexFunc(a.Groups, func(g operationGroup) bool { return g.Name == o.Group })
			if i < 0 {
				return nil, fmt.Errorf("%s: operation %s has the unknown tag %q", openAPIFile, o.ID, o.Group)
			}
			a.Groups[i].Operations = append(a.Groups[i].Operations, o)
		}
	}
	for _, group := range a.Groups {
		a.operations = append(a.operations, group.Operations...)
	}
	for i, o := range a.operations {
		if i > 0 {
			o.Previous = a.operations[i-1]
			o.Previous.Next = o
		}
	}
	return a, nil
}

// operation returns an operation with everything that it refers to.
func (c *rawComponents) operation(method, path string, data jsontext.Value) (*operation, error) {
	var raw rawOperation
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	if raw.ID == "" || len(raw.Tags) == 0 {
		return nil, errors.New("an operation must have an id and a tag")
	}
	o := &operation{
		ID: raw.ID, Method: strings.ToUpper(method), Path: path, Summary: raw.Summary, Group: raw.Tags[0],
		Description: strings.Split(raw.Description, "\n\n"),
	}
	for _, p := range raw.Parameters {
		if p.Ref != "" {
			continue // the headers that operations share are not entered in forms
		}
		if p.In != "path" && p.In != "query" {
			return nil, fmt.Errorf("parameter %s must be in the path or in the query string", p.Name)
		}
		// Each parameter is described in full, and in words: readers look for one of them.
		view := newSchemaWriter(c.Schemas).view(p.Schema)
		view.Name, view.Required, view.Pattern, view.Example = p.Name, p.Required, "", plainText(p.Example)
		if p.Description != "" {
			view.Description = p.Description
		}
		o.Parameters = append(o.Parameters, parameter{view, p.In})
	}
	w := newSchemaWriter(c.Schemas)
	if raw.RequestBody != nil && len(raw.RequestBody.Content) > 0 {
		media := raw.RequestBody.Content[0].value
		o.Body = &requestBody{w.view(media.Schema), media.Example}
	}
	for _, r := range raw.Responses {
		if err := c.addResponse(o, w, r.name, r.value); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// addResponse adds a response to o.
func (c *rawComponents) addResponse(o *operation, w *schemaWriter, status string, raw *rawResponse) error {
	number, err := strconv.Atoi(status)
	if err != nil {
		return err
	}
	response := apiResponse{Status: number}
	if raw.Ref != "" {
		// The component of an error is named after the code of the problem.
		name := refName(raw.Ref)
		if raw = c.Responses[name]; raw == nil || raw.Ref != "" {
			return fmt.Errorf("there is no response %q", name)
		}
		if number >= http.StatusBadRequest {
			response.Code = name
		}
	}
	response.Description = raw.Description
	for _, h := range raw.Headers {
		header := h.value
		if header.Ref != "" {
			if header = c.Headers[refName(header.Ref)]; header == nil || header.Ref != "" {
				return fmt.Errorf("there is no header %q", h.name)
			}
		}
		response.Headers = append(response.Headers, apiHeader{h.name, header.Description, !o.hasHeader(h.name)})
	}
	if response.Code != "" {
		for _, m := range raw.Content {
			// All errors have the same body, which is described once.
			if view := w.view(m.value.Schema); view.Target == "" {
				o.ErrorBody = append(o.ErrorBody, view)
			}
		}
		o.Errors = append(o.Errors, response)
		return nil
	}
	for _, m := range raw.Content {
		content := apiContent{MediaType: m.name, Example: string(m.value.Example)}
		if m.value.Schema != nil && isJSON(m.name) {
			view := w.view(m.value.Schema)
			content.Schema = &view
		}
		response.Content = append(response.Content, content)
	}
	o.Responses = append(o.Responses, response)
	return nil
}

// isJSON reports whether a media type is JSON, such as application/ld+json.
func isJSON(mediaType string) bool { return strings.HasSuffix(mediaType, "json") }

// hasHeader reports whether a response of o has the given header.
func (o *operation) hasHeader(name string) bool {
	return slices.ContainsFunc(slices.Concat(o.Responses, o.Errors), func(r apiResponse) bool {
		return slices.ContainsFunc(r.Headers, func(h apiHeader) bool { return h.Name == name })
	})
}

// refName returns the name of the component that a reference names.
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
