package mcpapi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"placard/internal/problem"
)

// failing is a place for views that cannot be reached.
type failing struct{}

func (failing) Put(context.Context, string, []byte) error   { return errors.New("unplugged") }
func (failing) Get(context.Context, string) ([]byte, error) { return nil, errors.New("unplugged") }

func TestViewsThatCannotBeReachedAreOurFault(t *testing.T) {
	s := newServer(t, Options{Views: failing{}})
	read := s.exchange(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+viewURI+`"}}`), peer{})
	if read.refused == nil || read.refused.code != codeInternal || strings.Contains(read.refused.problem.Message, "unplugged") {
		t.Errorf("%+v", read.refused)
	}
	a, err := s.failure(&request{peer: &peer{}}, fmt.Errorf("put the view: %w", errors.New("unplugged")))
	if err != nil || !a.failed || a.errors[0].Code != problem.InternalError || strings.Contains(a.errors[0].Message, "unplugged") {
		t.Errorf("%+v, %v", a, err)
	}
}

// small is a valid document.
const small = `{"id":"d","schema_version":"place@2026-06-01-stable","created_at":"2026-01-05T10:00:00Z","elements":[
	{"element_id":"upkeep"},{"element_id":"radar","context_type_id":"continuous"},{"element_id":"surroundings","context_type_id":"not_personal"},
	{"element_id":"public_authority","context_type_id":"decides","variables":[{"id":"name","value":[{"locale":"en","value":"The town"}]}]},
	{"element_id":"open_data"},{"element_id":"never_stored"},{"element_id":"contact_point"}]}`

func TestManySessionsTakeNoMoreMemoryThanTheyMay(t *testing.T) {
	const sessions, most = 100, 2 << 20
	views := NewMemory(MemoryOptions{Bytes: most})
	s := newServer(t, Options{Views: views})
	render := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"render_datachain","arguments":{"version":"place@latest","datachain":` + small + `}}}`)
	before := heap()
	for i := range sessions {
		answer := s.exchange(t.Context(), nil, render, peer{session: fmt.Sprintf("rendering-%d", i)})
		if !strings.Contains(string(answer.body), `"structuredContent":{"ok":true`) {
			t.Fatalf("%.1000s", answer.body)
		}
	}
	page, err := views.Get(t.Context(), fmt.Sprintf("rendering-%d", sessions-1))
	if err != nil || len(page)*sessions < 2*most {
		t.Fatalf("a page has %d bytes, so that nothing is shown; %v", len(page), err)
	}
	// Rendering takes long; for what is kept of it, pages of another size do.
	for i := range 100_000 {
		if err := views.Put(t.Context(), fmt.Sprintf("session-%d", i), slices.Clone(page[:4096])); err != nil {
			t.Fatal(err)
		}
		if i%20_000 == 0 {
			if grown := heap() - before; grown > most*5/4 {
				t.Fatalf("after %d sessions the heap has grown by %d bytes; the bound is %d", i, grown, most)
			}
		}
	}
	if grown := heap() - before; grown > most*5/4 {
		t.Errorf("the heap has grown by %d bytes; the bound is %d", grown, most)
	}
	if html, _ := views.Get(t.Context(), "session-99999"); len(html) == 0 {
		t.Error("the last view is gone")
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
