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

func TestQuotedJSONIsWhatItWas(t *testing.T) {
	for _, text := range []string{`{}`, `{"a":"é\"\\ \u2028","b":[1,{"c":"<&>"}]}`, "\"\u2028\""} {
		var back string
		if err := json.Unmarshal(append(appendEscaped([]byte{'"'}, []byte(text)), '"'), &back); err != nil || back != text {
			t.Errorf("%s becomes %s (%v)", text, back, err)
		}
	}
}

// Memory that is lent from one request to the next must not show in answers.
func TestAnswersDoNotDependOnWhoHadTheDeskBefore(t *testing.T) {
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
	ask := func(body string) string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body)))
		return w.Body.String()
	}
	want := make([]string, len(bodies))
	for i, body := range bodies {
		want[i] = ask(body)
	}
	var all sync.WaitGroup
	for first := range 4 {
		all.Go(func() {
			for n := range 10 * len(bodies) {
				i := (first + n*(2*first+1)) % len(bodies)
				if got := ask(bodies[i]); got != want[i] {
					t.Errorf("%s is answered with %s, and before with %s", bodies[i], got, want[i])
				}
			}
		})
	}
	all.Wait()
}

// FuzzExchange sends anything to a server. Whatever it is, what comes back is
// nothing or JSON-RPC, and the walk over what is valid JSON stays inside it.
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
		answer := s.exchange(context.Background(), nil, body, peer{session: "s"})
		if answer.refused != nil {
			answer.body = answer.refused.append(nil, answer.id)
		}
		if len(answer.body) > 0 && !jsontext.Value(answer.body).IsValid() {
			t.Fatalf("%q is answered with %q", body, answer.body)
		}
		if strings.Contains(string(answer.body), "\n") {
			t.Fatalf("%q is answered with more than one line", body)
		}
	})
}
