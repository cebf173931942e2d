package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"placard/internal/release"
)

// subject is a taxonomy that Placard serves to be measured.
type subject struct {
	name    string
	release *release.Release
	args    []string // of placard serve
	server  *process
}

// contest is one route of one subject, measured alternately with the bare
// handler that sends the same answers.
type contest struct {
	route    *route
	subject  *subject
	requests [][]byte
	answers  []answer
	load     *load
	bare     *process
	probe    string // the bare handler's socket
	rounds   []round
	spoilt   int // rounds that were made again
}

func (c *contest) name() string { return c.route.name + " (" + c.subject.name + ")" }

// round is one measurement of both, one directly after the other.
type round struct {
	Placard effort `json:"placard"`
	Bare    effort `json:"bare"`
}

// ratio is what Placard needs for each unit of CPU time of the bare handler.
func (r round) ratio() float64 { return r.Placard.CPU / r.Bare.CPU }

// effort is what a server did in one round.
type effort struct {
	Rate float64 `json:"rate"` // requests per second
	P50  float64 `json:"p50"`  // microseconds
	P99  float64 `json:"p99"`
	CPU  float64 `json:"cpu"` // microseconds per request
}

// prepare captures the answers and starts the bare handler.
func (b *bench) prepare(r *route, s *subject) (*contest, error) {
	c := &contest{route: r, subject: s}
	var err error
	if c.requests, c.answers, err = r.exchange(s.server.addr, newAsker(s.release, r.name)); err != nil {
		return nil, err
	}
	b.contests++
	name := fmt.Sprintf("contest-%d", b.contests)
	if c.load, err = newLoad(b.dir, name, c.requests); err != nil {
		return nil, err
	}
	answers := filepath.Join(b.dir, name+".answers")
	if err := saveAnswers(answers, c.answers); err != nil {
		return nil, err
	}
	c.probe = filepath.Join(b.dir, name+".probe")
	if c.bare, err = b.start(name, []string{probeSocket + "=" + c.probe}, b.self, "-bare", answers); err != nil {
		return nil, err
	}
	return c, c.compare()
}

// compare sees that the bare handler sends the same as Placard.
func (c *contest) compare() error {
	some := c.requests[:min(len(c.requests), 50)]
	answers, err := capture(c.bare.addr, some)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(answers, c.answers[:len(some)], answer.equal) {
		return errors.New("the bare handler does not send what Placard does")
	}
	return nil
}

// mostSpoilt is how many rounds of a route may be made again.
const mostSpoilt = 3

// fight makes one round. On a machine that others use too, a server may be kept
// waiting for seconds; a round in which requests failed is made again.
func (c *contest) fight(ctx context.Context, length time.Duration) error {
	for {
		r, err := c.measure(ctx, length)
		if err == nil {
			c.rounds = append(c.rounds, r)
			return nil
		}
		if c.spoilt++; ctx.Err() != nil || c.spoilt > mostSpoilt {
			return err
		}
	}
}

// measure measures both servers once. Who begins changes from round to round.
func (c *contest) measure(ctx context.Context, length time.Duration) (round, error) {
	var r round
	sides := []struct {
		server *process
		effort *effort
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
		*side.effort = effort{
			Rate: float64(result.Requests) / (float64(result.Micros) / 1e6),
			P50:  result.P50,
			P99:  result.P99,
			CPU:  float64((after - before).Microseconds()) / float64(result.Requests),
		}
		if err := side.server.forget(); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (c *contest) ratios() []float64 {
	ratios := make([]float64, len(c.rounds))
	for i, r := range c.rounds {
		ratios[i] = r.ratio()
	}
	return ratios
}

// middle returns the medians of one side's efforts.
func (c *contest) middle(side func(round) effort) effort {
	of := func(part func(effort) float64) float64 {
		values := make([]float64, len(c.rounds))
		for i, r := range c.rounds {
			values[i] = part(side(r))
		}
		return median(values)
	}
	return effort{
		Rate: of(func(e effort) float64 { return e.Rate }),
		P50:  of(func(e effort) float64 { return e.P50 }),
		P99:  of(func(e effort) float64 { return e.P99 }),
		CPU:  of(func(e effort) float64 { return e.CPU }),
	}
}

// bodyBytes is the median size of the answers' bodies.
func (c *contest) bodyBytes() int {
	sizes := make([]float64, len(c.answers))
	for i, a := range c.answers {
		sizes[i] = float64(len(a.Body))
	}
	return int(median(sizes))
}
