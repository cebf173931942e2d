package mcpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/serve/mcpapi"
	"placard/internal/serve/ratelimit"
)

func TestInitializeNegotiatesVersion(t *testing.T) {
	s := newService(t, mcpapi.Options{Version: "1.2.3"})
	for params, want := range map[string]string{
		`"protocolVersion":"2025-11-25"`: "2025-11-25",
		`"protocolVersion":"2025-06-18"`: "2025-06-18",
		`"protocolVersion":"2025-03-26"`: "2025-03-26",
		`"protocolVersion":"2024-11-05"`: "2025-11-25",
		`"protocolVersion":"2026-07-28"`: "2025-11-25",
		`"protocolVersion":"2099-01-01"`: "2025-11-25",
		`"capabilities":{}`:              "2025-11-25",
	} {
		var got struct {
			ProtocolVersion string
			Capabilities    map[string]any
			ServerInfo      struct{ Name, Title, Version string }
			Instructions    string
		}
		s.invoke("initialize", `{`+params+`}`, &got)
		if got.ProtocolVersion != want {
			t.Errorf("%s: got version %s, want %s", params, got.ProtocolVersion, want)
		}
		if got.ServerInfo.Name != "placard" || got.ServerInfo.Version != "1.2.3" || !strings.Contains(got.Instructions, "get_schema") {
			t.Errorf("got %+v", got)
		}
		for _, capability := range []string{"tools", "prompts", "resources", "completions", "logging"} {
			if got.Capabilities[capability] == nil {
				t.Errorf("missing capability %s", capability)
			}
		}
	}
	if r := s.post(request("initialize", `{"protocolVersion":7}`)).decode(t); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("got %+v", r)
	}
	// initialize is accepted with an unsupported version in the header.
	if resp := s.post(request("initialize", `{}`), "MCP-Protocol-Version", "2099-01-01"); resp.status != 200 {
		t.Errorf("got %d %s", resp.status, resp.body)
	}
}

func TestOnlyInitializeIssuesSessionIDs(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	first := s.post(request("initialize", `{}`)).header.Get("Mcp-Session-Id")
	second := s.post(request("initialize", `{}`)).header.Get("Mcp-Session-Id")
	if len(first) < 16 || first == second {
		t.Errorf("got session ids %q and %q", first, second)
	}
	own := s.post(request("initialize", `{}`), "Mcp-Session-Id", "mine")
	if got := own.header.Get("Mcp-Session-Id"); got != "mine" {
		t.Errorf("got session id %q, want the client's", got)
	}
	if got := s.post(request("tools/list", `{}`)).header.Get("Mcp-Session-Id"); got != "" {
		t.Errorf("tools/list issued session id %q", got)
	}
	// Any session id is accepted, without a handshake.
	if resp := s.post(request("ping", `{}`), "Mcp-Session-Id", "never issued"); resp.status != 200 || resp.body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("got %d %s", resp.status, resp.body)
	}
	if got := own.header.Get("Access-Control-Expose-Headers"); !strings.Contains(got, "Mcp-Session-Id") {
		t.Errorf("the session id is not exposed: got %q", got)
	}
}

func TestResponseKeepsRequestID(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, id := range []string{`0`, `-7`, `1.50`, `12345678901234567890123`, `""`, `"a"`, `"\u00e9\n"`, `"` + strings.Repeat("x", 5000) + `"`} {
		for _, method := range []string{"ping", "no/such/method"} {
			resp := s.post(`{"id": ` + id + ` ,"method":"` + method + `","jsonrpc":"2.0"}`)
			if r := resp.decode(t); string(r.ID) != id {
				t.Errorf("got id %s, want %s", r.ID, id)
			}
		}
	}
}

func TestNotificationsGetNoResponse(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"something/unknown"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"no such tool"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}`,
		`[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","method":"x"}]`,
	} {
		if resp := s.post(body); resp.status != http.StatusAccepted || resp.body != "" {
			t.Errorf("%s: got %d %q", body, resp.status, resp.body)
		}
	}
}

func TestMalformedMessagesAreRejected(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tc := range []struct {
		body   string
		status int
		code   int
		id     string
		text   string // in the message
	}{
		{``, 400, -32700, `null`, "empty"},
		{`{`, 400, -32700, `null`, "byte 1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} x`, 400, -32700, `null`, "after the message"},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, 400, -32700, `null`, `duplicate name "id"`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{"b":1,"b":2}}}`, 400, -32700, `null`, `duplicate name "b"`},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", 400, -32700, `null`, "UTF-8"},
		{"\ufeff" + request("ping", `{}`), 400, -32700, `null`, "JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, 400, -32700, `null`, "JSON"},
		{strings.Repeat("[", 20000), 400, -32700, `null`, "JSON"},
		{`7`, 400, -32600, `null`, "object"},
		{`"ping"`, 400, -32600, `null`, "object"},
		{`{}`, 400, -32600, `null`, "jsonrpc"},
		{`{"id":5,"method":"ping"}`, 400, -32600, `5`, "jsonrpc"},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, 400, -32600, `5`, "jsonrpc"},
		{`{"jsonrpc":"2.0","id":5}`, 400, -32600, `5`, "method"},
		{`{"jsonrpc":"2.0","id":5,"method":7}`, 400, -32600, `5`, "method"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600, `null`, "id"},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600, `null`, "id"},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, 400, -32600, `null`, "id"},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}`, 200, -32602, `5`, "params"},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":null}`, 200, -32602, `5`, "params"},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":7}}`, 200, -32602, `5`, "_meta"},
		{`{"jsonrpc":"2.0","id":5,"method":"Ping"}`, 200, -32601, `5`, "Ping"},
		{`{"jsonrpc":"2.0","id":5,"method":"server/discover"}`, 200, -32601, `5`, "server/discover"},
		{`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen"}`, 200, -32601, `5`, "subscriptions/listen"},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call"}`, 200, -32602, `5`, "name"},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_elemnt"}}`, 200, -32602, `5`, "get_elemnt"},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_element","arguments":[]}}`, 200, -32602, `5`, "arguments"},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}}`, 200, -32602, `5`, "cursor"},
		{`{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"loud"}}`, 200, -32602, `5`, "loud"},
		{`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"none"}}`, 200, -32602, `5`, "none"},
		{`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{}}`, 200, -32602, `5`, "uri"},
		{`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"ui://other"}}`, 200, -32002, `5`, "ui://other"},
	} {
		resp := s.post(tc.body)
		r := resp.decode(t)
		if resp.status != tc.status || r.Error == nil || r.Error.Code != tc.code || string(r.ID) != tc.id || !strings.Contains(r.Error.Message, tc.text) {
			t.Errorf("%.200s\ngot %d %s\nwant %d with code %d, id %s and %q", tc.body, resp.status, resp.body, tc.status, tc.code, tc.id, tc.text)
			continue
		}
		if r.OK != nil {
			t.Errorf("%.200s: the body of a protocol error is a REST envelope: %s", tc.body, resp.body)
		}
		if code := r.Error.Data.Errors[0].Code; code != problem.BadRequest && code != problem.NotFound {
			t.Errorf("%.200s: got problem code %s", tc.body, code)
		}
	}
}

func TestEquivalentJSONIsAccepted(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	resp := s.post(" \r\n\t{ \"method\" :\"tools\\/call\" , \"j\\u0073onrpc\":\"2.0\",\n\"params\" : { \"\\u006eame\":\"list_schema_versions\"\n, \"arguments\" : { } }, \"extra\":[1,{\"a\":\"]}\"}], \"id\":1e0 }\n ")
	if r := resp.decode(t); resp.status != 200 || r.Error != nil || string(r.ID) != "1e0" || !strings.Contains(string(r.Result), stable) {
		t.Errorf("got %d %s", resp.status, resp.body)
	}
}

func TestBatchResponsesAreInOrder(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},
		{"jsonrpc":"2.0","method":"notifications/initialized"},
		7,
		{"jsonrpc":"2.0","id":"2","method":"no/such"},
		{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_schema_versions"}},
		{"jsonrpc":"2.0","id":4,"method":"resources/templates/list"}]`
	for _, header := range [][]string{nil, {"MCP-Protocol-Version", "2025-03-26"}} {
		resp := s.post(batch, header...)
		var got []rpcResponse
		if err := json.Unmarshal([]byte(resp.body), &got); err != nil || resp.status != 200 {
			t.Fatalf("got %d %s, error %v", resp.status, resp.body, err)
		}
		var order []string
		for _, r := range got {
			code := 0
			if r.Error != nil {
				code = r.Error.Code
			}
			order = append(order, fmt.Sprintf("%s %d", r.ID, code))
		}
		if diff := cmp.Diff([]string{"1 0", "null -32600", `"2" -32601`, "3 0", "4 0"}, order); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	batchOf := func(n int) string { return "[" + strings.Repeat(message+",", n-1) + message + "]" }
	if resp := s.post(batchOf(20)); resp.status != 200 || strings.Count(resp.body, `"result"`) != 20 {
		t.Errorf("20 messages: got status %d", resp.status)
	}
	if resp := s.post("[" + request("initialize", `{"protocolVersion":"2025-03-26"}`) + "]"); resp.header.Get("Mcp-Session-Id") == "" {
		t.Error("initialize in a batch issues no session id")
	}
	for name, resp := range map[string]httpResponse{
		"21 messages":     s.post(batchOf(21)),
		"no messages":     s.post("[]"),
		"later version":   s.post(batchOf(2), "MCP-Protocol-Version", "2025-06-18"),
		"latest version":  s.post(batchOf(2), "MCP-Protocol-Version", "2026-07-28"),
		"unknown version": s.post(batchOf(2), "MCP-Protocol-Version", "x"),
		"modern message":  s.post(`[` + message + `,` + modernRequest("tools/list", ``) + `]`),
	} {
		if r := resp.decode(t); resp.status != 400 || r.Error == nil || r.Error.Code != -32600 || string(r.ID) != "null" {
			t.Errorf("%s: got %d %s", name, resp.status, resp.body)
		}
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modernRequest returns a request of the stateless protocol. params are the
// members of its params other than _meta.
func modernRequest(method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":9,"method":"` + method + `","params":{` + params + modernMeta + `}}`
}

func modernHeader(method string, name ...string) []string {
	h := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	for _, n := range name {
		h = append(h, "Mcp-Name", n)
	}
	return h
}

func TestModernProtocol(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	call := `"name":"get_element","arguments":{"version":"place@latest","element_id":"radar"}`
	for _, tc := range []struct {
		name   string
		body   string
		header []string
		status int
		code   int // 0 for a result
	}{
		{"discover", modernRequest("server/discover", ``), modernHeader("server/discover"), 200, 0},
		{"tool", modernRequest("tools/call", call), modernHeader("tools/call", "get_element"), 200, 0},
		{"name in base64", modernRequest("tools/call", call), modernHeader("tools/call", "=?base64?Z2V0X2VsZW1lbnQ=?="), 200, 0},
		{"prompt", modernRequest("prompts/get", `"name":"describe_system","arguments":{"system":"x"}`), modernHeader("prompts/get", "describe_system"), 200, 0},
		{"view", modernRequest("resources/read", `"uri":"ui://service/datachain/view.html"`), modernHeader("resources/read", "ui://service/datachain/view.html"), 200, 0},
		{"unknown resource", modernRequest("resources/read", `"uri":"ui://x"`), modernHeader("resources/read", "ui://x"), 200, -32602},
		{"unknown tool", modernRequest("tools/call", `"name":"x"`), modernHeader("tools/call", "x"), 200, -32602},

		{"initialize", modernRequest("initialize", ``), modernHeader("initialize"), 404, -32601},
		{"ping", modernRequest("ping", ``), modernHeader("ping"), 404, -32601},
		{"logging/setLevel", modernRequest("logging/setLevel", ``), modernHeader("logging/setLevel"), 404, -32601},
		{"subscriptions/listen", modernRequest("subscriptions/listen", ``), modernHeader("subscriptions/listen"), 404, -32601},
		{"unknown method", modernRequest("x", ``), modernHeader("x"), 404, -32601},

		{"no headers", modernRequest("tools/list", ``), nil, 400, -32020},
		{"no method header", modernRequest("tools/list", ``), modernHeader("")[:2], 400, -32020},
		{"wrong method header", modernRequest("tools/list", ``), modernHeader("prompts/list"), 400, -32020},
		{"wrong case in method header", modernRequest("tools/list", ``), modernHeader("TOOLS/LIST"), 400, -32020},
		{"no name header", modernRequest("tools/call", call), modernHeader("tools/call"), 400, -32020},
		{"wrong name header", modernRequest("tools/call", call), modernHeader("tools/call", "get_elements"), 400, -32020},
		{"invalid base64", modernRequest("tools/call", call), modernHeader("tools/call", "=?base64?!?="), 400, -32020},
		{"other version in header", modernRequest("tools/list", ``), []string{"MCP-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/list"}, 400, -32020},
		{"unknown version only in header", modernRequest("tools/list", ``), []string{"MCP-Protocol-Version", "x", "Mcp-Method", "tools/list"}, 400, -32020},

		{"no _meta", request("tools/list", `{}`), modernHeader("tools/list"), 400, -32602},
		{"version is not a string", request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}`), modernHeader("tools/list"), 400, -32602},
		{"no capabilities", request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), modernHeader("tools/list"), 400, -32602},
		{"unsupported version", request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}`), []string{"MCP-Protocol-Version", "2027-01-01"}, 400, -32022},
		{"unsupported version only in header", request("tools/list", `{}`), []string{"MCP-Protocol-Version", "2024-11-05"}, 400, -32022},
		{"older version in _meta", request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}}`), nil, 200, 0},
		{"older version in header", request("tools/list", `{}`), []string{"MCP-Protocol-Version", "2025-06-18", "Mcp-Method", "ignored"}, 200, 0},
	} {
		resp := s.post(tc.body, tc.header...)
		r := resp.decode(t)
		code := 0
		if r.Error != nil {
			code = r.Error.Code
		}
		if resp.status != tc.status || code != tc.code {
			t.Errorf("%s: got %d %s, want %d with code %d", tc.name, resp.status, resp.body, tc.status, tc.code)
		}
		if tc.code == -32022 && (len(r.Error.Data.Supported) != 4 || r.Error.Data.Requested == "") {
			t.Errorf("%s: got %s", tc.name, resp.body)
		}
	}
	// The headers of notifications are not checked.
	if resp := s.post(`{"jsonrpc":"2.0","method":"notifications/x","params":{` + modernMeta + `}}`); resp.status != http.StatusAccepted {
		t.Errorf("notification: got %d %s", resp.status, resp.body)
	}
}

func TestOnlyModernResultsHaveResultType(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for method, cacheable := range map[string]bool{
		"server/discover": true, "tools/list": true, "prompts/list": true, "resources/list": true,
		"resources/templates/list": true, "completion/complete": false,
	} {
		var got struct {
			ResultType string
			TTL        *int                             `json:"ttlMs"`
			Scope      string                           `json:"cacheScope"`
			Meta       map[string]struct{ Name string } `json:"_meta"`
		}
		resp := s.post(modernRequest(method, ``), modernHeader(method)...)
		if err := json.Unmarshal(resp.decode(t).Result, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if got.ResultType != "complete" || got.Meta["io.modelcontextprotocol/serverInfo"].Name != "placard" {
			t.Errorf("%s: got %.300s", method, resp.body)
		}
		if (got.TTL != nil && got.Scope == "public") != cacheable {
			t.Errorf("%s: got cacheable = %t, want %t", method, !cacheable, cacheable)
		}
		if method == "server/discover" {
			continue
		}
		var legacy map[string]any
		s.invoke(method, `{}`, &legacy)
		for _, name := range []string{"resultType", "_meta", "ttlMs", "cacheScope"} {
			if legacy[name] != nil {
				t.Errorf("%s: unexpected member %s before 2026-07-28", method, name)
			}
		}
	}
	resp := s.post(modernRequest("resources/read", `"uri":"ui://service/datachain/view.html"`), modernHeader("resources/read", "ui://service/datachain/view.html")...)
	if !strings.Contains(resp.body, `"cacheScope":"private","ttlMs":0`) {
		t.Error("the view of a session is not private")
	}
}

// checkHTTPError checks that resp is both a JSON-RPC error and a REST envelope.
func checkHTTPError(t *testing.T, resp httpResponse, status int, code problem.Code) {
	t.Helper()
	r := resp.decode(t)
	if resp.status != status || r.Error == nil || r.OK == nil || *r.OK || len(r.Errors) != 1 || r.Errors[0].Code != code || r.Errors[0].FixHint == "" {
		t.Errorf("got %d %s, want %d with problem code %s", resp.status, resp.body, status, code)
	}
}

func TestOnlyPOSTIsAllowed(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH"} {
		resp := s.send(method, strings.NewReader(request("ping", `{}`)), "Accept", "text/event-stream")
		checkHTTPError(t, resp, 405, problem.MethodNotAllowed)
		if resp.header.Get("Allow") != "POST, OPTIONS" {
			t.Errorf("%s: got Allow %q, want POST, OPTIONS", method, resp.header.Get("Allow"))
		}
	}
	for _, accept := range []string{"", "text/html", "text/event-stream", "application/json;q=0"} {
		if resp := s.post(request("ping", `{}`), "Accept", accept, "Content-Type", "text/plain"); resp.status != 200 {
			t.Errorf("Accept %q: got status %d", accept, resp.status)
		}
	}
}

// unsizedReader hides the length of a body from the HTTP client.
type unsizedReader struct{ *strings.Reader }

func TestBodySizeIsLimited(t *testing.T) {
	s := newService(t, mcpapi.Options{MaxBody: 1000})
	body := func(size int) string {
		start, end := `{"jsonrpc":"2.0","id":1,"method":"ping","x":"`, `"}`
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	if resp := s.post(body(1000)); resp.status != 200 {
		t.Errorf("1000 bytes: got status %d", resp.status)
	}
	checkHTTPError(t, s.post(body(1001)), 413, problem.PayloadTooLarge)
	checkHTTPError(t, s.send("POST", unsizedReader{strings.NewReader(body(5000))}), 413, problem.PayloadTooLarge)
	checkHTTPError(t, s.post(body(100), "Content-Encoding", "gzip"), 415, problem.UnsupportedMediaType)
	if resp := s.post(body(100), "Content-Encoding", "identity"); resp.status != 200 {
		t.Errorf("identity: got status %d", resp.status)
	}
}

func TestRequestsAreAdmittedBeforeTheBodyIsRead(t *testing.T) {
	var buckets []ratelimit.Bucket
	var admitErr error
	s := newService(t, mcpapi.Options{Admit: func(w http.ResponseWriter, _ *http.Request, b ratelimit.Bucket) (netip.Addr, error) {
		buckets = append(buckets, b)
		if admitErr != nil {
			w.Header().Set("Retry-After", "7")
		}
		return netip.Addr{}, admitErr
	}})
	s.post(request("ping", `{}`))
	s.send("GET", nil)
	admitErr = problem.New(problem.RateLimited, "Too many requests.").Hint("Wait.")
	resp := s.post(`{`)
	checkHTTPError(t, resp, 429, problem.RateLimited)
	if resp.header.Get("Retry-After") != "7" {
		t.Errorf("got %v", resp.header)
	}
	admitErr = errors.New("limiter failed")
	checkHTTPError(t, s.post(`{}`), 500, problem.InternalError)
	if diff := cmp.Diff([]ratelimit.Bucket{ratelimit.Read, ratelimit.Read, ratelimit.Read, ratelimit.Read}, buckets); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if !strings.Contains(s.logs.String(), "limiter failed") {
		t.Error("the error is not logged")
	}
}

func TestResponsesAreCompressed(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	resp := s.post(request("tools/list", `{}`), "Accept-Encoding", "zstd")
	if resp.header.Get("Content-Encoding") != "zstd" || resp.header.Get("Vary") != "Accept-Encoding" || len(resp.body) > 20000 {
		t.Errorf("got %d bytes, header %v", len(resp.body), resp.header)
	}
	if resp := s.post(request("ping", `{}`), "Accept-Encoding", "zstd"); resp.header.Get("Content-Encoding") != "" {
		t.Error("a short response is compressed")
	}
}

func TestBodiesAreNotLogged(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	s.post(request("tools/call", `{"name":"list_elements","arguments":{"version":"place@latest","query":"secret"}}`))
	s.post(`{"secret":`)
	if strings.Contains(s.logs.String(), "secret") {
		t.Errorf("the log contains a request body: %s", s.logs)
	}
}
