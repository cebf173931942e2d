package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/scripts/envtest"
)

// dial opens a new connection to the daemon.
func (d *daemon) dial() net.Conn {
	d.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { conn.Close() })
	return conn
}

// startRequest sends the headers of a request and returns its connection when
// the daemon is waiting for the body.
func (d *daemon) startRequest(body string) net.Conn {
	d.t.Helper()
	conn := d.dial()
	fmt.Fprintf(conn, "POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", stable, len(body))
	line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, line); err != nil || !strings.Contains(string(line), "100") {
		d.t.Fatalf("got %q (%v), want 100 Continue\n%s", line, err, d.logs)
	}
	return conn
}

func (d *daemon) terminate() {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
}

// wait waits for the daemon and returns its exit status.
func (d *daemon) wait() int {
	_ = d.cmd.Wait() // returned as the exit status
	return d.cmd.ProcessState.ExitCode()
}

func TestSIGTERMFinishesRequestsInFlight(t *testing.T) {
	t.Parallel()
	d := start(t, "--rate-limit", "off", "--drain", "20s")
	d.ready()
	const body = `{"id":"x"}`
	conns := make([]net.Conn, 50)
	for i := range conns {
		conns[i] = d.startRequest(body)
	}
	d.terminate()
	d.eventually("refused connections", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	var group sync.WaitGroup
	for i, conn := range conns {
		group.Go(func() {
			_, _ = io.WriteString(conn, body)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			if got, err := io.ReadAll(resp.Body); resp.StatusCode != 200 || err != nil || !strings.Contains(string(got), "parse_error") {
				t.Errorf("request %d: got %d %s (%v), want 200 with parse_error", i, resp.StatusCode, got, err)
			}
		})
	}
	group.Wait()
	if status := d.wait(); status != 0 {
		t.Errorf("exit status = %d, want 0\n%s", status, d.logs)
	}
}

func TestReadyzFailsBeforeConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	d := start(t, "--drain-delay", "1s")
	d.ready()
	d.terminate()
	d.eventually("failing /readyz", func() bool { status, _ := d.get("/readyz"); return status == 503 })
	if status, _ := d.get("/api/v2/schemas"); status != 200 {
		t.Errorf("request during the drain delay: got %d, want 200", status)
	}
	if status := d.wait(); status != 0 {
		t.Errorf("exit status = %d, want 0\n%s", status, d.logs)
	}
}

func TestSecondSignalKillsTheProcess(t *testing.T) {
	t.Parallel()
	d := start(t, "--drain-delay", "10m")
	d.ready()
	d.terminate()
	d.eventually("failing /readyz", func() bool { status, _ := d.get("/readyz"); return status == 503 })
	d.terminate()
	if status, want := d.wait(), 128+int(syscall.SIGTERM); status != want {
		t.Errorf("exit status = %d, want %d\n%s", status, want, d.logs)
	}
}

func TestNoSignalIsLost(t *testing.T) {
	signals := make(chan os.Signal, 2)
	canceled, status := false, exitOK
	// Both signals arrive before the first is handled.
	signals <- syscall.SIGTERM
	signals <- os.Interrupt
	handleSignals(signals, func(error) { canceled = true }, func(s int) { status = s })
	if want := 128 + int(syscall.SIGINT); !canceled || status != want {
		t.Errorf("canceled = %t, exit status = %d; want true, %d", canceled, status, want)
	}
}

func TestServeAppliesConfiguredLimits(t *testing.T) {
	t.Parallel()
	d := start(t, "--rate-limit-read", "3/1h", "--max-body", "1KiB", "--robots-tag", "noindex")
	d.ready()
	for i := range 5 {
		want := 200
		if i >= 3 {
			want = 429
		}
		if status, body := d.get("/api/v2/schemas"); status != want {
			t.Errorf("request %d: got %d %s, want %d", i, status, body, want)
		}
	}
	resp, err := http.Post(d.url+"/api/v2/schemas/"+stable+"/validate", "application/json", strings.NewReader(strings.Repeat(" ", 2000)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge || resp.Header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("large body: got %d %v, want 413 with X-Robots-Tag", resp.StatusCode, resp.Header)
	}

	unlimited := start(t, "--rate-limit", "off")
	unlimited.ready()
	for range 400 {
		if status, body := unlimited.get("/api/v2/schemas"); status != 200 {
			t.Fatalf("--rate-limit=off: got %d %s, want 200", status, body)
		}
	}
}

func TestAdminAddressServesMetricsAndProfiles(t *testing.T) {
	t.Parallel()
	d := start(t, "--admin-addr", "127.0.0.1:0", "--pprof")
	_, metrics, ok := strings.Cut(d.line(), "metrics on ")
	if !ok {
		t.Fatal("no admin address printed")
	}
	d.ready()
	admin := strings.TrimSuffix(metrics, "/metrics")
	for path, want := range map[string]string{
		"/metrics":             "placard_releases 2",
		"/buildinfo":           `"go":"go1.`,
		"/debug/pprof/cmdline": "serve",
		"/readyz":              `{"ok":true}`,
	} {
		resp, err := http.Get(admin + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: got %d (%v), want 200 with %s", path, resp.StatusCode, err, want)
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/buildinfo"} {
		if status, _ := d.get(path); status != 404 {
			t.Errorf("public %s: got %d, want 404", path, status)
		}
	}
}

func TestJSONLogHasOnlyJSON(t *testing.T) {
	redis := "redis://:hunter2@" + envtest.Redis(t).Addr
	cmd := exec.CommandContext(t.Context(), os.Args[0], "serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--log-format", "json",
		"--store", "s3://bucket?endpoint=http://127.0.0.1:1", "--redis", redis)
	cmd.Env = append(os.Environ(), runAsPlacard+"=1")
	d := &daemon{t: t, cmd: cmd, logs: new(syncBuffer)}
	cmd.Stdout, cmd.Stderr = d.logs, d.logs // as containers merge them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.eventually("the first error", func() bool { return strings.Contains(d.logs.String(), "cannot be listed") })
	if status := d.stop(); status != exitOK {
		t.Errorf("got exit status %d, want 0", status)
	}
	var messages []string
	for line := range strings.Lines(d.logs.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%q is not JSON: %v", line, err)
			continue
		}
		messages = append(messages, fmt.Sprint(record["msg"]))
		if record["msg"] == "starting" && (record["version"] != versionText() || record["addr"] == "" || record["store"] != "s3://bucket?endpoint=http://127.0.0.1:1" || record["redis"] == nil) {
			t.Errorf("got %v, want the version, the address and the settings", record)
		}
	}
	if len(messages) == 0 || messages[0] != "starting" || messages[len(messages)-1] != "stopped" {
		t.Errorf("got lines %v, want them to begin with starting and end with stopped", messages)
	}
	if strings.Contains(d.logs.String(), "hunter2") {
		t.Error("the log contains a password")
	}
}

func TestClientsAreServedAgainAfterRetryAfter(t *testing.T) {
	t.Parallel()
	d := start(t, "--rate-limit-read", "20/2s")
	d.ready()
	for window := range 2 {
		served := 0
		var refused *http.Response
		for refused == nil {
			resp, err := http.Get(d.url + "/api/v2/schemas")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			switch resp.StatusCode {
			case http.StatusOK:
				served++
			case http.StatusTooManyRequests:
				refused = resp
			default:
				t.Fatalf("got status %d, want 200 or 429", resp.StatusCode)
			}
		}
		if served != 20 {
			t.Errorf("window %d: %d requests served, want 20", window, served)
		}
		seconds, err := strconv.Atoi(refused.Header.Get("Retry-After"))
		if err != nil || seconds < 1 || seconds > 2 {
			t.Fatalf("Retry-After = %q, want 1 or 2", refused.Header.Get("Retry-After"))
		}
		<-time.After(time.Duration(seconds) * time.Second)
	}
}
