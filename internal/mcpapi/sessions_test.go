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

// failingViews is a Views that always fails.
type failingViews struct{}

func (failingViews) Put(context.Context, string, []byte) error   { return errors.New("unplugged") }
func (failingViews) Get(context.Context, string) ([]byte, error) { return nil, errors.New("unplugged") }

func TestFailingViewsAreAnInternalError(t *testing.T) {
	s := newServer(t, Options{Views: failingViews{}})
	read := s.exchange(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+viewURI+`"}}`), peer{})
	if read.err == nil || read.err.code != codeInternal || strings.Contains(read.err.problem.Message, "unplugged") {
		t.Errorf("got %+v", read.err)
	}
	res, err := s.failureResult(&request{peer: &peer{}}, fmt.Errorf("store view: %w", errors.New("unplugged")))
	if err != nil || !res.isError || res.problems[0].Code != problem.InternalError || strings.Contains(res.problems[0].Message, "unplugged") {
		t.Errorf("got %+v, %v", res, err)
	}
}

// validDocument is a small valid datachain.
const validDocument = `{"id":"d","schema_version":"place@2026-06-01-stable","created_at":"2026-01-05T10:00:00Z","elements":[
	{"element_id":"upkeep"},{"element_id":"radar","context_type_id":"continuous"},{"element_id":"surroundings","context_type_id":"not_personal"},
	{"element_id":"public_authority","context_type_id":"decides","variables":[{"id":"name","value":[{"locale":"en","value":"The town"}]}]},
	{"element_id":"open_data"},{"element_id":"never_stored"},{"element_id":"contact_point"}]}`

func TestSessionMemoryIsLimited(t *testing.T) {
	const sessions, maxBytes = 100, 2 << 20
	views := NewMemory(MemoryOptions{MaxBytes: maxBytes})
	s := newServer(t, Options{Views: views})
	render := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"render_datachain","arguments":{"version":"place@latest","datachain":` + validDocument + `}}}`)
	before := heapSize()
	for i := range sessions {
		resp := s.exchange(t.Context(), nil, render, peer{session: fmt.Sprintf("rendering-%d", i)})
		if !strings.Contains(string(resp.body), `"structuredContent":{"ok":true`) {
			t.Fatalf("got %.1000s", resp.body)
		}
	}
	if grown := heapSize() - before; grown > maxBytes*5/4 {
		t.Errorf("after %d renderings the heap has grown by %d bytes, limit %d", sessions, grown, maxBytes)
	}
	page, err := views.Get(t.Context(), fmt.Sprintf("rendering-%d", sessions-1))
	if err != nil || len(page)*sessions < 2*maxBytes {
		t.Fatalf("got a page of %d bytes, too small to exceed the limit; error %v", len(page), err)
	}
	// Rendering is slow, so the remaining sessions store a part of the page.
	for i := range 100_000 {
		if err := views.Put(t.Context(), fmt.Sprintf("session-%d", i), slices.Clone(page[:4096])); err != nil {
			t.Fatal(err)
		}
		if i%20_000 == 0 {
			if grown := heapSize() - before; grown > maxBytes*5/4 {
				t.Fatalf("after %d sessions the heap has grown by %d bytes, limit %d", i, grown, maxBytes)
			}
		}
	}
	if grown := heapSize() - before; grown > maxBytes*5/4 {
		t.Errorf("the heap has grown by %d bytes, limit %d", grown, maxBytes)
	}
	if html, _ := views.Get(t.Context(), "session-99999"); len(html) == 0 {
		t.Error("the last view was evicted")
	}
}

func heapSize() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
