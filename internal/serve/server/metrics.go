package server

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"placard/internal/core/release"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/redisdb"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// Metrics collects the metrics of a server and serves them to Prometheus. A nil
// *Metrics records nothing; all methods but ServeHTTP may be called on it.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	refusals   *prometheus.CounterVec
	overloads  *prometheus.CounterVec
	iconMisses prometheus.Counter
	storeReads *prometheus.CounterVec
	redis      *prometheus.HistogramVec
}

// NewMetrics returns metrics that report the given version of the program.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("placard_http_requests_total", "Finished requests, by route, method and status.", "route", "method", "status"),
		durations: histograms("placard_http_request_duration_seconds",
			"Duration of requests, from the end of the request headers to the last write of the response.", 10, "route"),
		refusals:   counters("placard_rate_limit_refusals_total", "Requests refused by a rate limit, by bucket.", "bucket"),
		overloads:  counters("placard_overload_refusals_total", "Requests refused because the server is overloaded, by bound.", "bound"),
		iconMisses: prometheus.NewCounter(prometheus.CounterOpts{Name: "placard_icon_misses_total", Help: "Icons composed on demand because they were not stored."}),
		storeReads: counters("placard_store_reads_total", "Reads of the store, by object (index, release) and outcome (ok, error).", "what", "outcome"),
		redis:      histograms("placard_redis_operation_seconds", "Duration of operations on Redis, by operation, including those that failed.", .1, "operation"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "placard_build_info",
		Help:        "Always 1; the labels contain the version of the program and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.requests, m.durations, m.refusals, m.overloads, m.iconMisses, m.storeReads, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	// Export zero counts as well: rate() misses the first increment of a new
	// series.
	for b := ratelimit.Read; b <= ratelimit.Resolve; b++ {
		m.refusals.WithLabelValues(b.String())
	}
	for _, bound := range []string{boundInFlight, boundPerClient, boundBodies, boundBodiesPerClient} {
		m.overloads.WithLabelValues(bound)
	}
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// histograms returns histograms of durations in seconds, with buckets up to last.
func histograms(name, help string, last float64, labels ...string) *prometheus.HistogramVec {
	buckets := []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	buckets = buckets[:1+slices.Index(buckets, last)]
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// counter returns a counter that reads its value elsewhere.
func counter(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value)
}

// gauge returns a gauge that reads its value elsewhere.
func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

// condition returns a gauge that is 1 while a condition holds, and otherwise 0.
func condition(name, help string, holds func() bool) prometheus.Collector {
	return gauge(name, help, func() float64 {
		if holds() {
			return 1
		}
		return 0
	})
}

// ServeHTTP writes the metrics in the format negotiated with Prometheus.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// served records a finished request.
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

// knownMethod returns "other" for unusual methods, so that clients cannot create
// arbitrary label values.
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

// IconMissed counts an icon composed on demand because it was not stored.
func (m *Metrics) IconMissed() {
	if m != nil {
		m.iconMisses.Inc()
	}
}

// registerGuard adds the gauges of a guard.
func (m *Metrics) registerGuard(g *Guard) {
	if m == nil {
		return
	}
	m.registry.MustRegister(
		gauge("placard_http_requests_in_flight", "Requests in flight, without those whose body is incomplete.", func() float64 { return float64(g.inFlight.Load()) }),
		gauge("placard_http_request_body_bytes", "Bytes of the buffers for request bodies.", func() float64 { return float64(g.bodyMemory.Load()) }),
	)
}

// Catalog adds the gauges of a catalog.
func (m *Metrics) Catalog(c *catalog.Catalog) {
	if m == nil {
		return
	}
	m.registry.MustRegister(
		gauge("placard_releases", "Releases served.", func() float64 {
			snapshot, err := c.Current()
			if err != nil {
				return 0
			}
			return float64(len(snapshot.Served()))
		}),
		releaseInfo{c},
		gauge("placard_resident_releases", "Releases in memory.", func() float64 { return float64(c.Stats().Resident) }),
		counter("placard_release_loads_total", "Releases loaded because a request needed them.", func() float64 { return float64(c.Stats().Loads) }),
		counter("placard_release_load_failures_total", "Releases that a request needed and that could not be loaded.", func() float64 { return float64(c.Stats().LoadFailures) }),
		condition("placard_store_reachable", "1 if the last read of the index succeeded, otherwise 0.", func() bool { return c.Stats().Reachable }),
		condition("placard_catalog_complete", "1 if every published release is served as published, otherwise 0.", func() bool {
			_, err := c.Current()
			return err == nil && len(c.Degraded()) == 0
		}),
	)
}

// releaseInfo is the metric placard_release_info, which has one series for each
// release that a catalog serves.
type releaseInfo struct{ catalog *catalog.Catalog }

var releaseInfoDesc = prometheus.NewDesc("placard_release_info",
	"Always 1; the labels contain the id and the content hash of a release being served.",
	[]string{"release", "content_hash"}, nil)

// Describe implements [prometheus.Collector].
func (releaseInfo) Describe(descs chan<- *prometheus.Desc) { descs <- releaseInfoDesc }

// Collect implements [prometheus.Collector].
func (i releaseInfo) Collect(metrics chan<- prometheus.Metric) {
	snapshot, err := i.catalog.Current()
	if err != nil {
		return
	}
	for _, v := range snapshot.Served() {
		metrics <- prometheus.MustNewConstMetric(releaseInfoDesc, prometheus.GaugeValue, 1, v.ID.String(), v.ContentHash)
	}
}

// RedisOperation records the duration of an operation on Redis.
func (m *Metrics) RedisOperation(op redisdb.Operation, took time.Duration) {
	if m != nil {
		m.redis.WithLabelValues(string(op)).Observe(took.Seconds())
	}
}

// Redis adds the metrics of the state that nodes share.
func (m *Metrics) Redis(db *redisdb.DB) {
	if m == nil {
		return
	}
	m.registry.MustRegister(
		m.redis,
		condition("placard_redis_up", "1 if Redis answers in time, otherwise 0: this node then decides alone.", db.Available),
		counter("placard_redis_failures_total", "Operations on Redis that failed or took too long.", func() float64 { return float64(db.Failures()) }),
		gauge("placard_nodes", "Last known number of nodes that share state in Redis, including this one.", func() float64 { return float64(db.Nodes()) }),
	)
}

// Cache adds the counters of the cache of a store, which may be nil.
func (m *Metrics) Cache(c *store.Cache) {
	if m == nil || c == nil {
		return
	}
	m.registry.MustRegister(
		counter("placard_cache_hits_total", "Releases read from the cache on disk.", func() float64 { return float64(c.Stats().Hits) }),
		counter("placard_cache_misses_total", "Releases read from the store because they were not in the cache on disk.", func() float64 { return float64(c.Stats().Misses) }),
		counter("placard_cache_failures_total", "Writes to the cache on disk that failed.", func() float64 { return float64(c.Stats().Failures) }),
		condition("placard_cache_writable", "1 if the cache on disk has everything that was loaded, otherwise 0.", func() bool { return c.Stats().Writable }),
	)
}

// Store wraps s to count reads of the store. cache is the cache that s uses, or nil.
func (m *Metrics) Store(s catalog.Store, cache *store.Cache) catalog.Store {
	if m == nil {
		return s
	}
	counted := countedStore{s, m, cache != nil}
	if cache != nil {
		cache.Fetched = func(err error) { counted.count("release", err) }
	}
	return counted
}

type countedStore struct {
	catalog.Store
	metrics *Metrics
	cached  bool // the cache counts the releases that it reads from the store
}

func (c countedStore) Index(ctx context.Context) (*store.Index, error) {
	index, err := c.Store.Index(ctx)
	c.count("index", err)
	return index, err
}

func (c countedStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	r, err := c.Store.Load(ctx, e)
	if !c.cached {
		c.count("release", err)
	}
	return r, err
}

func (c countedStore) count(object string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	c.metrics.storeReads.WithLabelValues(object, outcome).Inc()
}
