//go:build long

package deploytest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"placard/scripts/envtest"
)

func TestHAProxyAcceptsItsConfiguration(t *testing.T) {
	begin(t)
	haproxy := envtest.Program(t, "haproxy")
	run(t, nil, haproxy, "-c", "-f", deploy+"/haproxy.cfg")
	run(t, []string{"PLACARD_STATS=127.0.0.1:8405", "PLACARD_LISTEN=127.0.0.1:80", "PLACARD_NODE_A=192.0.2.1:8080"}, haproxy, "-c", "-f", deploy+"/haproxy.cfg")
}

func TestHAProxyHasMetrics(t *testing.T) {
	begin(t)
	addr := envtest.FreeAddr(t)
	envtest.StartServer(t, addr, []string{
		"PLACARD_LISTEN=" + envtest.FreeAddr(t), "PLACARD_STATS=" + addr,
		"PLACARD_NODE_A=127.0.0.1:1", "PLACARD_NODE_B=127.0.0.1:1", "PLACARD_NODE_C=127.0.0.1:1",
	},
		envtest.Program(t, "haproxy"), "-f", deploy+"/haproxy.cfg")
	for path, want := range map[string]string{"/metrics": `haproxy_server_status{proxy="nodes",server="a"`, "/stats": "<title>Statistics Report"} {
		if status, body := get(t, "http://"+addr+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: got status %d and %.200s, want 200 with %s", path, status, body, want)
		}
	}
}

// TestHAProxySetsTheHeadersThatNodesTrust checks that clients cannot set the headers
// from which nodes take the client's address, and that only safe requests are
// repeated.
func TestHAProxySetsTheHeadersThatNodesTrust(t *testing.T) {
	begin(t)
	var headers atomic.Pointer[http.Header]
	var gets, posts atomic.Int32
	nodes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/flaky" && r.Method == http.MethodGet && gets.Add(1) == 1,
			r.URL.Path == "/flaky" && r.Method == http.MethodPost && posts.Add(1) == 1:
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/headers":
			headers.Store(&r.Header)
		}
	}))
	defer nodes.Close()
	addr := nodes.Listener.Addr().String()
	balancer := envtest.HAProxy(t, [3]string{addr, addr, addr})

	// A client repeats requests itself if a connection that it has used before is closed.
	client := &http.Transport{DisableKeepAlives: true}
	do := func(method, path string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+balancer.Addr+path, strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "placard.example"
		for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"} {
			req.Header.Set(name, "forged")
		}
		resp, err := client.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if status := do(http.MethodGet, "/headers"); status != http.StatusOK {
		t.Fatalf("got status %d, want 200", status)
	}
	for name, want := range map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "placard.example", "X-Forwarded-Proto": "http", "Forwarded": "",
	} {
		if got := strings.Join(headers.Load().Values(name), ", "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if status := do(http.MethodGet, "/flaky"); status != http.StatusOK || gets.Load() != 2 {
		t.Errorf("GET without a response: got status %d after %d requests, want 200 after 2", status, gets.Load())
	}
	if status := do(http.MethodPost, "/flaky"); status != http.StatusBadGateway || posts.Load() != 1 {
		t.Errorf("POST without a response: got status %d after %d requests, want 502 after 1", status, posts.Load())
	}
}
