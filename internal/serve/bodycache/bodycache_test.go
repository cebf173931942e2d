package bodycache

import (
	"bytes"
	"errors"
	"sync"
	"testing"
)

func noStep() error { return nil }

func TestEachBodyIsWrittenOnce(t *testing.T) {
	c := Cache{Size: 1000}
	results := make([][]byte, 16)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			var err error
			if results[i], err = c.Body("a", func() ([]byte, error) { return []byte("body"), nil }, noStep); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, body := range results {
		if string(body) != "body" || &body[0] != &results[0][0] {
			t.Fatal("the body was written more than once")
		}
	}
}

func TestTheLeastRecentlyUsedBodyIsEvicted(t *testing.T) {
	c := Cache{Size: 1000}
	first := make(map[string]*byte)
	get := func(key string) *byte {
		body, err := c.Body(key, func() ([]byte, error) { return bytes.Repeat([]byte(key), 400), nil }, noStep)
		if err != nil || string(body[:1]) != key {
			t.Fatalf("%s: got %q (%v)", key, body, err)
		}
		return &body[0]
	}
	for _, key := range []string{"a", "b"} {
		first[key] = get(key)
	}
	get("a")
	get("c") // evicts b
	if get("a") != first["a"] {
		t.Error("the body in use was evicted")
	}
	if get("b") == first["b"] {
		t.Error("the body that was not in use was kept")
	}
	if c.used > c.Size || len(c.entries) != 2 {
		t.Errorf("the cache has %d bytes in %d entries, want at most %d bytes in 2", c.used, len(c.entries), c.Size)
	}
}

func TestABodyLargerThanTheCacheIsKept(t *testing.T) {
	c := Cache{Size: 10}
	for range 3 {
		for _, key := range []string{"a", "b"} {
			body, err := c.Body(key, func() ([]byte, error) { return make([]byte, 100), nil }, noStep)
			if err != nil || len(body) != 100 {
				t.Fatalf("got %d bytes (%v), want 100", len(body), err)
			}
		}
	}
	if c.used != 100 || len(c.entries) != 1 {
		t.Errorf("the cache has %d bytes in %d entries, want only the last body", c.used, len(c.entries))
	}
}

func TestABodyIsCompletedAfterItsFirstCallerGaveUp(t *testing.T) {
	begin, written := make(chan struct{}), 0
	write := func() ([]byte, error) {
		<-begin
		written++
		return []byte("body"), nil
	}
	c := Cache{Size: 1000}
	timeout := errors.New("timeout")
	if _, err := c.Body("a", write, func() error { return timeout }); !errors.Is(err, timeout) {
		t.Errorf("got %v, want the error of step", err)
	}
	close(begin)
	if body, err := c.Body("a", write, noStep); err != nil || string(body) != "body" || written != 1 {
		t.Errorf("the next caller got %q (%v) after %d writes, want the body after 1", body, err, written)
	}
}

func TestABodyThatFailedIsWrittenAgain(t *testing.T) {
	var c Cache
	calls := 0
	write := func() ([]byte, error) {
		switch calls++; calls {
		case 1:
			return nil, errors.New("failed")
		case 2:
			panic("cannot draw")
		}
		return []byte("body"), nil
	}
	for range 2 {
		if body, err := c.Body("a", write, noStep); err == nil {
			t.Errorf("got %q, want an error", body)
		}
	}
	if body, err := c.Body("a", write, noStep); err != nil || string(body) != "body" {
		t.Errorf("got %q (%v), want the body", body, err)
	}
}
