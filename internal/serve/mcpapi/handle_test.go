package mcpapi_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/serve/mcpapi"
)

// caller calls tools as one client.
type caller func(tool, arguments string) toolResult

// client returns a caller that sends the given header with each request.
func (s *service) client(header ...string) caller {
	return func(tool, arguments string) toolResult {
		s.t.Helper()
		return s.call(tool, arguments, header...)
	}
}

// modernClient returns a caller that uses the stateless protocol.
func (s *service) modernClient(header ...string) caller {
	return func(tool, arguments string) toolResult {
		s.t.Helper()
		body := modernRequest("tools/call", `"name":"`+tool+`","arguments":`+arguments)
		resp := s.post(body, append(modernHeader("tools/call", tool), header...)...).decode(s.t)
		return decodeResult(s.t, tool, resp)
	}
}

func decodeResult(t testing.TB, tool string, resp rpcResponse) (r toolResult) {
	t.Helper()
	if err := json.Unmarshal(resp.Result, &r, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%s: %+v: %v", tool, resp, err)
	}
	r.check(t, tool)
	return r
}

// newStreamClient returns a caller that is connected to server by pipes.
func newStreamClient(t *testing.T, server *mcpapi.Server) caller {
	t.Helper()
	in, requests := io.Pipe()
	responses, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- server.ServeStream(context.Background(), in, out) }()
	t.Cleanup(func() {
		requests.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(responses)
	return func(tool, arguments string) toolResult {
		t.Helper()
		if _, err := io.WriteString(requests, request("tools/call", `{"name":"`+tool+`","arguments":`+oneLine(arguments)+`}`)+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var resp rpcResponse
		if err := json.Unmarshal([]byte(line), &resp); err != nil {
			t.Fatal(err)
		}
		return decodeResult(t, tool, resp)
	}
}

const (
	alice = "192.0.2.1"
	bob   = "192.0.2.2"
)

// handleArguments returns the arguments of a document tool with a handle.
func handleArguments(handle string, more ...string) string {
	return documentArguments(stable, `"`+handle+`"`, more...)
}

// wantUnknown checks that a call is rejected because its handle is unknown.
func wantUnknown(t *testing.T, name string, r toolResult) {
	t.Helper()
	if !r.IsError || r.OK || len(r.Errors) != 1 || r.Errors[0].Code != "unknown_handle" || r.Errors[0].Path.String() != "datachain" ||
		!strings.Contains(r.Errors[0].FixHint, "Send the document itself") || r.EnvelopeMeta.Handle != "" {
		t.Errorf("%s: got %.500s, want unknown_handle", name, r.Structured)
	}
}

func TestHandleReplacesTheDocument(t *testing.T) {
	s := newService(t, mcpapi.Options{Admit: byTestAddress, FallbackView: mcpapi.FallbackNone})
	for name, call := range map[string]caller{
		"session":                   s.client("Mcp-Session-Id", "a", "Test-Address", alice),
		"no session":                s.client("Test-Address", alice),
		"stateless protocol":        s.modernClient("Test-Address", bob),
		"standard input and output": newStreamClient(t, mcpapi.New(mcpapi.Options{Catalog: s.catalog})),
	} {
		t.Run(name, func(t *testing.T) {
			for _, example := range []string{example(t, stable, "river_watch"), example(t, stable, "station_gates")} {
				sent := call("validate_datachain", documentArguments(stable, example))
				handle := sent.EnvelopeMeta.Handle
				if !sent.OK || len(handle) != 30 || !strings.HasPrefix(handle, "doc_") {
					t.Fatalf("got %.300s", sent.Structured)
				}
				if r := call("validate_resolved", `{"datachain":"`+handle+`"}`); !r.IsError || r.Errors[0].Code != "invalid_arguments" ||
					!strings.Contains(r.Errors[0].FixHint, "resolve_datachain") || r.EnvelopeMeta.Handle != handle {
					t.Errorf("before it is resolved: got %s", r.Structured)
				}
				for _, tc := range []struct{ tool, arguments string }{
					{"validate_datachain", handleArguments(handle)},
					{"resolve_datachain", handleArguments(handle)},
					{"validate_resolved", handleArguments(handle)},
					{"validate_resolved", `{"datachain":" ` + handle + ` "}`},
					{"render_datachain", handleArguments(handle)},
					{"render_datachain", handleArguments(handle, `,"format":"text"`)},
					{"validate_datachain", handleArguments(handle)},
				} {
					r := call(tc.tool, tc.arguments)
					if !r.OK || r.EnvelopeMeta.Handle != handle || r.EnvelopeMeta.Version != stable {
						t.Errorf("%s: got %.300s", tc.tool, r.Structured)
					}
					if tc.tool == "validate_datachain" && string(r.Data) != string(sent.Data) {
						t.Errorf("got data %s, want %s", r.Data, sent.Data)
					}
				}
			}
		})
	}
}

func TestEveryDocumentToolReturnsAHandle(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	call := s.client("Mcp-Session-Id", "a")
	document := example(t, stable, "river_watch")
	resolved := string(call("resolve_datachain", documentArguments(stable, document, `,"locales":"*"`)).Data)
	first := call("validate_datachain", documentArguments(stable, document)).EnvelopeMeta.Handle
	for _, tc := range []struct {
		name, tool, arguments string
		ok, valid             bool // of the first call, of rendering the document
		again                 bool // the document has the first handle
	}{
		{"validate", "validate_datachain", documentArguments(stable, document), true, true, true},
		{"string", "validate_datachain", documentArguments(stable, mustMarshal(t, document)), true, true, true},
		{"resolve", "resolve_datachain", documentArguments(stable, document), true, true, true},
		{"resolved", "validate_resolved", documentArguments(stable, resolved), true, true, false},
		{"render", "render_datachain", documentArguments(stable, document), true, true, true},
		{"render resolved", "render_datachain", documentArguments(stable, resolved), true, true, false},
		{"invalid", "validate_datachain", documentArguments(stable, invalidDocuments["misspelt"]), false, false, false},
		{"malformed", "resolve_datachain", documentArguments(stable, invalidDocuments["malformed"]), false, false, false},
		{"empty", "render_datachain", documentArguments(stable, "{}"), false, false, false},
		{"unknown version", "render_datachain", documentArguments("place@2020-01-01-stable", document), false, true, true},
		{"missing version", "validate_datachain", `{"datachain":` + document + `}`, false, true, true},
		{"malformed locale", "resolve_datachain", documentArguments(stable, document, `,"locales":["en_US"]`), false, true, true},
	} {
		r := call(tc.tool, tc.arguments)
		handle := r.EnvelopeMeta.Handle
		if r.OK != tc.ok || handle == "" || (handle == first) != tc.again {
			t.Errorf("%s: got %.300s", tc.name, r.Structured)
		}
		if r := call("render_datachain", handleArguments(handle)); r.IsError || r.OK != tc.valid || r.EnvelopeMeta.Handle != handle {
			t.Errorf("%s: rendering it: got %.300s", tc.name, r.Structured)
		}
	}
	// Sending the document again keeps its resolved form.
	if r := call("validate_resolved", `{"datachain":"`+first+`"}`); !r.OK {
		t.Errorf("got %.300s", r.Structured)
	}
	// The handle of a resolved document works without resolving it again.
	handle := call("render_datachain", documentArguments(stable, resolved)).EnvelopeMeta.Handle
	if r := call("validate_resolved", `{"datachain":"`+handle+`"}`); !r.OK || r.EnvelopeMeta.Version != stable {
		t.Errorf("got %.300s", r.Structured)
	}
	for _, arguments := range []string{documentArguments(stable, "[]"), documentArguments(stable, `"text"`), documentArguments(stable, "null"), `{"version":"` + stable + `"}`} {
		if r := call("validate_datachain", arguments); !r.IsError || r.EnvelopeMeta.Handle != "" {
			t.Errorf("%s: got %.300s, want no handle", arguments, r.Structured)
		}
	}
	if r := call("get_element", `{"version":"place@latest","element_id":"radar"}`); r.EnvelopeMeta.Handle != "" {
		t.Errorf("got %.300s, want no handle", r.Structured)
	}
}

func TestHandlesAreBoundToTheirSession(t *testing.T) {
	s := newService(t, mcpapi.Options{Admit: byTestAddress})
	document := documentArguments(stable, example(t, stable, "river_watch"))
	bySession := s.client("Mcp-Session-Id", "a", "Test-Address", alice)("validate_datachain", document).EnvelopeMeta.Handle
	byAddress := s.client("Test-Address", alice)("validate_datachain", document).EnvelopeMeta.Handle
	inColons := s.client("Mcp-Session-Id", bySession+":a", "Test-Address", alice)("validate_datachain", document).EnvelopeMeta.Handle
	for name, tc := range map[string]struct {
		call   caller
		handle string
	}{
		"another session":                     {s.client("Mcp-Session-Id", "b", "Test-Address", alice), bySession},
		"another case":                        {s.client("Mcp-Session-Id", "A", "Test-Address", alice), bySession},
		"no session":                          {s.client("Test-Address", alice), bySession},
		"shared session":                      {s.client("Mcp-Session-Id", "__service_default_session__", "Test-Address", alice), bySession},
		"stateless protocol":                  {s.modernClient("Test-Address", alice), bySession},
		"another address":                     {s.client("Test-Address", bob), byAddress},
		"another address, stateless":          {s.modernClient("Test-Address", bob), byAddress},
		"session named as the address":        {s.client("Mcp-Session-Id", alice, "Test-Address", bob), byAddress},
		"shared session for an address":       {s.client("Mcp-Session-Id", "__service_default_session__", "Test-Address", bob), byAddress},
		"session that contains the separator": {s.client("Mcp-Session-Id", "a", "Test-Address", alice), inColons},
		"handle that contains the separator":  {s.client("Mcp-Session-Id", "a", "Test-Address", alice), inColons + ":" + bySession},
		"standard input and output":           {newStreamClient(t, mcpapi.New(mcpapi.Options{Catalog: s.catalog})), bySession},
	} {
		wantUnknown(t, name, tc.call("render_datachain", handleArguments(tc.handle)))
	}
	// The same address, with and without the stateless protocol, is the same client.
	if r := s.modernClient("Test-Address", alice)("render_datachain", handleArguments(byAddress)); !r.OK {
		t.Errorf("got %.300s", r.Structured)
	}
}

func TestUnknownHandlesAreRejectedByAllTools(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	call := s.client("Mcp-Session-Id", "a")
	for _, handle := range []string{"doc_", "doc_AAAAAAAAAAAAAAAAAAAAAAAAAA", "doc_\u0000", "doc_" + strings.Repeat("é", 100_000)} {
		for _, tool := range []string{"validate_datachain", "resolve_datachain", "validate_resolved", "render_datachain"} {
			r := call(tool, documentArguments(stable, mustMarshal(t, handle)))
			if wantUnknown(t, tool, r); len(r.Structured) > 2000 {
				t.Errorf("got a result of %d bytes", len(r.Structured))
			}
		}
	}
}

func TestHandleExpiresAnHourAfterItsLastUse(t *testing.T) {
	c := &fakeClock{time.Unix(0, 0)}
	s := newService(t, mcpapi.Options{Sessions: mcpapi.NewMemory(mcpapi.MemoryOptions{Now: c.Now})})
	call := s.client("Mcp-Session-Id", "a")
	handle := call("resolve_datachain", documentArguments(stable, example(t, stable, "river_watch"))).EnvelopeMeta.Handle
	for _, tool := range []string{"validate_datachain", "validate_resolved", "render_datachain", "resolve_datachain", "validate_resolved"} {
		c.now = c.now.Add(time.Hour - 1)
		if r := call(tool, handleArguments(handle)); !r.OK {
			t.Fatalf("%s within an hour: got %.300s", tool, r.Structured)
		}
	}
	c.now = c.now.Add(time.Hour)
	wantUnknown(t, "after an hour", call("render_datachain", handleArguments(handle)))
}

func TestDocumentsAndViewsShareTheLimits(t *testing.T) {
	s := newService(t, mcpapi.Options{Sessions: mcpapi.NewMemory(mcpapi.MemoryOptions{MaxEntries: 3})})
	call := s.client("Mcp-Session-Id", "a")
	document := func(id string) string { return documentArguments(stable, `{"id":"`+id+`"}`) }
	rendered := call("render_datachain", documentArguments(stable, example(t, stable, "river_watch"))).EnvelopeMeta.Handle // and the view
	first := call("validate_datachain", document("first")).EnvelopeMeta.Handle
	if r := call("validate_datachain", handleArguments(rendered)); !r.OK {
		t.Errorf("three entries: got %.300s", r.Structured)
	}
	call("validate_datachain", document("second"))
	if html := s.view("a"); !strings.Contains(html, "awaiting") {
		t.Error("four entries: the least recently used one, the view, was not evicted")
	}
	call("validate_datachain", document("third"))
	wantUnknown(t, "evicted", call("validate_datachain", handleArguments(first)))
}

func TestDocumentsThatCannotBeStoredHaveNoHandle(t *testing.T) {
	document := documentArguments(stable, example(t, stable, "station_gates"))
	for name, tc := range map[string]struct {
		sessions mcpapi.SessionStore
		notice   string
		logged   bool
	}{
		"too large": {mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: 1000}), "too large to be stored", false},
		"failing":   {failingStore{}, "could not be stored", true},
	} {
		s := newService(t, mcpapi.Options{Sessions: tc.sessions})
		for _, tool := range []string{"validate_datachain", "resolve_datachain"} {
			r := s.call(tool, document, "Mcp-Session-Id", "a")
			if !r.OK || r.EnvelopeMeta.Handle != "" || strings.Count(r.EnvelopeMeta.Notice, tc.notice) != 1 {
				t.Errorf("%s, %s: got %.300s, meta %+v", name, tool, r.Structured, r.EnvelopeMeta)
			}
			if strings.Contains(r.EnvelopeMeta.Notice, "meta.handle") {
				t.Errorf("%s, %s: the notice %q refers to a handle", name, tool, r.EnvelopeMeta.Notice)
			}
		}
		if got := strings.Contains(s.logs.String(), "unplugged"); got != tc.logged {
			t.Errorf("%s: logged: got %t, want %t", name, got, tc.logged)
		}
	}
	s := newService(t, mcpapi.Options{Sessions: failingStore{}})
	r := s.call("validate_datachain", handleArguments("doc_AAAAAAAAAAAAAAAAAAAAAAAAAA"), "Mcp-Session-Id", "a")
	if !r.IsError || r.Errors[0].Code != "internal_error" || strings.Contains(string(r.Structured), "unplugged") {
		t.Errorf("got %s", r.Structured)
	}
	// A page that is not stored is not announced as a resource.
	s = newService(t, mcpapi.Options{Sessions: mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: 1000})})
	if r := s.call("render_datachain", document, "Mcp-Session-Id", "a"); !r.OK || strings.Contains(r.Content[0].Text, "is the resource") {
		t.Errorf("got %s", r.Content[0].Text)
	}
}

func TestResolvedFormIsDroppedIfBothFormsAreTooLarge(t *testing.T) {
	document := example(t, stable, "station_gates")
	s := newService(t, mcpapi.Options{Sessions: mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: len(document) * 3 / 2})})
	call := s.client("Mcp-Session-Id", "a")
	handle := call("validate_datachain", documentArguments(stable, document)).EnvelopeMeta.Handle
	if handle == "" {
		t.Fatal("the document has no handle")
	}
	r := call("resolve_datachain", handleArguments(handle))
	if !r.OK || r.EnvelopeMeta.Handle != "" || !strings.Contains(r.EnvelopeMeta.Notice, "too large to be stored") {
		t.Errorf("got %.300s, meta %+v", r.Structured, r.EnvelopeMeta)
	}
	wantUnknown(t, "afterwards", call("render_datachain", handleArguments(handle)))
}

func TestHostileSessionIDs(t *testing.T) {
	s := newService(t, mcpapi.Options{Sessions: mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: 1 << 20})})
	document := documentArguments(stable, example(t, stable, "river_watch"))
	for _, session := range []string{strings.Repeat("s", 500_000), ":", "view:", "document:", "é\xff", "../..", "*"} {
		call := s.client("Mcp-Session-Id", session)
		r := call("validate_datachain", document)
		if r := call("render_datachain", handleArguments(r.EnvelopeMeta.Handle)); !r.OK {
			t.Errorf("session %.20q: got %.300s", session, r.Structured)
		}
	}
}

func TestHandlesAreSafeForConcurrentUse(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	call := s.client("Mcp-Session-Id", "a")
	handle := call("resolve_datachain", documentArguments(stable, example(t, stable, "station_gates"))).EnvelopeMeta.Handle
	var wg sync.WaitGroup
	for _, tool := range []string{"validate_datachain", "resolve_datachain", "validate_resolved", "render_datachain"} {
		wg.Go(func() {
			for range 10 {
				if r := call(tool, handleArguments(handle)); !r.OK || r.EnvelopeMeta.Handle != handle {
					t.Errorf("%s: got %.300s", tool, r.Structured)
				}
			}
		})
	}
	wg.Wait()
}

func TestHandlesWorkInABatch(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	handle := s.call("validate_datachain", documentArguments(stable, example(t, stable, "river_watch")), "Mcp-Session-Id", "a").EnvelopeMeta.Handle
	var batch []string
	for _, tool := range []string{"resolve_datachain", "validate_resolved", "render_datachain"} {
		batch = append(batch, request("tools/call", `{"name":"`+tool+`","arguments":`+handleArguments(handle)+`}`))
	}
	body := s.post("["+strings.Join(batch, ",")+"]", "Mcp-Session-Id", "a").body
	if got := strings.Count(body, `"structuredContent":{"ok":true`); got != len(batch) {
		t.Errorf("got %d successful results, want %d: %.500s", got, len(batch), body)
	}
}
