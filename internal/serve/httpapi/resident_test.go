package httpapi_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/httpapi"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// slowStore is a store in which loading a release takes longer than any budget
// allows.
type slowStore struct {
	*store.Store
	failure error
}

func (s *slowStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	time.Sleep(4 * time.Second)
	if s.failure != nil {
		return nil, s.failure
	}
	return s.Store.Load(ctx, e)
}

// newHandler returns the API with a stable release and a beta, of which at most
// maxResident are in memory.
func newHandler(t *testing.T, maxResident int) (http.Handler, *catalog.Catalog, *slowStore) {
	t.Helper()
	s := &slowStore{Store: store.OpenFolder(t.TempDir())}
	for _, id := range []string{stable, beta} {
		if _, err := storetest.Publish(t.Context(), s.Store, releasetest.Release(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.DiscardHandler)
	c := catalog.New(s, catalog.Options{Log: log, MaxResident: maxResident})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return httpapi.New(httpapi.Options{Catalog: c, Log: log}), c, s
}

func serve(ctx context.Context, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestResponsesDoNotDependOnTheReleasesInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, _, _ := newHandler(t, 0)
		one, c, _ := newHandler(t, 1)
		document := strings.Replace(thin, stable, beta, 1)
		resolved := serve(t.Context(), all, "POST", "/api/v2/schemas/"+beta+"/resolve", document)
		if resolved.Code != http.StatusOK {
			t.Fatalf("resolve: got %d %s", resolved.Code, resolved.Body)
		}
		requests := [][3]string{{"GET", "/api/v2/schemas", ""}}
		for _, version := range []string{stable, beta, "small@latest", "small@beta"} {
			base := "/api/v2/schemas/" + version
			for _, path := range []string{
				"/manifest", "/categories", "/elements", "/elements?query=a", "/elements/nothing", "/datachain.schema.json", "/icons.zip", "/skos.ttl", "/skos.jsonld",
				"/symbols/nothing.svg", "/elements/bad%20id",
			} {
				requests = append(requests, [3]string{"GET", base + path, ""})
			}
			for _, operation := range []string{"/validate", "/resolve"} {
				requests = append(requests, [3]string{"POST", base + operation, document})
			}
			// The document refers to a release that may not be the one in the path.
			for _, operation := range []string{"/validate_resolved", "/render", "/sign?url=https://example.org/"} {
				requests = append(requests, [3]string{"POST", base + operation, resolved.Body.String()})
			}
		}
		for _, r := range requests {
			want, got := serve(t.Context(), all, r[0], r[1], r[2]), serve(t.Context(), one, r[0], r[1], r[2])
			if got.Code != want.Code || got.Body.String() != want.Body.String() || cmp.Diff(got.Header(), want.Header()) != "" {
				t.Errorf("%s %s: got %d %.300s, want %d %.300s", r[0], r[1], got.Code, got.Body, want.Code, want.Body)
			}
		}
		if stats := c.Stats(); stats.Loads < 4 || stats.Resident != 1 {
			t.Errorf("got %+v, want one release in memory and loads on demand", stats)
		}
	})
}

func TestFailedLoadSetsRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, s := newHandler(t, 1)
		s.failure = errors.New("connection refused")
		for _, r := range [][2]string{{"GET", "/manifest"}, {"GET", "/elements"}, {"POST", "/validate"}} {
			w := serve(t.Context(), h, r[0], "/api/v2/schemas/"+beta+r[1], "{}")
			resp := response{w.Code, w.Header(), w.Body.String()}
			if p := resp.failure(t); w.Code != http.StatusBadGateway || p.Code != problem.UpstreamError || w.Header().Get("Retry-After") != "5" {
				t.Errorf("%s: got %d %v with headers %v, want 502 upstream_error with Retry-After: 5", r[1], w.Code, p, w.Header())
			}
		}
		if w := serve(t.Context(), h, "GET", "/api/v2/schemas/"+stable+"/manifest", ""); w.Code != http.StatusOK {
			t.Errorf("the release in memory: got %d %s", w.Code, w.Body)
		}
	})
}

func TestClientCanLeaveDuringALoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, _ := newHandler(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		serve(ctx, h, "GET", "/api/v2/schemas/"+beta+"/manifest", "")
		if took := time.Since(start); took != time.Second {
			t.Errorf("the request ended after %v, want 1s", took)
		}
		time.Sleep(4 * time.Second)
		start = time.Now()
		if w := serve(t.Context(), h, "GET", "/api/v2/schemas/"+beta+"/manifest", ""); w.Code != http.StatusOK || time.Since(start) != 0 {
			t.Errorf("the next request: got %d after %v, want 200 immediately", w.Code, time.Since(start))
		}
	})
}

func TestUnusedReleasesAreFreed(t *testing.T) {
	folder := store.OpenFolder(t.TempDir())
	for _, id := range []string{stable, beta} {
		if _, err := storetest.Publish(t.Context(), folder, releasetest.Release(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	c := catalog.New(folder, catalog.Options{Log: slog.New(slog.DiscardHandler), MaxResident: 1})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := httpapi.New(httpapi.Options{Catalog: c, Log: slog.New(slog.DiscardHandler)})
	for _, path := range []string{"", "/" + stable + "/manifest", "/" + stable + "/elements", "/" + stable + "/icons.zip"} {
		if w := serve(t.Context(), h, "GET", "/api/v2/schemas"+path, ""); w.Code != http.StatusOK {
			t.Fatalf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
	snapshot, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	first := weak.Make(snapshot.Lookup(stable))
	// Another user of the catalog, such as MCP, loads the other release.
	_, err = snapshot.Find(beta)
	absent, ok := errors.AsType[*catalog.AbsentError](err)
	if !ok {
		t.Fatalf("got %v, want an AbsentError", err)
	}
	time.Sleep(2 * time.Millisecond) // uses are recorded in milliseconds
	if _, err := c.Load(t.Context(), absent); err != nil {
		t.Fatal(err)
	}
	snapshot = nil
	for deadline := time.Now().Add(20 * time.Second); first.Value() != nil; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("a release that is not in the current snapshot is still in memory")
		}
	}
	runtime.KeepAlive(h)
}
