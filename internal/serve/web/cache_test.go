package web_test

import (
	"log/slog"
	"net/http"
	"net/netip"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// publishedFolder returns a store with small releases.
func publishedFolder(t *testing.T, ids ...string) *store.Store {
	t.Helper()
	folder := store.OpenFolder(t.TempDir())
	for _, id := range ids {
		if _, err := storetest.Publish(t.Context(), folder, releasetest.Release(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestPagesOfReleasesThatAreAvailableAgain(t *testing.T) {
	const first, second, third = "small@2026-01-02-stable", "small@2026-02-02-stable", "small@2026-03-02-stable"
	damaged := &damagedStore{publishedFolder(t, first, second, third), []string{first, second}}
	c := catalog.New(damaged, catalog.Options{Retry: 1, Log: slog.New(slog.DiscardHandler)})
	s := newService(t, nil, web.Options{Catalog: c})
	s.get("/explore/"+third).lacks(t, first, second)
	damaged.damaged = nil
	for _, version := range []string{first, second} {
		s.get("/explore/"+version).contains(t, `<link rel="canonical" href="`+s.URL+"/explore/"+version+`">`)
	}
	s.get("/explore/"+third).contains(t, `href="/explore/`+first+`"`, `href="/explore/`+second+`"`)
}

func TestLoadsAreCharged(t *testing.T) {
	const first, second = "small@2026-01-02-stable", "small@2026-02-02-stable"
	reads, isLimited := 0, false
	s := newService(t, nil, web.Options{
		Catalog: catalog.New(publishedFolder(t, first, second), catalog.Options{MaxResident: 1}),
		Admit: func(_ http.ResponseWriter, _ *http.Request, b ratelimit.Bucket) (netip.Addr, error) {
			if b == ratelimit.Read {
				reads++
				if isLimited {
					return netip.Addr{}, problem.New(problem.RateLimited, "Too many requests.")
				}
			}
			return netip.Addr{}, nil
		},
	})
	for _, version := range []string{first, second} {
		s.get("/explore/" + version)
	}
	if reads != 2 {
		t.Errorf("got %d reads for two pages, want 2", reads)
	}
	// The page of the first release is cached, but its release is not in memory.
	isLimited = true
	if got := s.do("GET", "/explore/"+first); got.status != http.StatusTooManyRequests {
		t.Errorf("got status %d for a page of a release that must be loaded, want 429", got.status)
	}
	s.get("/explore/" + second)
}
