package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
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
	started time.Time
}

// start starts a server and waits until it has printed its address.
func start(log string, env []string, command ...string) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), log: log}
	p.cmd.Env = append(os.Environ(), env...)
	// The kernel kills the server if this process dies.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p.cmd.Stderr = file
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		if _, addr, ok := strings.Cut(scanner.Text(), "http://"); ok {
			p.addr = strings.TrimSpace(addr)
			return p, nil
		}
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	output, _ := os.ReadFile(log)
	return nil, fmt.Errorf("%s did not start: %s", strings.Join(command, " "), bytes.TrimSpace(output))
}

// stop terminates the process, and kills it if it does not exit in time.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait()
}

// truncateLog empties the log, which would otherwise fill the file system.
func (p *process) truncateLog() error { return os.Truncate(p.log, 0) }

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

// schedStat returns the time that the threads of the process have been running,
// and the time that they have been waiting for a processor.
func (p *process) schedStat() (ran, waited time.Duration, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // the thread has ended
		}
		var thread, queue time.Duration
		if err == nil {
			_, err = fmt.Sscan(string(data), (*int64)(&thread), (*int64)(&queue))
		}
		if err != nil {
			return 0, 0, err
		}
		ran, waited = ran+thread, waited+queue
	}
	return ran, waited, nil
}

// resident returns the resident memory of the process in MiB.
func (p *process) resident() (float64, error) { return p.memory("VmRSS") }

// peak returns the largest resident memory that the process has had, in MiB.
func (p *process) peak() (float64, error) { return p.memory("VmHWM") }

func (p *process) memory(field string) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseMemory(data, field)
}

// parseMemory returns a field of a status file in MiB.
func parseMemory(data []byte, field string) (float64, error) {
	for line := range strings.Lines(string(data)) {
		if size, ok := strings.CutPrefix(line, field+":"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(size), " kB"), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("the process status has no %s", field)
}

// waitReady requests a path until the response has status 200.
func (p *process) waitReady(ctx context.Context, target string) error {
	return p.waitFor(ctx, target, func(resp response) bool { return resp.Status == 200 })
}

// waitFor requests a path until the response is the expected one.
func (p *process) waitFor(ctx context.Context, target string, expected func(response) bool) error {
	req := request{target: target}.bytes(-1)
	for {
		if c, err := dial(p.addr); err == nil {
			resp, err := c.do(req)
			c.close()
			if err == nil && expected(resp) {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}
