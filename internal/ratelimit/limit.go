package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limit is a number of requests in a span of time. The zero Limit is none.
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

// ParseLimit reads a limit such as "300/60s" or "5000/1h", or "off" for none.
func ParseLimit(s string) (Limit, error) {
	if s == "off" {
		return Limit{}, nil
	}
	number, span, ok := strings.Cut(s, "/")
	if !ok {
		return Limit{}, fmt.Errorf(`%q is not a limit; write requests and a span of time, such as "300/60s", or "off"`, s)
	}
	requests, err := strconv.Atoi(number)
	if err != nil || requests < 1 || requests > maxRequests {
		return Limit{}, fmt.Errorf("%q is not a number of requests from 1 to %d", number, maxRequests)
	}
	window, err := time.ParseDuration(span)
	if err != nil || window < minWindow || window > maxWindow {
		return Limit{}, fmt.Errorf(`%q is not a span of time from %v to %v; write it like "60s" or "5m"`, span, minWindow, maxWindow)
	}
	return Limit{requests, window}, nil
}

// IsZero reports whether l limits nothing.
func (l Limit) IsZero() bool { return l == Limit{} }

// String writes the limit as [ParseLimit] reads it.
func (l Limit) String() string {
	if l.IsZero() {
		return "off"
	}
	if l.Window%time.Second == 0 {
		return fmt.Sprintf("%d/%ds", l.Requests, l.Window/time.Second)
	}
	return fmt.Sprintf("%d/%v", l.Requests, l.Window)
}

// MarshalText writes the limit as String does.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a limit as [ParseLimit] does.
func (l *Limit) UnmarshalText(text []byte) error {
	parsed, err := ParseLimit(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}
