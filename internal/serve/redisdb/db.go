// Package redisdb shares state between nodes in Redis, Valkey or a compatible
// server: request limits, and the views and documents of MCP sessions. The server
// is never needed to serve a request: if it does not answer in time, a node decides
// alone until it answers again.
package redisdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Options configures a [DB].
type Options struct {
	Timeout time.Duration // maximum time that a request waits for the server; default 50ms

	// Heartbeat is the interval at which a node announces itself; default 2s. A node
	// that has not done so for three intervals is no longer counted.
	Heartbeat time.Duration

	Log *slog.Logger // default slog.Default()

	// Observe is called with the duration of every operation, unless it is nil.
	Observe func(Operation, time.Duration)
}

// Operation is a kind of operation on the server.
type Operation string

const (
	TakeLimit  Operation = "take_limit"
	GetSession Operation = "get_session"
	PutSession Operation = "put_session"
	Announce   Operation = "announce"
)

// DB is a connection to a server, or to several of a cluster. It is safe for concurrent
// use.
type DB struct {
	address Address
	Options
	id string // identifies this process among the nodes

	current  atomic.Pointer[client] // nil while the server does not answer in time
	failed   chan string            // receives a key of the operation that failed
	tried    chan struct{}          // closed after the first attempt to connect
	attempt  sync.Once              // closes tried
	reported atomic.Bool            // the last change that was logged is a failure
	failures atomic.Uint64
	slow     atomic.Int64 // timeouts since the last reply

	nodes     atomic.Int64
	decreased int // consecutive heartbeats with fewer nodes

	start time.Time
	clock atomic.Int64 // the server's time at start, in microseconds since 1970
}

const (
	defaultTimeout   = 50 * time.Millisecond
	defaultHeartbeat = 2 * time.Second
	missedHeartbeats = 3
	// maxSlow is the number of timeouts in a row after which the server is unavailable.
	// A single slow reply is no failure.
	maxSlow = 3
)

// Open returns a DB with the given address. It does not connect; [DB.Run] does.
func Open(address Address, opts Options) *DB {
	db := &DB{
		address: address,
		Options: opts,
		id:      rand.Text(),
		failed:  make(chan string, 1),
		tried:   make(chan struct{}),
		start:   time.Now(),
	}
	if db.Timeout <= 0 {
		db.Timeout = defaultTimeout
	}
	if db.Heartbeat <= 0 {
		db.Heartbeat = defaultHeartbeat
	}
	if db.Log == nil {
		db.Log = slog.Default()
	}
	if db.Observe == nil {
		db.Observe = func(Operation, time.Duration) {}
	}
	db.nodes.Store(1)
	db.clock.Store(db.start.UnixMicro())
	return db
}

// Available reports whether the server answers in time.
func (db *DB) Available() bool { return db.current.Load() != nil }

// Failures returns the number of operations that failed or took too long.
func (db *DB) Failures() uint64 { return db.failures.Load() }

// Nodes returns the last known number of nodes, including this one.
func (db *DB) Nodes() int { return int(db.nodes.Load()) }

func (db *DB) closeTried() { db.attempt.Do(func() { close(db.tried) }) }

// Tried returns a channel that is closed after the first attempt to connect.
func (db *DB) Tried() <-chan struct{} { return db.tried }

// serverTime returns the time of the server in microseconds, or a time that is later by
// no more than the timeout. Before the first heartbeat, it is the time of this node.
func (db *DB) serverTime() int64 { return db.clock.Load() + time.Since(db.start).Microseconds() }

var (
	// errUnavailable is returned by operations that the server did not complete.
	errUnavailable = errors.New("redis is not available")
	errReply       = errors.New("the server returned an unexpected reply")
)

// waitKey is the context key of the time that a request has waited for the server.
type waitKey struct{}

// RequestContext returns a context for one request. All operations with this context
// together wait no longer than the timeout.
func RequestContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, waitKey{}, new(atomic.Int64))
}

// eval runs a script on the server. It returns an error that is [errUnavailable] if
// the server does not complete it within the timeout. After several such failures in a
// row, or another one, all later operations fail immediately until the server answers again.
func (db *DB) eval(ctx context.Context, op Operation, s *script, keys []string, args ...any) (any, error) {
	c := db.current.Load()
	if c == nil {
		return nil, errUnavailable
	}
	timeout := db.Timeout
	waited, _ := ctx.Value(waitKey{}).(*atomic.Int64)
	if waited != nil {
		if timeout -= time.Duration(waited.Load()); timeout <= 0 {
			return nil, errUnavailable
		}
	}
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	reply, err := c.eval(limited, s, keys, args...)
	took := time.Since(start)
	db.Observe(op, took)
	if waited != nil {
		waited.Add(int64(took))
	}
	if err == nil {
		db.slow.Store(0)
	}
	if err == nil || ctx.Err() != nil {
		return reply, err
	}
	if isTimeout(err) {
		err = timeoutError(timeout)
	}
	db.failures.Add(1)
	// An operation that had only the rest of the timeout does not prove a failure.
	if timeout == db.Timeout || !isTimeout(err) {
		db.fail(c, keys[0], err)
	}
	return nil, fmt.Errorf("%w: %w", errUnavailable, err)
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// timeoutError is the error of an operation that took too long.
type timeoutError time.Duration

func (e timeoutError) Error() string   { return fmt.Sprintf("no reply within %v", time.Duration(e)) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }

// fail makes the server unavailable, unless another operation has done so, or the error is
// one of the first timeouts.
func (db *DB) fail(c *client, key string, err error) {
	if isTimeout(err) && db.slow.Add(1) < maxSlow {
		return
	}
	if !db.current.CompareAndSwap(c, nil) {
		return
	}
	// Other connections may have failed, too.
	c.close()
	db.report(err)
	select {
	case db.failed <- key:
	default:
	}
}

// report logs a failure, unless it is already known.
func (db *DB) report(err error) {
	if !db.reported.Swap(true) {
		message, hint := describe(err)
		db.Log.Warn(message+"; this node decides alone", "address", db.address.String(), "error", err, "hint", hint)
	}
}

func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }
