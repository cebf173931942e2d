package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// blockingStore is a store in which the load of one release takes until resume is
// closed.
type blockingStore struct {
	catalog.Store
	blocked string
	started chan struct{} // closed by the first load
	resume  chan struct{}
	once    sync.Once
}

func newBlockingStore(s catalog.Store, id string) *blockingStore {
	return &blockingStore{Store: s, blocked: id, started: make(chan struct{}), resume: make(chan struct{})}
}

func (s *blockingStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	if e.ID.String() == s.blocked {
		s.once.Do(func() { close(s.started) })
		<-s.resume
	}
	return s.Store.Load(ctx, e)
}

// blockingService serves the releases of a store of which all but one fit into memory.
// The load of that one blocks from now on.
func blockingService(t *testing.T, folder *store.Store, blocked string, others ...string) (*service, *blockingStore) {
	t.Helper()
	s := newBlockingStore(folder, "")
	served := newService(t, nil, web.Options{Catalog: catalog.New(s, catalog.Options{MaxResident: len(others)})})
	for _, id := range others {
		served.get("/explore/" + id)
	}
	s.blocked = blocked
	return served, s
}

// leaveDuringLoad requests a page and disconnects while a release is loaded. The given
// releases are in memory then and afterwards.
func (s *service) leaveDuringLoad(t *testing.T, path string, store *blockingStore, resident ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		s.Config.Handler.ServeHTTP(httptest.NewRecorder(), r)
	}()
	<-store.started
	cancel()
	<-done
	close(store.resume)
	s.get("/explore/" + store.blocked)
	for _, id := range resident {
		s.get("/explore/" + id)
	}
}

// renamedElement returns versions in each of which the same element has another id.
func renamedElement(t *testing.T, ids ...string) *store.Store {
	t.Helper()
	folder := store.OpenFolder(t.TempDir())
	before := ""
	for i, id := range ids {
		r := compile(t, id, func(x *taxonomy.Taxonomy) {
			e := element("name_"+string(rune('a'+i)), "Thing", "Chose")
			e.Replaces, before = taxonomy.IDs{before}, e.ID
			x.Elements = append(x.Elements, e)
		})
		if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestComparisonsAreNotCachedAfterAFailedLoad(t *testing.T) {
	const third = "small@2026-03-01-beta"
	s, blocking := blockingService(t, renamedElement(t, firstVersion, secondVersion, third), secondVersion, firstVersion, third)
	const path = "/compare/" + firstVersion + "/" + third
	s.leaveDuringLoad(t, path, blocking, firstVersion, third)
	contains(t, "the next reader", visibleText(t, s.get(path).body), "Thing sign name_a → name_c")
}

func TestReferenceIsNotCachedAfterAFailedLoad(t *testing.T) {
	const other, sample = "other@2026-01-02-stable", "sample@2026-02-02-stable"
	s, blocking := blockingService(t, publishedFolder(t, other, sample), sample, other)
	const path = "/docs/api-reference/getElement"
	s.leaveDuringLoad(t, path, blocking, other)
	s.get(path).contains(t, "/api/v2/schemas/"+sample+"/elements/")
}

// A comparison that waits for the store must not prevent others.
func TestComparisonsDoNotWaitForLoadsOfOthers(t *testing.T) {
	const third, fourth = "small@2026-03-01-beta", "small@2026-04-01-beta"
	s, blocking := blockingService(t, renamedElement(t, firstVersion, secondVersion, third, fourth), third, firstVersion, secondVersion, fourth)
	var waiting sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		waiting.Go(func() {
			if got := s.do("GET", "/compare/"+firstVersion+"/"+fourth); !strings.Contains(got.body, "name_d") {
				t.Errorf("after the load: got status %d\n%s", got.status, got.body)
			}
		})
	}
	<-blocking.started
	if got := s.do("GET", "/compare/"+firstVersion+"/"+secondVersion); got.status != http.StatusOK {
		t.Errorf("during the load: got status %d, want 200", got.status)
	}
	close(blocking.resume)
	waiting.Wait()
}
