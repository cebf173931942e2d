package mcpapi

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/release/releasetest"
)

func served(t testing.TB, s *Server) []*release.Release {
	t.Helper()
	snapshot, err := s.Catalog.Current()
	if err != nil {
		t.Fatal(err)
	}
	return snapshot.Releases()
}

func TestAQuotedElementIsTheElementInAnyLocales(t *testing.T) {
	s := newServer(t, Options{})
	for _, r := range served(t, s) {
		choices := []query.Locales{nil, {}, {"xx"}, {"EN"}}
		for set := range 1 << len(r.Manifest.Locales) {
			var some query.Locales
			for i, locale := range r.Manifest.Locales {
				if set&(1<<i) != 0 {
					some = append(some, locale)
				}
			}
			choices = append(choices, some)
		}
		for n := range r.Elements {
			for _, locales := range choices {
				want := appendEscaped(nil, query.AppendElement(nil, r, n, nil, locales))
				got := s.quotes.element(r, n).append(nil, r, locales)
				if !bytes.Equal(got, want) {
					t.Fatalf("element %d of %s in %q:\n%s\nwant\n%s", n, r.ID(), locales, got, want)
				}
			}
		}
	}
}

func TestQuotedElementsTakeNoMoreThanTheirRoom(t *testing.T) {
	s := newServer(t, Options{})
	r := served(t, s)[0]
	s.quotes.size.Store(maxQuoted - 1)
	if s.quotes.element(r, 0) == nil {
		t.Error("there is room for one, and it is not kept")
	}
	if s.quotes.element(r, 0) == nil {
		t.Error("what is kept is forgotten")
	}
	if s.quotes.element(r, 1) != nil {
		t.Error("more is kept than there is room for")
	}
}

func TestQuotedElementsAreForgottenWithTheirRelease(t *testing.T) {
	var k quotes
	r := releasetest.Release(t, "place@2026-06-01-stable")
	k.element(r, 0)
	if k.size.Load() == 0 {
		t.Fatal("nothing is kept")
	}
	runtime.KeepAlive(r)
	r = nil
	for start := time.Now(); k.size.Load() != 0; runtime.GC() {
		if time.Since(start) > 10*time.Second {
			t.Fatal("it is kept after its release has gone")
		}
	}
}
