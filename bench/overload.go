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

// offering is what the generator did in some time.
type offering struct {
	Seconds  float64 `json:"seconds"`
	Offered  int     `json:"offered"`  // requests that were due
	Unsent   int     `json:"unsent"`   // of those, found every connection waiting
	Admitted int     `json:"admitted"` // answered 200
	Refused  int     `json:"refused"`  // answered 503
	Failed   int     `json:"failed"`   // answered otherwise, or not at all
	P50      float64 `json:"p50"`      // milliseconds from when a request was due until its answer was whole, of those admitted
	P99      float64 `json:"p99"`

	// Share is how much of the time that the server wanted to run it did run.
	// Others on the machine have the rest.
	Share float64 `json:"share"`
}

// rate is how many requests were admitted in a second.
func (o offering) rate() float64 { return float64(o.Admitted) / o.Seconds }

// ownRate is the rate that there would have been without others on the machine.
func (o offering) ownRate() float64 { return o.rate() / o.Share }

// offer is what the program does when it is started as the generator: it sends
// the requests of a file to a server, so many in each second whether they are
// answered or not, or, if rate is 0, as soon as the last one is answered.
func offer(addr, inputs string, rate float64, connections int, length time.Duration) error {
	requests, err := readInputs(inputs)
	if err != nil {
		return err
	}
	g := &generator{addr: addr, requests: requests, due: make(chan time.Time), end: time.Now().Add(length)}
	begun := time.Now()
	var workers sync.WaitGroup
	for n := range connections {
		workers.Go(func() { g.work(n, rate > 0) })
	}
	if rate > 0 {
		g.pace(rate)
	}
	close(g.due)
	workers.Wait()
	g.result.Seconds = time.Since(begun).Seconds()
	if len(g.latencies) > 0 {
		slices.Sort(g.latencies)
		percentile := func(p int) float64 {
			return float64(g.latencies[len(g.latencies)*p/100].Microseconds()) / 1e3
		}
		g.result.P50, g.result.P99 = percentile(50), percentile(99)
	}
	return json.MarshalWrite(os.Stdout, g.result)
}

type generator struct {
	addr     string
	requests [][]byte
	due      chan time.Time
	end      time.Time

	mu        sync.Mutex
	result    offering
	latencies []time.Duration
}

// pace makes requests due at a steady rate. One that finds no connection
// waiting for it is never sent.
func (g *generator) pace(rate float64) {
	begun := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	offered, unsent := 0, 0
	for now := begun; now.Before(g.end); now = <-tick.C {
		for ; offered < int(rate*now.Sub(begun).Seconds()); offered++ {
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

// work sends over one connection what is due.
func (g *generator) work(n int, paced bool) {
	var done offering
	var latencies []time.Duration
	var c *wire
	defer func() {
		if c != nil {
			c.conn.Close()
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if !paced {
			g.result.Offered += done.Offered
		}
		g.result.Admitted += done.Admitted
		g.result.Refused += done.Refused
		g.result.Failed += done.Failed
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
		done.Offered++
		if c == nil {
			conn, err := net.DialTimeout("tcp", g.addr, 5*time.Second)
			if err != nil {
				done.Failed++
				continue
			}
			c = &wire{conn, bufio.NewReaderSize(conn, 32<<10)}
		}
		status, again, err := c.do(g.requests[i*7919%len(g.requests)])
		switch {
		case err != nil:
			done.Failed++
		case status == 200:
			done.Admitted++
			latencies = append(latencies, time.Since(due))
		case status == 503:
			done.Refused++
		default:
			done.Failed++
		}
		if err != nil || !again {
			c.conn.Close()
			c = nil
		}
	}
}

// wire is a connection that reads no more of an answer than it must, so that
// the generator leaves the machine to the server.
type wire struct {
	conn net.Conn
	r    *bufio.Reader
}

// do sends a request and returns the status of the answer, and whether the
// connection can be used again.
func (w *wire) do(request []byte) (status int, again bool, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return 0, false, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, false, err
	}
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return 0, false, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, false, fmt.Errorf("unexpected answer %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, false, err
	}
	length, again := -1, true
	for {
		if line, err = w.r.ReadSlice('\n'); err != nil {
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
			again = false
		}
	}
	if length < 0 {
		return 0, false, errors.New("an answer without a length")
	}
	_, err = io.CopyN(io.Discard, w.r, int64(length))
	return status, again, err
}

// crowd is how many connections offer too much.
const crowd = 1_000

// overload is what happens when more is asked than can be answered.
type overload struct {
	Route    string  `json:"route"`
	Cycles   []cycle `json:"cycles"`
	Idle     float64 `json:"idle"`     // MiB resident before
	Early    float64 `json:"early"`    // MiB resident at most, in the first cycle
	Resident float64 `json:"resident"` // MiB resident at most
}

// cycle is an overload, and what is served before it and right after it.
type cycle struct {
	Peak  offering `json:"peak"`  // as much as 32 connections get
	Over  offering `json:"over"`  // four times the peak, over 1,000 connections
	After offering `json:"after"` // the peak's load again, at once
}

// middle returns the median of a figure of the cycles.
func (o *overload) middle(part func(cycle) float64) float64 {
	values := make([]float64, len(o.Cycles))
	for i, c := range o.Cycles {
		values[i] = part(c)
	}
	return median(values)
}

// cycles is how often overload is repeated.
const cycles = 3

// targets says of each promise for overload whether it holds.
func (o *overload) targets() []target {
	return []target{
		atLeast("overload: admitted, of the peak", o.middle(func(c cycle) float64 { return c.Over.ownRate() / c.Peak.ownRate() }), minAdmitted),
		atMost("overload: p99 of those in milliseconds", o.middle(func(c cycle) float64 { return c.Over.P99 }), maxOverP99),
		atMost("overload: MiB resident", o.Resident, maxOverMemory),
		atMost("overload: failed", o.middle(func(c cycle) float64 { return float64(c.Over.Failed) }), 0),
		atLeast("overload: in the second after it, of the peak", o.middle(func(c cycle) float64 { return c.After.ownRate() / c.Peak.ownRate() }), minAdmitted),
	}
}

// doubtful reports whether a promise seems to be broken.
func (o *overload) doubtful() bool {
	return slices.ContainsFunc(o.targets(), func(t target) bool { return !t.Holds })
}

// overload offers a route four times what Placard can serve. Server and
// generator have a processor each, where there are two, so that the one does
// not take the other's time.
func (b *bench) overload(ctx context.Context, r *route, s *subject) (*overload, error) {
	o := &overload{Route: r.name}
	server, err := b.serve("overload", b.placard, pinned(0), s)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	if err := server.await(ctx, newAsker(s.release, "").path("/manifest")); err != nil {
		return nil, err
	}
	requests, _, err := r.exchange(server.addr, newAsker(s.release, r.name))
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
	for n := 0; n < cycles || n < attempts*cycles && o.doubtful(); n++ {
		done := server.watch()
		c, err := b.cycle(ctx, server, inputs)
		seen := done()
		if err != nil {
			return nil, err
		}
		if len(o.Cycles) == 0 {
			o.Early = seen
		}
		o.Resident = max(o.Resident, seen)
		o.Cycles = append(o.Cycles, c)
	}
	return o, nil
}

func (b *bench) cycle(ctx context.Context, server *process, inputs string) (cycle, error) {
	var c cycle
	var err error
	run := func(rate float64, connections int, length time.Duration) (offering, error) {
		var result offering
		command := append(pinned(1), b.self, "-offer", server.addr, "-inputs", inputs,
			"-rate", fmt.Sprint(rate), "-connections", fmt.Sprint(connections), "-length", length.String())
		ran, waited, err := server.schedule()
		if err != nil {
			return result, err
		}
		out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
		if err == nil {
			err = json.Unmarshal(out, &result)
		}
		if err != nil {
			return result, fmt.Errorf("generator: %w", failed(err))
		}
		ranAfter, waitedAfter, err := server.schedule()
		if err != nil {
			return result, err
		}
		ran, waited = ranAfter-ran, waitedAfter-waited
		result.Share = float64(ran) / float64(ran+waited)
		return result, server.forget()
	}
	if c.Peak, err = run(0, connections, 2*time.Second); err != nil {
		return c, err
	}
	if c.Over, err = run(4*c.Peak.rate(), crowd, 5*time.Second); err != nil {
		return c, err
	}
	c.After, err = run(0, connections, time.Second)
	return c, err
}

// watch samples the memory of a process until the returned function is called,
// which tells the most that was seen.
func (p *process) watch() func() float64 {
	stop, most := make(chan struct{}), make(chan float64)
	go func() {
		seen := 0.0
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			if memory, err := p.resident(); err == nil {
				seen = max(seen, memory)
			}
			select {
			case <-stop:
				most <- seen
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 { close(stop); return <-most }
}

// pinned returns the beginning of a command that runs on one processor.
func pinned(processor int) []string {
	if runtime.NumCPU() < 2 {
		return nil
	}
	return []string{"taskset", "--cpu-list", fmt.Sprint(processor)}
}
