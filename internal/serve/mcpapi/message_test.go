package mcpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestMessageMustBeStrictJSON(t *testing.T) {
	for _, body := range []string{
		``, ` `, `{`, `{}`, ` {} `, "\u00a0{}", `{} {}`, `{},`, `7`, `"a"`, `nul`, `null`, `}`,
		`{"a":1,"a":2}`, `{"id":1,"i\u0064":2}`, `{"params":{"name":1,"name":2}}`, `{"params":{"arguments":{"a":1,"a":1}}}`,
		`{"params":{"arguments":{"a":{"b":1,"b":1}}}}`, `{"params":{"arguments":{"a":[1,}}}`, `{"params":{"arguments":{1:2}}}`,
		`{"params":{]}`, `{"params":{"name":"a"]}`, `{"params":[}`, `{"params":{"arguments":{"a":1}},}`, `{"params"}`, `{"params":}`,
		"{\"method\":\"\xff\"}", `{"id":01}`, `{"result":{"a":1,"a":1}}`, `{"other":{"a":1,"a":1}}`, `{"a":1 "b":2}`,
		`{"params":{"arguments":{"a":1}` + strings.Repeat(" ", 5000) + `}}`,
	} {
		err := new(message).read(jsontext.Value(body))
		if got, want := err == nil || err.code != codeParse, jsontext.Value(body).IsValid(); got != want {
			t.Errorf("read(%q): got error %v, want a parse error: %t", body, err, !want)
		}
	}
}

func TestMessageIsSplit(t *testing.T) {
	body := []byte(" {\"jsonrpc\" : \"2.0\",\"x\":[{}], \"i\\u0064\":7 ,\"method\":\"m\",\n\"params\" : {\"_meta\":{}, \"name\":\"n\",\"uri\":\"u\",\"y\":0," +
		" \"arguments\" : { \"a\" : 1 , \"\\u0062\":{\"c\":[2, 3]} } } } ")
	var m message
	if err := m.read(body); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s %s %s %s %s", m.id, m.method, m.meta, m.name, m.uri)
	if want := `7 m {} "n" "u"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := `{ "a" : 1 , "\u0062":{"c":[2, 3]} }`; string(m.arguments) != want || !strings.HasSuffix(string(m.params), want+" }") || m.params[0] != '{' {
		t.Errorf("got arguments %s in params %s", m.arguments, m.params)
	}
	var arguments []string
	for name, value := range members(m.arguments) {
		arguments = append(arguments, string(name), string(value))
	}
	if want := []string{"a", "1", "b", `{"c":[2, 3]}`}; !slices.Equal(arguments, want) {
		t.Errorf("got arguments %q, want %q", arguments, want)
	}
}

func TestBatchedCallsKeepTheirArguments(t *testing.T) {
	s := newServer(t, Options{})
	var calls, bodies []string
	for i, id := range []string{"radar", "video_camera", "radar"} {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_element","arguments":{"version":"place@latest","element_id":%q,"locales":["en"]}}}`, i, id)
		resp := s.exchange(t.Context(), nil, []byte(call), peer{})
		if !strings.Contains(string(resp.body), fmt.Sprintf(`"element":{"id":%q`, id)) {
			t.Fatalf("got %s", resp.body)
		}
		calls, bodies = append(calls, call), append(bodies, string(resp.body))
	}
	batch := s.exchange(t.Context(), nil, []byte("["+strings.Join(calls, ",")+"]"), peer{})
	if want := "[" + strings.Join(bodies, ",") + "]"; string(batch.body) != want {
		t.Errorf("got\n%s\nwant\n%s", batch.body, want)
	}
}
