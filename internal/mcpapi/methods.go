package mcpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/datachain"
	"placard/internal/problem"
)

// request is one message being answered, and what its transport knows of it.
type request struct {
	message
	*peer
	desk   *desk          // that it is answered on
	modern bool           // the era that it is of
	step   datachain.Step // of the batch that it is in; nil for one that came alone
	agreed string         // the version that this handshake agreed on
}

// extras are what a method answers beside the members of its result.
type extras struct {
	meta  []byte // members of the result's _meta, each with a comma after it
	cache cache
}

// cache is how long, and for whom, a client of the modern era may keep a result.
type cache struct {
	scope string // empty: nothing is said
	ttl   int    // milliseconds
}

var (
	cachePublic  = cache{"public", 3600_000} // what changes only with Placard itself
	cacheSession = cache{"private", 0}
)

// method is one thing that clients may ask for.
type method struct {
	handshake, modern bool // the eras that have it
	// answer appends the members of the result, each with a comma after it.
	answer func(*Server, context.Context, *request, []byte) ([]byte, extras, error)
}

var methods = map[string]method{
	"server/discover":          {modern: true, answer: (*Server).discover},
	"initialize":               {handshake: true, answer: (*Server).initialize},
	"ping":                     {handshake: true, answer: (*Server).nothing},
	"logging/setLevel":         {handshake: true, answer: (*Server).setLevel},
	"tools/list":               {true, true, (*Server).listTools},
	"tools/call":               {true, true, (*Server).callTool},
	"prompts/list":             {true, true, (*Server).listPrompts},
	"prompts/get":              {true, true, (*Server).getPrompt},
	"resources/list":           {true, true, (*Server).listResources},
	"resources/templates/list": {true, true, (*Server).listTemplates},
	"resources/read":           {true, true, (*Server).readResource},
	"completion/complete":      {true, true, (*Server).complete},
}

// respond appends the answer to q. Where there is a refusal instead, what it
// has appended is worth nothing.
func (s *Server) respond(ctx context.Context, b []byte, q *request) ([]byte, *refusal) {
	m, ok := methods[q.method]
	if !ok || q.modern && !m.modern || !q.modern && !m.handshake {
		return b, unknownMethod(q)
	}
	b = appendID(append(b, `{"jsonrpc":"2.0","id":`...), q.id)
	b, more, err := m.answer(s, ctx, q, append(b, `,"result":{`...))
	if err != nil {
		if refused, ok := errors.AsType[*refusal](err); ok {
			return b, refused
		}
		return b, stop(s.fault(q, err))
	}
	if q.modern {
		b = append(b, `"resultType":"complete",`...)
		if more.cache.scope != "" {
			b = append(b, `"cacheScope":"`...)
			b = append(b, more.cache.scope...)
			b = append(b, `","ttlMs":`...)
			b = append(appendInt(b, more.cache.ttl), ',')
		}
		b = append(b, `"_meta":{`...)
		b = append(b, more.meta...)
		b = append(b, `"`+metaServer+`":`...)
		b = append(b, s.identity...)
		return append(b, `}}}`...), nil
	}
	if len(more.meta) > 0 {
		b = append(b, `"_meta":{`...)
		b = closing(append(b, more.meta...), '}')
	}
	return append(closing(b, '}'), '}'), nil
}

// fault logs an error that is ours and returns what the caller is told, unless
// the caller has gone.
func (s *Server) fault(q *request, err error) problem.Problem {
	if !errors.Is(err, context.Canceled) {
		s.Log.Error("request failed", "error", err, "method", q.method, "tool", unquote(q.name), "request_id", q.header.Get("X-Request-Id"))
	}
	if p, ok := errors.AsType[problem.Problem](err); ok {
		return p
	}
	return ourFault
}

func unknownMethod(q *request) *refusal {
	var known []string
	for name, m := range methods {
		if q.modern && m.modern || !q.modern && m.handshake {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	p := problem.New(problem.NotFound, "Unknown method %q.", problem.Clip(q.method))
	switch {
	case !q.modern && methods[q.method].modern:
		p = p.Hint("The method belongs to protocol version %s: set that version in the MCP-Protocol-Version header and in params._meta.", modern)
	case q.modern && methods[q.method].handshake:
		p = p.Hint("Protocol version %s does not have this method.", modern)
	default:
		p = p.Hint("The methods are %s.", problem.Listing(known, len(known)))
	}
	r := refuse(codeMethod, p)
	if q.modern {
		r.status = http.StatusNotFound
	}
	return r
}

// capabilities are what we offer; logs can be asked for before the modern era,
// and none is ever sent.
const (
	capabilities          = `{"tools":{},"prompts":{},"resources":{},"completions":{}}`
	capabilitiesHandshake = `{"tools":{},"prompts":{},"resources":{},"completions":{},"logging":{}}`
)

func (s *Server) discover(_ context.Context, _ *request, b []byte) ([]byte, extras, error) {
	b = appendStrings(append(b, `"supportedVersions":`...), supported)
	b = append(b, `,"capabilities":`+capabilities+`,"instructions":`...)
	return append(appendString(b, instructions), ','), extras{cache: cachePublic}, nil
}

func (s *Server) initialize(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	var params struct {
		Version string `json:"protocolVersion"`
	}
	if err := q.decode(&params); err != nil {
		return b, extras{}, err
	}
	q.agreed = handshake[0]
	if slices.Contains(handshake, params.Version) {
		q.agreed = params.Version
	}
	b = appendString(append(b, `"protocolVersion":`...), q.agreed)
	b = append(b, `,"capabilities":`+capabilitiesHandshake+`,"serverInfo":`...)
	b = append(b, s.identity...)
	b = append(b, `,"instructions":`...)
	return append(appendString(b, instructions), ','), extras{}, nil
}

func (s *Server) nothing(_ context.Context, _ *request, b []byte) ([]byte, extras, error) {
	return b, extras{}, nil
}

var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// setLevel accepts a level for the log messages that we never send.
func (s *Server) setLevel(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	var params struct {
		Level string `json:"level"`
	}
	err := q.decode(&params)
	if err == nil && !slices.Contains(logLevels, params.Level) {
		at := problem.Root.Field("params").Field("level")
		err = badParams(at, "%q is not a log level; the levels are %s.", problem.Clip(params.Level), problem.And(logLevels))
	}
	return b, extras{}, err
}

// decode reads params into v; what v does not name is left out.
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
		return badParams(at, "%q must not be a JSON %s.", semantic.JSONPointer.LastToken(), semantic.JSONKind)
	}
	return err
}

// checkCursor refuses cursors: our lists have one page.
func (m *message) checkCursor() error {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if err := m.decode(&params); err != nil {
		return err
	}
	if params.Cursor != "" {
		r := badParams(problem.Root.Field("params").Field("cursor"), "Invalid pagination cursor.")
		r.problem = r.problem.Hint("Retry without a cursor; this list has one page.")
		return r
	}
	return nil
}
