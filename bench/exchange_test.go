package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/storage/builtin"
)

func TestComputingRoutesHaveDistinctInputs(t *testing.T) {
	release, err := loadFirst(t.Context(), builtin.Store())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		requests, err := r.build(newRequestBuilder(release, r.name))
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		seen := make(map[string]bool)
		for _, req := range requests {
			seen[req.target+string(req.body)] = true
		}
		if len(seen) != len(requests) {
			t.Errorf("%s: got %d distinct requests, want %d", r.name, len(seen), len(requests))
		}
		computes := r.name == "search, six words" || strings.HasPrefix(r.name, "MCP") || requests[0].method == "POST"
		if computes && len(seen) < distinctInputs {
			t.Errorf("%s: got %d distinct inputs, want at least %d", r.name, len(seen), distinctInputs)
		}
	}
}

// placardLike sends headers and a body that depend on the request.
func placardLike(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", `"x"`)
	w.Header().Set("X-Request-Id", time.Now().String())
	if r.Header.Get("If-None-Match") == `"x"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"ok":true,"path":"` + r.URL.Path + `"}` + strings.Repeat(" ", 5_000)))
}

func TestBareHandlerSendsTheSameResponses(t *testing.T) {
	placard := httptest.NewServer(http.HandlerFunc(placardLike))
	defer placard.Close()
	for _, conditional := range []bool{false, true} {
		r := &route{conditional: conditional, build: func(requestBuilder) ([]request, error) {
			return []request{{target: "/a"}, {target: "/b"}, {target: "/c"}}, nil
		}}
		requests, responses, err := r.exchange(placard.Listener.Addr().String(), requestBuilder{})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "responses")
		if err := saveResponses(name, responses); err != nil {
			t.Fatal(err)
		}
		loaded, err := loadResponses(name)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(bareHandler(loaded))
		got, err := capture(server.Listener.Addr().String(), requests)
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(responses, got); diff != "" {
			t.Errorf("responses (-Placard +bare):\n%s", diff)
		}
	}
}

func TestUnexpectedResponsesAreErrors(t *testing.T) {
	requests := []request{{target: "/a"}}
	for _, test := range []struct {
		name     string
		route    route
		response response
		fails    bool
	}{
		{"success", route{}, response{Status: 200, Body: []byte(`{"ok":true}`)}, false},
		{"finding", route{}, response{Status: 200, Body: []byte(`{"ok":false}`)}, true},
		{"refusal", route{want: "{"}, response{Status: 503, Body: []byte(`{}`)}, true},
		{"a full response to a conditional request", route{conditional: true}, response{Status: 200, Body: []byte(`{"ok":true}`)}, true},
		{"304 for a conditional request", route{conditional: true}, response{Status: 304}, false},
	} {
		if err := test.route.check(requests, []response{test.response}); (err != nil) != test.fails {
			t.Errorf("%s: err = %v, want an error: %t", test.name, err, test.fails)
		}
	}
}
