package mcpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"placard/internal/serve/mcpapi"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
)

// discardResponse is a ResponseWriter that discards the body.
type discardResponse struct {
	header http.Header
	status int
}

func (d *discardResponse) Header() http.Header         { return d.header }
func (d *discardResponse) WriteHeader(status int)      { d.status = status }
func (d *discardResponse) Write(b []byte) (int, error) { return len(b), nil }

// newInProcessClient returns a function that calls the handler of a new server.
func newInProcessClient(t testing.TB, opts mcpapi.Options) func(body string, header ...string) *discardResponse {
	t.Helper()
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Catalog = catalog.New(builtin.Store(), catalog.Options{Log: opts.Log})
	if err := opts.Catalog.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := mcpapi.New(opts)
	return func(body string, header ...string) *discardResponse {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := &discardResponse{header: make(http.Header)}
		s.ServeHTTP(w, r)
		return w
	}
}

func benchmark(b *testing.B, body string, header ...string) {
	send := newInProcessClient(b, mcpapi.Options{})
	if w := send(body, header...); w.status != http.StatusOK {
		b.Fatalf("got status %d, want 200", w.status)
	}
	b.ReportAllocs()
	for b.Loop() {
		send(body, header...)
	}
}

func BenchmarkGetElement(b *testing.B) {
	benchmark(b, request("tools/call", `{"name":"get_element","arguments":{"version":"place@latest","element_id":"radar"}}`))
}

func BenchmarkGetElementModern(b *testing.B) {
	benchmark(b, modernRequest("tools/call", `"name":"get_element","arguments":{"version":"place@latest","element_id":"radar"}`),
		modernHeader("tools/call", "get_element")...)
}

func BenchmarkGetElementInOneLocale(b *testing.B) {
	benchmark(b, request("tools/call", `{"name":"get_element","arguments":{"version":"place@latest","element_id":"radar","locales":["en"]}}`))
}

func BenchmarkResolve(b *testing.B) {
	benchmark(b, request("tools/call", `{"name":"resolve_datachain","arguments":`+documentArguments(stable, example(b, stable, "station_gates"))+`}`))
}

func BenchmarkSearch(b *testing.B) {
	benchmark(b, request("tools/call", `{"name":"list_elements","arguments":{"version":"place@latest","query":"camera","locales":["en"]}}`))
}

func BenchmarkListTools(b *testing.B) {
	benchmark(b, request("tools/list", `{}`))
}

func BenchmarkValidate(b *testing.B) {
	benchmark(b, request("tools/call", `{"name":"validate_datachain","arguments":`+documentArguments(stable, example(b, stable, "station_gates"))+`}`))
}

func BenchmarkRender(b *testing.B) {
	benchmark(b, request("tools/call", `{"name":"render_datachain","arguments":`+documentArguments(stable, example(b, stable, "station_gates"))+`}`))
}

// BenchmarkBare measures the cost of the request and the ResponseWriter alone.
func BenchmarkBare(b *testing.B) {
	body := request("ping", `{}`)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		w := &discardResponse{header: make(http.Header)}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(r.Method))
	}
}
