package iconpack

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"placard/internal/release"
	"placard/internal/release/releasetest"
)

func noStep() error { return nil }

// releases returns releases with different fingerprints.
func releases(t *testing.T, n int) []*release.Release {
	var all []*release.Release
	for i := range n {
		all = append(all, releasetest.Release(t, fmt.Sprintf("small@2026-01-%02d-stable", i+1)))
	}
	return all
}

func TestCacheWritesEachPackOnce(t *testing.T) {
	var c Cache
	r := releasetest.Release(t, "small@2026-01-02-stable")
	results := make([][]byte, 16)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			var err error
			if results[i], err = c.Zip(r, noStep); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, data := range results {
		if len(data) == 0 || &data[0] != &results[0][0] {
			t.Fatal("the pack was written more than once")
		}
	}
	if cap(results[0]) > len(results[0])+len(results[0])/4 {
		t.Errorf("the pack has %d bytes and a capacity of %d", len(results[0]), cap(results[0]))
	}
}

func TestCacheEvictsTheLeastRecentlyUsedPack(t *testing.T) {
	c := Cache{size: 1000, pack: func(r *release.Release) ([]byte, error) {
		return bytes.Repeat([]byte(r.Name()), 400/len(r.Name())), nil
	}}
	all := releases(t, 3)
	first := make(map[*release.Release]*byte)
	zip := func(r *release.Release) *byte {
		data, err := c.Zip(r, noStep)
		if err != nil {
			t.Fatal(err)
		}
		return &data[0]
	}
	for _, r := range all[:2] {
		first[r] = zip(r)
	}
	zip(all[0])
	zip(all[2]) // evicts the second
	if zip(all[0]) != first[all[0]] {
		t.Error("the pack in use was evicted")
	}
	if zip(all[1]) == first[all[1]] {
		t.Error("the pack that was not in use was kept")
	}
	if c.used > c.size || len(c.entries) != 2 {
		t.Errorf("the cache has %d bytes in %d entries, want at most %d bytes in 2", c.used, len(c.entries), c.size)
	}
}

func TestCacheKeepsAPackLargerThanItself(t *testing.T) {
	c := Cache{size: 10, pack: func(*release.Release) ([]byte, error) { return make([]byte, 100), nil }}
	all := releases(t, 2)
	for range 3 {
		for _, r := range all {
			if data, err := c.Zip(r, noStep); err != nil || len(data) != 100 {
				t.Fatalf("got %d bytes (%v), want 100", len(data), err)
			}
		}
	}
	if c.used != 100 || len(c.entries) != 1 {
		t.Errorf("the cache has %d bytes in %d entries, want only the last pack", c.used, len(c.entries))
	}
}

func TestPackIsCompletedAfterItsFirstCallerGaveUp(t *testing.T) {
	begin, written := make(chan struct{}), 0
	c := Cache{pack: func(*release.Release) ([]byte, error) {
		<-begin
		written++
		return []byte("pack"), nil
	}}
	r := releasetest.Release(t, "small@2026-01-02-stable")
	timeout := errors.New("timeout")
	if _, err := c.Zip(r, func() error { return timeout }); !errors.Is(err, timeout) {
		t.Errorf("got %v, want the error of step", err)
	}
	close(begin)
	if data, err := c.Zip(r, noStep); err != nil || string(data) != "pack" || written != 1 {
		t.Errorf("the next caller got %q (%v) after %d writes, want the pack after 1", data, err, written)
	}
}

func TestFailedPackIsWrittenAgain(t *testing.T) {
	r := releasetest.Release(t, "small@2026-01-02-stable")
	calls := 0
	c := Cache{pack: func(*release.Release) ([]byte, error) {
		switch calls++; calls {
		case 1:
			return nil, errors.New("failed")
		case 2:
			panic("cannot draw")
		}
		return []byte("pack"), nil
	}}
	for range 2 {
		if data, err := c.Zip(r, noStep); err == nil {
			t.Errorf("got %q, want an error", data)
		}
	}
	if data, err := c.Zip(r, noStep); err != nil || string(data) != "pack" {
		t.Errorf("got %q (%v), want the pack", data, err)
	}
}
