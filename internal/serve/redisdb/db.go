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
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valkey-io/valkey-go"
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
	address string // without its password
	options valkey.ClientOption
	Options
	id     string        // identifies this process among the nodes
	client valkey.Client // nil while there is no connection; belongs to Run

	current  atomic.Pointer[connection] // nil while the server does not answer in time
	failed   chan string                // receives a key of the operation that failed
	tried    chan struct{}              // closed after the first attempt to connect
	reported atomic.Bool                // the last change that was logged is a failure
	failures atomic.Uint64

	nodes     atomic.Int64
	decreased int // consecutive heartbeats with fewer nodes

	start time.Time
	clock atomic.Int64 // the server's time at start, in microseconds since 1970
}

// connection is a connection to a server that answers in time.
type connection struct {
	client valkey.Client
	failed chan struct{} // closed by the first operation that fails
}

const (
	defaultTimeout   = 50 * time.Millisecond
	defaultHeartbeat = 2 * time.Second
	missedHeartbeats = 3
	bufferSize       = 64 << 10 // of each connection and direction
	dialTimeout      = time.Second
)

// Open returns a DB with the given address. It does not connect; [DB.Run] does.
func Open(address Address, opts Options) *DB {
	db := &DB{
		address: address.String(),
		options: address.options,
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
	o := &db.options
	o.ClientName = "placard"
	o.DisableCache = true    // tracking of keys is not needed, and some servers lack it
	o.DisableRetry = true    // retries would exceed the timeout
	o.PipelineMultiplex = -1 // one connection per server
	o.ReadBufferEachConn, o.WriteBufferEachConn = bufferSize, bufferSize
	timeout := max(dialTimeout, db.Timeout)
	o.Dialer.Timeout, o.ConnWriteTimeout, o.Sentinel.Dialer.Timeout = timeout, timeout, timeout
	o.Sentinel.TopologyRefreshInterval = 5 * time.Second
	o.ClusterOption.ShardsRefreshInterval = 5 * time.Second
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

// do runs an operation on the server. It returns an error that is [errUnavailable]
// if the server does not complete it within the timeout; all operations then fail
// immediately until the server answers again. key is one of the operation's keys.
func do[T any](ctx context.Context, db *DB, op Operation, key string, f func(context.Context, valkey.Client) (T, error)) (T, error) {
	var zero T
	conn := db.current.Load()
	if conn == nil {
		return zero, errUnavailable
	}
	timeout := db.Timeout
	waited, _ := ctx.Value(waitKey{}).(*atomic.Int64)
	if waited != nil {
		if timeout -= time.Duration(waited.Load()); timeout <= 0 {
			return zero, errUnavailable
		}
	}
	start := time.Now()
	value, err := try(ctx, conn, timeout, f)
	took := time.Since(start)
	db.Observe(op, took)
	if waited != nil {
		waited.Add(int64(took))
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, errUnavailable) {
		return value, err
	}
	db.failures.Add(1)
	// An operation that had only the rest of the timeout does not prove a failure.
	if timeout == db.Timeout || !errors.Is(err, context.DeadlineExceeded) {
		db.fail(conn, key, err)
	}
	return zero, fmt.Errorf("%w: %w", errUnavailable, err)
}

type result[T any] struct {
	value T
	err   error
}

// try runs f within a timeout. It returns in time even if the client blocks for longer:
// the client ignores the context while its queue of 1,024 operations is full.
func try[T any](ctx context.Context, conn *connection, timeout time.Duration, f func(context.Context, valkey.Client) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, timeoutError(timeout))
	defer cancel()
	var zero T
	done := make(chan result[T], 1)
	go func() {
		value, err := f(ctx, conn.client)
		done <- result[T]{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return zero, context.Cause(ctx)
	case <-conn.failed:
		return zero, errUnavailable
	}
}

// timeoutError is the error of an operation that took too long.
type timeoutError time.Duration

func (e timeoutError) Error() string       { return fmt.Sprintf("no reply within %v", time.Duration(e)) }
func (e timeoutError) Is(other error) bool { return other == context.DeadlineExceeded }

// fail makes the server unavailable, unless another operation has done so.
func (db *DB) fail(conn *connection, key string, err error) {
	if !db.current.CompareAndSwap(conn, nil) {
		return
	}
	close(conn.failed)
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
		db.Log.Warn(message+"; this node decides alone", "address", db.address, "error", err, "hint", hint)
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
