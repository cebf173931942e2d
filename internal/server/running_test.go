package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/httpapi"
	"placard/internal/ratelimit"
	"placard/internal/server"
)

// running is a server on the loopback interface.
type running struct {
	t      *testing.T
	addr   string
	url    string
	client *http.Client
	cancel context.CancelFunc
	ended  chan error
	logs   *logBuffer
}

// run starts a server. It is stopped when the test ends.
func run(t *testing.T, opts server.Options) *running {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &running{t: t, addr: l.Addr().String(), url: "http://" + l.Addr().String(), ended: make(chan error, 1), logs: new(logBuffer)}
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(s.logs, nil))
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	go func() { s.ended <- server.Run(ctx, l, opts) }()
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		s.stop()
	})
	return s
}

// stop stops the server and returns the error of [server.Run].
func (s *running) stop() error {
	s.cancel()
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(waitTimeout):
		return fmt.Errorf("the server is still running %v after its context was cancelled", waitTimeout)
	}
}

// answer is a response that was read to its end.
type answer struct {
	status    int
	header    http.Header
	body      string
	connClose bool // the response has the header Connection: close
}

func readAnswer(resp *http.Response) (answer, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(body), resp.Close}, err
}

func (s *running) do(method, path string, body io.Reader, header ...string) answer {
	s.t.Helper()
	a, err := s.try(method, path, body, header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *running) try(method, path string, body io.Reader, header ...string) (answer, error) {
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	return readAnswer(resp)
}

func (s *running) get(path string, header ...string) answer {
	s.t.Helper()
	return s.do("GET", path, nil, header...)
}

// waitTimeout is how long tests wait for an event before they fail.
const waitTimeout = 20 * time.Second

// eventually waits for what is promised to happen soon.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(waitTimeout); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not happen", what)
		}
	}
}

var quiet = slog.New(slog.DiscardHandler)

const stable = "place@2026-06-01-stable"

// api returns the REST API over the built-in taxonomy behind a guard.
func api(t *testing.T, guard server.GuardOptions, opts httpapi.Options) server.Options {
	t.Helper()
	c := catalog.New(builtin.Store(), catalog.Options{Log: quiet})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := server.NewGuard(guard)
	opts.Catalog, opts.Admit, opts.Log = c, g.Admit, quiet
	return server.Options{Handler: httpapi.New(opts), Guard: g, Log: quiet}
}

// held is a face whose requests last until the test lets them go.
type held struct {
	guard   *server.Guard
	begun   chan struct{}
	release chan struct{}
}

func newHeld(opts server.GuardOptions) *held {
	return &held{server.NewGuard(opts), make(chan struct{}, 1000), make(chan struct{})}
}

func (h *held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.guard.Admit(w, r, ratelimit.Free); err != nil {
		httpapi.WriteError(w, problemOf(err))
		return
	}
	h.begun <- struct{}{}
	<-h.release
	_, _ = io.WriteString(w, "done")
}
