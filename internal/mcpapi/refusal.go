package mcpapi

import (
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
)

// Codes of JSON-RPC errors: its own, those of MCP, and from -32000 on ours.
const (
	codeParse              = -32700
	codeRequest            = -32600
	codeMethod             = -32601
	codeParams             = -32602
	codeInternal           = -32603
	codeRefused            = -32000
	codeTimeout            = -32001
	codeResourceNotFound   = -32002 // until 2025-11-25
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
)

// refusal is a JSON-RPC error. What it is about stands in our envelope, in
// error.data.
type refusal struct {
	code    int
	problem problem.Problem
	data    []byte // members that the protocol wants beside the envelope's

	status  int  // of the HTTP answer; 0 for one that is otherwise well
	stopped bool // before there was an answer, whatever else was asked with it
}

func refuse(code int, p problem.Problem) *refusal {
	r := &refusal{code: code, problem: p}
	switch code {
	case codeParse, codeRequest, codeHeaderMismatch, codeUnsupportedVersion:
		r.status = http.StatusBadRequest
	}
	return r
}

func (r *refusal) Error() string { return r.problem.Error() }

// badParams refuses parameters of a method, other than the arguments of a tool.
func badParams(at problem.Path, format string, args ...any) *refusal {
	return refuse(codeParams, problem.New(problem.BadRequest, format, args...).In(at))
}

// with adds a member to error.data.
func (r *refusal) with(name string, value any) *refusal {
	// Texts and lists of them always have a JSON form, with this option.
	encoded, _ := json.Marshal(value, jsontext.AllowInvalidUTF8(true))
	r.data = append(r.data, `"`+name+`":`...)
	r.data = append(r.data, encoded...)
	r.data = append(r.data, ',')
	return r
}

// statuses are the HTTP statuses and JSON-RPC codes of the faults that stop a
// request before, or instead of, an answer of its own.
var statuses = map[problem.Code]struct{ status, code int }{
	problem.BadRequest:           {http.StatusBadRequest, codeRequest},
	problem.NotFound:             {http.StatusNotFound, codeRequest},
	problem.MethodNotAllowed:     {http.StatusMethodNotAllowed, codeRefused},
	problem.PayloadTooLarge:      {http.StatusRequestEntityTooLarge, codeRequest},
	problem.UnsupportedMediaType: {http.StatusUnsupportedMediaType, codeRequest},
	problem.RateLimited:          {http.StatusTooManyRequests, codeRefused},
	problem.InternalError:        {http.StatusInternalServerError, codeInternal},
	problem.UpstreamError:        {http.StatusBadGateway, codeRefused},
	problem.Overloaded:           {http.StatusServiceUnavailable, codeRefused},
	problem.NotReady:             {http.StatusServiceUnavailable, codeRefused},
	problem.Timeout:              {http.StatusGatewayTimeout, codeTimeout},
}

// stop returns the refusal of a request that a fault has stopped.
func stop(p problem.Problem) *refusal {
	s, ok := statuses[p.Code]
	if !ok {
		s = statuses[problem.InternalError]
	}
	return &refusal{code: s.code, problem: p, status: s.status, stopped: true}
}

// ourFault is what a caller is told of it.
var ourFault = problem.New(problem.InternalError, "An internal error occurred.").
	Hint("Retry; if this persists, report the X-Request-Id of this response.")

// append appends the error as the answer to the request called id.
func (r *refusal) append(b []byte, id jsontext.Value) []byte {
	b = appendID(append(b, `{"jsonrpc":"2.0","id":`...), id)
	b = append(b, `,"error":{"code":`...)
	b = appendInt(b, r.code)
	b = append(b, `,"message":`...)
	b = appendString(b, r.problem.Message)
	b = append(b, `,"data":{`...)
	b = append(b, r.data...)
	b = append(b, `"ok":false,"errors":`...)
	b = appendProblems(b, problem.List{r.problem})
	return append(b, `}}}`...)
}

// write answers an HTTP request with the error. One that stopped the request is
// our envelope at the same time, for whoever looks at the status first.
func (r *refusal) write(w http.ResponseWriter, b []byte, id jsontext.Value) {
	b = r.append(b, id)
	if r.stopped {
		b = append(b[:len(b)-1], `,"ok":false,"errors":`...)
		b = append(appendProblems(b, problem.List{r.problem}), '}')
	}
	if r.status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, cmp.Or(r.status, http.StatusOK), b)
}

// WriteError answers a request to /mcp with one problem, in a body that is a
// JSON-RPC error and the envelope of every error answer at once.
func WriteError(w http.ResponseWriter, p problem.Problem) {
	stop(p).write(w, nil, nil)
}
