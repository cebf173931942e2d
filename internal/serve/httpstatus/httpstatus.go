// Package httpstatus is the table of the HTTP statuses of problems, which REST, MCP and
// pages share.
package httpstatus

import (
	"net/http"

	"placard/internal/core/problem"
)

// Of maps each code that fails a request to its HTTP status.
var Of = map[problem.Code]int{
	problem.BadRequest:           http.StatusBadRequest,
	problem.NotFound:             http.StatusNotFound,
	problem.Gone:                 http.StatusGone,
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
