//go:build long

package main

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"placard/scripts/envtest"
)

func TestClusterRestartFailsNoRequest(t *testing.T) {
	args := []string{"--rate-limit=off", "--log-level=error", "--trusted-proxies=127.0.0.1", "--drain-delay=3s"}
	var nodes []*node
	for range 3 {
		nodes = append(nodes, startNode(t, append(args, "--addr="+envtest.FreeAddr(t))...))
	}
	for _, n := range nodes {
		n.ready()
	}
	balancer := envtest.HAProxy(t, [3]string(addrs(nodes)))
	requests := []request{
		{"GET", "/api/v2/schemas/" + stable + "/elements?limit=200&fields=all", ""},
		{"GET", "/api/v2/schemas/" + stable + "/elements/radar", ""},
		{"GET", "/api/v2/schemas/" + stable + "/elements/radar/icon.svg", ""},
		{"POST", "/api/v2/schemas/" + stable + "/validate", testDocument("x")},
		{"POST", mcpPath, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
	}
	var served, failed atomic.Int64
	l := startLoad(32, []string{balancer.Addr}, requests, func(got response) {
		served.Add(1)
		if (got.err != nil || got.status != http.StatusOK) && failed.Add(1) < 10 {
			t.Error(got)
		}
	})
	defer l.stop()
	for i, n := range nodes {
		before := served.Load()
		n.eventually("requests through the balancer", func() bool { return served.Load() > before+100 })
		if status := n.stop(); status != exitOK {
			t.Errorf("node %d: exit status = %d, want 0\n%s", i, status, n.logs)
		}
		nodes[i] = startNode(t, append(args, "--addr="+n.addr())...)
		nodes[i].ready()
	}
	// Each node serves requests again.
	for _, n := range nodes {
		n.eventually("requests of the balancer", func() bool {
			return strings.Contains(n.metrics(), `placard_http_requests_total{method="POST",route="/api/v2/schemas/{version}/validate",status="200"}`)
		})
	}
	l.stop()
	t.Logf("%d requests, %d failed", served.Load(), failed.Load())
}
