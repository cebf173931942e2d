package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/serve/httpstatus"
)

// statuses maps each code that fails a request to its HTTP status.
var statuses = httpstatus.Of

// failure is the body of an error response.
type failure struct {
	OK     bool              `json:"ok"`
	Errors []problem.Problem `json:"errors"`
}

// upstreamRetry is the number of seconds after which the store may be readable again.
var upstreamRetry = []string{"5"}

// WriteError writes an error response with one problem.
func WriteError(w http.ResponseWriter, p problem.Problem) {
	body, err := json.Marshal(failure{Errors: []problem.Problem{p.Render(sentence)}})
	if err != nil {
		// Encoding fails only for invalid UTF-8.
		body = []byte(`{"ok":false,"errors":[{"code":"internal_error","message":"The error message could not be encoded."}]}`)
	}
	h := w.Header()
	h["Content-Type"] = typeJSON
	h["Cache-Control"] = noStore
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if p.Code == problem.UpstreamError {
		h["Retry-After"] = upstreamRetry
	}
	w.WriteHeader(statuses[p.Code])
	_, _ = w.Write(body)
}

// writeError responds with the problem in err. It logs failures of the server.
func (a *api) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has disconnected
	}
	if errors.Is(err, errNoRoute) {
		a.writeNoRoute(w, r)
		return
	}
	var p problem.Problem
	if !errors.As(err, &p) || statuses[p.Code] == 0 {
		p = problem.New(problem.InternalError, "An internal error occurred.").
			Hint("Retry. If this persists, report the X-Request-Id of this response.")
	}
	// The refusal of a request is no failure, and its status is in the log of requests.
	if statuses[p.Code] >= http.StatusInternalServerError && p.Code != problem.Overloaded {
		a.Log.Error("request failed", "error", err, "code", string(p.Code),
			"route", r.Pattern, "request_id", r.Header.Get("X-Request-Id"))
	}
	if p.Code == problem.Gone {
		w.Header().Set("Link", "</api/v2/schemas/"+p.Call.Version+`/manifest>; rel="successor-version"`)
	}
	if !p.Call.IsZero() {
		snapshot, _ := a.Catalog.Current() // nil if there is none
		p = p.Render(sentences(snapshot, r.PathValue("version")))
	}
	WriteError(w, p)
}
