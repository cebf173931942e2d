package mcpapi

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// validDocument is a small valid datachain.
const validDocument = `{"id":"d","schema_version":"place@2026-06-01-stable","created_at":"2026-01-05T10:00:00Z","elements":[
	{"element_id":"upkeep"},{"element_id":"radar","context_type_id":"continuous"},{"element_id":"surroundings","context_type_id":"not_personal"},
	{"element_id":"public_authority","context_type_id":"decides","variables":[{"id":"name","value":[{"locale":"en","value":"The town"}]}]},
	{"element_id":"open_data"},{"element_id":"never_stored"},{"element_id":"contact_point"}]}`

func TestSessionMemoryIsLimited(t *testing.T) {
	const sessions, maxBytes = 100, 1 << 20
	memory := NewMemory(MemoryOptions{MaxBytes: maxBytes})
	s := newServer(t, Options{Sessions: memory})
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
	page, err := memory.Get(t.Context(), fmt.Sprintf("view:rendering-%d", sessions-1))
	if err != nil || len(page)*sessions < 2*maxBytes {
		t.Fatalf("got a page of %d bytes, too small to exceed the limit; error %v", len(page), err)
	}
	// Rendering is slow, so the remaining sessions store a part of the page.
	for i := range 100_000 {
		if _, err := memory.Put(t.Context(), fmt.Sprintf("session-%d", i), slices.Clone(page[:4096])); err != nil {
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
	if value, _ := memory.Get(t.Context(), "session-99999"); len(value) == 0 {
		t.Error("the last entry was evicted")
	}
}

func heapSize() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
