// Package sessiontest tests implementations of [mcpapi.SessionStore].
package sessiontest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"placard/internal/serve/mcpapi"
)

// Backend is an empty session store under test.
type Backend struct {
	// Open returns a store. All stores of a backend share their values, as the stores
	// of several processes would.
	Open func() mcpapi.SessionStore

	// Advance advances the clock. The clock may also run by itself, by less than a
	// minute per test.
	Advance func(time.Duration)
}

// Run tests a session store. It calls start with the bounds of each test to create a
// new backend; the bounds contain no clock.
func Run(t *testing.T, start func(*testing.T, mcpapi.MemoryOptions) Backend) {
	for name, test := range map[string]func(*suite){
		"a key has the value that was stored last":              (*suite).testReplace,
		"keys and values may be any bytes":                      (*suite).testAnyBytes,
		"a value expires some time after its last use":          (*suite).testExpiry,
		"the least recently used value is evicted first":        (*suite).testEviction,
		"an evicted value is evicted for all":                   (*suite).testSharedEviction,
		"the total size is limited":                             (*suite).testTotalSize,
		"an oversized value replaces only its predecessor":      (*suite).testOversized,
		"all stores agree on the value after concurrent writes": (*suite).testConcurrentWrites,
	} {
		t.Run(name, func(t *testing.T) { test(&suite{T: t, start: start}) })
	}
}

type suite struct {
	*testing.T
	start func(*testing.T, mcpapi.MemoryOptions) Backend
	Backend
	stores [2]mcpapi.SessionStore
}

func (s *suite) setup(opts mcpapi.MemoryOptions) {
	if opts.IdleTimeout == 0 {
		opts.IdleTimeout = time.Hour
	}
	if opts.MaxEntries == 0 {
		opts.MaxEntries = 1000
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 1 << 20
	}
	s.Backend = s.start(s.T, opts)
	s.stores = [2]mcpapi.SessionStore{s.Open(), s.Open()}
}

// put stores a value in one of the two stores.
func (s *suite) put(store int, key, value string) (stored bool) {
	s.Helper()
	stored, err := s.stores[store].Put(s.Context(), key, []byte(value))
	if err != nil {
		s.Fatal(err)
	}
	return stored
}

// get returns a value of one of the two stores.
func (s *suite) get(store int, key string) []byte {
	s.Helper()
	value, err := s.stores[store].Get(s.Context(), key)
	if err != nil {
		s.Fatal(err)
	}
	return value
}

// want checks the value of a key in both stores. An empty string stands for no value.
func (s *suite) want(key, value string) {
	s.Helper()
	for i := range s.stores {
		if got := s.get(i, key); string(got) != value || value == "" && got != nil {
			s.Errorf("store %d: key %.20q: got %.20q, want %.20q", i, key, got, value)
		}
	}
}

func (s *suite) testReplace() {
	s.setup(mcpapi.MemoryOptions{})
	s.want("a", "")
	for i := range 6 {
		value := fmt.Sprint("A", i)
		if !s.put(i%2, "a", value) {
			s.Error("the value was not stored")
		}
		s.want("a", value)
		s.want("b", "")
	}
}

func (s *suite) testAnyBytes() {
	s.setup(mcpapi.MemoryOptions{})
	texts := []string{" ", "\x00", "\x00192.0.2.1", "a\r\nb", "{a}", "}{", "ü", "\xff\xfe", strings.Repeat("k", 30_000)}
	for i, text := range texts {
		s.put(i%2, text, text)
	}
	for _, text := range texts {
		s.want(text, text)
	}
}

func (s *suite) testExpiry() {
	s.setup(mcpapi.MemoryOptions{})
	s.put(0, "a", "A")
	s.put(0, "b", "B")
	s.Advance(40 * time.Minute)
	s.get(1, "a")
	s.put(1, "c", "C")
	s.Advance(40 * time.Minute)
	s.want("b", "")
	s.want("a", "A")
	s.want("c", "C")
	s.put(0, "a", "A2")
	s.Advance(40 * time.Minute)
	s.want("a", "A2")
	s.Advance(time.Hour)
	s.want("a", "")
	s.want("c", "")
}

func (s *suite) testEviction() {
	s.setup(mcpapi.MemoryOptions{MaxEntries: 3})
	s.put(0, "a", "A")
	s.put(1, "b", "B")
	s.put(0, "c", "C")
	s.get(1, "a")
	s.put(0, "d", "D")
	s.want("b", "")
	for key, value := range map[string]string{"a": "A", "c": "C", "d": "D"} {
		s.want(key, value)
	}
}

func (s *suite) testSharedEviction() {
	s.setup(mcpapi.MemoryOptions{MaxEntries: 3})
	s.put(0, "a", "old")
	s.put(1, "a", "new")
	for i := range 3 {
		s.put(1, fmt.Sprint(i), "B")
	}
	s.want("a", "")
}

func (s *suite) testTotalSize() {
	const maxBytes, size = 50_000, 2000
	s.setup(mcpapi.MemoryOptions{MaxBytes: maxBytes})
	for i := range 50 {
		s.put(i%2, fmt.Sprint(i), strings.Repeat("v", size))
	}
	s.want("49", strings.Repeat("v", size))
	total := 0
	for i := range 50 {
		total += len(s.get(1, fmt.Sprint(i)))
	}
	if total > maxBytes || total < maxBytes/2 {
		s.Errorf("got %d bytes in total, limit %d", total, maxBytes)
	}
}

func (s *suite) testOversized() {
	s.setup(mcpapi.MemoryOptions{MaxBytes: 10_000})
	s.put(0, "a", "A")
	s.put(0, "b", "B")
	if s.put(1, "b", strings.Repeat("B", 10_000)) {
		s.Error("the oversized value was stored")
	}
	s.want("a", "A")
	s.want("b", "")
}

func (s *suite) testConcurrentWrites() {
	s.setup(mcpapi.MemoryOptions{})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 50 {
				store, key := s.stores[i%2], fmt.Sprint(j%5)
				if _, err := store.Put(s.Context(), key, fmt.Append(nil, key, " ", i, " ", j)); err != nil {
					s.Error(err)
				}
				value, err := store.Get(s.Context(), key)
				if err != nil || !bytes.HasPrefix(value, []byte(key+" ")) {
					s.Errorf("key %s: got %q, error %v", key, value, err)
				}
			}
		})
	}
	group.Wait()
	for i := range 5 {
		key := fmt.Sprint(i)
		s.want(key, string(s.get(0, key)))
	}
}
