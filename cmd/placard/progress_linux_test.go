package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressAppearsAfterADelay(t *testing.T) {
	t.Setenv("TERM", "xterm")
	synctest.Test(t, func(t *testing.T) {
		terminal := newTerminal(t)
		p := newProgress(terminal.device)
		for i := range 299 {
			p.show("step %d", i)
			time.Sleep(time.Millisecond)
		}
		fmt.Fprint(terminal.device, "marker")
		if got := terminal.until("marker"); got != "marker" {
			t.Errorf("got %q before the delay, want no progress", got)
		}
		time.Sleep(time.Millisecond)
		if got, want := terminal.until("298"), eraseLine+"step 298"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		for i := range 1000 {
			p.show("step %d", i)
			time.Sleep(time.Millisecond)
		}
		p.stop()
		time.Sleep(time.Second)
		fmt.Fprint(terminal.device, "end")
		got := terminal.until("end")
		if !strings.HasSuffix(got, eraseLine+"end") {
			t.Errorf("got %q, want the line to be removed last", got)
		}
		if count := strings.Count(got, "step"); count < 5 || count > 10 {
			t.Errorf("got %d updates in a second, want at most 10", count)
		}
	})
}

func TestProgressNeverOverwritesOutput(t *testing.T) {
	t.Setenv("TERM", "xterm")
	synctest.Test(t, func(t *testing.T) {
		terminal := newTerminal(t)
		p := newProgress(terminal.device)
		out := p.guard(terminal.device)
		show := func(text string) {
			p.show("%s", text)
			time.Sleep(2 * progressDelay)
		}
		show("first")
		fmt.Fprint(out, "unfinished ")
		show("invisible")
		fmt.Fprint(out, "line\n")
		show("second\x1b[2J" + strings.Repeat("長", 40))
		fmt.Fprint(out, "end\n")
		p.stop()
		want := eraseLine + "first" + eraseLine + "unfinished line\r\n" +
			eraseLine + "second�[2J" + strings.Repeat("長", 14) + "…" + eraseLine + "end\r\n"
		if got := terminal.until("end\r\n"); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestProgressDoesNotWaitForABlockedTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	terminal := newTerminal(t)
	// Nobody reads the rest of this text.
	go func() { _, _ = io.WriteString(terminal.device, "full"+strings.Repeat("x", 1<<20)) }()
	terminal.until("full")
	p := newProgress(terminal.device)
	p.show("blocked")
	for p.mu.TryLock() {
		p.mu.Unlock()
		runtime.Gosched()
	}
	p.stop()
	if p.mu.TryLock() {
		t.Error("the terminal was not blocked")
	}
}

func TestLongCommandsShowProgressOnATerminal(t *testing.T) {
	dir := largeTree(t)
	for _, args := range [][]string{
		{"check", dir},
		{"build", dir, "--out", t.TempDir()},
		{"publish", dir, "--store", t.TempDir()},
	} {
		terminal := newTerminal(t)
		p := newProcess(t, args...)
		terminal.connect(p)
		p.start()
		terminal.until(eraseLine + "Checking place@")
		p.interrupt(syscall.SIGINT, exitSIGINT)
		fmt.Fprint(terminal.device, "end")
		got := terminal.until("end")
		after := got[strings.LastIndex(got, eraseLine)+len(eraseLine):]
		// Commands that change a store also say that they were interrupted.
		if !strings.Contains(got, eraseLine) || after != "end" && !strings.HasPrefix(after, "placard: Interrupted.") {
			t.Errorf("%s: got %q, want the line to be removed before anything else is printed", args[0], got)
		}
	}
}

func TestProgressIsShownOnlyOnTerminals(t *testing.T) {
	dir := largeTree(t)
	pipe := newProcess(t, "check", dir)
	pipe.start()
	terminal := newTerminal(t)
	dumb := newProcess(t, "check", dir)
	terminal.connect(dumb)
	dumb.cmd.Env = append(dumb.cmd.Env, "TERM=dumb")
	dumb.start()
	for _, p := range []*process{pipe, dumb} {
		p.until("CPU time", func() bool { return p.cpuTime() > 2*progressDelay })
		p.interrupt(syscall.SIGTERM, exitSIGTERM)
	}
	if pipe.stdout.Len()+pipe.stderr.Len() > 0 {
		t.Errorf("got %q and %q in pipes, want nothing", &pipe.stdout, &pipe.stderr)
	}
	fmt.Fprint(terminal.device, "end")
	if got := terminal.until("end"); got != "end" {
		t.Errorf("got %q on a dumb terminal, want nothing", got)
	}
}
