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

	"placard/internal/serve/httpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/server"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
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

// admin sends a GET request to an admin address.
func (s *testServer) admin(l net.Listener, path string) response {
	s.t.Helper()
	resp, err := s.client.Get("http://" + l.Addr().String() + path)
	if err != nil {
		s.t.Fatal(err)
	}
	read, err := newResponse(resp)
	if err != nil {
		s.t.Fatal(err)
	}
	return read
}

func TestMetricsReportServerActivity(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Icons = ratelimit.Limit{Requests: 2, Window: time.Hour}
	metrics := server.NewMetrics("1.2.3")
	opts := apiOptions(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{}), Metrics: metrics}, httpapi.Options{IconMissed: metrics.IconMissed})
	opts.Admin, opts.Metrics, opts.Version = listen(t), metrics, "1.2.3"
	c := catalog.New(metrics.Store(builtin.Store(), nil), catalog.Options{Log: discardLog})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	snapshot, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	content := snapshot.Lookup(stableVersion).Hash()
	metrics.Catalog(c)
	metrics.IconMissed()
	s := startServer(t, opts)

	s.get("/api/v2/schemas/" + stableVersion + "/elements?query=secret")
	s.get("/api/v2/schemas/nonsense/elements?query=secret")
	s.get("/api/v2/nothing")
	for range 5 {
		s.get("/api/v2/shapes/circle.svg")
	}
	s.do("BREW", "/api/v2/schemas", nil)
	s.do("OPTIONS", "/api/v2/schemas", nil)
	s.get("/healthz")

	resp := s.admin(opts.Admin, "/metrics")
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
		`placard_release_info{content_hash="` + content + `",release="` + stableVersion + `"} 1`,
		`placard_catalog_complete 1`,
		`placard_icon_misses_total 1`,
		`placard_store_reads_total{outcome="ok",what="index"} 1`,
		`placard_store_reads_total{outcome="ok",what="release"} 2`,
	} {
		if !strings.Contains(resp.body, "\n"+line+"\n") {
			t.Errorf("metrics lack the line %s", line)
		}
	}
	if !regexp.MustCompile(`placard_build_info\{goversion="go[^"]+",version="1.2.3"\} 1`).MatchString(resp.body) {
		t.Error("metrics lack placard_build_info for version 1.2.3")
	}
	if strings.Contains(resp.body, "secret") {
		t.Error("metrics contain the text of a query, want only routes")
	}
}

// brokenFS is a file system that cannot be read.
type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { return nil, errors.New("input/output error") }

func TestFailedStoreReadsAreCounted(t *testing.T) {
	metrics := server.NewMetrics("")
	opts := server.Options{Handler: http.NotFoundHandler(), Metrics: metrics, Admin: listen(t)}
	c := catalog.New(metrics.Store(catalog.NewTree(brokenFS{}, discardLog), nil), catalog.Options{Log: discardLog})
	if err := c.Refresh(t.Context()); err == nil {
		t.Fatal("Refresh with a broken store: got no error, want one")
	}
	metrics.Catalog(c)
	s := startServer(t, opts)
	resp := s.admin(opts.Admin, "/metrics")
	for _, line := range []string{`placard_store_reads_total{outcome="error",what="index"} 1`, `placard_releases 0`, `placard_catalog_complete 0`} {
		if !strings.Contains(resp.body, "\n"+line+"\n") {
			t.Errorf("metrics lack the line %s", line)
		}
	}
}

func TestAdminEndpointsAreNotPublic(t *testing.T) {
	metrics := server.NewMetrics("1.2.3")
	opts := apiOptions(t, server.GuardOptions{Metrics: metrics}, httpapi.Options{})
	opts.Admin, opts.Metrics, opts.Version, opts.Pprof = listen(t), metrics, "1.2.3", true
	s := startServer(t, opts)
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap", "/buildinfo"} {
		if resp := s.get(path); resp.status != 404 {
			t.Errorf("public address, %s: got status %d, want 404", path, resp.status)
		}
		if resp := s.admin(opts.Admin, path); resp.status != 200 || resp.body == "" {
			t.Errorf("admin address, %s: got status %d, want 200", path, resp.status)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if resp := s.admin(opts.Admin, path); resp.status != 200 {
			t.Errorf("admin address, %s: got status %d, want 200", path, resp.status)
		}
	}
	if got, want := s.admin(opts.Admin, "/").body, "/healthz\n/readyz\n/buildinfo\n/metrics\n/debug/pprof/\n"; got != want {
		t.Errorf("root of the admin address: got %q, want %q", got, want)
	}
	if resp := s.admin(opts.Admin, "/api/v2/schemas"); resp.status != 404 {
		t.Errorf("API on the admin address: got status %d, want 404", resp.status)
	}
	var info struct {
		Version string `json:"version"`
		Go      string `json:"go"`
	}
	if err := json.Unmarshal([]byte(s.admin(opts.Admin, "/buildinfo").body), &info); err != nil || info.Version != "1.2.3" || !strings.HasPrefix(info.Go, "go1.") {
		t.Errorf("buildinfo: got %+v (%v), want versions of Placard and Go", info, err)
	}
}

func TestProfilesAreDisabledByDefault(t *testing.T) {
	opts := server.Options{Handler: http.NotFoundHandler(), Admin: listen(t)}
	s := startServer(t, opts)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap"} {
		if resp := s.admin(opts.Admin, path); resp.status != 404 {
			t.Errorf("%s: got status %d, want 404", path, resp.status)
		}
	}
}

func TestAdminAddressIsAvailableDuringShutdown(t *testing.T) {
	h := newBlockingHandler(server.GuardOptions{})
	opts := server.Options{Handler: h, Guard: h.guard, Admin: listen(t)}
	s := startServer(t, opts)
	done := make(chan response)
	go func() { resp, _ := s.try("GET", "/", nil); done <- resp }()
	<-h.started
	s.cancel()
	waitFor(t, "/readyz to fail", func() bool { return s.admin(opts.Admin, "/readyz").status == 503 })
	if resp := s.admin(opts.Admin, "/healthz"); resp.status != 200 {
		t.Errorf("healthz: got status %d, want 200", resp.status)
	}
	close(h.unblock)
	if resp := <-done; resp.body != "done" {
		t.Errorf("request in flight: got %+v, want the body %q", resp, "done")
	}
}
