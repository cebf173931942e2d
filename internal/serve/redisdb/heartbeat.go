package redisdb

import (
	"context"
	"time"

	"github.com/valkey-io/valkey-go"
)

const (
	// While the server is not available, it is checked at intervals that double from
	// minRetry to maxRetry. They start from minRetry again if the server was available
	// for stablePeriod.
	minRetry     = 100 * time.Millisecond
	maxRetry     = 2 * time.Second
	stablePeriod = 10 * time.Second
)

// nodesKey is the sorted set of nodes by last heartbeat. It is in the slot of the
// sessions, which need the time of their server.
const nodesKey = "placard:{session}/nodes"

// Run connects to the server and checks it until ctx is done. Then it closes the
// connection.
func (db *DB) Run(ctx context.Context) {
	defer db.disconnect()
	var (
		delay     time.Duration
		since     time.Time // when the server became available
		failedKey = nodesKey
	)
	backOff := func() { delay = min(max(minRetry, 2*delay), maxRetry) }
	timer := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return
		case failedKey = <-db.failed:
			if time.Since(since) > stablePeriod {
				delay = 0
			}
			backOff()
			timer.Reset(delay)
			continue
		case <-timer.C:
		}
		conn := db.current.Load()
		err := db.check(ctx, failedKey)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err == nil && conn == nil:
			since, failedKey = time.Now(), nodesKey
			// The next failure must be logged after this line.
			db.Log.Info("redis answers", "nodes", db.Nodes())
			db.reported.Store(false)
			db.current.Store(&connection{db.client, make(chan struct{})})
			fallthrough
		case err == nil:
			timer.Reset(db.Heartbeat)
		case conn != nil:
			db.failures.Add(1)
			db.fail(conn, nodesKey, err)
		default:
			db.failures.Add(1)
			db.report(err)
			db.close()
			backOff()
			timer.Reset(delay)
		}
		db.markTried()
	}
}

// markTried closes the channel that [DB.Tried] returns.
func (db *DB) markTried() {
	select {
	case <-db.tried:
	default:
		close(db.tried)
	}
}

// announceScript adds a node and returns the number of nodes and the server's time in
// microseconds. KEYS: nodes. ARGV: node, its timeout.
var announceScript = valkey.NewLuaScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {redis.call('ZCARD', KEYS[1]), t[1] * 1000000 + t[2]}
`)

// check connects if necessary, announces this node, and checks the server that has
// the given key.
func (db *DB) check(ctx context.Context, key string) error {
	if db.client == nil {
		if err := db.connect(ctx); err != nil {
			return err
		}
	}
	start := time.Now()
	reply, err := try(ctx, &connection{client: db.client}, db.Timeout, func(ctx context.Context, client valkey.Client) ([]int64, error) {
		if key != nodesKey {
			if err := client.Do(ctx, client.B().Exists().Key(key).Build()).Error(); err != nil {
				return nil, err
			}
		}
		return announceScript.Exec(ctx, client, []string{nodesKey}, []string{db.id, milliseconds(missedHeartbeats * db.Heartbeat)}).AsIntSlice()
	})
	db.Observe(Announce, time.Since(start))
	if err != nil {
		return err
	}
	if len(reply) != 2 || reply[0] < 1 {
		return errReply
	}
	db.setNodes(reply[0])
	db.clock.Store(reply[1] - start.Sub(db.start).Microseconds())
	return nil
}

// setNodes sets the number of nodes. A lower number must be confirmed, because
// nodes announce themselves one by one to a server that has lost its data.
func (db *DB) setNodes(n int64) {
	if n < db.nodes.Load() {
		if db.decreased++; db.decreased < missedHeartbeats {
			return
		}
	}
	db.decreased = 0
	db.nodes.Store(n)
}

// connect connects to the server, or to all servers of a cluster, so that no request
// has to.
func (db *DB) connect(ctx context.Context) error {
	done := make(chan result[valkey.Client], 1)
	go func() {
		client, err := valkey.NewClient(db.options)
		if err == nil {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			for _, node := range client.Nodes() {
				_ = node.Do(ctx, node.B().Ping().Build()) // a replica may be away
			}
		}
		done <- result[valkey.Client]{client, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			db.client = r.value
		}
		return r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				r.value.Close()
			}
		}()
		return ctx.Err()
	}
}

// close closes the connection.
func (db *DB) close() {
	if db.client != nil {
		// Closing waits for a server that does not answer.
		go db.client.Close()
		db.client = nil
	}
}

// disconnect removes this node from the nodes, if the server answers, and closes the
// connection.
func (db *DB) disconnect() {
	if conn := db.current.Swap(nil); conn != nil {
		_, _ = try(context.Background(), conn, db.Timeout, func(ctx context.Context, client valkey.Client) (struct{}, error) {
			return struct{}{}, client.Do(ctx, client.B().Zrem().Key(nodesKey).Member(db.id).Build()).Error()
		})
		close(conn.failed)
	}
	db.close()
	db.markTried()
}
