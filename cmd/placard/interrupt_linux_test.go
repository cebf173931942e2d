package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// The exit statuses of interrupted processes.
const (
	exitSIGINT  = 128 + int(syscall.SIGINT)
	exitSIGTERM = 128 + int(syscall.SIGTERM)
)

func newFIFO(t *testing.T) string {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	return fifo
}

// largeTree returns a copy of the built-in tree with so many elements that
// reading it takes minutes.
func largeTree(t *testing.T) string {
	t.Helper()
	dir := copyTree(t)
	elements := filepath.Join(dir, "place/2026-10-19-beta/elements")
	element, err := os.ReadFile(filepath.Join(elements, "radar.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// Without an id, the file name is the id.
	var large bytes.Buffer
	large.Write(bytes.Replace(element, []byte("id: radar\n"), nil, 1))
	large.WriteString("sources:\n")
	for large.Len() < 500_000 {
		large.WriteString("- {type: law, title: Act, url: 'https://example.org', citation: Section 1}\n")
	}
	first := filepath.Join(elements, "large_0.yaml")
	if err := os.WriteFile(first, large.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 2000; i++ {
		if err := os.Link(first, filepath.Join(elements, fmt.Sprintf("large_%d.yaml", i))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPrintingIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	temporary := filepath.Join(dir, "temporary")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	browser, started, out := filepath.Join(dir, "browser"), filepath.Join(dir, "started"), filepath.Join(dir, "sign.pdf")
	if err := os.WriteFile(browser, []byte("#!/bin/sh\n: > "+started+"\nexec sleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := newProcess(t, "sign", builtinTree+"/place/2026-06-01-stable/examples/river_watch.json", "--url", "https://example.org/", "--chromium", browser, "--out", out)
	p.start()
	p.until("browser", func() bool {
		_, err := os.Stat(started)
		return err == nil
	})
	p.interrupt(syscall.SIGINT, exitSIGINT)
	left, err := os.ReadDir(temporary)
	if err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no temporary files", left, err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an interrupted command wrote its output")
	}
}

func TestCommandsThatOpenAFIFOAreInterrupted(t *testing.T) {
	for _, command := range []string{"validate", "resolve", "render"} {
		p := newProcess(t, command, newFIFO(t))
		p.start()
		p.idle()
		p.interrupt(syscall.SIGTERM, exitSIGTERM)
	}
}

func TestCommandsThatReadAFIFOAreInterrupted(t *testing.T) {
	for _, command := range []string{"validate", "resolve", "render"} {
		fifo := newFIFO(t)
		p := newProcess(t, command, fifo)
		p.start()
		p.openWriter(fifo)
		p.interrupt(syscall.SIGINT, exitSIGINT)
	}
}

func TestCommandsThatReadStandardInputAreInterrupted(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		status int
	}{
		{[]string{"validate", "-"}, exitSIGTERM},
		{[]string{"resolve", "-"}, exitSIGTERM},
		{[]string{"render", "-"}, exitSIGTERM},
		{[]string{"mcp"}, exitOK},
	} {
		p := newProcess(t, tc.args...)
		in := p.holdInput()
		p.start()
		// More than the capacity of a pipe: the process has read some of it.
		if _, err := in.Write(bytes.Repeat([]byte(" "), 128<<10)); err != nil {
			t.Fatal(err)
		}
		p.interrupt(syscall.SIGTERM, tc.status)
	}
}

func TestCommandsThatWriteToABlockedPipeAreInterrupted(t *testing.T) {
	dir := copyTree(t)
	var fields strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&fields, "field_%d: x\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "place/2026-10-19-beta/elements/radar.yaml"), []byte(fields.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", dir}, {"check", dir, "--format", "json"}} {
		p := newProcess(t, args...)
		out := p.holdOutput()
		p.start()
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		p.interrupt(syscall.SIGTERM, exitSIGTERM)
	}
	fifo := newFIFO(t)
	p := newProcess(t, "render", builtinTree+"/place/2026-06-01-stable/examples/river_watch.json", "--out", fifo)
	p.start()
	// The page is larger than a pipe.
	reader, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	p.until("output", func() bool {
		n, _ := reader.Read(make([]byte, 1))
		return n == 1
	})
	p.interrupt(syscall.SIGTERM, exitSIGTERM)
}

// lockStore acquires the lock of a store, as a publisher does.
func lockStore(t *testing.T, store string) (unlock func()) {
	t.Helper()
	unlock, err := lockedfile.MutexAt(filepath.Join(store, ".work", "lock")).Lock()
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

// waitForLock waits until the process waits for the lock of a store.
func (p *process) waitForLock() {
	p.t.Helper()
	p.until("the lock", func() bool {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			p.t.Fatal(err)
		}
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "->") && strings.Contains(line, " "+strconv.Itoa(p.cmd.Process.Pid)+" ") {
				return true
			}
		}
		return false
	})
}

func TestPublisherThatWaitsForTheLockIsInterrupted(t *testing.T) {
	store := t.TempDir()
	if p := runProcess(t, "publish", filepath.Join(builtinTree, "place/2026-06-01-stable"), "--store", store); p.wait() != exitOK {
		t.Fatalf("publish: %s", &p.stderr)
	}
	defer lockStore(t, store)()
	p := newProcess(t, "publish", builtinTree, "--store", store)
	p.start()
	p.waitForLock()
	p.interrupt(syscall.SIGTERM, exitSIGTERM)
	if got, want := p.stderr.String(), "placard: Interrupted. Nothing was changed.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCommandsThatReadALargeTreeAreInterrupted(t *testing.T) {
	dir := largeTree(t)
	for i, args := range [][]string{
		{"check", dir},
		{"build", dir, "--out", t.TempDir()},
		{"publish", dir, "--store", t.TempDir()},
		{"validate", builtinTree + "/place/2026-06-01-stable/examples/river_watch.json", "--source", dir},
	} {
		sig, status := syscall.SIGINT, exitSIGINT
		if i%2 == 1 {
			sig, status = syscall.SIGTERM, exitSIGTERM
		}
		p := newProcess(t, args...)
		p.start()
		p.busy()
		p.interrupt(sig, status)
	}
	for _, args := range [][]string{
		{"serve", "--addr", "127.0.0.1:0", "--source", dir},
		{"mcp", "--source", dir},
		{"check", dir, "--watch"},
	} {
		p := newProcess(t, args...)
		p.holdInput()
		p.start()
		p.busy()
		p.interrupt(syscall.SIGTERM, exitOK)
	}
}

// startServer starts the process and returns its server when it is ready.
func (p *process) startServer() *daemon {
	p.t.Helper()
	out := p.holdOutput()
	p.start()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	_, url, _ := strings.Cut(strings.TrimSpace(line), "Listening on ")
	d := &daemon{t: p.t, url: url, logs: new(syncBuffer)}
	d.ready()
	return d
}

func TestServerThatLogsToABlockedPipeIsInterrupted(t *testing.T) {
	p := newProcess(t, "serve", "--addr", "127.0.0.1:0", "--rate-limit", "off", "--drain", "100ms")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	p.cmd.Stderr = w
	d := p.startServer()
	// The log lines are more than a pipe holds, so one of the requests is never answered.
	client := http.Client{Timeout: time.Second}
	for {
		resp, err := client.Get(d.url + "/api/v2/schemas")
		if err != nil {
			break
		}
		resp.Body.Close()
	}
	p.interrupt(syscall.SIGTERM, exitSIGTERM)
}
