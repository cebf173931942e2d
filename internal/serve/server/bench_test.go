package server_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"placard/internal/serve/ratelimit"
	"placard/internal/serve/server"
)

// discardResponse is an http.ResponseWriter that discards the body.
type discardResponse struct{ header http.Header }

func (d discardResponse) Header() http.Header         { return d.header }
func (d discardResponse) Write(b []byte) (int, error) { return len(b), nil }
func (d discardResponse) WriteHeader(int)             {}

// BenchmarkMiddleware measures the overhead of admission, metrics and logs per
// request, with a handler that does nothing.
func BenchmarkMiddleware(b *testing.B) {
	limits := ratelimit.DefaultPolicy
	limits.Read = ratelimit.Limit{Requests: 1_000_000_000, Window: ratelimit.DefaultPolicy.Read.Window}
	for name, opts := range map[string]struct {
		guard   server.GuardOptions
		metrics *server.Metrics
	}{
		"bare": {},
		"guarded": {guard: server.GuardOptions{
			Limiter:     ratelimit.NewMemory(limits, ratelimit.MemoryOptions{}),
			MaxInFlight: server.DefaultMaxInFlight, MaxInFlightPerClient: server.DefaultMaxInFlightPerClient,
		}},
		"guarded with metrics": {
			guard: server.GuardOptions{
				Limiter:     ratelimit.NewMemory(limits, ratelimit.MemoryOptions{}),
				MaxInFlight: server.DefaultMaxInFlight, MaxInFlightPerClient: server.DefaultMaxInFlightPerClient,
			},
			metrics: server.NewMetrics(""),
		},
	} {
		b.Run(name, func(b *testing.B) {
			guard := server.NewGuard(opts.guard)
			h := server.Handler(server.Options{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := guard.Admit(w, r, ratelimit.Read); err != nil {
						b.Error(err)
					}
					w.WriteHeader(http.StatusNoContent)
				}),
				Guard: guard, Metrics: opts.metrics, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			})
			r := httptest.NewRequest("GET", "/api/v2/schemas", nil)
			w := discardResponse{make(http.Header)}
			b.ReportAllocs()
			for b.Loop() {
				delete(r.Header, "X-Request-Id")
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		})
	}
}
