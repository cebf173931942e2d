package redisdb_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"placard/internal/serve/redisdb"
)

// generous is a timeout that no operation of a healthy server exceeds, even if the
// machine is busy.
const generous = 10 * time.Second

// node is a running DB and its log.
type node struct {
	*redisdb.DB
	stop func()
	log  *logRecorder
}

// start runs a DB with the given URL.
func start(t *testing.T, url string, timeout time.Duration) *node {
	t.Helper()
	address, err := redisdb.ParseAddress(url)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{log: new(logRecorder)}
	n.DB = redisdb.Open(address, redisdb.Options{Log: slog.New(n.log), Timeout: timeout, Heartbeat: 300 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.Run(ctx)
	}()
	n.stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(n.stop)
	return n
}

// open returns a node that is connected to the server with the given address.
func open(t *testing.T, addr string, timeout time.Duration) *node {
	t.Helper()
	n := start(t, "redis://"+addr, timeout)
	waitFor(t, n.Available)
	return n
}

// openNodes returns three connected nodes that know each other.
func openNodes(t *testing.T, addr string) []*node {
	t.Helper()
	nodes := []*node{open(t, addr, generous), open(t, addr, generous), open(t, addr, generous)}
	for _, n := range nodes {
		waitFor(t, func() bool { return n.Nodes() == len(nodes) })
	}
	return nodes
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the condition does not hold after 30 seconds")
		}
	}
}

// connect returns a connection that tests use to inspect and change the server.
func connect(t *testing.T, addr string) redis.Conn {
	t.Helper()
	conn, err := redis.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// command sends a command and returns the reply.
func command(t *testing.T, conn redis.Conn, words ...string) any {
	t.Helper()
	reply, err := conn.Do(words[0], redis.Args{}.AddFlat(words[1:])...)
	if err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	return reply
}
