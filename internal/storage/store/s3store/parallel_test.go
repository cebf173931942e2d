package s3store_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"placard/internal/storage/store"
)

// together is a transport that holds back matching requests until a number of them
// have been made.
func together(t *testing.T, number int, matches func(*http.Request) bool) http.RoundTripper {
	var mu sync.Mutex
	waiting, enough := 0, make(chan struct{})
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if !matches(r) {
			return http.DefaultTransport.RoundTrip(r)
		}
		mu.Lock()
		if waiting++; waiting == number {
			close(enough)
		}
		mu.Unlock()
		select {
		case <-enough:
		case <-r.Context().Done(): // the request was given up
			t.Errorf("%s %s is not made in parallel", r.Method, r.URL.Path)
		}
		return http.DefaultTransport.RoundTrip(r)
	})
}

func TestFilesAreReadAndWrittenInParallel(t *testing.T) {
	_, open := newServer(t)
	isRecord := func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/journal/")
	}
	isFile := func(method string) func(*http.Request) bool {
		return func(r *http.Request) bool {
			return r.Method == method && strings.Contains(r.URL.Path, "/releases/small/")
		}
	}
	// The header is written after the three other files.
	s := open("a", together(t, 3, isFile(http.MethodPut)))
	e := publishOne(t, s, "small@2026-01-02-beta")
	for i := range 9 {
		if _, err := s.SetAlias(t.Context(), store.Intent{}, fmt.Sprintf("alias-%d", i), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	publishOne(t, s, "small@2026-01-02-beta", "added")
	if _, err := open("a", together(t, 4, isFile(http.MethodGet))).Load(t.Context(), e); err != nil {
		t.Error(err)
	}
	if records, err := open("a", together(t, 11, isRecord)).History(t.Context()); err != nil || len(records) != 11 {
		t.Errorf("got %d records (%v), want 11", len(records), err)
	}
	if _, err := open("a", together(t, 8, isFile(http.MethodGet))).Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
