package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/builtin"
)

func TestComputingRoutesHaveManyDifferentInputs(t *testing.T) {
	own, err := loadFirst(t.Context(), builtin.Store())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		requests, err := r.ask(newAsker(own, r.name))
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		seen := make(map[string]bool)
		for _, asked := range requests {
			seen[asked.target+string(asked.body)] = true
		}
		if len(seen) != len(requests) {
			t.Errorf("%s: %d requests are only %d different ones", r.name, len(requests), len(seen))
		}
		computes := r.name == "search, six words" || strings.HasPrefix(r.name, "MCP") || requests[0].method == "POST"
		if computes && len(seen) < distinct {
			t.Errorf("%s: %d inputs", r.name, len(seen))
		}
	}
}

func TestInputsAreWrittenAndRead(t *testing.T) {
	want := encode([]request{
		{target: "/a"},
		{method: "POST", target: "/b", header: contentJSON, body: []byte("{\n12\n}")},
	})
	name := filepath.Join(t.TempDir(), "inputs")
	if err := writeInputs(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := readInputs(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
}

// placardLike answers with headers and bodies that depend on the request.
func placardLike(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", `"x"`)
	w.Header().Set("X-Request-Id", time.Now().String())
	if r.Header.Get("If-None-Match") == `"x"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"ok":true,"at":"` + r.URL.Path + `"}` + strings.Repeat(" ", 5_000)))
}

func TestBareHandlerSendsTheSameAnswers(t *testing.T) {
	placard := httptest.NewServer(http.HandlerFunc(placardLike))
	defer placard.Close()
	for _, known := range []bool{false, true} {
		r := &route{known: known, ask: func(asker) ([]request, error) {
			return []request{{target: "/a"}, {target: "/b"}, {target: "/c"}}, nil
		}}
		requests, answers, err := r.exchange(placard.Listener.Addr().String(), asker{})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "answers")
		if err := saveAnswers(name, answers); err != nil {
			t.Fatal(err)
		}
		loaded, err := loadAnswers(name)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(&bare{loaded})
		got, err := capture(server.Listener.Addr().String(), requests)
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answers, got); diff != "" {
			t.Errorf("answers (-Placard +bare):\n%s", diff)
		}
	}
}

func TestWrongAnswersAreNotMeasured(t *testing.T) {
	asked := []request{{target: "/a"}}
	for _, test := range []struct {
		name   string
		route  route
		answer answer
		fails  bool
	}{
		{"a success", route{}, answer{Status: 200, Body: []byte(`{"ok":true}`)}, false},
		{"a finding", route{}, answer{Status: 200, Body: []byte(`{"ok":false}`)}, true},
		{"a refusal", route{want: "{"}, answer{Status: 503, Body: []byte(`{}`)}, true},
		{"a whole answer for one who has it", route{known: true}, answer{Status: 200, Body: []byte(`{"ok":true}`)}, true},
		{"no answer for one who has it", route{known: true}, answer{Status: 304}, false},
	} {
		if err := test.route.check(asked, []answer{test.answer}); (err != nil) != test.fails {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestGeneratorCountsWhatIsAdmittedAndRefused(t *testing.T) {
	calls := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case calls <- struct{}{}:
			_, _ = w.Write([]byte("ok"))
			<-calls
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	g := &generator{
		addr: server.Listener.Addr().String(), requests: encode([]request{{target: "/a"}}),
		due: make(chan time.Time), end: time.Now().Add(200 * time.Millisecond),
	}
	ended := make(chan struct{})
	for n := range 4 {
		go func() { g.work(n, false); ended <- struct{}{} }()
	}
	for range 4 {
		<-ended
	}
	if g.result.Failed > 0 || g.result.Admitted == 0 || g.result.Admitted+g.result.Refused != g.result.Offered || len(g.latencies) != g.result.Admitted {
		t.Errorf("%+v, %d latencies", g.result, len(g.latencies))
	}
}
