package mcpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/budget"
	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/problem"
)

// newServer returns a server of the built-in taxonomy.
func newServer(t testing.TB, opts Options) *Server {
	t.Helper()
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Catalog = catalog.New(builtin.Store(), catalog.Options{Log: opts.Log})
	if err := opts.Catalog.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return New(opts)
}

func TestACallThatTakesTooLongIsStopped(t *testing.T) {
	s := newServer(t, Options{Documents: budget.NewPool(1)})
	steps := 0
	endless := &tool{budget: budget.Budget{CPU: 10 * time.Millisecond}, call: func(_ *Server, _ context.Context, c *call) (answer, error) {
		for ; ; steps++ {
			if err := c.step(); err != nil {
				return answer{}, err
			}
		}
	}}
	q := &request{peer: &peer{}}
	_, err := s.run(t.Context(), endless, &call{request: q})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.Timeout || steps == 0 {
		t.Fatalf("after %d steps: %v", steps, err)
	}
	// A timeout is no answer of the tool: it refuses the request, with its status.
	if _, failed := s.failure(q, err); failed == nil {
		t.Error("a timeout is an answer")
	}
	w := httptest.NewRecorder()
	stop(s.fault(q, err)).write(w, nil, jsontext.Value(`7`))
	if w.Code != http.StatusGatewayTimeout || !strings.Contains(w.Body.String(), `"id":7,"error":{"code":-32001`) || !strings.Contains(w.Body.String(), `"ok":false,"errors":[{"code":"timeout"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	// Its place in the pool is free again.
	if a, err := s.run(t.Context(), &tools[6], &call{request: q, args: arguments{version: "place@latest", datachain: jsontext.Value(`{}`)}}); err != nil || a.failed {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAServerWithoutAFreePlaceSaysWhenToComeBack(t *testing.T) {
	pool := budget.NewPool(1)
	taken, err := pool.Start(t.Context(), budget.Read)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Stop()
	s := newServer(t, Options{Documents: pool})
	slow := &tool{budget: budget.Budget{Wall: time.Millisecond}}
	_, err = s.run(t.Context(), slow, &call{request: &request{peer: &peer{}}})
	w := httptest.NewRecorder()
	stop(s.fault(&request{peer: &peer{}}, err)).write(w, nil, nil)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"overloaded"`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestABatchHasOneBudget(t *testing.T) {
	s := newServer(t, Options{})
	asked := 0
	used := problem.New(problem.Timeout, "Over.")
	q := &request{peer: &peer{}, step: func() error {
		if asked++; asked > 1 {
			return used
		}
		return nil
	}}
	read := &tool{budget: budget.Read, call: func(*Server, context.Context, *call) (answer, error) { return answer{}, nil }}
	if _, err := s.run(t.Context(), read, &call{request: q, step: q.step}); err != nil {
		t.Errorf("the first: %v", err)
	}
	if _, err := s.run(t.Context(), read, &call{request: q, step: q.step}); !errors.Is(err, used) {
		t.Errorf("the second: %v", err)
	}
}

func TestEveryToolHasTheBudgetOfItsTwin(t *testing.T) {
	for _, tool := range tools {
		want := budget.Read
		switch tool.name {
		case "validate_datachain":
			want = budget.Validate
		case "resolve_datachain", "validate_resolved", "render_datachain":
			want = budget.Resolve
		}
		if tool.budget != want {
			t.Errorf("%s: %+v", tool.name, tool.budget)
		}
	}
}
