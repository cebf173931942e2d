package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"placard/internal/core/problem"
)

// Limit is a number of requests per window. The zero Limit means no limit.
type Limit struct {
	Requests int
	Window   time.Duration
}

// Bounds of a limit.
const (
	maxRequests = 1_000_000_000
	minWindow   = time.Millisecond
	maxWindow   = 24 * time.Hour
)

// ParseLimit parses a limit such as "300/60s" or "5000/1h", or "off" for no limit.
func ParseLimit(s string) (Limit, error) {
	if s == "off" {
		return Limit{}, nil
	}
	number, duration, ok := strings.Cut(s, "/")
	if !ok {
		return Limit{}, problem.Failure("%q is not a limit.", s).
			Hint(`Use a number of requests and a duration, such as "300/60s", or "off".`)
	}
	requests, err := strconv.Atoi(number)
	if err != nil || requests < 1 || requests > maxRequests {
		return Limit{}, problem.Failure("%q is not a number of requests from 1 to %d.", number, maxRequests)
	}
	window, err := time.ParseDuration(duration)
	if err != nil || window < minWindow || window > maxWindow {
		return Limit{}, problem.Failure(`%q is not a duration from %v to %v, such as "60s" or "5m".`, duration, minWindow, maxWindow)
	}
	return Limit{requests, window}, nil
}

// IsZero reports whether l is the zero Limit.
func (l Limit) IsZero() bool { return l == Limit{} }

// String returns the limit in the format of [ParseLimit].
func (l Limit) String() string {
	if l.IsZero() {
		return "off"
	}
	if l.Window%time.Second == 0 {
		return fmt.Sprintf("%d/%ds", l.Requests, l.Window/time.Second)
	}
	return fmt.Sprintf("%d/%v", l.Requests, l.Window)
}

// MarshalText returns the same text as [Limit.String].
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText parses a limit as [ParseLimit] does.
func (l *Limit) UnmarshalText(text []byte) error {
	parsed, err := ParseLimit(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}
