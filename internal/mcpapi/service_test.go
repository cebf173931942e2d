package mcpapi_test

import (
	"bytes"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/httpapi"
	"placard/internal/mcpapi"
	"placard/internal/problem"
)

const (
	stable = "place@2026-06-01-stable"
	beta   = "place@2026-10-19-beta"
)

// service is REST and MCP over the same releases, on a real server.
type service struct {
	*httptest.Server
	t       testing.TB
	catalog *catalog.Catalog
	logs    *bytes.Buffer
}

// newService serves the built-in taxonomy, and MCP as opts say.
func newService(t testing.TB, opts mcpapi.Options) *service {
	return serving(t, builtin.Store(), opts)
}

// serving serves releases; whoever is in front sees each request first.
func serving(t testing.TB, releases catalog.Store, opts mcpapi.Options, front ...func(http.Handler) http.Handler) *service {
	t.Helper()
	s := &service{t: t, logs: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	s.catalog = catalog.New(releases, catalog.Options{Log: log})
	if err := s.catalog.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	opts.Catalog, opts.Log = s.catalog, log
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpapi.New(opts))
	mux.Handle("/", httpapi.New(httpapi.Options{Catalog: s.catalog, Log: log}))
	var handler http.Handler = mux
	for _, f := range front {
		handler = f(handler)
	}
	s.Server = httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// answered is an HTTP answer of /mcp.
type answered struct {
	status int
	header http.Header
	body   string
}

func (s *service) send(method string, body io.Reader, header ...string) answered {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"/mcp", body)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Header, string(data)}
}

func (s *service) post(body string, header ...string) answered {
	s.t.Helper()
	return s.send("POST", strings.NewReader(body), header...)
}

// response is a JSON-RPC answer.
type response struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  jsontext.Value `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			OK        bool           `json:"ok"`
			Errors    problem.List   `json:"errors"`
			URI       string         `json:"uri"`
			Supported []string       `json:"supported"`
			Requested string         `json:"requested"`
			Rest      jsontext.Value `json:",embed"`
		} `json:"data"`
	} `json:"error"`
	// Of refusals by HTTP status.
	OK     *bool        `json:"ok"`
	Errors problem.List `json:"errors"`
}

func (a answered) response(t testing.TB) response {
	t.Helper()
	var r response
	if err := json.Unmarshal([]byte(a.body), &r, json.RejectUnknownMembers(true)); err != nil || r.JSONRPC != "2.0" {
		t.Fatalf("%d is not JSON-RPC: %q (%v)", a.status, a.body, err)
	}
	if a.header.Get("Content-Type") != "application/json" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer is sent as %v", a.header)
	}
	if r.Error != nil && (len(r.Error.Data.Errors) != 1 || r.Error.Data.Errors[0].Message != r.Error.Message) {
		t.Errorf("error.data is not our envelope: %s", a.body)
	}
	return r
}

// call is a request in the old era.
func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// ask sends a request that is answered with a result.
func (s *service) ask(method, params string, into any, header ...string) {
	s.t.Helper()
	a := s.post(request(method, params), header...)
	r := a.response(s.t)
	if r.Error != nil {
		s.t.Fatalf("%s: %s", method, a.body)
	}
	if err := json.Unmarshal(r.Result, into, json.MatchCaseInsensitiveNames(true)); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
}

// toolResult is the result of tools/call.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured jsontext.Value            `json:"structuredContent"`
	IsError    bool                      `json:"isError"`
	Meta       map[string]jsontext.Value `json:"_meta"`

	envelope
}

// envelope is what every tool answers with.
type envelope struct {
	OK     bool           `json:"ok"`
	Data   jsontext.Value `json:"data"`
	Errors problem.List   `json:"errors"`
	About  struct {
		Version    string   `json:"version"`
		Hash       string   `json:"content_hash"`
		NextCursor *string  `json:"next_cursor"`
		Locales    []string `json:"locales"`
		Notice     string   `json:"notice"`
	} `json:"meta"`
}

// call calls a tool. Both forms of its answer must be the same, and fit its
// output schema.
func (s *service) call(tool, arguments string, header ...string) toolResult {
	s.t.Helper()
	var r toolResult
	s.ask("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`, &r, header...)
	if len(r.Content) == 0 || r.Content[len(r.Content)-1].Text != string(r.Structured) {
		s.t.Errorf("%s: the text is not the structured content", tool)
	}
	if err := json.Unmarshal(r.Structured, &r.envelope, json.RejectUnknownMembers(true)); err != nil {
		s.t.Fatalf("%s: %s: %v", tool, r.Structured, err)
	}
	if err := outputSchemas(s.t)[tool].Validate(decoded(s.t, r.Structured)); err != nil {
		s.t.Errorf("%s answers with what its output schema forbids: %v\n%.2000s", tool, err, r.Structured)
	}
	return r
}

// into decodes the data of an answer.
func (r toolResult) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(r.Data, v); err != nil {
		t.Fatalf("%.500s: %v", r.Structured, err)
	}
}

// codes are those of the errors of an answer.
func codes(l problem.List) []string {
	var all []string
	for _, p := range l {
		all = append(all, string(p.Code))
	}
	return all
}

// example returns a valid datachain of the built-in taxonomy.
func example(t testing.TB, version, name string) string {
	t.Helper()
	typ, dated, _ := strings.Cut(version, "@")
	data, err := os.ReadFile("../../builtin/tree/" + typ + "/" + dated + "/examples/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// examples returns all of them by version and name.
func examples(t testing.TB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	tree := os.DirFS("../../builtin/tree")
	names, err := fs.Glob(tree, "place/*/examples/*.json")
	if err != nil || len(names) < 2 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(name, "/")
		all["place@"+parts[1]+" "+parts[3]] = string(data)
	}
	return all
}
