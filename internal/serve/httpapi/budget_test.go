package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/budget"
	"placard/internal/serve/requestbody"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// expired is a budget that every request exceeds.
var expired = budget.Budget{Wall: time.Nanosecond}

const releaseID = "small@2026-01-02-stable"

// newAPI returns an API for a release with extra elements.
func newAPI(t *testing.T, extra ...string) *api {
	folder := store.OpenFolder(t.TempDir())
	if _, err := storetest.Publish(t.Context(), folder, releasetest.Release(t, releaseID, extra...)); err != nil {
		t.Fatal(err)
	}
	c := catalog.New(folder, catalog.Options{})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &api{bodies: newBodies(), Options: Options{
		Catalog: c, MaxBody: requestbody.DefaultLimit, Documents: budget.NewPool(1, 0), Log: slog.New(slog.DiscardHandler),
	}}
}

func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.SetPathValue("version", releaseID)
	return r
}

func isTimeout(err error) bool {
	p, ok := errors.AsType[problem.Problem](err)
	return ok && p.Code == problem.Timeout
}

func TestExpiredBudgetIsATimeout(t *testing.T) {
	a := newAPI(t)
	for _, rt := range a.routes() {
		_, err := rt.handler.handle(a, request(rt.method, "/", `{}`), netip.Addr{}, expired)
		// Requests without their other path parameters fail before the timeout.
		if _, ok := errors.AsType[problem.Problem](err); !ok && !errors.Is(err, errNoRoute) {
			t.Errorf("%s: got error %v, want a problem", rt.pattern, err)
		}
	}
	if _, err := versionRead(a.manifest).handle(a, request("GET", "/", ""), netip.Addr{}, expired); !isTimeout(err) {
		t.Errorf("a read: got error %v, want a timeout", err)
	}
	if _, err := document(a.validate).handle(a, request("POST", "/", `{}`), netip.Addr{}, expired); !isTimeout(err) {
		t.Errorf("a document: got error %v, want a timeout", err)
	}
	if _, err := versionRead(a.manifest).handle(a, request("GET", "/", ""), netip.Addr{}, budget.Read); err != nil {
		t.Errorf("a read within its budget: got error %v, want none", err)
	}
}

func TestExpiredBudgetStopsDocument(t *testing.T) {
	a := newAPI(t)
	steps := 0
	loop := document(func(_ *http.Request, _ *version, _ []byte, step datachain.Step) (reply, error) {
		for ; ; steps++ {
			if err := step(); err != nil {
				return reply{}, err
			}
		}
	})
	if _, err := loop.handle(a, request("POST", "/", `{}`), netip.Addr{}, budget.Budget{CPU: 10 * time.Millisecond}); !isTimeout(err) || steps == 0 {
		t.Errorf("got error %v after %d steps, want a timeout", err, steps)
	}
	// The slot in the pool is free again.
	if _, err := document(a.validate).handle(a, request("POST", "/", `{}`), netip.Addr{}, budget.Validate); err != nil {
		t.Error(err)
	}
}

func TestBudgetStartsAfterTheBodyIsRead(t *testing.T) {
	a := newAPI(t)
	r := request("POST", "/", "")
	// The body takes longer to arrive than the budget allows for processing.
	r.Body = slowBody{strings.NewReader(`{}`), 30 * time.Millisecond}
	if _, err := document(a.validate).handle(a, r, netip.Addr{}, budget.Budget{Wall: 20 * time.Millisecond}); err != nil {
		t.Errorf("a slow body: got error %v, want none", err)
	}
}

// slowBody delays each Read.
type slowBody struct {
	*strings.Reader
	delay time.Duration
}

func (s slowBody) Read(p []byte) (int, error) {
	<-time.After(s.delay)
	return s.Reader.Read(p)
}

func (slowBody) Close() error { return nil }

func TestEveryRouteHasABucketAndABudget(t *testing.T) {
	for _, rt := range new(api).routes() {
		if rt.bucket == 0 || rt.budget.Wall == 0 {
			t.Errorf("%s %s: got bucket %v, budget %v, want both", rt.method, rt.pattern, rt.bucket, rt.budget)
		}
		_, isDocument := rt.handler.(document)
		if isDocument != (rt.method == "POST") {
			t.Errorf("%s %s: got a document handler: %t, want %t", rt.method, rt.pattern, isDocument, !isDocument)
		}
	}
}

func TestUnlimitedRequestsHaveNoBudget(t *testing.T) {
	defer func(b budget.Budget) { budget.Read = b }(budget.Read)
	budget.Read = expired
	opts := newAPI(t).Options
	for unlimited, want := range map[bool]int{false: http.StatusGatewayTimeout, true: http.StatusOK} {
		opts.Unlimited = unlimited
		w := httptest.NewRecorder()
		New(opts).ServeHTTP(w, httptest.NewRequest("GET", "/api/v2/schemas/"+releaseID+"/manifest", nil))
		if w.Code != want {
			t.Errorf("unlimited %t: got status %d, want %d", unlimited, w.Code, want)
		}
	}
}
