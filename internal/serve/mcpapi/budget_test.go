package mcpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/serve/budget"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
)

// BuiltinCatalog has the releases of the built-in taxonomy. Tests share it.
var BuiltinCatalog = catalog.New(builtin.Store(), catalog.Options{Log: slog.New(slog.DiscardHandler)})

func init() {
	if err := BuiltinCatalog.Refresh(context.Background()); err != nil {
		panic(err)
	}
}

// newServer returns a server for the built-in taxonomy.
func newServer(t testing.TB, opts Options) *Server {
	t.Helper()
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Catalog = BuiltinCatalog
	return New(opts)
}

func TestCallExceedingBudgetTimesOut(t *testing.T) {
	s := newServer(t, Options{Documents: budget.NewPool(1, 0)})
	steps := 0
	endless := &tool{budget: budget.Budget{CPU: 10 * time.Millisecond}, call: func(_ *Server, _ context.Context, c *call) (toolResult, error) {
		for ; ; steps++ {
			if err := c.step(); err != nil {
				return toolResult{}, err
			}
		}
	}}
	req := &request{peer: &peer{}, scratch: new(scratch)}
	_, err := s.run(t.Context(), &call{request: req, tool: endless})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.Timeout || steps == 0 {
		t.Fatalf("after %d steps: got error %v, want a timeout", steps, err)
	}
	// A timeout fails the whole request, with its own HTTP status.
	if _, err := s.failureResult(req, err); err == nil {
		t.Error("got a tool result for a timeout, want an error")
	}
	w := httptest.NewRecorder()
	fatalError(s.report(req, err)).write(w, jsontext.Value(`7`))
	if w.Code != http.StatusGatewayTimeout || !strings.Contains(w.Body.String(), `"id":7,"error":{"code":-32001`) || !strings.Contains(w.Body.String(), `"ok":false,"errors":[{"code":"timeout"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	// The slot in the pool has been released.
	validate, rpcErr := findTool(jsontext.Value(`"validate_datachain"`))
	if rpcErr != nil {
		t.Fatal(rpcErr)
	}
	if res, err := s.run(t.Context(), &call{request: req, tool: validate, args: arguments{version: "place@latest"}, document: document{given: jsontext.Value(`{}`)}}); err != nil || res.isError {
		t.Errorf("next call: got %+v, error %v", res, err)
	}
}

func TestOverloadedServerSetsRetryAfter(t *testing.T) {
	pool := budget.NewPool(1, 0)
	meter, err := pool.Start(t.Context(), netip.Addr{}, budget.Read)
	if err != nil {
		t.Fatal(err)
	}
	defer meter.Stop()
	s := newServer(t, Options{Documents: pool})
	slow := &tool{budget: budget.Budget{Wall: time.Millisecond}}
	_, err = s.run(t.Context(), &call{request: &request{peer: &peer{}}, tool: slow})
	w := httptest.NewRecorder()
	fatalError(s.report(&request{peer: &peer{}}, err)).write(w, nil)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"overloaded"`) {
		t.Errorf("got %d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestBatchSharesOneBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Options{})
		meter := budget.Budget{Wall: 3 * time.Second}.Start()
		req := &request{peer: &peer{}, batchMeter: &meter}
		read := &tool{budget: budget.Read, call: func(*Server, context.Context, *call) (toolResult, error) {
			time.Sleep(2 * time.Second)
			return toolResult{}, nil
		}}
		if _, err := s.run(t.Context(), &call{request: req, tool: read}); err != nil {
			t.Errorf("first call: %v", err)
		}
		_, err := s.run(t.Context(), &call{request: req, tool: read})
		if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.Timeout {
			t.Errorf("second call: got error %v, want a timeout", err)
		}
	})
}

func TestToolBudgetsMatchREST(t *testing.T) {
	for _, tool := range tools {
		want := budget.Read
		switch tool.name {
		case "validate_datachain":
			want = budget.Validate
		case "resolve_datachain", "validate_resolved", "render_datachain":
			want = budget.Resolve
		}
		if tool.budget != want {
			t.Errorf("%s: got budget %+v, want %+v", tool.name, tool.budget, want)
		}
	}
}
