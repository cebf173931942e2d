package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHealthReportsTheStateOfAServer(t *testing.T) {
	d := start(t, "--admin-addr", "127.0.0.1:0", "--allowed-hosts", "placard.example")
	_, admin, _ := strings.Cut(d.line(), "http://")
	admin = strings.TrimSuffix(admin, "/metrics")
	_, port, err := net.SplitHostPort(admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{admin, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if status, output := placard(t, "", "health", "--admin-addr", addr); status != exitOK || output != "ready\n" {
			t.Errorf("%s: got status %d and %q, want 0 and ready", addr, status, output)
		}
	}
	t.Setenv("PLACARD_ADDR", strings.TrimPrefix(d.url, "http://"))
	if status, output := placard(t, "", "health"); status != exitFailure || !strings.Contains(output, "does not serve the requested host") {
		t.Errorf("public address with --allowed-hosts: got status %d and %q, want 1 and the reason", status, output)
	}
	t.Setenv("PLACARD_ADMIN_ADDR", admin)
	if status, output := placard(t, "", "health", "--live"); status != exitOK || output != "alive\n" {
		t.Errorf("both addresses in the environment: got status %d and %q, want 0 and alive", status, output)
	}
}

func TestHealthFailsWithoutReleases(t *testing.T) {
	t.Parallel()
	d := start(t, "--store", t.TempDir())
	addr := strings.TrimPrefix(d.url, "http://")
	if status, output := placard(t, "", "health", "--addr", addr); status != exitFailure || !strings.Contains(output, "Nothing is published in") {
		t.Errorf("empty store: got status %d and %q, want 1 and the reason", status, output)
	}
	if status, output := placard(t, "", "health", "--addr", addr, "--live"); status != exitOK {
		t.Errorf("empty store, --live: got status %d and %q, want 0", status, output)
	}
}

func TestHealthFailsWithoutAValidResponse(t *testing.T) {
	var respond http.HandlerFunc
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { respond(w, r) }))
	defer server.Close()
	body := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}
	}
	for name, test := range map[string]struct {
		respond http.HandlerFunc
		want    string
		status  int
	}{
		"degraded":        {body(200, `{"ok":true,"degraded":[{"id":"place@2026-06-01-stable","errors":1,"first_error":{"message":"It is damaged.","fix_hint":"Publish it."}}]}`), "ready, degraded\nplace@2026-06-01-stable has an error. It is damaged. Publish it.\n", exitOK},
		"reason and hint": {body(503, `{"ok":false,"errors":[{"code":"not_ready","message":"Not yet.","fix_hint":"Wait."}]}`), "says: Not yet.\n      = hint: Wait.\n", exitFailure},
		"another service": {body(200, "<!doctype html>"), "unexpected response with status 200.", exitFailure},
		"not ok":          {body(200, `{"ok":false}`), "unexpected response with status 200.", exitFailure},
		"wrong status":    {body(500, `{"ok":true}`), "unexpected response with status 500.", exitFailure},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				body(200, `{"ok":true}`)(w, r)
				return
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, "unexpected response with status 302.", exitFailure},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, strings.Repeat(" ", 1<<16))
			}
		}, "unexpected response with status 200.", exitFailure},
		"incomplete": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"ok":true}`)
		}, "incomplete response", exitFailure},
		"stalled": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not respond within 300ms.", exitFailure},
		"aborted": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached", exitFailure},
	} {
		respond = test.respond
		timeout := "1m"
		if name == "stalled" {
			timeout = "300ms"
		}
		status, output := placard(t, "", "health", "--timeout", timeout, "--addr", server.Listener.Addr().String())
		if status != test.status || !strings.Contains(output, test.want) {
			t.Errorf("%s: got status %d and %q, want %d and %q", name, status, output, test.status, test.want)
		}
	}
	server.Close()
	status, output := placard(t, "", "health", "--addr", server.Listener.Addr().String())
	if status != exitFailure || !strings.Contains(output, "cannot be reached: connection refused.") {
		t.Errorf("no server: got status %d and %q, want 1 and a refused connection", status, output)
	}
}

func TestHealthStopsWhenInterrupted(t *testing.T) {
	called := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(called)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-called
		cancel(context.Canceled)
	}()
	f := healthFlags{timeout: time.Minute}
	if _, err := f.ask(ctx, server.URL); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
