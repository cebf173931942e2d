package mcpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/serve/budget"
)

// request is a message with its context.
type request struct {
	message
	*peer
	scratch    *scratch      // working memory of the exchange
	modern     bool          // uses modernVersion
	batchMeter *budget.Meter // budget of the batch; nil outside a batch
	negotiated string        // protocol version negotiated by this handshake
}

// extras holds optional members of a result, which [Server.respond] encodes.
type extras struct {
	meta  []byte // members of the result's _meta, each followed by a comma
	cache cachePolicy
}

// cachePolicy tells clients of [modernVersion] how to cache a result.
type cachePolicy struct {
	scope string // empty for no policy
	ttl   int    // milliseconds
}

var (
	cachePublic  = cachePolicy{"public", 3600_000} // for results that change only with a new version of Placard
	cacheBriefly = cachePolicy{"public", 60_000}   // for results that change when a version is published
	cacheSession = cachePolicy{"private", 0}
)

// method is one row of the method table.
type method struct {
	handshake, modern bool // available in handshakeVersions, in modernVersion
	// handle appends the members of the result, each followed by a comma.
	handle func(*Server, context.Context, *request, []byte) ([]byte, extras, error)
}

var methods = map[string]method{
	"server/discover":          {modern: true, handle: (*Server).discover},
	"initialize":               {handshake: true, handle: (*Server).initialize},
	"ping":                     {handshake: true, handle: (*Server).ping},
	"logging/setLevel":         {handshake: true, handle: (*Server).setLevel},
	"tools/list":               {true, true, (*Server).listTools},
	"tools/call":               {true, true, (*Server).callTool},
	"prompts/list":             {true, true, (*Server).listPrompts},
	"prompts/get":              {true, true, (*Server).getPrompt},
	"resources/list":           {true, true, (*Server).listResources},
	"resources/templates/list": {true, true, (*Server).listTemplates},
	"resources/read":           {true, true, (*Server).readResource},
	"completion/complete":      {true, true, (*Server).complete},
}

// respond appends the response to req to b. If it returns an error, the caller must
// discard the appended bytes.
func (s *Server) respond(ctx context.Context, b []byte, req *request) ([]byte, *rpcError) {
	m, ok := methods[req.method]
	if !ok || req.modern && !m.modern || !req.modern && !m.handshake {
		return b, unknownMethod(req)
	}
	b = appendID(append(b, `{"jsonrpc":"2.0","id":`...), req.id)
	b, extra, err := m.handle(s, ctx, req, append(b, `,"result":{`...))
	if err != nil {
		if rpcErr, ok := errors.AsType[*rpcError](err); ok {
			return b, rpcErr
		}
		return b, fatalError(s.report(req, err))
	}
	if req.modern {
		b = append(b, `"resultType":"complete",`...)
		if extra.cache.scope != "" {
			b = append(b, `"cacheScope":"`...)
			b = append(b, extra.cache.scope...)
			b = append(b, `","ttlMs":`...)
			b = append(appendInt(b, extra.cache.ttl), ',')
		}
		b = append(b, `"_meta":{`...)
		b = append(b, extra.meta...)
		b = append(b, `"`+metaServer+`":`...)
		b = append(b, s.serverInfo...)
		return append(b, `}}}`...), nil
	}
	if len(extra.meta) > 0 {
		b = append(b, `"_meta":{`...)
		b = appendClose(append(b, extra.meta...), '}')
	}
	return append(appendClose(b, '}'), '}'), nil
}

// report logs err, unless the request was cancelled, and returns the problem to
// send to the client.
func (s *Server) report(req *request, err error) problem.Problem {
	if !errors.Is(err, context.Canceled) {
		s.Log.Error("request failed", "error", err, "method", req.method, "tool", unquote(req.name), "request_id", req.header.Get("X-Request-Id"))
	}
	if p, ok := errors.AsType[problem.Problem](err); ok && p.Code != "" {
		return p
	}
	return internalError
}

func unknownMethod(req *request) *rpcError {
	var known []string
	for name, m := range methods {
		if req.modern && m.modern || !req.modern && m.handshake {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	p := problem.New(problem.NotFound, "Unknown method %q.", problem.Clip(req.method))
	switch {
	case !req.modern && methods[req.method].modern:
		p = p.Hint("The method belongs to protocol version %s: set that version in the MCP-Protocol-Version header and in params._meta.", modernVersion)
	case req.modern && methods[req.method].handshake:
		p = p.Hint("Protocol version %s does not have this method.", modernVersion)
	default:
		p = p.Hint("The methods are %s.", problem.Listing(known, len(known)))
	}
	e := newError(codeMethodNotFound, p)
	if req.modern {
		e.status = http.StatusNotFound
	}
	return e
}

// Capabilities of the server. Up to 2025-11-25 they include logging: clients may
// set a log level, although the server never sends log messages.
const (
	capabilities          = `{"tools":{},"prompts":{},"resources":{},"completions":{}}`
	capabilitiesHandshake = `{"tools":{},"prompts":{},"resources":{},"completions":{},"logging":{}}`
)

func (s *Server) discover(_ context.Context, _ *request, b []byte) ([]byte, extras, error) {
	b = appendStrings(append(b, `"supportedVersions":`...), supportedVersions)
	b = append(b, `,"capabilities":`+capabilities+`,"instructions":`...)
	return append(appendString(b, s.instructions()), ','), extras{cache: cacheBriefly}, nil
}

func (s *Server) initialize(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	var params struct {
		Version string `json:"protocolVersion"`
	}
	if err := req.decode(&params); err != nil {
		return b, extras{}, err
	}
	req.negotiated = handshakeVersions[0]
	if slices.Contains(handshakeVersions, params.Version) {
		req.negotiated = params.Version
	}
	b = appendString(append(b, `"protocolVersion":`...), req.negotiated)
	b = append(b, `,"capabilities":`+capabilitiesHandshake+`,"serverInfo":`...)
	b = append(b, s.serverInfo...)
	b = append(b, `,"instructions":`...)
	return append(appendString(b, s.instructions()), ','), extras{}, nil
}

func (s *Server) ping(_ context.Context, _ *request, b []byte) ([]byte, extras, error) {
	return b, extras{}, nil
}

var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel accepts any valid level. The server never sends log messages.
func (s *Server) setLevel(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	var params struct {
		Level string `json:"level"`
	}
	err := req.decode(&params)
	if err == nil && !slices.Contains(logLevels, params.Level) {
		at := problem.Root.Field("params").Field("level")
		err = invalidParams(at, "%q is not a log level; the levels are %s.", problem.Clip(params.Level), problem.And(logLevels))
	}
	return b, extras{}, err
}

// decode decodes params into v, ignoring unknown members.
func (m *message) decode(v any) error {
	if m.params == nil {
		return nil
	}
	err := json.Unmarshal(m.params, v)
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		at := problem.Root.Field("params")
		for token := range semantic.JSONPointer.Tokens() {
			at = at.Field(token)
		}
		return invalidParams(at, "%q must not be a JSON %s.", semantic.JSONPointer.LastToken(), semantic.JSONKind)
	}
	return err
}

// checkCursor rejects any cursor: our lists have only one part.
func (m *message) checkCursor() error {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if err := m.decode(&params); err != nil {
		return err
	}
	if params.Cursor != "" {
		e := invalidParams(problem.Root.Field("params").Field("cursor"), "Invalid pagination cursor.")
		e.problem = e.problem.Hint("Retry without a cursor; this list has only one page.")
		return e
	}
	return nil
}
