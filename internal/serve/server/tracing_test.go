package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func TestEachRequestHasASpanInItsTrace(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	tracing := newTracing(sdktrace.WithSyncer(exporter))
	defer tracing.Stop(t.Context())
	mux := http.NewServeMux()
	var inHandler trace.SpanContext
	mux.HandleFunc("/things/{id}", func(w http.ResponseWriter, r *http.Request) {
		inHandler = trace.SpanContextFromContext(r.Context())
		http.Error(w, "no", http.StatusBadGateway)
	})
	h := Handler(Options{Handler: mux, Tracing: tracing, Log: slog.New(slog.DiscardHandler)})

	r := httptest.NewRequest("GET", "/things/7?query=secret", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	r.Header.Set("X-Request-Id", "id-1")
	r.RemoteAddr = "203.0.113.7:1"
	h.ServeHTTP(httptest.NewRecorder(), r)

	spans := exporter.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("got %d spans, want 1", len(spans))
	}
	span := spans[0]
	if span.Name != "GET /things/{id}" || span.SpanKind != trace.SpanKindServer || span.Status.Code != codes.Error {
		t.Errorf("got name %q, kind %v, status %v; want GET /things/{id}, server, error", span.Name, span.SpanKind, span.Status)
	}
	if span.SpanContext.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || span.Parent.SpanID().String() != "b7ad6b7169203331" || !inHandler.Equal(span.SpanContext) {
		t.Errorf("got span %v with parent %v and %v in the handler, want the trace and parent of the request", span.SpanContext, span.Parent, inHandler)
	}
	got := map[string]string{}
	for _, a := range span.Attributes {
		got[string(a.Key)] = a.Value.String()
	}
	want := map[string]string{
		"http.request.method": "GET", "http.route": "/things/{id}", "http.response.status_code": "502", "http.response.body.size": "3",
		"url.path": "/things/7", "url.scheme": "http", "server.address": "example.com", "client.address": "203.0.113.7", "placard.request_id": "id-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}

func TestSpansAreSentToTheCollector(t *testing.T) {
	var received atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/traces" && strings.Contains(string(body), "placard") && strings.Contains(string(body), "1.2.3") {
			received.Add(1)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	tracing, err := NewTracing(t.Context(), collector.URL, "1.2.3", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h := Handler(Options{Handler: http.NotFoundHandler(), Tracing: tracing, Log: slog.New(slog.DiscardHandler)})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if err := tracing.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if received.Load() != 1 {
		t.Errorf("the collector received %d batches, want 1", received.Load())
	}
}
