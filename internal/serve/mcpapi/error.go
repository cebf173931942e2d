package mcpapi

import (
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/serve/httpstatus"
)

// JSON-RPC error codes. MCP defines -32002, -32020 and -32022; -32000 and -32001
// are our own.
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeServer             = -32000
	codeTimeout            = -32001
	codeResourceNotFound   = -32002 // up to protocol version 2025-11-25
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
)

// rpcError is a JSON-RPC error. Its data contains the envelope of a REST error
// response.
type rpcError struct {
	code    int
	problem problem.Problem
	data    []byte // further members of error.data, each followed by a comma

	status int  // HTTP status; 0 means 200
	fatal  bool // fails the whole HTTP request, including the other messages of a batch
}

func newError(code int, p problem.Problem) *rpcError {
	e := &rpcError{code: code, problem: p}
	switch code {
	case codeParse, codeInvalidRequest, codeHeaderMismatch, codeUnsupportedVersion:
		e.status = http.StatusBadRequest
	}
	return e
}

func (e *rpcError) Error() string { return e.problem.Error() }

// invalidParams returns an error about the params of a method. Errors in the
// arguments of a tool are tool results instead.
func invalidParams(at problem.Path, format string, args ...any) *rpcError {
	return newError(codeInvalidParams, problem.New(problem.BadRequest, format, args...).In(at))
}

// withData adds a member to error.data.
func (e *rpcError) withData(name string, value any) *rpcError {
	// With this option, strings and lists of strings always have a JSON encoding.
	encoded, _ := json.Marshal(value, jsontext.AllowInvalidUTF8(true))
	e.data = append(e.data, `"`+name+`":`...)
	e.data = append(e.data, encoded...)
	e.data = append(e.data, ',')
	return e
}

// retryAfter is the default Retry-After header of responses with a status.
var retryAfter = map[int]string{http.StatusServiceUnavailable: "1", http.StatusBadGateway: "5"}

// fatalError returns an error that fails the whole HTTP request.
func fatalError(p problem.Problem) *rpcError {
	e := &rpcError{code: codeServer, problem: p, status: cmp.Or(httpstatus.Of[p.Code], http.StatusInternalServerError), fatal: true}
	switch e.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		e.code = codeInvalidRequest
	case http.StatusInternalServerError:
		e.code = codeInternal
	case http.StatusGatewayTimeout:
		e.code = codeTimeout
	}
	return e
}

// internalError is sent to clients in place of an error that they cannot act on.
var internalError = problem.New(problem.InternalError, "An internal error occurred.").
	Hint("Retry; if this persists, report the X-Request-Id of this response.")

// append appends the error response to the request with the given id.
func (e *rpcError) append(b []byte, id jsontext.Value) []byte {
	b = appendID(append(b, `{"jsonrpc":"2.0","id":`...), id)
	b = append(b, `,"error":{"code":`...)
	b = appendInt(b, e.code)
	b = append(b, `,"message":`...)
	b = appendString(b, e.problem.Message)
	b = append(b, `,"data":{`...)
	b = append(b, e.data...)
	b = append(b, `"ok":false,"errors":`...)
	b = appendProblems(b, problem.List{e.problem})
	return append(b, `,"meta":{}}}}`...)
}

// write sends the error as an HTTP response. The body of a fatal error is also a
// REST error envelope, for clients that check the HTTP status first.
func (e *rpcError) write(w http.ResponseWriter, id jsontext.Value) {
	b := e.append(nil, id)
	if e.fatal {
		b = append(b[:len(b)-1], `,"ok":false,"errors":`...)
		b = append(appendProblems(b, problem.List{e.problem}), `,"meta":{}}`...)
	}
	if seconds := retryAfter[e.status]; seconds != "" && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", seconds)
	}
	writeJSON(w, cmp.Or(e.status, http.StatusOK), b)
}

// WriteError responds to a request to /mcp with p. The body is both a JSON-RPC
// error and a REST error envelope.
func WriteError(w http.ResponseWriter, p problem.Problem) {
	fatalError(p).write(w, nil)
}
