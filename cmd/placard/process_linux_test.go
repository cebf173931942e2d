package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processTimeout is how long a process in these tests may run before it is
// killed.
const processTimeout = 30 * time.Second

// process is a placard process with limited memory.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
	done   chan struct{} // closed when the process has ended
}

// newProcess returns a process that has not been started.
func newProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), processTimeout)
	t.Cleanup(cancel)
	p.cmd = exec.CommandContext(ctx, os.Args[0], args...)
	p.cmd.Env = append(os.Environ(), runAsPlacard+"=1")
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	// Do not wait for output that is never read.
	p.cmd.WaitDelay = time.Second
	return p
}

// start starts the process with a limited address space, so that it fails if it
// reads an endless file into memory.
func (p *process) start() {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	limit := unix.Rlimit{Cur: 4 << 30, Max: 4 << 30}
	_ = unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_AS, &limit, nil) // fails if the process has ended
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // returned as the exit status
	}()
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
}

// wait waits for the process and returns its exit status, or -1 if it was killed.
func (p *process) wait() int {
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// peakMemory returns the maximum resident size of the ended process in bytes.
func (p *process) peakMemory() int64 {
	return p.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// runProcess runs a process to its end.
func runProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := newProcess(t, args...)
	p.start()
	p.wait()
	return p
}

// interrupt sends a signal and checks that the process ends within a second. A
// slow machine gets a little longer.
func (p *process) interrupt(sig syscall.Signal, wantStatus int) {
	p.t.Helper()
	if p.ended() {
		p.t.Fatalf("the process ended before the signal, with status %d\n%s", p.wait(), &p.stderr)
	}
	sent := time.Now()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
	status := p.wait()
	// A command exits within a second. The test allows for a busy machine and the
	// race detector.
	if took := time.Since(sent); took > 3*time.Second {
		p.t.Errorf("the process ended %v after the signal, want about 1s", took)
	}
	if status != wantStatus {
		p.t.Errorf("exit status = %d, want %d", status, wantStatus)
	}
}

// until waits for a condition of a running process.
func (p *process) until(name string, condition func() bool) {
	p.t.Helper()
	for !condition() {
		if p.ended() {
			p.t.Fatalf("the process ended while waiting for %s, with status %d\n%s", name, p.wait(), &p.stderr)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// busy waits until the process has used some CPU time.
func (p *process) busy() {
	p.t.Helper()
	p.until("CPU time", func() bool { return p.cpuTime() > 300*time.Millisecond })
}

// idle waits until all threads of the process have been sleeping for a while.
func (p *process) idle() {
	p.t.Helper()
	count := 0
	p.until("idle threads", func() bool {
		count++
		if !p.sleeping() {
			count = 0
		}
		return count == 10
	})
}

// sleeping reports whether all threads of the process are sleeping. Threads that
// wait for a processor are not.
func (p *process) sleeping() bool {
	files, err := filepath.Glob("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/task/*/stat")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if _, state, _ := strings.Cut(string(data), ") "); err != nil || !strings.HasPrefix(state, "S ") {
			return false
		}
	}
	return len(files) > 0
}

// cpuTime returns the CPU time of the running process.
func (p *process) cpuTime() time.Duration {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / 100
}

// openWriter opens a FIFO for writing when the process reads it.
func (p *process) openWriter(fifo string) *os.File {
	p.t.Helper()
	var w *os.File
	p.until("a reader of "+fifo, func() (ok bool) {
		// Without a reader, this fails with ENXIO.
		var err error
		w, err = os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
	p.t.Cleanup(func() { w.Close() })
	return w
}

// holdInput connects the standard input of the process to a pipe that stays open.
func (p *process) holdInput() *os.File {
	p.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Stdin = r
	p.t.Cleanup(func() { r.Close(); w.Close() })
	return w
}

// holdOutput connects the standard output of the process to a pipe that is read
// only by the test.
func (p *process) holdOutput() io.Reader {
	p.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Stdout = w
	p.t.Cleanup(func() { r.Close(); w.Close() })
	return r
}
