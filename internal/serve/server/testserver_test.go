package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"placard/internal/serve/httpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/server"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
)

// testServer is a running server on the loopback interface.
type testServer struct {
	t      *testing.T
	addr   string
	url    string
	client *http.Client
	cancel context.CancelFunc
	done   chan error // receives the result of server.Run
	logs   *logBuffer
}

// startServer starts a server. It is stopped when the test ends.
func startServer(t *testing.T, opts server.Options) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{t: t, addr: l.Addr().String(), url: "http://" + l.Addr().String(), done: make(chan error, 1), logs: new(logBuffer)}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(s.logs, nil))
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	go func() { s.done <- server.Run(ctx, l, opts) }()
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		s.stop()
	})
	return s
}

// stop stops the server and returns the error of [server.Run].
func (s *testServer) stop() error {
	s.cancel()
	select {
	case err := <-s.done:
		s.done <- err
		return err
	case <-time.After(waitTimeout):
		return fmt.Errorf("the server is still running %v after its context was cancelled", waitTimeout)
	}
}

// response is a response whose body has been read.
type response struct {
	status    int
	header    http.Header
	body      string
	connClose bool // has the header Connection: close
}

func newResponse(resp *http.Response) (response, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, string(body), resp.Close}, err
}

// do sends a request with the given header names and values. It fails the test if
// no complete response arrives.
func (s *testServer) do(method, path string, body io.Reader, header ...string) response {
	s.t.Helper()
	resp, err := s.try(method, path, body, header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// try is like do but returns the error.
func (s *testServer) try(method, path string, body io.Reader, header ...string) (response, error) {
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		return response{}, err
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return response{}, err
	}
	return newResponse(resp)
}

func (s *testServer) get(path string, header ...string) response {
	s.t.Helper()
	return s.do("GET", path, nil, header...)
}

// readResponse reads one response from a connection.
func readResponse(conn net.Conn) (response, error) {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return response{}, err
	}
	return newResponse(resp)
}

// waitTimeout is how long tests wait for an event before they fail.
const waitTimeout = 20 * time.Second

// waitFor waits until a condition is true.
func waitFor(t *testing.T, event string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(waitTimeout); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", event)
		}
	}
}

var discardLog = slog.New(slog.DiscardHandler)

const stableVersion = "place@2026-06-01-stable"

// builtinCatalog returns a catalog of the built-in taxonomy, which tests share.
var builtinCatalog = sync.OnceValue(func() *catalog.Catalog {
	c := catalog.New(builtin.Store(), catalog.Options{Log: discardLog})
	if err := c.Refresh(context.Background()); err != nil {
		panic(err)
	}
	return c
})

// apiOptions returns options for a server of the REST API with the built-in
// taxonomy.
func apiOptions(t *testing.T, guard server.GuardOptions, opts httpapi.Options) server.Options {
	t.Helper()
	g := server.NewGuard(guard)
	opts.Catalog, opts.Admit, opts.Log = builtinCatalog(), g.Admit, discardLog
	return server.Options{Handler: httpapi.New(opts), Guard: g, Log: discardLog}
}

// blockingHandler admits requests and blocks them until the test closes unblock.
type blockingHandler struct {
	guard   *server.Guard
	started chan struct{} // receives a value for each admitted request
	unblock chan struct{}
}

func newBlockingHandler(opts server.GuardOptions) *blockingHandler {
	return &blockingHandler{server.NewGuard(opts), make(chan struct{}, 1000), make(chan struct{})}
}

func (h *blockingHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := h.guard.Admit(w, r, ratelimit.Free); err != nil {
		httpapi.WriteError(w, asProblem(err))
		return
	}
	h.started <- struct{}{}
	<-h.unblock
	_, _ = io.WriteString(w, "done")
}
