package mcpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// thinExample is a small thin datachain.
const thinExample = `{"id":"gate-7","title":[{"locale":"en","value":"Gate 7"}],"schema_version":"place@2026-06-01-stable",` +
	`"created_at":"2026-07-03T16:20:00Z","elements":[{"element_id":"video_camera","context_type_id":"continuous",` +
	`"variables":[{"id":"position","value":[{"locale":"en","value":"Above the gate"}]}]}]}`

func TestAppendEscapedRoundTrips(t *testing.T) {
	for _, text := range []string{`{}`, `{"a":"é\"\\ \u2028","b":[1,{"c":"<&>"}]}`, "\"\u2028\""} {
		var got string
		if err := json.Unmarshal(append(appendEscaped([]byte{'"'}, []byte(text)), '"'), &got); err != nil || got != text {
			t.Errorf("got %s, %v, want %s", got, err, text)
		}
	}
}

func TestPooledMemoryDoesNotAffectResponses(t *testing.T) {
	s := newServer(t, Options{})
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":"` + tool + `","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	bodies := []string{
		``, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		call("get_element", `{"version":"place@latest","element_id":"radar"}`),
		call("get_element", `{"version":"place@latest","element_id":"video_camera","locales":["en"]}`),
		call("get_element", `{"version":"place@latest","element_id":"radar","fields":["title"]}`),
		call("get_element", `{"version":"place@latest","element_id":"nothing"}`),
		call("get_element", `{"version":"place@latest","element":1,"element_id":[]}`),
		call("get_elements", `{"version":"place@latest","element_ids":["radar","nothing"]}`),
		call("list_categories", `{"version":"place@latest"}`),
		call("get_icon_url", `{"version":"place@latest","element_id":"radar"}`),
		call("resolve_datachain", `{"version":"place@latest","datachain":`+thinExample+`}`),
		call("validate_datachain", `{"version":"place@latest","datachain":`+thinExample+`}`),
		"[" + call("get_element", `{"version":"place@latest","element_id":"radar"}`) + `,` + call("list_schema_versions", `{}`) + "]",
	}
	send := func(body string) string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body)))
		return w.Body.String()
	}
	want := make([]string, len(bodies))
	for i, body := range bodies {
		want[i] = send(body)
	}
	var wg sync.WaitGroup
	for first := range 4 {
		wg.Go(func() {
			for n := range 10 * len(bodies) {
				i := (first + n*(2*first+1)) % len(bodies)
				if got := send(bodies[i]); got != want[i] {
					t.Errorf("%s: got %s, want %s", bodies[i], got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// FuzzExchange checks that any input yields either no response or one line of
// valid JSON, without a panic.
func FuzzExchange(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		` [ {"jsonrpc" : "2.0", "id":"a\"b" ,"method":"tools/list"}, 7 ] `,
		`{"jsonrpc":"2.0","id":1e5,"method":"tools/call","params":{"name":"list_elements","arguments":{"version":"place@latest","limit":"3","query":"cam","fields":["title"]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate_datachain","arguments":{"version":"place@latest","datachain":"{\"id\":\"x\"}"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_elements","arguments":{"version":"place@latest","element_ids":"radar,x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"describe_system","arguments":{"system":"</system-0>"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"argument":{"name":"element_id","value":"r"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"` + metaVersion + `":"2026-07-28","` + metaCapabilities + `":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	s := newServer(f, Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		resp := s.exchange(context.Background(), nil, body, peer{session: "s"})
		if resp.err != nil {
			resp.body = resp.err.append(nil, resp.id)
		}
		if len(resp.body) > 0 && !jsontext.Value(resp.body).IsValid() {
			t.Fatalf("%q: got invalid JSON %q", body, resp.body)
		}
		if strings.Contains(string(resp.body), "\n") {
			t.Fatalf("%q: got more than one line", body)
		}
	})
}
