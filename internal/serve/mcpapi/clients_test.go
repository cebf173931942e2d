package mcpapi_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"placard/internal/core/problem"
	"placard/internal/serve/mcpapi"
	"placard/internal/serve/server"
	"placard/scripts/envtest"
)

// runNode runs Node.js. It returns the standard output, the combined standard
// output and standard error without colours, and whether the program succeeded.
func runNode(t testing.TB, stdin string, args ...string) (stdout, all string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, envtest.Node(t), args...)
	cmd.Dir = envtest.NPM(t)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return out.String(), ansiEscapes.ReplaceAllString(out.String()+errOut.String(), ""), err == nil
}

var ansiEscapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// copyScript copies a script to a folder from which it can import the npm packages
// and returns its path.
func copyScript(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "clients", name))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(envtest.NPM(t), "run-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// newServiceWithMiddleware returns a service behind the middleware of placard
// serve, restricted to local hosts.
func newServiceWithMiddleware(t *testing.T) *service {
	t.Helper()
	return serveCatalog(t, mcpapi.BuiltinCatalog, mcpapi.Options{Version: "1.2.3"}, func(h http.Handler) http.Handler {
		return server.Handler(server.Options{
			Handler:      h,
			AllowedHosts: []string{"127.0.0.1", "localhost", "::1"},
			Refuse: func(w http.ResponseWriter, _ *http.Request, p problem.Problem) {
				mcpapi.WriteError(w, p)
			},
			Log: slog.New(slog.DiscardHandler),
		})
	})
}

// validCalls returns valid arguments for every tool, by tool name.
func validCalls(t testing.TB, s *service) map[string]string {
	document := example(t, stable, "river_watch")
	calls := requiredArguments(t, stable, document)
	calls["list_schema_versions"] = `{}`
	calls["validate_resolved"] = `{"datachain":` + string(s.call("resolve_datachain", documentArguments(stable, document, `,"locales":"*"`)).Data) + `}`
	return calls
}

var validPrompts = map[string]map[string]string{
	"describe_system":   {"system": "A camera counts bicycles.", "version": "place@latest", "locale": "en"},
	"review_datachain":  {"datachain": "{}"},
	"propose_element":   {"need": "a sensor that smells"},
	"translate_content": {"locale": "de", "element_id": "radar"},
}

func TestTypeScriptClients(t *testing.T) {
	s := newServiceWithMiddleware(t)
	type invocation struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}
	var input struct {
		Calls   []invocation `json:"calls"`
		Prompts []invocation `json:"prompts"`
	}
	calls := validCalls(t, s)
	for _, name := range toolNames {
		var arguments any
		if err := json.Unmarshal([]byte(calls[name]), &arguments); err != nil {
			t.Fatal(err)
		}
		input.Calls = append(input.Calls, invocation{name, arguments})
	}
	for name, arguments := range validPrompts {
		input.Prompts = append(input.Prompts, invocation{name, arguments})
	}
	stdin, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	script := copyScript(t, "client.mjs")
	// The stateless protocol stores no view for clients without a session id.
	views := map[string]string{"old": "Lower Tessel", "new": "awaiting tool call"}
	for generation, version := range map[string]string{"old": "2025-11-25", "new": "2026-07-28"} {
		t.Run(generation, func(t *testing.T) {
			stdout, all, ok := runNode(t, string(stdin), script, generation, s.URL+"/mcp")
			var got struct {
				Version      string
				Server       struct{ Name, Version string }
				Instructions string
				Tools        []string
				Calls        map[string]struct {
					OK, IsError bool
					Texts       int
					Meta        []string
				}
				Resources, PromptNames, Completions []string
				View                                string
				Prompts                             map[string]int
				Unknown                             int
			}
			if err := json.Unmarshal([]byte(stdout), &got, json.MatchCaseInsensitiveNames(true)); err != nil || !ok {
				t.Fatalf("%v\n%.3000s", err, all)
			}
			if got.Version != version || got.Server.Name != "placard" || got.Server.Version != "1.2.3" || got.Instructions == "" {
				t.Errorf("got version %s, server %+v, instructions %.100q; want version %s", got.Version, got.Server, got.Instructions, version)
			}
			if diff := cmp.Diff(toolNames, got.Tools); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			for _, name := range toolNames {
				if call := got.Calls[name]; !call.OK || call.IsError || call.Texts == 0 {
					t.Errorf("%s: got %+v", name, call)
				}
			}
			if call := got.Calls["render_datachain"]; call.Texts != 2 || !slices.Contains(call.Meta, "placard/view") {
				t.Errorf("render_datachain: got %+v", call)
			}
			if !strings.Contains(got.View, views[generation]) {
				t.Errorf("got view %.300s, want one with %q", got.View, views[generation])
			}
			if len(got.Resources) != 1 || len(got.PromptNames) != len(validPrompts) || len(got.Prompts) != len(validPrompts) || !slices.Equal(got.Completions, []string{"place@latest"}) || got.Unknown != -32602 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestGoClient(t *testing.T) {
	s := newServiceWithMiddleware(t)
	ctx := t.Context()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: s.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := validCalls(t, s)
	for _, tool := range tools.Tools {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(calls[tool.Name]), &arguments); err != nil {
			t.Fatal(err)
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
		if err != nil || result.IsError || len(result.Content) == 0 || result.StructuredContent == nil {
			t.Errorf("%s: got %+v, %v", tool.Name, result, err)
		}
	}
	if len(tools.Tools) != len(toolNames) {
		t.Errorf("got %d tools, want %d", len(tools.Tools), len(toolNames))
	}
	view, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ui://service/datachain/view.html"})
	if err != nil || !strings.Contains(view.Contents[0].Text, "awaiting tool call") { // the client uses the stateless protocol
		t.Errorf("got %+v, %v", view, err)
	}
	for name, arguments := range validPrompts {
		if prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments}); err != nil || len(prompt.Messages) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	completed, err := session.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "describe_system"},
		Argument: mcp.CompleteParamsArgument{Name: "locale", Value: "f"},
	})
	if err != nil || !slices.Equal(completed.Completion.Values, []string{"fr"}) {
		t.Errorf("got %+v, %v", completed, err)
	}
}

// requiredScenarios are the scenarios, by protocol version, that need no fixture
// server. They must pass even if the suite does not require them.
var requiredScenarios = map[string][]string{
	"2025-11-25": {
		"server-initialize", "ping", "logging-set-level", "completion-complete", "tools-list", "resources-list", "prompts-list",
		"dns-rebinding-protection", "server-session-lifecycle", "server-sse-multiple-streams",
	},
	"2026-07-28": {
		"completion-complete", "tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching",
		"http-header-validation", "dns-rebinding-protection", "server-sse-multiple-streams",
		"input-required-result-unsupported-methods", "input-required-result-validate-input",
	},
}

func TestConformanceSuite(t *testing.T) {
	s := newServiceWithMiddleware(t)
	expected, err := filepath.Abs("testdata/conformance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(envtest.NPM(t), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	for version, scenarios := range requiredScenarios {
		t.Run(version, func(t *testing.T) {
			_, all, ok := runNode(t, "", suite, "server", "--url", s.URL+"/mcp", "--requirements", version, "--expected-failures", expected)
			if !ok {
				_, summary, _ := strings.Cut(all, "=== SUMMARY")
				t.Errorf("conformance suite failed:\n%.6000s", summary)
			}
			for _, name := range scenarios {
				passed := regexp.MustCompile(`✓ ` + name + `: ([0-9]+) passed, 0 failed`).FindStringSubmatch(all)
				if passed == nil || passed[1] == "0" {
					t.Errorf("scenario %s did not pass", name)
				}
			}
		})
	}
}

func TestInspectorReportsNoWarnings(t *testing.T) {
	s := newServiceWithMiddleware(t)
	inspector := filepath.Join(envtest.NPM(t), "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	stdout, all, ok := runNode(t, "", inspector, "--cli", s.URL+"/mcp", "--transport", "http", "--method", "tools/list", "--strict")
	if !ok || strings.Contains(all, "Warning:") || strings.Contains(all, "Error:") || strings.Count(stdout, `"inputSchema"`) != len(toolNames) {
		t.Errorf("inspector failed:\n%.3000s", all)
	}
}
