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

// process is a server that was started to be measured.
type process struct {
	cmd     *exec.Cmd
	addr    string
	log     string // file that takes its error stream
	started time.Time
}

// start runs a command until it has said on which address it listens.
func start(log string, env []string, command ...string) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), log: log}
	p.cmd.Env = append(os.Environ(), env...)
	// The children end with the program, however it ends.
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
	said, _ := os.ReadFile(log)
	return nil, fmt.Errorf("%s did not start: %s", strings.Join(command, " "), bytes.TrimSpace(said))
}

// stop ends the process as a user would, and at last without asking.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait()
}

// forget empties the log, which would fill the disk otherwise.
func (p *process) forget() error { return os.Truncate(p.log, 0) }

// tick is the unit of times in /proc, on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// cpu returns the time that all threads of the process have run.
func (p *process) cpu() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseStat(data)
}

// parseStat returns the user and system time in the content of a stat file.
func parseStat(data []byte) (time.Duration, error) {
	// The name of the command stands in parentheses and may have any characters.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("unexpected process status %q", data)
	}
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}

// schedule returns the time that the threads of the process have run, and the
// time that they could have run and had no processor.
func (p *process) schedule() (ran, waited time.Duration, err error) {
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

// resident returns the memory that the process occupies, in MiB.
func (p *process) resident() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return parseResident(data)
}

// parseResident returns VmRSS in the content of a status file.
func parseResident(data []byte) (float64, error) {
	for line := range strings.Lines(string(data)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(size), " kB"), 64)
			return kib / 1024, err
		}
	}
	return 0, errors.New("the process status has no VmRSS")
}

// await asks for a path until it is answered with success.
func (p *process) await(ctx context.Context, target string) error {
	asked := request{target: target}.bytes(-1)
	for {
		if c, err := dial(p.addr); err == nil {
			a, err := c.do(asked)
			c.close()
			if err == nil && a.Status == 200 {
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
