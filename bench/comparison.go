package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"placard/internal/core/release"
)

// subject is a taxonomy served by Placard for a measurement.
type subject struct {
	name    string
	release *release.Release
	args    []string // additional arguments for placard serve
	server  *process
}

// comparison measures one route of a subject, alternating between Placard and
// the bare handler with the same responses.
type comparison struct {
	route     *route
	subject   *subject
	requests  [][]byte
	responses []response
	load      *load
	bare      *process
	probe     string // probe socket of the bare handler
	rounds    []round
	retries   int // number of repeated rounds
}

func (c *comparison) name() string { return c.route.name + " (" + c.subject.name + ")" }

// round is a pair of measurements, one directly after the other.
type round struct {
	Placard measurement `json:"placard"`
	Bare    measurement `json:"bare"`
}

// ratio returns the CPU time of Placard divided by that of the bare handler.
func (r round) ratio() float64 { return r.Placard.CPU / r.Bare.CPU }

// measurement is the performance of a server in one round.
type measurement struct {
	Rate float64 `json:"rate"` // requests per second
	P50  float64 `json:"p50"`  // microseconds
	P99  float64 `json:"p99"`
	CPU  float64 `json:"cpu"` // microseconds per request
}

// prepare captures Placard's responses and starts a bare handler that sends them.
func (b *bench) prepare(r *route, s *subject) (*comparison, error) {
	c := &comparison{route: r, subject: s}
	var err error
	if c.requests, c.responses, err = r.exchange(s.server.addr, newRequestBuilder(s.release, r.name)); err != nil {
		return nil, err
	}
	b.serial++
	name := fmt.Sprintf("comparison-%d", b.serial)
	if c.load, err = newLoad(b.dir, name, c.requests); err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, name+".responses")
	if err := saveResponses(file, c.responses); err != nil {
		return nil, err
	}
	c.probe = filepath.Join(b.dir, name+".probe")
	if c.bare, err = b.start(name, []string{probeSocket + "=" + c.probe}, b.self, "-bare", file); err != nil {
		return nil, err
	}
	return c, c.verify()
}

// verify checks, for up to 50 requests, that the bare handler sends the same
// responses as Placard.
func (c *comparison) verify() error {
	requests := c.requests[:min(len(c.requests), 50)]
	responses, err := capture(c.bare.addr, requests)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(responses, c.responses[:len(requests)], response.equal) {
		return errors.New("the responses of the bare handler and Placard differ")
	}
	return nil
}

// maxRetries is the maximum number of repeated rounds per route.
const maxRetries = 3

// runRound runs one round and records it. A round that fails is
// repeated: on a shared machine, a server may get no CPU time for seconds.
func (c *comparison) runRound(ctx context.Context, length time.Duration) error {
	for {
		r, err := c.measure(ctx, length)
		if err == nil {
			c.rounds = append(c.rounds, r)
			return nil
		}
		if c.retries++; ctx.Err() != nil || c.retries > maxRetries {
			return err
		}
	}
}

// measure measures both servers once. Their order alternates between rounds.
func (c *comparison) measure(ctx context.Context, length time.Duration) (round, error) {
	var r round
	sides := []struct {
		server      *process
		measurement *measurement
	}{{c.subject.server, &r.Placard}, {c.bare, &r.Bare}}
	if len(c.rounds)%2 == 1 {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		before, err := side.server.cpu()
		if err != nil {
			return r, err
		}
		result, err := c.load.run(ctx, side.server.addr, length)
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.name(), err)
		}
		after, err := side.server.cpu()
		if err != nil {
			return r, err
		}
		*side.measurement = measurement{
			Rate: float64(result.Requests) / (float64(result.Micros) / 1e6),
			P50:  result.P50,
			P99:  result.P99,
			CPU:  float64((after - before).Microseconds()) / float64(result.Requests),
		}
		if err := side.server.truncateLog(); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (c *comparison) ratios() []float64 {
	ratios := make([]float64, len(c.rounds))
	for i, r := range c.rounds {
		ratios[i] = r.ratio()
	}
	return ratios
}

// medians returns the medians of the measurements of one server.
func (c *comparison) medians(server func(round) measurement) measurement {
	medianOf := func(field func(measurement) float64) float64 {
		values := make([]float64, len(c.rounds))
		for i, r := range c.rounds {
			values[i] = field(server(r))
		}
		return median(values)
	}
	return measurement{
		Rate: medianOf(func(m measurement) float64 { return m.Rate }),
		P50:  medianOf(func(m measurement) float64 { return m.P50 }),
		P99:  medianOf(func(m measurement) float64 { return m.P99 }),
		CPU:  medianOf(func(m measurement) float64 { return m.CPU }),
	}
}

// bodyBytes returns the median size of the response bodies.
func (c *comparison) bodyBytes() int {
	sizes := make([]float64, len(c.responses))
	for i, r := range c.responses {
		sizes[i] = float64(len(r.Body))
	}
	return int(median(sizes))
}
