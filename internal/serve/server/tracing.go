package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracing records a span for each request, as part of the trace named in the
// request's Traceparent header, if any. Spans contain no bodies and no query
// strings.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// NewTracing returns a Tracing that sends spans to a collector in batches. The
// endpoint is a URL such as http://localhost:4318. If it is empty, the OTEL_*
// environment variables of OpenTelemetry apply.
func NewTracing(ctx context.Context, endpoint, version string, log *slog.Logger) (*Tracing, error) {
	// The exporter reports errors only to the global error handler.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "error", err) }))
	var opts []otlptracehttp.Option
	if endpoint != "" {
		target, err := url.Parse(endpoint)
		if err != nil {
			return nil, err
		}
		if strings.Trim(target.Path, "/") == "" {
			target.Path = "/v1/traces"
		}
		opts = append(opts, otlptracehttp.WithEndpointURL(target.String()))
	}
	exporter, err := otlptracehttp.New(ctx, opts...)
	if err != nil {
		return nil, err
	}
	service, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "placard"), attribute.String("service.version", version)),
		resource.WithFromEnv(), // last, to take precedence
	)
	if err != nil {
		return nil, err
	}
	return newTracing(sdktrace.WithBatcher(exporter), sdktrace.WithResource(service)), nil
}

func newTracing(opts ...sdktrace.TracerProviderOption) *Tracing {
	provider := sdktrace.NewTracerProvider(opts...)
	return &Tracing{provider, provider.Tracer("placard/internal/serve/server")}
}

// Stop sends all buffered spans. Spans that end later are dropped.
func (t *Tracing) Stop(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// start starts the span of a request and returns the request with the span in its
// context.
func (t *Tracing) start(r *http.Request) *http.Request {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, _ = t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx)
}

// end sets the attributes of the span of a request and ends it.
func (t *Tracing) end(x *exchange) {
	span := trace.SpanFromContext(x.request.Context())
	span.SetName(knownMethod(x.request.Method) + " " + x.route)
	span.SetAttributes(
		attribute.String("http.request.method", knownMethod(x.request.Method)),
		attribute.String("http.route", x.route),
		attribute.Int("http.response.status_code", x.status),
		attribute.Int64("http.response.body.size", x.bytes),
		attribute.String("url.path", clip(x.request.URL.EscapedPath())),
		attribute.String("url.scheme", x.origin.scheme),
		attribute.String("server.address", hostname(x.origin.host)),
		attribute.String("client.address", x.origin.addr.String()),
		attribute.String("placard.request_id", x.id[0]),
	)
	if x.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, http.StatusText(x.status))
	}
	span.End()
}
