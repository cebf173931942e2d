package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"placard/internal/budget"
	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/release/releasetest"
	"placard/internal/requestbody"
	"placard/internal/store"
)

// over is a budget that any work is over.
var over = budget.Budget{Wall: time.Nanosecond}

const released = "small@2026-01-02-stable"

func newAPI(t *testing.T) *api {
	folder := store.OpenFolder(t.TempDir())
	if _, err := folder.Publish(t.Context(), releasetest.Release(t, released)); err != nil {
		t.Fatal(err)
	}
	c := catalog.New(folder, catalog.Options{})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &api{Options: Options{Catalog: c, MaxBody: requestbody.DefaultLimit, Documents: budget.NewPool(1)}}
}

func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.SetPathValue("version", released)
	return r
}

func isTimeout(err error) bool {
	p, ok := errors.AsType[problem.Problem](err)
	return ok && p.Code == problem.Timeout
}

func TestAnAnswerThatComesTooLateIsATimeout(t *testing.T) {
	a := newAPI(t)
	for _, rt := range a.routes() {
		_, err := rt.handle.answer(a, request(rt.method, "/", `{}`), over)
		if _, invalid := errors.AsType[problem.Problem](err); !isTimeout(err) && !invalid {
			t.Errorf("%s: %v", rt.pattern, err)
		}
	}
	if _, err := read(a.manifest).answer(a, request("GET", "/", ""), over); !isTimeout(err) {
		t.Errorf("a read: %v", err)
	}
	if _, err := document(a.validate).answer(a, request("POST", "/", `{}`), over); !isTimeout(err) {
		t.Errorf("a document: %v", err)
	}
	if _, err := read(a.manifest).answer(a, request("GET", "/", ""), budget.Read); err != nil {
		t.Errorf("in time: %v", err)
	}
}

func TestWorkOnADocumentIsToldToStop(t *testing.T) {
	a := newAPI(t)
	steps := 0
	work := document(func(_ *version, _ []byte, step datachain.Step) (reply, error) {
		for ; ; steps++ {
			if err := step(); err != nil {
				return reply{}, err
			}
		}
	})
	if _, err := work.answer(a, request("POST", "/", `{}`), budget.Budget{CPU: 10 * time.Millisecond}); !isTimeout(err) || steps == 0 {
		t.Errorf("stopped after %d steps by %v", steps, err)
	}
	// Its place in the pool is free again.
	if _, err := document(a.validate).answer(a, request("POST", "/", `{}`), budget.Validate); err != nil {
		t.Error(err)
	}
}

func TestTheBudgetBeginsWhenTheBodyHasBeenRead(t *testing.T) {
	a := newAPI(t)
	r := request("POST", "/", "")
	// A body that takes longer to arrive than the work may take.
	r.Body = slowBody{strings.NewReader(`{}`), 30 * time.Millisecond}
	if _, err := document(a.validate).answer(a, r, budget.Budget{Wall: 20 * time.Millisecond}); err != nil {
		t.Errorf("a slow body: %v", err)
	}
}

// slowBody lets so much time pass before each part of a body.
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
			t.Errorf("%s %s: %v %v", rt.method, rt.pattern, rt.bucket, rt.budget)
		}
		_, brings := rt.handle.(document)
		if brings != (rt.method == "POST") {
			t.Errorf("%s %s: brings a document: %t", rt.method, rt.pattern, brings)
		}
	}
}
