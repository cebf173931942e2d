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
	Timeout time.Duration // maximum time of an operation; default 50ms
	Log     *slog.Logger  // default slog.Default()
}

// DB is a connection to a server, or to several of a cluster. It is safe for concurrent
// use.
type DB struct {
	options valkey.ClientOption
	timeout time.Duration
	log     *slog.Logger
	node    string // a random id of this process

	client    atomic.Pointer[valkey.Client] // nil until the first connection
	available atomic.Bool
	check     chan struct{} // asks Run to check the server
	nodes     atomic.Int64
	failures  atomic.Uint64
}

const (
	defaultTimeout = 50 * time.Millisecond
	// heartbeat is the interval at which a node announces itself. A node that has not
	// done so three times in a row is no longer counted.
	heartbeat = 2 * time.Second
	// While the server is not available, it is checked at intervals that grow from
	// minRetry to maxRetry.
	minRetry = 100 * time.Millisecond
	maxRetry = 2 * time.Second
)

// Open parses the address of a server:
//
//	redis://user:password@host:6379/0                              one server, or any node of a cluster
//	rediss://…                                                     with TLS
//	redis://host:6379?addr=host2:6379                              several nodes of a cluster
//	redis://host:26379?addr=host2:26379&master_set=name            sentinels
//
// It does not connect; [DB.Run] does.
func Open(address string, opts Options) (*DB, error) {
	options, err := valkey.ParseURL(address)
	if err != nil {
		// The error may contain the password.
		return nil, errors.New("the address of Redis is invalid; use a form such as redis://localhost:6379")
	}
	db := &DB{options: options, timeout: opts.Timeout, log: opts.Log, node: rand.Text(), check: make(chan struct{}, 1)}
	if db.timeout <= 0 {
		db.timeout = defaultTimeout
	}
	if db.log == nil {
		db.log = slog.Default()
	}
	db.options.DisableCache = true // needs no tracking of keys, which some servers lack
	db.options.DisableRetry = true // a retry would exceed the timeout
	db.options.Dialer.Timeout = time.Second
	db.options.ConnWriteTimeout = time.Second
	db.options.ClientName = "placard"
	db.nodes.Store(1)
	return db, nil
}

// Available reports whether the server answers in time.
func (db *DB) Available() bool { return db.available.Load() }

// Failures returns the number of operations that failed or took too long.
func (db *DB) Failures() uint64 { return db.failures.Load() }

// Nodes returns the last known number of nodes, including this one.
func (db *DB) Nodes() int { return int(db.nodes.Load()) }

// errUnavailable is returned while the server does not answer in time.
var errUnavailable = errors.New("redis is not available")

// do runs an operation within the timeout. If the server does not answer, do returns an
// error that is [errUnavailable], and so do all calls until the server answers again.
func (db *DB) do(ctx context.Context, operation func(context.Context, valkey.Client) error) error {
	if !db.available.Load() {
		return errUnavailable
	}
	err := db.try(ctx, operation)
	if err == nil || ctx.Err() != nil {
		return err
	}
	db.failures.Add(1)
	if db.available.CompareAndSwap(true, false) {
		db.log.Warn("redis does not answer; this node decides alone", "error", err)
		select {
		case db.check <- struct{}{}:
		default:
		}
	}
	return fmt.Errorf("%w: %w", errUnavailable, err)
}

func (db *DB) try(ctx context.Context, operation func(context.Context, valkey.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	return operation(ctx, *db.client.Load())
}

// Run connects to the server and checks it until ctx is done. Then it closes the
// connection.
func (db *DB) Run(ctx context.Context) error {
	defer func() {
		db.available.Store(false)
		if client := db.client.Load(); client != nil {
			(*client).Close()
		}
	}()
	delay, reported := time.Duration(0), false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-db.check:
		case <-time.After(delay):
		}
		err := db.announce(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			if !db.available.Swap(true) {
				db.log.Info("redis answers", "nodes", db.Nodes())
			}
			delay, reported = heartbeat, false
		default:
			if !db.available.Swap(false) && !reported {
				db.log.Warn("redis does not answer; this node decides alone", "error", err)
				reported = true
			}
			delay = min(max(minRetry, 2*delay), maxRetry)
		}
	}
}

const nodesKey = "placard:nodes"

// announceScript adds a node and returns the number of nodes.
var announceScript = valkey.NewLuaScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`)

// announce connects if necessary, adds this node to the set of nodes and counts them.
func (db *DB) announce(ctx context.Context) error {
	if db.client.Load() == nil {
		client, err := valkey.NewClient(db.options)
		if err != nil {
			return err
		}
		db.client.Store(&client)
	}
	return db.try(ctx, func(ctx context.Context, client valkey.Client) error {
		n, err := announceScript.Exec(ctx, client, []string{nodesKey}, []string{db.node, milliseconds(3 * heartbeat)}).AsInt64()
		if err == nil {
			db.nodes.Store(max(1, n))
		}
		return err
	})
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }

func number(n int) string { return strconv.Itoa(n) }
