package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"placard/internal/problem"
)

// statuses are the HTTP statuses of the codes that stop a request.
var statuses = map[problem.Code]int{
	problem.BadRequest:           http.StatusBadRequest,
	problem.NotFound:             http.StatusNotFound,
	problem.MethodNotAllowed:     http.StatusMethodNotAllowed,
	problem.PayloadTooLarge:      http.StatusRequestEntityTooLarge,
	problem.UnsupportedMediaType: http.StatusUnsupportedMediaType,
	problem.RateLimited:          http.StatusTooManyRequests,
	problem.InternalError:        http.StatusInternalServerError,
	problem.UpstreamError:        http.StatusBadGateway,
	problem.Overloaded:           http.StatusServiceUnavailable,
	problem.NotReady:             http.StatusServiceUnavailable,
	problem.Timeout:              http.StatusGatewayTimeout,
}

// failure is the body of every error answer.
type failure struct {
	OK     bool              `json:"ok"`
	Errors []problem.Problem `json:"errors"`
}

// WriteError answers a request with one problem.
func WriteError(w http.ResponseWriter, p problem.Problem) {
	body, err := json.Marshal(failure{Errors: []problem.Problem{p}})
	if err != nil {
		// Only text that is not UTF-8 cannot be encoded.
		body = []byte(`{"ok":false,"errors":[{"code":"internal_error","message":"The error could not be described."}]}`)
	}
	h := w.Header()
	h["Content-Type"] = typeJSON
	h["Cache-Control"] = noStore
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(statuses[p.Code])
	_, _ = w.Write(body)
}

// writeError answers with the problem that err carries, and logs those that
// are ours and not the caller's.
func (a *api) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there to be answered
	}
	var p problem.Problem
	if !errors.As(err, &p) || statuses[p.Code] == 0 {
		p = problem.New(problem.InternalError, "Something went wrong on our side.").
			Hint("Retry; if it goes on, report the X-Request-Id of this answer.")
	}
	if statuses[p.Code] >= http.StatusInternalServerError {
		a.Log.Error("request failed", "error", err, "code", string(p.Code),
			"route", r.Pattern, "request_id", r.Header.Get("X-Request-Id"))
	}
	WriteError(w, p)
}
