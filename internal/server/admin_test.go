package server_test

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/httpapi"
	"placard/internal/ratelimit"
	"placard/internal/server"
)

// listen returns a listener for an admin address.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// admin gets a path from the admin address.
func (s *running) admin(l net.Listener, path string) answer {
	s.t.Helper()
	resp, err := s.client.Get("http://" + l.Addr().String() + path)
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := readAnswer(resp)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func TestMetricsTellWhatTheServerDoes(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Icons = ratelimit.Limit{Requests: 2, Window: time.Hour}
	metrics := server.NewMetrics("1.2.3")
	opts := api(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{}), Metrics: metrics}, httpapi.Options{IconMissed: metrics.IconMissed})
	opts.Admin, opts.Metrics, opts.Version = listen(t), metrics, "1.2.3"
	c := catalog.New(metrics.Store(builtin.Store()), catalog.Options{Log: quiet})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	metrics.Catalog(c)
	metrics.IconMissed()
	s := run(t, opts)

	s.get("/api/v2/schemas/" + stable + "/elements?query=secret")
	s.get("/api/v2/schemas/nonsense/elements?query=secret")
	s.get("/api/v2/nothing")
	for range 5 {
		s.get("/api/v2/shapes/circle.svg")
	}
	s.do("BREW", "/api/v2/schemas", nil)
	s.do("OPTIONS", "/api/v2/schemas", nil)
	s.get("/healthz")

	a := s.admin(opts.Admin, "/metrics")
	for _, line := range []string{
		`placard_http_requests_total{method="GET",route="/api/v2/schemas/{version}/elements",status="200"} 1`,
		`placard_http_requests_total{method="GET",route="/api/v2/schemas/{version}/elements",status="400"} 1`,
		`placard_http_requests_total{method="GET",route="/",status="404"} 1`,
		`placard_http_requests_total{method="GET",route="/api/v2/shapes/{file}",status="200"} 2`,
		`placard_http_requests_total{method="GET",route="/api/v2/shapes/{file}",status="429"} 3`,
		`placard_http_requests_total{method="other",route="/api/v2/schemas",status="405"} 1`,
		`placard_http_requests_total{method="OPTIONS",route="preflight",status="204"} 1`,
		`placard_http_request_duration_seconds_count{route="/api/v2/shapes/{file}"} 5`,
		`placard_http_requests_in_flight 0`,
		`placard_rate_limit_refusals_total{bucket="icons"} 3`,
		`placard_rate_limit_refusals_total{bucket="resolve"} 0`,
		`placard_overload_refusals_total{bound="in_flight"} 0`,
		`placard_releases 2`,
		`placard_catalog_complete 1`,
		`placard_icon_misses_total 1`,
		`placard_store_reads_total{outcome="ok",what="index"} 1`,
		`placard_store_reads_total{outcome="ok",what="release"} 2`,
	} {
		if !strings.Contains(a.body, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if !regexp.MustCompile(`placard_build_info\{goversion="go[^"]+",version="1.2.3"\} 1`).MatchString(a.body) {
		t.Error("no build info")
	}
	if strings.Contains(a.body, "secret") {
		t.Error("a query's text is in the metrics")
	}
}

// brokenFS is a disk that has failed.
type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { return nil, errors.New("input/output error") }

func TestFailedReadsOfTheStoreAreCounted(t *testing.T) {
	metrics := server.NewMetrics("")
	opts := server.Options{Handler: http.NotFoundHandler(), Metrics: metrics, Admin: listen(t)}
	c := catalog.New(metrics.Store(catalog.NewTree(brokenFS{}, quiet)), catalog.Options{Log: quiet})
	if err := c.Refresh(t.Context()); err == nil {
		t.Fatal("the store can be read")
	}
	metrics.Catalog(c)
	s := run(t, opts)
	a := s.admin(opts.Admin, "/metrics")
	for _, line := range []string{`placard_store_reads_total{outcome="error",what="index"} 1`, `placard_releases 0`, `placard_catalog_complete 0`} {
		if !strings.Contains(a.body, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

func TestWhatIsForOperatorsIsNotPublic(t *testing.T) {
	metrics := server.NewMetrics("1.2.3")
	opts := api(t, server.GuardOptions{Metrics: metrics}, httpapi.Options{})
	opts.Admin, opts.Metrics, opts.Version, opts.Pprof = listen(t), metrics, "1.2.3", true
	s := run(t, opts)
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap", "/buildinfo"} {
		if a := s.get(path); a.status != 404 {
			t.Errorf("public %s: %d", path, a.status)
		}
		if a := s.admin(opts.Admin, path); a.status != 200 || a.body == "" {
			t.Errorf("admin %s: %d", path, a.status)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.admin(opts.Admin, path); a.status != 200 {
			t.Errorf("admin %s: %d", path, a.status)
		}
	}
	if a := s.admin(opts.Admin, "/api/v2/schemas"); a.status != 404 {
		t.Errorf("the API on the admin address: %d", a.status)
	}
	var info struct {
		Version string `json:"version"`
		Go      string `json:"go"`
	}
	if err := json.Unmarshal([]byte(s.admin(opts.Admin, "/buildinfo").body), &info); err != nil || info.Version != "1.2.3" || !strings.HasPrefix(info.Go, "go1.") {
		t.Errorf("%+v (%v)", info, err)
	}
}

func TestProfilesAreServedOnlyOnRequest(t *testing.T) {
	opts := server.Options{Handler: http.NotFoundHandler(), Admin: listen(t)}
	s := run(t, opts)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap"} {
		if a := s.admin(opts.Admin, path); a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestTheAdminAddressAnswersWhileTheServerStops(t *testing.T) {
	h := newHeld(server.GuardOptions{})
	opts := server.Options{Handler: h, Guard: h.guard, Admin: listen(t)}
	s := run(t, opts)
	done := make(chan answer)
	go func() { a, _ := s.try("GET", "/", nil); done <- a }()
	<-h.begun
	s.cancel()
	eventually(t, "the end of readiness", func() bool { return s.admin(opts.Admin, "/readyz").status == 503 })
	if a := s.admin(opts.Admin, "/healthz"); a.status != 200 {
		t.Errorf("healthz: %d", a.status)
	}
	close(h.release)
	if a := <-done; a.body != "done" {
		t.Errorf("the request in flight: %+v", a)
	}
}
