package mcpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/core/release"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// slowStore has the built-in taxonomy. Loading a release takes longer than a read
// may.
type slowStore struct {
	store.FS
	failure error
}

func (s *slowStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	time.Sleep(4 * time.Second)
	if s.failure != nil {
		return nil, s.failure
	}
	return s.FS.Load(ctx, e)
}

// newSlowServer returns a server with at most maxResident releases in memory.
func newSlowServer(t *testing.T, maxResident int) (*Server, *slowStore) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	releases := &slowStore{FS: builtin.Store()}
	c := catalog.New(releases, catalog.Options{Log: log, MaxResident: maxResident})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := New(Options{Catalog: c, Log: log})
	clear(server.handleKey) // servers with the same key return the same handles
	return server, releases
}

func (s *Server) respondTo(ctx context.Context, method, params string) string {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	return string(s.exchange(ctx, nil, []byte(body), peer{}).body)
}

func toolCall(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

func TestResultsDoNotDependOnTheReleasesInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, _ := newSlowServer(t, 0)
		one, _ := newSlowServer(t, 1)
		snapshot, err := all.Catalog.Current()
		if err != nil {
			t.Fatal(err)
		}
		versions := snapshot.Versions()
		for range 2 {
			for i, v := range versions {
				for _, completed := range versions {
					params := `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"element_id","value":"c"},"context":{"arguments":{"version":"` + completed.ID.String() + `"}}}`
					if got, want := one.respondTo(t.Context(), "completion/complete", params), all.respondTo(t.Context(), "completion/complete", params); got != want {
						t.Errorf("%s: got %s, want %s", params, got, want)
					}
				}
				id := v.ID.String()
				document := `{"schema_version":"` + id + `","id":"d","elements":[]}`
				resolved := `{"schema_version":"` + versions[1-i].ID.String() + `","id":"d","elements":[],"schema_snapshot":{}}`
				for _, call := range [][2]string{
					{"list_schema_versions", `{}`},
					{"get_schema", `{"version":"` + id + `"}`},
					{"list_elements", `{"version":"` + id + `","query":"camera"}`},
					{"get_element", `{"version":"` + id + `","element_id":"nothing"}`},
					{"validate_datachain", `{"version":"` + id + `","datachain":` + document + `}`},
					{"resolve_datachain", `{"version":"` + id + `","datachain":` + document + `}`},
					{"validate_resolved", `{"version":"` + id + `","datachain":` + resolved + `}`},
					{"validate_resolved", `{"datachain":` + resolved + `}`},
					{"render_datachain", `{"version":"` + id + `","datachain":` + document + `}`},
					{"render_datachain", `{"version":"` + id + `","datachain":` + resolved + `}`},
				} {
					params := toolCall(call[0], call[1])
					if got, want := one.respondTo(t.Context(), "tools/call", params), all.respondTo(t.Context(), "tools/call", params); got != want {
						t.Errorf("%s: got %.1000s, want %.1000s", params, got, want)
					}
				}
			}
		}
		if stats := one.Catalog.Stats(); stats.Loads < 3 || stats.Resident != 1 {
			t.Errorf("got %+v, want one release in memory and loads on demand", stats)
		}
	})
}

func TestLoadsInABatchAreNotPartOfItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newSlowServer(t, 1)
		snapshot, err := s.Catalog.Current()
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for range 2 {
			for _, v := range snapshot.Versions() {
				messages = append(messages, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+toolCall("list_elements", `{"version":"`+v.ID.String()+`"}`)+`}`)
			}
		}
		start := time.Now()
		got := s.exchange(t.Context(), nil, []byte("["+strings.Join(messages, ",")+"]"), peer{})
		if n := strings.Count(string(got.body), `"ok":true`); n != len(messages) || time.Since(start) < 10*time.Second {
			t.Errorf("got %d results (%v) after %v, want %d after several loads", n, got.err, time.Since(start), len(messages))
		}
	})
}

func TestFailedLoadIsAToolError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, releases := newSlowServer(t, 1)
		releases.failure = errors.New("connection refused")
		snapshot, err := s.Catalog.Current()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range snapshot.Versions() {
			got := s.respondTo(t.Context(), "tools/call", toolCall("list_elements", `{"version":"`+v.ID.String()+`"}`))
			resident := snapshot.Lookup(v.ID.String()) != nil
			failed := strings.Contains(got, `"isError":true`) && strings.Contains(got, `unknown_version`) && strings.Contains(got, "Retry in a few seconds.")
			if failed == resident || strings.Contains(got, "refused") {
				t.Errorf("%s: got %.500s, in memory: %t", v.ID, got, resident)
			}
		}
	})
}
