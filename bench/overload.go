package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// loadResult is the outcome of a load test.
type loadResult struct {
	Seconds  float64 `json:"seconds"`
	Offered  int     `json:"offered"`  // scheduled requests
	Unsent   int     `json:"unsent"`   // scheduled requests that found no free connection
	Admitted int     `json:"admitted"` // status 200
	Refused  int     `json:"refused"`  // status 503
	Failed   int     `json:"failed"`   // other statuses, and errors
	P50      float64 `json:"p50"`      // milliseconds from the scheduled time to the end of the response, of admitted requests
	P99      float64 `json:"p99"`

	// Share is the fraction of its runnable time during which the server was
	// running. Other processes used the rest.
	Share float64 `json:"share"`
}

// rate returns the admitted requests per second.
func (l loadResult) rate() float64 { return float64(l.Admitted) / l.Seconds }

// adjustedRate estimates the rate without other processes on the machine.
func (l loadResult) adjustedRate() float64 { return l.rate() / l.Share }

// generateLoad sends the requests in a file to a server and prints the result.
// It sends at the given rate, whether or not earlier requests have finished, or,
// if rate is 0, each request as soon as the previous one has finished.
func generateLoad(addr, inputs string, rate float64, connections int, length time.Duration) error {
	requests, err := readInputs(inputs)
	if err != nil {
		return err
	}
	g := &loadGenerator{addr: addr, requests: requests, due: make(chan time.Time), end: time.Now().Add(length)}
	start := time.Now()
	var workers sync.WaitGroup
	for n := range connections {
		workers.Go(func() { g.work(n, rate > 0) })
	}
	if rate > 0 {
		g.pace(rate)
	}
	close(g.due)
	workers.Wait()
	g.result.Seconds = time.Since(start).Seconds()
	if len(g.latencies) > 0 {
		slices.Sort(g.latencies)
		percentile := func(p int) float64 {
			return float64(g.latencies[len(g.latencies)*p/100].Microseconds()) / 1e3
		}
		g.result.P50, g.result.P99 = percentile(50), percentile(99)
	}
	return json.MarshalWrite(os.Stdout, g.result)
}

type loadGenerator struct {
	addr     string
	requests [][]byte
	due      chan time.Time
	end      time.Time

	mu        sync.Mutex
	result    loadResult
	latencies []time.Duration
}

// pace schedules requests at a constant rate. A request that finds no free
// connection is not sent.
func (g *loadGenerator) pace(rate float64) {
	start := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	offered, unsent := 0, 0
	for now := start; now.Before(g.end); now = <-tick.C {
		for ; offered < int(rate*now.Sub(start).Seconds()); offered++ {
			select {
			case g.due <- now:
			default:
				unsent++
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.result.Offered, g.result.Unsent = offered, unsent
}

// work sends scheduled requests over one connection.
func (g *loadGenerator) work(n int, paced bool) {
	var result loadResult
	var latencies []time.Duration
	var c *rawConn
	defer func() {
		if c != nil {
			c.conn.Close()
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if !paced {
			g.result.Offered += result.Offered
		}
		g.result.Admitted += result.Admitted
		g.result.Refused += result.Refused
		g.result.Failed += result.Failed
		g.latencies = append(g.latencies, latencies...)
	}()
	for i := n; ; i++ {
		due, ok := time.Now(), time.Now().Before(g.end)
		if paced {
			due, ok = <-g.due
		}
		if !ok {
			return
		}
		result.Offered++
		if c == nil {
			conn, err := net.DialTimeout("tcp", g.addr, 5*time.Second)
			if err != nil {
				result.Failed++
				continue
			}
			c = &rawConn{conn, bufio.NewReaderSize(conn, 32<<10)}
		}
		status, reusable, err := c.do(g.requests[i*7919%len(g.requests)])
		switch {
		case err != nil:
			result.Failed++
		case status == 200:
			result.Admitted++
			latencies = append(latencies, time.Since(due))
		case status == 503:
			result.Refused++
		default:
			result.Failed++
		}
		if err != nil || !reusable {
			c.conn.Close()
			c = nil
		}
	}
}

// rawConn is a connection that parses as little of a response as possible, to
// leave CPU time to the server.
type rawConn struct {
	conn net.Conn
	r    *bufio.Reader
}

// do sends a request and returns the status of the response, and whether the
// connection can be reused.
func (c *rawConn) do(request []byte) (status int, reusable bool, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return 0, false, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, false, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0, false, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, false, fmt.Errorf("unexpected response %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, false, err
	}
	length, reusable := -1, true
	for {
		if line, err = c.r.ReadSlice('\n'); err != nil {
			return 0, false, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, _ := strings.Cut(text, ": ")
		switch {
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(value); err != nil {
				return 0, false, err
			}
		case strings.EqualFold(name, "Connection") && strings.EqualFold(value, "close"):
			reusable = false
		}
	}
	if length < 0 {
		return 0, false, errors.New("response without Content-Length")
	}
	_, err = io.CopyN(io.Discard, c.r, int64(length))
	return status, reusable, err
}

// overloadConnections is the number of connections under overload.
const overloadConnections = 1_000

// overload is the outcome of sending more requests than Placard can serve.
type overload struct {
	Route      string  `json:"route"`
	Cycles     []cycle `json:"cycles"`
	Idle       float64 `json:"idle"`        // MiB resident before the first cycle
	FirstCycle float64 `json:"first_cycle"` // maximum MiB resident in the first cycle
	Resident   float64 `json:"resident"`    // maximum MiB resident
}

// cycle is a period of overload, and the load before and after it.
type cycle struct {
	Peak  loadResult `json:"peak"`  // maximum rate of 32 connections
	Over  loadResult `json:"over"`  // four times the peak rate, over 1,000 connections
	After loadResult `json:"after"` // the load of the peak again, immediately afterwards
}

// median returns the median of a value over all cycles.
func (o *overload) median(field func(cycle) float64) float64 {
	values := make([]float64, len(o.Cycles))
	for i, c := range o.Cycles {
		values[i] = field(c)
	}
	return median(values)
}

// cycles is the minimum number of cycles.
const cycles = 3

// targets compares the result with the targets for overload.
func (o *overload) targets() []target {
	return []target{
		atLeast("overload: fraction of the peak admitted", o.median(func(c cycle) float64 { return c.Over.adjustedRate() / c.Peak.adjustedRate() }), minAdmitted),
		atMost("overload: p99 of admitted requests in milliseconds", o.median(func(c cycle) float64 { return c.Over.P99 }), maxOverP99),
		atMost("overload: MiB resident", o.Resident, maxOverMemory),
		atMost("overload: failed", o.median(func(c cycle) float64 { return float64(c.Over.Failed) }), 0),
		atLeast("overload: fraction of the peak in the following second", o.median(func(c cycle) float64 { return c.After.adjustedRate() / c.Peak.adjustedRate() }), minAdmitted),
	}
}

// missesTarget reports whether a target is missed.
func (o *overload) missesTarget() bool {
	return slices.ContainsFunc(o.targets(), func(t target) bool { return !t.Met })
}

// overload sends four times the requests that Placard can serve. If there are
// two processors, the server and the load generator run on one each.
func (b *bench) overload(ctx context.Context, r *route, s *subject) (*overload, error) {
	o := &overload{Route: r.name}
	server, err := b.serve("overload", b.placard, pinTo(0), s)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	if err := server.waitReady(ctx, manifestPath(s.release)); err != nil {
		return nil, err
	}
	requests, _, err := r.exchange(server.addr, newRequestBuilder(s.release, r.name))
	if err != nil {
		return nil, err
	}
	inputs := filepath.Join(b.dir, "overload.requests")
	if err := writeInputs(inputs, requests); err != nil {
		return nil, err
	}
	if o.Idle, err = server.resident(); err != nil {
		return nil, err
	}
	for n := 0; n < cycles || n < attempts*cycles && o.missesTarget(); n++ {
		stop := server.watchMemory()
		c, err := b.cycle(ctx, server, inputs)
		peak := stop()
		if err != nil {
			return nil, err
		}
		if len(o.Cycles) == 0 {
			o.FirstCycle = peak
		}
		o.Resident = max(o.Resident, peak)
		o.Cycles = append(o.Cycles, c)
	}
	return o, nil
}

func (b *bench) cycle(ctx context.Context, server *process, inputs string) (cycle, error) {
	var c cycle
	var err error
	run := func(rate float64, connections int, length time.Duration) (loadResult, error) {
		var result loadResult
		command := append(pinTo(1), b.self, "-load", server.addr, "-inputs", inputs,
			"-rate", fmt.Sprint(rate), "-connections", fmt.Sprint(connections), "-length", length.String())
		ran, waited, err := server.schedStat()
		if err != nil {
			return result, err
		}
		out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
		if err == nil {
			err = json.Unmarshal(out, &result)
		}
		if err != nil {
			return result, fmt.Errorf("load generator: %w", withStderr(err))
		}
		ranAfter, waitedAfter, err := server.schedStat()
		if err != nil {
			return result, err
		}
		ran, waited = ranAfter-ran, waitedAfter-waited
		result.Share = float64(ran) / float64(ran+waited)
		return result, server.truncateLog()
	}
	if c.Peak, err = run(0, connections, 2*time.Second); err != nil {
		return c, err
	}
	if c.Over, err = run(4*c.Peak.rate(), overloadConnections, 5*time.Second); err != nil {
		return c, err
	}
	c.After, err = run(0, connections, time.Second)
	return c, err
}

// watchMemory samples the memory of a process until the returned function is
// called, which returns the maximum.
func (p *process) watchMemory() func() float64 {
	stop, result := make(chan struct{}), make(chan float64)
	go func() {
		peak := 0.0
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			if memory, err := p.resident(); err == nil {
				peak = max(peak, memory)
			}
			select {
			case <-stop:
				result <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 { close(stop); return <-result }
}

// pinTo returns a command prefix that runs a command on one processor.
func pinTo(processor int) []string {
	if runtime.NumCPU() < 2 {
		return nil
	}
	return []string{"taskset", "--cpu-list", fmt.Sprint(processor)}
}
