package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// demo is the id of the release that the examples of the rules are written for.
const demo = "demo@2026-01-15-stable"

func TestEveryOperationInHintsHasACommand(t *testing.T) {
	root := newRoot()
	for _, op := range slices.Concat(problem.Operations(), problem.StoreOperations()) {
		words := strings.Fields(callNames[op])
		if len(words) < 2 {
			t.Errorf("operation %d has no command", op)
			continue
		}
		cmd, args, err := root.Find(words[1:])
		if err == nil {
			err = cmd.ParseFlags(args)
		}
		if err != nil || cmd == root || cmd.ValidateArgs(cmd.Flags().Args()) != nil {
			t.Errorf("operation %d: %q is not a valid command", op, words)
		}
	}
}

func TestShellWords(t *testing.T) {
	for _, word := range []string{"a", "a b", "it's", "-x", "$HOME", "`id`", `a"b\`, "é", "place@latest", ";"} {
		want := word
		if strings.HasPrefix(word, "-") {
			want = "./" + word
		}
		got, err := exec.Command("sh", "-c", "printf %s "+shellWord(word)).Output()
		if err != nil || string(got) != want {
			t.Errorf("%s: a shell reads %q, error %v, want %q", shellWord(word), got, err, want)
		}
	}
}

// interfaces gives access to one store over REST, over MCP and in the terminal.
type interfaces struct {
	t      *testing.T
	server *httptest.Server
	store  string
	valid  string // a valid thin document
}

// demoBeta is the id of a version with another element, lidar.
const demoBeta = "demo@2026-03-01-beta"

// newInterfaces publishes the taxonomy of the examples of the rules, and a beta of
// its next version.
func newInterfaces(t *testing.T) interfaces {
	t.Chdir(t.TempDir())
	folder := store.OpenFolder("store")
	publish := func(x *taxonomy.Taxonomy) {
		t.Helper()
		x.Symbols = make(map[string][]byte)
		for _, e := range x.Elements {
			x.Symbols[e.SymbolID] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><circle cx="18" cy="18" r="6" fill="currentColor"/></svg>`)
		}
		r, err := release.Compile(x)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
			t.Fatal(err)
		}
	}
	publish(datachain.ExampleTaxonomy())
	beta := datachain.ExampleTaxonomy()
	beta.ID = taxonomy.ID{Type: "demo", Date: "2026-03-01", Status: taxonomy.Beta}
	lidar := beta.Elements[0]
	lidar.ID = "lidar"
	beta.Elements = slices.Insert(beta.Elements, 1, lidar)
	publish(beta)
	log := slog.New(slog.DiscardHandler)
	c := catalog.New(folder, catalog.Options{Log: log})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpapi.New(mcpapi.Options{Catalog: c, Log: log}))
	mux.Handle("/", httpapi.New(httpapi.Options{Catalog: c, Log: log}))
	in := interfaces{t: t, server: httptest.NewServer(mux), store: "store"}
	t.Cleanup(in.server.Close)
	for _, rule := range datachain.Rules() {
		if rule.Code == "unknown_field" { // only a warning
			in.valid = rule.Example
		}
	}
	return in
}

// rest returns the status and body of a REST response.
func (in interfaces) rest(method, path, body string) (int, string) {
	in.t.Helper()
	req, err := http.NewRequestWithContext(in.t.Context(), method, in.server.URL+path, strings.NewReader(body))
	if err != nil {
		in.t.Fatal(err)
	}
	resp, err := in.server.Client().Do(req)
	if err != nil {
		in.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		in.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// mcp returns the structured content of the result of a tool, and whether the
// call failed.
func (in interfaces) mcp(tool, arguments string) (string, bool) {
	in.t.Helper()
	_, body := in.rest("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`)
	var r struct {
		Result struct {
			Structured jsontext.Value `json:"structuredContent"`
			IsError    bool           `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil || r.Result.Structured == nil {
		in.t.Fatalf("%s: got %s, error %v", tool, body, err)
	}
	return string(r.Result.Structured), r.Result.IsError
}

// terminal returns the output of a command, and its exit status.
func (in interfaces) terminal(args ...string) (string, int) {
	var out bytes.Buffer
	status := execute(in.t.Context(), args, &out, &out)
	return out.String(), status
}

// file writes a document to a file and returns its name.
func (in interfaces) file(name, document string) string {
	in.t.Helper()
	if err := os.WriteFile(name, []byte(document), 0o644); err != nil {
		in.t.Fatal(err)
	}
	return filepath.Clean(name)
}

// resolved returns the valid document in its resolved form.
func (in interfaces) resolved() string {
	in.t.Helper()
	status, document := in.rest("POST", "/api/v2/schemas/demo@latest/resolve", in.valid)
	if status != 200 || !strings.Contains(document, "schema_snapshot") {
		in.t.Fatalf("got status %d, %s, want a resolved document", status, document)
	}
	return document
}

func (in interfaces) compact(document string) string {
	in.t.Helper()
	v := jsontext.Value(document)
	if err := v.Compact(); err != nil {
		in.t.Fatal(err)
	}
	return string(v)
}

// fault is the same mistake in each interface, with the sentences that its hints
// contain. An interface that cannot have it has no request.
type fault struct {
	name     string
	rest     restRequest
	restCall string
	mcp      toolRequest
	mcpCall  string
	terminal []string
	command  string
}

type (
	restRequest struct{ method, path, body string }
	toolRequest struct{ tool, arguments string }
)

func (in interfaces) faults() []fault {
	const latest = "/api/v2/schemas/demo@latest"
	arguments := func(document string) string {
		return `{"version":"demo@latest","datachain":` + in.compact(document) + `}`
	}
	unknown := strings.Replace(in.valid, `"element_id": "safety"`, `"element_id": "xylophone"`, 1)
	unknownFile := in.file("unknown.json", unknown)
	locale := strings.Replace(in.valid, `"locale": "en"`, `"locale": "xx"`, 1)
	localeFile := in.file("locale.json", locale)
	drifted := strings.Replace(in.resolved(), `"value":"Safety."`, `"value":"Danger."`, 1)
	driftedFile := in.file("it's drifted.json", drifted)
	other := strings.Replace(in.valid, demo, "demo@2020-02-02-beta", 1)
	otherFile := in.file("other.json", other)

	foreign := strings.Replace(in.valid, `"element_id": "safety"`, `"element_id": "lidar"`, 1)
	foreignFile := in.file("foreign.json", foreign)

	return []fault{
		{
			"element of another version",
			restRequest{"GET", latest + "/elements/lidar", ""},
			"GET /api/v2/schemas/" + demoBeta + "/elements/lidar shows the element in a version that has it.",
			toolRequest{"get_elements", `{"version":"demo@latest","element_ids":["camera","lidar"]}`},
			`get_element with version "` + demoBeta + `" and element_id "lidar" shows the element in a version that has it.`,
			[]string{"show", "demo@latest", "lidar", "--store", "store"},
			`"placard show ` + demoBeta + ` lidar --store store" shows the element in a version that has it.`,
		},
		{
			"document with an element of another version",
			restRequest{"POST", latest + "/validate", foreign},
			"GET /api/v2/schemas/" + demoBeta + "/elements/lidar shows the element in a version that has it.",
			toolRequest{"validate_datachain", arguments(foreign)},
			`get_element with version "` + demoBeta + `" and element_id "lidar" shows the element in a version that has it.`,
			[]string{"validate", foreignFile, "--store", "store"},
			`"placard show ` + demoBeta + ` lidar --store store" shows the element in a version that has it.`,
		},
		{
			"thin document sent to validate_resolved",
			restRequest{"POST", latest + "/validate_resolved", in.valid},
			"POST " + latest + "/validate validates the document.",
			toolRequest{"validate_resolved", `{"datachain":` + in.compact(in.valid) + `}`},
			`validate_datachain with version "` + demo + `" validates the document.`,
			nil, "",
		},
		{
			"resolved document sent to validate",
			restRequest{"POST", latest + "/validate", in.resolved()},
			"POST " + latest + "/validate_resolved validates a resolved document.",
			toolRequest{"validate_datachain", arguments(in.resolved())},
			`validate_resolved with version "demo@latest" validates a resolved document.`,
			nil, "",
		},
		{
			"unknown element",
			restRequest{"GET", latest + "/elements/xylophone", ""},
			"GET " + latest + "/elements lists the elements.",
			toolRequest{"get_element", `{"version":"demo@latest","element_id":"xylophone"}`},
			`list_elements with version "demo@latest" lists the elements.`,
			[]string{"show", "demo@latest", "xylophone", "--store", "store"},
			`"placard show demo@latest --store store" lists the elements.`,
		},
		{
			"unknown version",
			restRequest{"GET", "/api/v2/schemas/zoo@latest/manifest", ""},
			"GET /api/v2/schemas lists the published versions.",
			toolRequest{"get_schema", `{"version":"zoo@latest"}`},
			"list_schema_versions lists the published versions.",
			[]string{"show", "zoo@latest", "--store", "store"},
			`"placard list --store store" lists the published versions.`,
		},
		{
			"malformed version",
			restRequest{"GET", "/api/v2/schemas/zoo/manifest", ""},
			"GET /api/v2/schemas lists the published versions.",
			toolRequest{"get_schema", `{"version":"zoo"}`},
			"list_schema_versions lists the published versions.",
			nil, "",
		},
		{
			"unknown variant",
			restRequest{"GET", latest + "/elements/camera/icon.zoo.svg", ""},
			"GET " + latest + "/elements/camera shows the element with its icon variants and variables.",
			toolRequest{"get_icon_url", `{"version":"demo@latest","element_id":"camera","variant":"zoo"}`},
			`get_element with version "demo@latest" and element_id "camera" shows the element with its icon variants and variables.`,
			nil, "",
		},
		{
			"unknown locale",
			restRequest{"GET", latest + "/elements?query=x&locale=xx", ""},
			"GET " + latest + "/manifest shows the locales and subchains of the version.",
			toolRequest{"list_elements", `{"version":"demo@latest","query":"x","locale":"xx"}`},
			`get_schema with version "demo@latest" shows the locales and subchains of the version.`,
			nil, "",
		},
		{
			"unknown locale in a document",
			restRequest{"POST", latest + "/validate", locale},
			"GET " + latest + "/manifest shows the locales and subchains of the version.",
			toolRequest{"validate_datachain", arguments(locale)},
			`get_schema with version "demo@latest" shows the locales and subchains of the version.`,
			[]string{"validate", localeFile, "--store", "store"},
			`"placard show ` + demo + ` --store store" shows the locales and subchains of the version.`,
		},
		{
			"invalid cursor",
			restRequest{"GET", latest + "/elements?cursor=abc", ""},
			"GET " + latest + "/elements lists the elements.",
			toolRequest{"list_elements", `{"version":"demo@latest","cursor":"abc"}`},
			`list_elements with version "demo@latest" lists the elements.`,
			nil, "",
		},
		{
			"invalid document sent to resolve",
			restRequest{"POST", latest + "/resolve", unknown},
			"GET " + latest + "/elements lists the elements.",
			toolRequest{"resolve_datachain", arguments(unknown)},
			`list_elements with version "demo@latest" lists the elements.`,
			[]string{"resolve", unknownFile, "--against", "demo@latest", "--store", "store"},
			`"placard show demo@latest --store store" lists the elements.`,
		},
		{
			"invalid document to render",
			restRequest{"POST", "/api/v2/schemas/" + demo + "/validate", unknown},
			"GET /api/v2/schemas/" + demo + "/elements lists the elements.",
			toolRequest{"render_datachain", arguments(unknown)},
			`list_elements with version "demo@latest" lists the elements.`,
			[]string{"render", unknownFile, "--store", "store"},
			`"placard show ` + demo + ` --store store" lists the elements.`,
		},
		{
			"drifted snapshot",
			restRequest{"POST", latest + "/validate_resolved", drifted},
			"POST " + latest + "/resolve resolves the document.",
			toolRequest{"validate_resolved", `{"datachain":` + drifted + `}`},
			`resolve_datachain with version "` + demo + `" resolves the document.`,
			[]string{"validate", driftedFile, "--store", "store"},
			`"placard resolve 'it'\''s drifted.json' --store store" resolves the document.`,
		},
		{
			"document for a version that is not published",
			restRequest{"POST", latest + "/validate", other},
			"GET /api/v2/schemas lists the published versions.",
			toolRequest{"validate_datachain", arguments(other)},
			"list_schema_versions lists the published versions.",
			[]string{"validate", otherFile, "--store", "store"},
			`"placard list --store store" lists the published versions.`,
		},
	}
}

func TestHintsNameTheCallOfEachInterface(t *testing.T) {
	in := newInterfaces(t)
	for _, f := range in.faults() {
		if f.rest.method != "" {
			if _, body := in.rest(f.rest.method, f.rest.path, f.rest.body); !strings.Contains(body, f.restCall) {
				t.Errorf("%s: REST: got %s, want a hint with %s", f.name, body, f.restCall)
			}
		}
		quoted, err := json.Marshal(f.mcpCall)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := in.mcp(f.mcp.tool, f.mcp.arguments); !strings.Contains(body, strings.Trim(string(quoted), `"`)) {
			t.Errorf("%s: MCP: got %s, want a hint with %s", f.name, body, f.mcpCall)
		}
		if f.terminal != nil {
			if out, _ := in.terminal(f.terminal...); !strings.Contains(out, f.command) {
				t.Errorf("%s: terminal: got %s, want a hint with %s", f.name, out, f.command)
			}
		}
	}
}

var (
	restCall    = regexp.MustCompile(`(GET|POST) (/[^\s"]+) [a-z]+s `)
	toolCall    = regexp.MustCompile(`(\w+)(?: with version "([^"]+)")?(?: and element_id "([^"]+)")? (?:lists|shows|validates|resolves) `)
	commandCall = regexp.MustCompile(`"(placard [^"]+)" [a-z]+s `)
)

// TestCallsInHintsSucceed makes every call that a hint names: in responses to
// faults and to the examples of all rules.
func TestCallsInHintsSucceed(t *testing.T) {
	in := newInterfaces(t)
	all := in.faults()
	tools := map[datachain.Operation]string{
		datachain.OpValidate: "validate_datachain", datachain.OpResolve: "resolve_datachain", datachain.OpValidateResolved: "validate_resolved",
	}
	commands := map[datachain.Operation]string{
		datachain.OpValidate: "validate", datachain.OpResolve: "resolve", datachain.OpValidateResolved: "validate",
	}
	for _, rule := range datachain.Rules() {
		name := in.file(string(rule.Code)+".json", rule.Example)
		for _, op := range rule.RaisedBy {
			all = append(all, fault{
				name:     string(rule.Code),
				rest:     restRequest{"POST", "/api/v2/schemas/demo@latest/" + string(op), rule.Example},
				mcp:      toolRequest{tools[op], `{"version":"demo@latest","datachain":` + in.compact(rule.Example) + `}`},
				terminal: []string{commands[op], name, "--store", in.store},
			})
		}
	}
	var restCalls, toolCalls, commandCalls [][]string
	seen := make(map[string]bool)
	collect := func(calls *[][]string, pattern *regexp.Regexp, hints ...string) {
		for _, hint := range hints {
			for _, m := range pattern.FindAllStringSubmatch(hint, -1) {
				if !seen[m[0]] {
					seen[m[0]] = true
					*calls = append(*calls, m)
				}
			}
		}
	}
	for _, f := range all {
		if f.rest.method != "" {
			_, body := in.rest(f.rest.method, f.rest.path, f.rest.body)
			collect(&restCalls, restCall, hints(t, body)...)
		}
		body, _ := in.mcp(f.mcp.tool, f.mcp.arguments)
		collect(&toolCalls, toolCall, hints(t, body)...)
		if f.terminal != nil {
			out, _ := in.terminal(f.terminal...)
			collect(&commandCalls, commandCall, out)
		}
	}

	resolved, valid := in.resolved(), in.compact(in.valid)
	for _, m := range restCalls {
		document := valid
		if strings.HasSuffix(m[2], "/validate_resolved") {
			document = resolved
		}
		if status, body := in.rest(m[1], m[2], document); status != 200 || !strings.Contains(body, `"ok":true`) {
			t.Errorf("%s: got status %d, %.300s, want success", m[0], status, body)
		}
	}
	for _, m := range toolCalls {
		arguments := make(map[string]any)
		if m[2] != "" {
			arguments["version"] = m[2]
		}
		if m[3] != "" {
			arguments["element_id"] = m[3]
		}
		switch m[1] {
		case "validate_datachain", "resolve_datachain":
			arguments["datachain"] = jsontext.Value(valid)
		case "validate_resolved":
			arguments["datachain"] = jsontext.Value(resolved)
		}
		encoded, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if body, failed := in.mcp(m[1], string(encoded)); failed || !strings.HasPrefix(body, `{"ok":true`) {
			t.Errorf("%s: got %.300s, want success", m[0], body)
		}
	}
	// Commands refer to the invalid document; a reader runs them once it is fixed.
	files, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		in.file(name, in.valid)
	}
	for _, m := range commandCalls {
		args, err := exec.Command("sh", "-c", "printf '%s\\n' "+strings.TrimPrefix(m[1], "placard ")).Output()
		if err != nil {
			t.Fatal(err)
		}
		if out, status := in.terminal(strings.Split(strings.TrimSpace(string(args)), "\n")...); status != exitOK {
			t.Errorf("%s: got status %d, %.300s, want success", m[0], status, out)
		}
	}
	if len(restCalls) < 7 || len(toolCalls) < 7 || len(commandCalls) < 5 {
		t.Errorf("got calls %q, %q and %q, want more", restCalls, toolCalls, commandCalls)
	}
}

// hints returns the hints of the problems in a response.
func hints(t *testing.T, body string) []string {
	t.Helper()
	var response struct {
		Errors   problem.List `json:"errors"`
		Warnings problem.List `json:"warnings"`
		Data     struct {
			Warnings problem.List `json:"warnings"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &response); err != nil {
		t.Fatalf("got %s: %v", body, err)
	}
	var all []string
	for _, list := range []problem.List{response.Errors, response.Warnings, response.Data.Warnings} {
		for _, p := range list {
			if p.FixHint == "" {
				t.Errorf("%s has no hint: %s", p.Code, p.Message)
			}
			all = append(all, p.FixHint)
		}
	}
	return all
}
