package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"placard/scripts/envtest"
)

// sharingNodes are three nodes that share their state in Redis.
type sharingNodes []*node

func startSharingNodes(t *testing.T, redis string, args ...string) sharingNodes {
	t.Helper()
	return startNodes(t, 3, append(args, "--redis", "redis://"+redis)...)
}

// waitForRedis waits until Redis answers and each node knows the others.
func (nodes sharingNodes) waitForRedis() {
	for _, n := range nodes {
		n.t.Helper()
		n.eventually("Redis", func() bool { return n.metric("placard_redis_up") == 1 && n.metric("placard_nodes") == 3 })
	}
}

// try calls f while Redis answers, and reports its error. On a busy machine, Redis may
// take longer than nodes wait for it. They are right to decide alone then, and f
// is called again.
func (nodes sharingNodes) try(t *testing.T, f func() error) {
	t.Helper()
	failures := func() (sum float64) {
		for _, n := range nodes {
			sum += n.metric("placard_redis_failures_total")
		}
		return sum
	}
	for range 20 {
		before := failures()
		nodes.waitForRedis()
		err := f()
		if failures() > before {
			continue
		}
		if err != nil {
			t.Error(err)
		}
		return
	}
	t.Error("Redis never answers in time")
}

// checkLimit checks that the nodes together allow exactly the given number of requests
// of a new client.
func (nodes sharingNodes) checkLimit(t *testing.T, limit int, x request) {
	t.Helper()
	nodes.try(t, func() error {
		if got := nodes.countAllowed(t, limit+limit/5+10, x, rand.Text()); got != limit {
			return fmt.Errorf("%v: the nodes allowed %d requests, want %d", x, got, limit)
		}
		return nil
	})
}

// countAllowed sends a client's requests to all nodes at the same time, and returns the
// number of those that were within the limit.
func (nodes sharingNodes) countAllowed(t *testing.T, requests int, x request, client string) int {
	t.Helper()
	var sent, allowed atomic.Int64
	var group sync.WaitGroup
	for worker := range 4 * len(nodes) {
		group.Go(func() {
			c := &clientConn{addr: nodes[worker%len(nodes)].addr()}
			defer c.close()
			for sent.Add(1) <= int64(requests) {
				switch got := c.do(x, "Service-Client", client); {
				case got.err == nil && got.status == http.StatusOK:
					allowed.Add(1)
				case got.err != nil || got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "":
					t.Errorf("%v, want 200 or 429 with Retry-After", got)
				}
			}
		})
	}
	group.Wait()
	return int(allowed.Load())
}

func TestClusterSharesLimits(t *testing.T) {
	nodes := startSharingNodes(t, envtest.Redis(t).Addr, "--log-level=error")
	version := "/api/v2/schemas/" + stable
	for limit, x := range map[int]request{
		300:  {"GET", version + "/elements/radar", ""},
		1200: {"GET", version + "/elements/radar/icon.svg", ""},
		30:   {"POST", version + "/validate", testDocument("x")},
		15:   {"POST", version + "/resolve", testDocument("x")},
	} {
		nodes.checkLimit(t, limit, x)
	}
}

func TestClusterSharesMCPSessions(t *testing.T) {
	nodes := startSharingNodes(t, envtest.Redis(t).Addr, "--log-level=error", "--rate-limit-read=1000000/60s", "--trusted-proxies=127.0.0.1")
	nodes.try(t, func() error { return nodes.shareSession(rand.Text()) })
	if envtest.Long {
		balancer := envtest.HAProxy(t, [3]string(addrs(nodes)))
		nodes.try(t, func() error { return useSession(t.Context(), "http://"+balancer.Addr+mcpPath, rand.Text()) })
	}
	for i, n := range nodes {
		if !strings.Contains(n.metrics(), `placard_http_requests_total{method="POST",route="/mcp",status="200"}`) {
			t.Errorf("node %d got no request", i)
		}
	}
}

// shareSession sends the requests of one session to different nodes. Each node in
// turn replaces the view, which all nodes then return. The last document is sent
// to the first node only.
func (nodes sharingNodes) shareSession(session string) error {
	const read = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://service/datachain/view.html"}}`
	call := func(tool, datachain string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"version":"` + stable + `","datachain":` + datachain + `}}}`
	}
	var validated struct {
		Result struct {
			StructuredContent struct {
				Meta struct {
					Handle string `json:"handle"`
				} `json:"meta"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	_, _, body := nodes[0].post(call("validate_datachain", testDocument("Tessel")), "Mcp-Session-Id", session)
	if err := json.Unmarshal([]byte(body), &validated); err != nil {
		return fmt.Errorf("%w: %s", err, body)
	}
	for i, step := range []struct{ document, town string }{
		{testDocument("Ostmere"), "The town of Ostmere"},
		{testDocument("Westmere"), "The town of Westmere"},
		{`"` + validated.Result.StructuredContent.Meta.Handle + `"`, "The town of Tessel"},
	} {
		if _, _, body := nodes[i].post(call("render_datachain", step.document), "Mcp-Session-Id", session); !strings.Contains(body, step.town) {
			return fmt.Errorf("render_datachain on node %d: got %.300s, want %q", i, body, step.town)
		}
		for j, n := range nodes {
			if _, _, body := n.post(read, "Mcp-Session-Id", session); !strings.Contains(body, step.town) {
				return fmt.Errorf("view of node %d on node %d: got %.300s, want %q", i, j, body, step.town)
			}
			if _, _, body := n.post(read, "Mcp-Session-Id", session+"x"); strings.Contains(body, step.town) {
				return fmt.Errorf("view of node %d on node %d in another session: got %.300s, want none", i, j, body)
			}
		}
	}
	return nil
}

// useSession runs a session with an MCP client. The document is sent once.
func useSession(ctx context.Context, endpoint, id string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: inSession(id)}}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	var datachain any
	if err := json.Unmarshal([]byte(testDocument("Tessel")), &datachain); err != nil {
		return err
	}
	validated, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "validate_datachain", Arguments: map[string]any{"version": stable, "datachain": datachain}})
	if err != nil || validated.IsError {
		return fmt.Errorf("validate_datachain: got %+v, %v", validated, err)
	}
	content, _ := validated.StructuredContent.(map[string]any)
	meta, _ := content["meta"].(map[string]any)
	for i := range 12 {
		rendered, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "render_datachain", Arguments: map[string]any{"version": stable, "datachain": meta["handle"]}})
		if err != nil || rendered.IsError {
			return fmt.Errorf("render_datachain, call %d: got %+v, %v", i, rendered, err)
		}
		view, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ui://service/datachain/view.html"})
		if err != nil || !strings.Contains(view.Contents[0].Text, "The town of Tessel") {
			return fmt.Errorf("view, call %d: got %+v, %v", i, view, err)
		}
	}
	return nil
}

// inSession is an [http.RoundTripper] that sends each request in a session.
type inSession string

func (s inSession) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Mcp-Session-Id", string(s))
	return http.DefaultTransport.RoundTrip(r)
}
