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

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/catalog"
)

const (
	stable = "place@2026-06-01-stable"
	beta   = "place@2026-10-19-beta"
)

// service is an HTTP server with the REST and MCP APIs for the same releases.
type service struct {
	*httptest.Server
	t       testing.TB
	catalog *catalog.Catalog
	logs    *bytes.Buffer
}

// newService returns a service for the built-in taxonomy.
func newService(t testing.TB, opts mcpapi.Options) *service {
	return serveCatalog(t, mcpapi.BuiltinCatalog, opts)
}

// serveReleases returns a service for the given releases.
func serveReleases(t testing.TB, releases catalog.Store, opts mcpapi.Options) *service {
	t.Helper()
	c := catalog.New(releases, catalog.Options{Log: slog.New(slog.DiscardHandler)})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return serveCatalog(t, c, opts)
}

// serveCatalog returns a service for a catalog, behind middleware.
func serveCatalog(t testing.TB, c *catalog.Catalog, opts mcpapi.Options, middleware ...func(http.Handler) http.Handler) *service {
	t.Helper()
	s := &service{t: t, catalog: c, logs: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	opts.Catalog, opts.Log = s.catalog, log
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpapi.New(opts))
	mux.Handle("/", httpapi.New(httpapi.Options{Catalog: s.catalog, Log: log}))
	var handler http.Handler = mux
	for _, wrap := range middleware {
		handler = wrap(handler)
	}
	s.Server = httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// httpResponse is a response from /mcp.
type httpResponse struct {
	status int
	header http.Header
	body   string
}

// send sends a request to /mcp. header alternates names and values.
func (s *service) send(method string, body io.Reader, header ...string) httpResponse {
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
	return httpResponse{resp.StatusCode, resp.Header, string(data)}
}

func (s *service) post(body string, header ...string) httpResponse {
	s.t.Helper()
	return s.send("POST", strings.NewReader(body), header...)
}

// rpcResponse is a JSON-RPC response.
type rpcResponse struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  jsontext.Value `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			OK        bool           `json:"ok"`
			Meta      *struct{}      `json:"meta"`
			Errors    problem.List   `json:"errors"`
			URI       string         `json:"uri"`
			Supported []string       `json:"supported"`
			Requested string         `json:"requested"`
			Other     jsontext.Value `json:",embed"`
		} `json:"data"`
	} `json:"error"`
	// Set for HTTP errors.
	OK     *bool        `json:"ok"`
	Errors problem.List `json:"errors"`
	Meta   *struct{}    `json:"meta"`
}

func (resp httpResponse) decode(t testing.TB) rpcResponse {
	t.Helper()
	var r rpcResponse
	if err := json.Unmarshal([]byte(resp.body), &r, json.RejectUnknownMembers(true)); err != nil || r.JSONRPC != "2.0" {
		t.Fatalf("got status %d with invalid JSON-RPC %q: %v", resp.status, resp.body, err)
	}
	if resp.header.Get("Content-Type") != "application/json" || resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got header %v", resp.header)
	}
	if r.Error != nil && (len(r.Error.Data.Errors) != 1 || r.Error.Data.Meta == nil || r.Error.Data.Errors[0].Message != r.Error.Message) {
		t.Errorf("error.data is not a REST envelope: %s", resp.body)
	}
	return r
}

// request returns a request in a protocol version before 2026-07-28.
func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// invoke sends a request and decodes its result into v. It fails the test on an
// error response.
func (s *service) invoke(method, params string, v any, header ...string) {
	s.t.Helper()
	resp := s.post(request(method, params), header...)
	r := resp.decode(s.t)
	if r.Error != nil {
		s.t.Fatalf("%s: got %s", method, resp.body)
	}
	if err := json.Unmarshal(r.Result, v, json.MatchCaseInsensitiveNames(true)); err != nil {
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

// envelope is the structured content of every tool result.
type envelope struct {
	OK           bool           `json:"ok"`
	Data         jsontext.Value `json:"data"`
	Errors       problem.List   `json:"errors"`
	EnvelopeMeta struct {
		Version    string   `json:"version"`
		Hash       string   `json:"content_hash"`
		NextCursor *string  `json:"next_cursor"`
		Locales    []string `json:"locales"`
		Notice     string   `json:"notice"`
		Handle     string   `json:"handle"`
	} `json:"meta"`
}

// call calls a tool. It checks that the text and the structured content of the
// result are the same and match the output schema.
func (s *service) call(tool, arguments string, header ...string) toolResult {
	s.t.Helper()
	var r toolResult
	s.invoke("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`, &r, header...)
	r.check(s.t, tool)
	return r
}

// check decodes the structured content of r. It checks that the text is the same
// and that both match the output schema of the tool.
func (r *toolResult) check(t testing.TB, tool string) {
	t.Helper()
	if len(r.Content) == 0 || r.Content[len(r.Content)-1].Text != string(r.Structured) {
		t.Errorf("%s: text and structured content differ", tool)
	}
	if err := json.Unmarshal(r.Structured, &r.envelope, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %s: %v", tool, r.Structured, err)
	}
	if err := outputSchemas(t)[tool].Validate(decodeInstance(t, r.Structured)); err != nil {
		t.Errorf("%s: result does not match the output schema: %v\n%.2000s", tool, err, r.Structured)
	}
}

// into decodes the data of a result into v.
func (r toolResult) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(r.Data, v); err != nil {
		t.Fatalf("%.500s: %v", r.Structured, err)
	}
}

// codes returns the codes of the problems in l.
func codes(l problem.List) []string {
	var all []string
	for _, p := range l {
		all = append(all, string(p.Code))
	}
	return all
}

// example returns an example datachain from the built-in taxonomy.
func example(t testing.TB, version, name string) string {
	t.Helper()
	typ, dated, _ := strings.Cut(version, "@")
	data, err := os.ReadFile("../../../builtin/tree/" + typ + "/" + dated + "/examples/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// examples returns all example datachains by version and name.
func examples(t testing.TB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	tree := os.DirFS("../../../builtin/tree")
	names, err := fs.Glob(tree, "place/*/examples/*.json")
	if err != nil || len(names) < 2 {
		t.Fatalf("got files %v, error %v", names, err)
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
