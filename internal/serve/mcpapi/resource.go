package mcpapi

import (
	"context"

	"placard/internal/core/problem"
	"placard/internal/show/view"
)

// The only resource is the view most recently rendered in the session.
const (
	viewURI         = "ui://service/datachain/view.html"
	viewName        = "Datachain View"
	viewMIMEType    = "text/html;profile=mcp-app"
	viewDescription = "The datachain most recently rendered by render_datachain in this session, as one self-contained HTML document. " +
		"In an MCP Apps host, the document updates itself with the result of each render_datachain call."
)

// viewUI tells hosts how to display the document. It declares no content security policy:
// the document loads nothing, so the hosts' default policy suffices.
const viewUI = `"_meta":{"ui":{"prefersBorder":true}}`

// listResources handles resources/list.
func (s *Server) listResources(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	b = append(b, `"resources":[{"uri":"`+viewURI+`","name":"`+viewName+`","title":"`+viewName+`","description":`...)
	b = appendString(b, viewDescription)
	b = append(b, `,"mimeType":"`+viewMIMEType+`",`+viewUI+`}],`...)
	return b, extras{cache: cachePublic}, req.checkCursor()
}

// listTemplates handles resources/templates/list. There are no templates.
func (s *Server) listTemplates(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	return append(b, `"resourceTemplates":[],`...), extras{cache: cachePublic}, req.checkCursor()
}

// readResource handles resources/read.
func (s *Server) readResource(ctx context.Context, req *request, b []byte) ([]byte, extras, error) {
	at := problem.Root.Field("params").Field("uri")
	if req.uri.Kind() != '"' {
		return b, extras{}, invalidParams(at, `"uri" must be a string.`)
	}
	if uri := unquote(req.uri); uri != viewURI {
		code := codeResourceNotFound
		if req.modern {
			code = codeInvalidParams
		}
		p := problem.New(problem.NotFound, "Unknown resource %q.", problem.Clip(uri)).In(at).Hint("The only resource is %s.", viewURI)
		return b, extras{}, newError(code, p).withData("uri", uri)
	}
	var html []byte
	if key := s.viewKey(req); key != "" {
		var err error
		if html, err = s.Sessions.Get(ctx, key); err != nil {
			return b, extras{}, err
		}
	}
	if html == nil {
		html = view.Placeholder()
	}
	b = append(b, `"contents":[{"uri":"`+viewURI+`","mimeType":"`+viewMIMEType+`","text":`...)
	b = appendString(b, html)
	return append(b, `,`+viewUI+`}],`...), extras{cache: cacheSession}, nil
}

// viewMeta returns the members of _meta in a render_datachain result: the URI of
// the view, and the contents that the view displays.
func viewMeta(contents []byte) []byte {
	b := append(make([]byte, 0, len(contents)+128), `"ui":{"resourceUri":"`+viewURI+`"},"`+view.MetaKey+`":`...)
	return append(append(b, contents...), ',')
}
