package redisdb

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	// maxOperations is the number of operations at a time, each of which needs a
	// connection. Further ones wait.
	maxOperations = 64
	idleTimeout   = time.Minute
	dialTimeout   = time.Second
	maxRedirects  = 4
)

// client sends commands to a server or to the servers of a cluster. Which of them has a
// slot is learnt from their redirections.
type client struct {
	address Address
	first   string        // the server for slots of which nothing is known
	busy    chan struct{} // has an item for each operation in progress

	mu    sync.Mutex
	pools map[string]*redis.Pool // by server
	slots map[int]string         // the servers of slots
}

// connect connects to the first server of an address that answers within the timeout,
// or to the one that its sentinels name.
func connect(ctx context.Context, address Address, timeout time.Duration) (*client, error) {
	var failures []error
	for _, host := range address.hosts {
		c := &client{
			address: address,
			first:   host,
			busy:    make(chan struct{}, maxOperations),
			pools:   make(map[string]*redis.Pool),
			slots:   make(map[int]string),
		}
		err := c.connect(ctx, timeout)
		if err == nil {
			return c, nil
		}
		c.close()
		if isTimeout(err) {
			err = timeoutError(timeout)
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

func (c *client) connect(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if c.address.masterSet != "" {
		sentinel, err := redis.DialContext(ctx, "tcp", c.first, redis.DialContextFunc(c.address.dial))
		if err != nil {
			return err
		}
		defer sentinel.Close()
		master, err := redis.Strings(redis.DoContext(sentinel, ctx, "SENTINEL", "get-master-addr-by-name", c.address.masterSet))
		if err != nil || len(master) != 2 {
			return errors.Join(errors.New("the sentinel does not know the server"), err)
		}
		c.first = net.JoinHostPort(master[0], master[1])
	}
	_, err := c.send(ctx, c.first, false, "PING")
	return err
}

func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pool := range c.pools {
		_ = pool.Close()
	}
}

// pool returns the connections to a server.
func (c *client) pool(server string) *redis.Pool {
	c.mu.Lock()
	defer c.mu.Unlock()
	pool := c.pools[server]
	if pool == nil {
		// Operations wait in send: a pool that is closed while they wait in it panics.
		pool = &redis.Pool{MaxIdle: maxOperations, IdleTimeout: idleTimeout}
		pool.DialContext = func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "tcp", server, redis.DialContextFunc(c.address.dial), redis.DialClientName("placard"),
				redis.DialUsername(c.address.user), redis.DialPassword(c.address.password), redis.DialDatabase(c.address.database))
		}
		c.pools[server] = pool
	}
	return pool
}

// send sends a command to a server. asking permits it to answer for a slot that is
// being moved to it.
func (c *client) send(ctx context.Context, server string, asking bool, command string, args ...any) (any, error) {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, err := c.pool(server).GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if asking {
		if _, err := redis.DoContext(conn, ctx, "ASKING"); err != nil {
			return nil, err
		}
	}
	return redis.DoContext(conn, ctx, command, args...)
}

// do sends a command to the server that has a key.
func (c *client) do(ctx context.Context, key, command string, args ...any) (any, error) {
	c.mu.Lock()
	server, known := c.slots[slot(key)]
	c.mu.Unlock()
	if !known {
		server = c.first
	}
	asking := false
	for redirects := 0; ; redirects++ {
		reply, err := c.send(ctx, server, asking, command, args...)
		refusal, _ := errors.AsType[redis.Error](err)
		// Such as "MOVED 3999 192.0.2.1:6379". A server that does not know its own
		// host omits it.
		words := strings.Fields(string(refusal))
		if redirects == maxRedirects || len(words) != 3 || words[0] != "MOVED" && words[0] != "ASK" {
			return reply, err
		}
		colon := strings.LastIndexByte(words[2], ':')
		if colon < 0 {
			return reply, err
		}
		host, port := words[2][:colon], words[2][colon+1:]
		if host == "" {
			host, _, _ = net.SplitHostPort(server)
		}
		server = net.JoinHostPort(strings.Trim(host, "[]"), port)
		if asking = words[0] == "ASK"; !asking {
			c.mu.Lock()
			c.slots[slot(key)] = server
			c.mu.Unlock()
		}
	}
}

// slot returns the slot of a key in a cluster: the CRC-16 (XMODEM) of the part in
// braces. Without braces, which all keys of this package have, it is the wrong one, and
// every operation is redirected.
func slot(key string) int {
	_, tag, _ := strings.Cut(key, "{")
	tag, _, _ = strings.Cut(tag, "}")
	var crc uint16
	for i := range len(tag) {
		crc ^= uint16(tag[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc) % 16384
}

// script is a Lua script.
type script struct{ text, hash string }

func newScript(text string) *script {
	sum := sha1.Sum([]byte(text))
	return &script{text, hex.EncodeToString(sum[:])}
}

// eval runs a script on the server that has the given keys.
func (c *client) eval(ctx context.Context, s *script, keys []string, args ...any) (any, error) {
	all := []any{s.hash, strconv.Itoa(len(keys))}
	for _, key := range keys {
		all = append(all, key)
	}
	all = append(all, args...)
	reply, err := c.do(ctx, keys[0], "EVALSHA", all...)
	if refusal, ok := errors.AsType[redis.Error](err); ok && strings.HasPrefix(string(refusal), "NOSCRIPT ") {
		all[0] = s.text
		reply, err = c.do(ctx, keys[0], "EVAL", all...)
	}
	return reply, err
}
