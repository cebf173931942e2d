package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"placard/internal/serve/httpapi"
	"placard/internal/serve/mcpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/server"
	"placard/scripts/envtest"
)

// bothAPIs returns options for a server of the REST API and, at /mcp, the MCP
// API.
func bothAPIs(t *testing.T, guard server.GuardOptions) server.Options {
	t.Helper()
	opts := apiOptions(t, guard, httpapi.Options{})
	mux := http.NewServeMux()
	mux.Handle("/", opts.Handler)
	mux.Handle("/mcp", mcpapi.New(mcpapi.Options{Catalog: builtinCatalog(), Admit: opts.Guard.Admit, Log: discardLog}))
	opts.Handler = mux
	return opts
}

// TestResponsesToRefusedBodiesArrive sends bodies that the server refuses, with a
// client that writes the whole request before it reads the response. Closing a
// connection with unread data would reset it, and the response would be lost.
func TestResponsesToRefusedBodiesArrive(t *testing.T) {
	exhausted := ratelimit.DefaultPolicy
	exhausted.Resolve = ratelimit.Limit{Requests: 1, Window: time.Hour}
	open := startServer(t, bothAPIs(t, server.GuardOptions{}))
	limited := startServer(t, bothAPIs(t, server.GuardOptions{Limiter: ratelimit.NewMemory(exhausted, ratelimit.MemoryOptions{})}))
	limited.do("POST", "/api/v2/schemas/"+stableVersion+"/resolve", strings.NewReader("{}"))
	full := startServer(t, bothAPIs(t, server.GuardOptions{MaxBodyMemory: 1}))

	const requests = 3 // at the same time
	for name, tc := range map[string]struct {
		server *testServer
		target string
		header string
		status int
	}{
		"too large":        {open, "POST /api/v2/schemas/" + stableVersion + "/validate", "", 413},
		"too large, last":  {open, "POST /api/v2/schemas/" + stableVersion + "/validate", "Connection: close\r\n", 413},
		"too large, MCP":   {open, "POST /mcp", "", 413},
		"unknown version":  {open, "POST /api/v2/schemas/place@1999-01-01/resolve", "", 404},
		"unknown route":    {open, "POST /elsewhere", "", 404},
		"wrong method":     {open, "PUT /mcp", "", 405},
		"compressed":       {open, "POST /mcp", "Content-Encoding: gzip\r\n", 415},
		"rate limited":     {limited, "POST /api/v2/schemas/" + stableVersion + "/resolve", "", 429},
		"overloaded":       {full, "POST /api/v2/schemas/" + stableVersion + "/resolve", "", 503},
		"overloaded, MCP":  {full, "POST /mcp", "", 503},
		"health check":     {open, "GET /healthz", "", 200},
		"preflight":        {open, "OPTIONS /mcp", "", 204},
		"expects continue": {open, "POST /elsewhere", "Expect: 100-continue\r\n", 404},
	} {
		for _, size := range envtest.Sample(1, []int{3 << 20, 1<<20 + 1000, 8 << 20}) {
			for _, chunked := range []bool{false, true} {
				body := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size))
				if chunked {
					body = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat(" ", size))
				}
				// MaxBodyMemory applies to bytes that are read: a body announced as too
				// large is refused before.
				want := tc.status
				if want == http.StatusServiceUnavailable && !chunked {
					want = http.StatusRequestEntityTooLarge
				}
				var lost atomic.Int64
				var group sync.WaitGroup
				for range requests {
					group.Go(func() {
						conn := tc.server.dial()
						defer conn.Close()
						_, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\n%s%s", tc.target, tc.header, body)
						if err != nil {
							lost.Add(1)
							return
						}
						resp, err := readResponse(conn)
						if err != nil {
							lost.Add(1)
							return
						}
						if resp.status != want || !resp.connClose {
							t.Errorf("%s, %d bytes, chunked %t: got status %d, Connection: close: %t, want %d, true", name, size, chunked, resp.status, resp.connClose, want)
						}
					})
				}
				group.Wait()
				if n := lost.Load(); n > 0 {
					t.Errorf("%s, %d bytes, chunked %t: %d of %d responses lost, want none", name, size, chunked, n, requests)
				}
			}
		}
	}
}

func TestRefusedBodiesAreReadToALimit(t *testing.T) {
	s := startServer(t, apiOptions(t, server.GuardOptions{}, httpapi.Options{}))
	conn := s.dial()
	fmt.Fprint(conn, "POST /elsewhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	if resp, err := readResponse(conn); err != nil || resp.status != 404 {
		t.Fatalf("got status %d (%v), want 404", resp.status, err)
	}
	chunk := "10000\r\n" + strings.Repeat(" ", 1<<16) + "\r\n"
	sent := 0
	for {
		n, err := io.WriteString(conn, chunk)
		sent += n
		if err != nil {
			break
		}
	}
	// The client can also fill the socket buffers of both sides.
	if sent < 16<<20 || sent > 48<<20 {
		t.Errorf("the client sent %d bytes, want between 16 and 48 MiB", sent)
	}
}
