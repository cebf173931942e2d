package mcpapi

import (
	"context"

	"placard/internal/problem"
	"placard/internal/view"
)

// The one resource: the view that the session has rendered last.
const (
	viewURI      = "ui://service/datachain/view.html"
	viewName     = "Datachain View"
	viewMIMEType = "text/html;profile=mcp-app"
	viewAbout    = "The datachain most recently rendered by render_datachain in this session, as one self-contained HTML document. " +
		"In an MCP Apps host it displays the result of each render_datachain call itself."
)

// viewUI is what hosts are told about the document. It needs nothing from
// outside, so that their default policy is right.
const viewUI = `"_meta":{"ui":{"prefersBorder":true}}`

// listResources answers resources/list.
func (s *Server) listResources(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	b = append(b, `"resources":[{"uri":"`+viewURI+`","name":"`+viewName+`","title":"`+viewName+`","description":`...)
	b = appendString(b, viewAbout)
	b = append(b, `,"mimeType":"`+viewMIMEType+`",`+viewUI+`}],`...)
	return b, extras{cache: cachePublic}, q.checkCursor()
}

// listTemplates answers resources/templates/list: there are none.
func (s *Server) listTemplates(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	return append(b, `"resourceTemplates":[],`...), extras{cache: cachePublic}, q.checkCursor()
}

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, q *request, b []byte) ([]byte, extras, error) {
	at := problem.Root.Field("params").Field("uri")
	if q.uri.Kind() != '"' {
		return b, extras{}, badParams(at, `"uri" must be a string.`)
	}
	if uri := unquote(q.uri); uri != viewURI {
		code := codeResourceNotFound
		if q.modern {
			code = codeParams
		}
		p := problem.New(problem.NotFound, "Unknown resource %q.", problem.Clip(uri)).In(at).Hint("The only resource is %s.", viewURI)
		return b, extras{}, refuse(code, p).with("uri", uri)
	}
	html, err := s.Views.Get(ctx, q.session)
	if err != nil {
		return b, extras{}, err
	}
	if html == nil {
		html = view.Placeholder()
	}
	b = append(b, `"contents":[{"uri":"`+viewURI+`","mimeType":"`+viewMIMEType+`","text":`...)
	b = appendString(b, html)
	return append(b, `,`+viewUI+`}],`...), extras{cache: cacheSession}, nil
}

// viewMeta is the _meta of a result that hosts hand to the view: what it draws,
// as JSON, and where hosts find it.
func viewMeta(drawn []byte) []byte {
	b := append(make([]byte, 0, len(drawn)+128), `"ui":{"resourceUri":"`+viewURI+`"},"`+view.MetaKey+`":`...)
	return append(append(b, drawn...), ',')
}
