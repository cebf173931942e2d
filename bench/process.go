package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server under test.
type process struct {
	cmd     *exec.Cmd
	addr    string
	log     string // file with its standard error
	probe   string // probe socket
	started time.Time
}

// serve starts Placard with its usual settings, logging to a file, but without
// rate limits, because all load comes from one client.
func (b *bench) serve(name string, s *subject) (*process, error) {
	command := append([]string{b.placard, "serve", "--addr", "127.0.0.1:0", "--rate-limit", "off"}, s.args...)
	return start(filepath.Join(b.dir, name), command...)
}

// start starts a server and waits until it has printed its address. The names of its
// files begin with name.
func start(name string, command ...string) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), log: name + ".log", probe: name + ".probe"}
	p.cmd.Env = append(os.Environ(), probeSocket+"="+p.probe)
	// The kernel kills the server if this process dies.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p.cmd.Stderr = file
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		_, p.addr, _ = strings.Cut(strings.TrimSpace(line), "http://")
		return p, nil
	}
	p.stop()
	output, _ := os.ReadFile(p.log)
	return nil, fmt.Errorf("%s did not start: %s", strings.Join(command, " "), bytes.TrimSpace(output))
}

// stop terminates the process, and kills it if it does not exit in time.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait()
	_ = os.Remove(p.probe)
}

// clockTick is the unit of times in /proc on all Linux systems that Go supports.
const clockTick = 10 * time.Millisecond

// cpu returns the CPU time of the process.
func (p *process) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseStat(data)
}

// parseStat returns the user and system time in a stat file.
func parseStat(data []byte) (time.Duration, error) {
	// The command name is in parentheses and can contain any characters.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("unexpected process status %q", data)
	}
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * clockTick, errors.Join(err1, err2)
}

// resident returns the resident memory of the process in MiB.
func (p *process) resident() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	var size, pages int
	_, err = fmt.Sscan(string(data), &size, &pages)
	return float64(pages*os.Getpagesize()) / (1 << 20), err
}

// allocations returns the number of objects that the process has allocated.
func (p *process) allocations() (float64, error) {
	conn, err := net.Dial("unix", p.probe)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	text, err := io.ReadAll(conn)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(text), 64)
}

// countedRequests is the number of requests sent to count allocations.
const countedRequests = 4_000

// allocationsPerRequest sends requests one after the other and returns the average
// number of allocations.
func (p *process) allocationsPerRequest(requests [][]byte) (float64, error) {
	counted := make([][]byte, countedRequests)
	for i := range counted {
		counted[i] = requests[i%len(requests)]
	}
	ignore := func(response) {}
	if err := send(p.addr, counted[:countedRequests/10], ignore); err != nil { // fills pools
		return 0, err
	}
	before, err := p.allocations()
	if err != nil {
		return 0, err
	}
	if err := send(p.addr, counted, ignore); err != nil {
		return 0, err
	}
	after, err := p.allocations()
	return (after - before) / countedRequests, err
}

// waitReady requests a path until the response has status 200.
func (p *process) waitReady(ctx context.Context, target string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		responses, err := capture(p.addr, encode([]request{{target: target}}))
		if err == nil && responses[0].Status == 200 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", target, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}
