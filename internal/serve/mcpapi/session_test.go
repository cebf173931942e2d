package mcpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"placard/internal/serve/mcpapi"
	"placard/internal/serve/ratelimit"
)

// byTestAddress identifies clients by a header, as if it were their address.
func byTestAddress(_ http.ResponseWriter, r *http.Request, _ ratelimit.Bucket) (netip.Addr, error) {
	return netip.ParseAddr(r.Header.Get("Test-Address"))
}

func TestFallbackView(t *testing.T) {
	render := `"name":"render_datachain","arguments":{"version":"place@latest","datachain":` + example(t, stable, "river_watch") + `}`
	read := `"uri":"ui://service/datachain/view.html"`
	handshake := func(s *service, method, params, from string, header ...string) string {
		return s.post(request(method, "{"+params+"}"), append(header, "Test-Address", from)...).body
	}
	stateless := func(s *service, method, params, name, from string, header ...string) string {
		header = append(header, modernHeader(method, name)...)
		return s.post(modernRequest(method, params), append(header, "Test-Address", from)...).body
	}
	for mode, visible := range map[mcpapi.FallbackView]struct{ own, other bool }{
		"":                    {true, true}, // the default
		mcpapi.FallbackShared: {true, true},
		mcpapi.FallbackClient: {true, false},
		mcpapi.FallbackNone:   {false, false},
	} {
		s := newService(t, mcpapi.Options{FallbackView: mode, Admit: byTestAddress})
		isVisible := func(body string) bool {
			t.Helper()
			found := strings.Contains(body, "Lower Tessel")
			if !found && !strings.Contains(body, "awaiting tool call") {
				t.Errorf("%q: got neither the view nor the placeholder: %.300s", mode, body)
			}
			return found
		}
		const resource = "the HTML document is the resource"
		if got := handshake(s, "tools/call", render, alice); !strings.Contains(got, `"ok":true`) || strings.Contains(got, resource) != visible.own {
			t.Errorf("%q: got %.300s", mode, got)
		}
		if got := isVisible(handshake(s, "resources/read", read, alice)); got != visible.own {
			t.Errorf("%q: the client sees its view: got %t, want %t", mode, got, visible.own)
		}
		if got := isVisible(handshake(s, "resources/read", read, bob)); got != visible.other {
			t.Errorf("%q: another client sees the view: got %t, want %t", mode, got, visible.other)
		}
		for _, id := range []string{alice, "client " + alice, "session"} {
			if isVisible(handshake(s, "resources/read", read, bob, "Mcp-Session-Id", id)) {
				t.Errorf("%q: session %q sees the view of a client without a session", mode, id)
			}
		}
		for _, id := range []string{"", "__service_default_session__"} {
			if isVisible(stateless(s, "resources/read", read, "ui://service/datachain/view.html", alice, "Mcp-Session-Id", id)) {
				t.Errorf("%q: the stateless protocol with session %q reads the fallback view", mode, id)
			}
		}
	}
}

func TestStatelessProtocolDoesNotStoreTheFallbackView(t *testing.T) {
	for _, mode := range []mcpapi.FallbackView{mcpapi.FallbackShared, mcpapi.FallbackClient, mcpapi.FallbackNone} {
		s := newService(t, mcpapi.Options{FallbackView: mode, Admit: byTestAddress})
		render := `"name":"render_datachain","arguments":{"version":"place@latest","datachain":` + example(t, stable, "river_watch") + `}`
		got := s.post(modernRequest("tools/call", render), append(modernHeader("tools/call", "render_datachain"), "Test-Address", "192.0.2.1")...).body
		if !strings.Contains(got, `"placard/view":{`) || strings.Contains(got, "the HTML document is the resource") {
			t.Errorf("%s: got %.300s", mode, got)
		}
		read := s.post(request("resources/read", `{"uri":"ui://service/datachain/view.html"}`), "Test-Address", "192.0.2.1").body
		if !strings.Contains(read, "awaiting tool call") {
			t.Errorf("%s: the view of the stateless protocol is stored: %.300s", mode, read)
		}
	}
}

// failingStore is a SessionStore that always fails.
type failingStore struct{}

func (failingStore) Put(context.Context, string, []byte) (bool, error) {
	return false, errors.New("unplugged")
}

func (failingStore) Get(context.Context, string) ([]byte, error) { return nil, errors.New("unplugged") }

func TestFailureToStoreAViewIsAnInternalError(t *testing.T) {
	s := newService(t, mcpapi.Options{Sessions: failingStore{}})
	read := s.post(request("resources/read", `{"uri":"ui://service/datachain/view.html"}`))
	if e := read.decode(t).Error; e == nil || e.Code != -32603 || e.Data.Errors[0].Code != "internal_error" || strings.Contains(read.body, "unplugged") {
		t.Errorf("got %s", read.body)
	}
	r := s.call("render_datachain", documentArguments(stable, shortDocument))
	if !r.IsError || r.Errors[0].Code != "internal_error" || strings.Contains(string(r.Structured), "unplugged") {
		t.Errorf("got %s", r.Structured)
	}
}
