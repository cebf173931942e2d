package s3store_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// intercept is a transport that calls hooks before requests. The key "PUT index.json 2" is
// that of the second write of the index. All records have the name "record".
func intercept(hooks map[string]func()) http.RoundTripper {
	var mu sync.Mutex
	seen := make(map[string]int)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		name := r.Method + " " + path.Base(r.URL.Path)
		if path.Base(path.Dir(r.URL.Path)) == store.JournalDir {
			name = r.Method + " record"
		}
		seen[name]++
		hook := hooks[fmt.Sprintf("%s %d", name, seen[name])]
		mu.Unlock()
		if hook != nil {
			hook()
		}
		return http.DefaultTransport.RoundTrip(r)
	})
}

func TestFirstPublishersLeaveNoRecordsBehind(t *testing.T) {
	_, open := newServer(t)
	// The store is created after the publisher has found that it is new.
	s := open("a", intercept(map[string]func(){
		"GET index.json 2": func() {
			dying := open("a", roundTripper(func(r *http.Request) (*http.Response, error) {
				if path.Base(path.Dir(r.URL.Path)) == store.JournalDir {
					return nil, errBroken
				}
				return http.DefaultTransport.RoundTrip(r)
			}))
			if _, err := storetest.Publish(t.Context(), dying, releasetest.Release(t, "small@2026-01-02-beta")); err == nil {
				t.Error("got no error, want that of the connection")
			}
		},
	}))
	start, seconds := time.Now(), 0
	s.Now = func() time.Time { // each attempt has another record
		seconds++
		return start.Add(time.Duration(seconds) * time.Second)
	}
	publishOne(t, s, "small@2026-01-02-beta")
	wantComplete(t, s, 1)
}

func TestRecordOfAnotherWriterIsNotDeleted(t *testing.T) {
	_, open := newServer(t)
	s := open("a", nil)
	e := publishOne(t, s, "small@2026-01-02-beta")
	publishOne(t, s, "small@2026-01-02-beta", "added")
	// Two processes make the same change in the same second, so that their records
	// are the same.
	now := time.Now()
	change := func(transport http.RoundTripper) {
		s := open("a", transport)
		s.Now = func() time.Time { return now }
		if _, err := s.SetAlias(t.Context(), store.Intent{}, "pilot", e.ID); err != nil {
			t.Error(err)
		}
	}
	var prune sync.WaitGroup
	marked, finish := make(chan struct{}), make(chan struct{})
	prune.Go(func() {
		s := open("a", intercept(map[string]func(){"PUT index.json 2": func() { close(marked); <-finish }}))
		until := now.Add(time.Hour)
		garbage, err := s.Prunable(t.Context(), until)
		if err == nil {
			_, err = s.Prune(t.Context(), store.Intent{}, until, garbage)
		}
		if err != nil {
			t.Error(err)
		}
	})
	<-marked
	var other sync.WaitGroup
	written, resume := make(chan struct{}), make(chan struct{})
	first := intercept(map[string]func(){
		"PUT index.json 1": func() {
			// When the prune ends, it replaces the index without a record. Only the
			// other process reads the new index.
			close(finish)
			prune.Wait()
			other.Go(func() {
				change(intercept(map[string]func(){"PUT index.json 1": func() { close(written); <-resume }}))
			})
			<-written
		},
		"GET index.json 3": func() { close(resume); other.Wait() },
	})
	change(first)
	wantComplete(t, s, 4)
}

func TestFilesOfAPublisherAreNotPrunedAtOnce(t *testing.T) {
	_, open := newServer(t)
	s := open("a", nil)
	publishOne(t, s, "small@2026-01-02-beta")
	dying := open("a", roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut && path.Base(path.Dir(r.URL.Path)) == store.JournalDir {
			return nil, errBroken
		}
		return http.DefaultTransport.RoundTrip(r)
	}))
	if _, err := storetest.Publish(t.Context(), dying, releasetest.Release(t, "small@2026-01-03-beta")); err == nil {
		t.Fatal("got no error, want that of the connection")
	}
	for _, tc := range []struct {
		age  time.Duration
		want int
	}{{time.Hour, 0}, {-time.Hour, 1}} {
		if garbage, err := s.Prunable(t.Context(), time.Now().Add(-tc.age)); err != nil || len(garbage) != tc.want {
			t.Errorf("older than %v: got garbage %+v (%v), want %d", tc.age, garbage, err, tc.want)
		}
	}
}

func TestRefusedRetryDoesNotHideACommittedChange(t *testing.T) {
	_, open := newServer(t)
	e := publishOne(t, open("a", nil), "small@2026-01-02-beta")
	var writes atomic.Int64
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodPut || path.Base(r.URL.Path) != store.IndexFile {
			return http.DefaultTransport.RoundTrip(r)
		}
		if writes.Add(1) == 1 {
			return drop(r)
		}
		return respond(http.StatusTooManyRequests, "TooManyRequests").RoundTrip(r)
	})
	result, err := open("a", transport).SetAlias(t.Context(), store.Intent{}, "first", e.ID)
	if err != nil || !result.Changed() {
		t.Errorf("got changed %v (%v), want the change that was made", result.Changed(), err)
	}
	wantComplete(t, open("a", nil), 2)
}

func TestLoserOfARepairReportsNoRepair(t *testing.T) {
	server, open := newServer(t)
	publishOne(t, open("a", nil), "small@2026-01-02-beta")
	remove(t, server, "a/"+store.IndexFile)
	repairs, err := open("a", intercept(map[string]func(){
		"PUT record 1": func() {
			if repairs, err := open("a", nil).Repair(t.Context(), store.Intent{By: "first"}); err != nil || !repairs.Rebuilt {
				t.Errorf("got %+v (%v), want a rebuilt index", repairs, err)
			}
		},
	})).Repair(t.Context(), store.Intent{By: "second"})
	if err != nil || repairs.Rebuilt || repairs.Record != nil {
		t.Errorf("got %+v (%v), want nothing repaired", repairs, err)
	}
	wantComplete(t, open("a", nil), 2)
}

func TestEmptiedBucketIsDamage(t *testing.T) {
	server, open := newServer(t)
	s := open("a", nil)
	e := publishOne(t, s, "small@2026-01-02-beta")
	ix, err := s.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{store.IndexFile, ix.Journal.Record} {
		remove(t, server, "a/"+file)
	}
	for object := range client(t, server).ListObjects(t.Context(), "releases", listAll("a/"+e.Path)) {
		remove(t, server, object.Key)
	}
	if ix, err := s.Index(t.Context()); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("got %+v (%v), want an error that says that the index is missing", ix, err)
	}
}
