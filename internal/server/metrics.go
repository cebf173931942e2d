package server

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"placard/internal/catalog"
	"placard/internal/ratelimit"
	"placard/internal/release"
	"placard/internal/store"
)

// Metrics measures what a server does, for Prometheus. Nothing is measured
// where it is nil.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	refusals   *prometheus.CounterVec
	overloads  *prometheus.CounterVec
	iconMisses prometheus.Counter
	storeReads *prometheus.CounterVec
}

// NewMetrics returns metrics of a program of this version.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "placard_http_requests_total",
			Help: "Requests that were answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "placard_http_request_duration_seconds",
			Help:    "How long requests took, from their headers to the last byte handed to the network.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "placard_rate_limit_refusals_total",
			Help: "Requests refused because their client had reached a limit, by bucket.",
		}, []string{"bucket"}),
		overloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "placard_overload_refusals_total",
			Help: "Requests refused because the server had reached a bound, by bound.",
		}, []string{"bound"}),
		iconMisses: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "placard_icon_misses_total",
			Help: "Icons that were composed because none was stored.",
		}),
		storeReads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "placard_store_reads_total",
			Help: "Reads of the store, by what was read (index, release) and outcome (ok, error).",
		}, []string{"what", "outcome"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "placard_build_info",
		Help:        "Always 1; the labels say what is running.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests, m.durations, m.refusals, m.overloads, m.iconMisses, m.storeReads, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	// What never happens is worth a line too: an alert cannot miss it.
	for b := ratelimit.Read; b <= ratelimit.Resolve; b++ {
		m.refusals.WithLabelValues(b.String())
	}
	for _, bound := range []string{boundAll, boundEach, boundBodies} {
		m.overloads.WithLabelValues(bound)
	}
	return m
}

// ServeHTTP answers in the format that Prometheus asks for.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// served counts a request that has been answered.
func (m *Metrics) served(x *exchange, took time.Duration) {
	if m == nil {
		return
	}
	route := x.route
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, knownMethod(x.request.Method), strconv.Itoa(x.status)).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
}

// knownMethod keeps clients from inventing label values.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return method
	}
	return "other"
}

func (m *Metrics) limited(b ratelimit.Bucket) {
	if m != nil {
		m.refusals.WithLabelValues(b.String()).Inc()
	}
}

func (m *Metrics) overloaded(bound string) {
	if m != nil {
		m.overloads.WithLabelValues(bound).Inc()
	}
}

// IconMissed counts an icon that was composed because none was stored.
func (m *Metrics) IconMissed() {
	if m != nil {
		m.iconMisses.Inc()
	}
}

// watch shows what a guard has in flight.
func (m *Metrics) watch(g *Guard) {
	if m == nil {
		return
	}
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "placard_http_requests_in_flight",
			Help: "Requests being answered.",
		}, func() float64 { return float64(g.flights.all.Load()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "placard_http_request_body_bytes",
			Help: "Bytes of request bodies being held.",
		}, func() float64 { return float64(g.bodies.Load()) }),
	)
}

// Catalog shows which releases a catalog serves.
func (m *Metrics) Catalog(c *catalog.Catalog) {
	if m == nil {
		return
	}
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "placard_releases",
			Help: "Releases being served.",
		}, func() float64 {
			snapshot, err := c.Current()
			if err != nil {
				return 0
			}
			return float64(len(snapshot.Releases()))
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "placard_catalog_complete",
			Help: "1 where every published release is served as published, else 0.",
		}, func() float64 {
			if snapshot, err := c.Current(); err == nil && snapshot.Complete() {
				return 1
			}
			return 0
		}),
	)
}

// Store returns s with its reads counted.
func (m *Metrics) Store(s catalog.Store) catalog.Store {
	if m == nil {
		return s
	}
	return countedStore{s, m}
}

type countedStore struct {
	catalog.Store
	metrics *Metrics
}

func (c countedStore) Index(ctx context.Context) (*store.Index, error) {
	index, err := c.Store.Index(ctx)
	c.count("index", err)
	return index, err
}

func (c countedStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	r, err := c.Store.Load(ctx, e)
	c.count("release", err)
	return r, err
}

func (c countedStore) count(what string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	c.metrics.storeReads.WithLabelValues(what, outcome).Inc()
}
