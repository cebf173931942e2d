package redisdb

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"
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
		known := db.current.Load()
		c, err := db.check(ctx, known, failedKey)
		if ctx.Err() != nil {
			if known == nil && c != nil {
				c.close()
			}
			return
		}
		switch {
		case err == nil && known == nil:
			since, failedKey = time.Now(), nodesKey
			// The next failure must be logged after this line.
			db.Log.Info("redis answers", "nodes", db.Nodes())
			db.reported.Store(false)
			db.current.Store(c)
			fallthrough
		case err == nil:
			db.slow.Store(0)
			timer.Reset(db.Heartbeat)
		case known != nil:
			db.failures.Add(1)
			db.fail(known, nodesKey, err)
			timer.Reset(minRetry)
		default:
			db.failures.Add(1)
			db.report(err)
			backOff()
			timer.Reset(delay)
		}
		db.closeTried()
	}
}

// announceScript adds a node and returns the number of nodes and the server's time in
// microseconds. KEYS: nodes. ARGV: node, its timeout.
var announceScript = newScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {redis.call('ZCARD', KEYS[1]), t[1] * 1000000 + t[2]}
`)

// check announces this node and checks the server that has the given key. If c is
// nil, it connects first, and closes the connection if the check fails.
func (db *DB) check(ctx context.Context, c *client, key string) (*client, error) {
	isNew := c == nil
	if isNew {
		var err error
		if c, err = connect(ctx, db.address, max(dialTimeout, db.Timeout)); err != nil {
			return nil, err
		}
	}
	err := db.announce(ctx, c, key)
	if err != nil && isNew {
		c.close()
	}
	return c, err
}

func (db *DB) announce(ctx context.Context, c *client, key string) error {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, db.Timeout)
	defer cancel()
	if key != nodesKey {
		if _, err := c.do(ctx, key, "EXISTS", key); err != nil {
			return err
		}
	}
	reply, err := redis.Int64s(c.eval(ctx, announceScript, []string{nodesKey}, db.id, milliseconds(missedHeartbeats*db.Heartbeat)))
	db.Observe(Announce, time.Since(start))
	switch {
	case isTimeout(err):
		return timeoutError(db.Timeout)
	case err != nil:
		return err
	case len(reply) != 2 || reply[0] < 1:
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

// disconnect removes this node from the nodes, if the server answers, and closes the
// connections.
func (db *DB) disconnect() {
	if c := db.current.Swap(nil); c != nil {
		ctx, cancel := context.WithTimeout(context.Background(), db.Timeout)
		defer cancel()
		_, _ = c.do(ctx, nodesKey, "ZREM", nodesKey, db.id)
		c.close()
	}
	db.closeTried()
}
