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

	"placard/internal/builtin"
	"placard/internal/mcpapi"
	"placard/internal/problem"
	"placard/internal/server"
	"placard/internal/testenv"
)

// runNode runs a program of Node, and returns what it printed and whether it
// succeeded.
func runNode(t testing.TB, stdin string, args ...string) (stdout, all string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, testenv.Node(t), args...)
	cmd.Dir = testenv.NPM(t)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return out.String(), colours.ReplaceAllString(out.String()+errors.String(), ""), err == nil
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// script puts a program of ours where it finds the packages.
func script(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "clients", name))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(testenv.NPM(t), "run-")
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

// guarded is a service behind all that placard serve puts in front of it, which
// answers for this machine only.
func guarded(t *testing.T) *service {
	t.Helper()
	return serving(t, builtin.Store(), mcpapi.Options{Version: "1.2.3"}, func(h http.Handler) http.Handler {
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

// everyCall are valid arguments for every tool.
func everyCall(t testing.TB, s *service) map[string]string {
	document := example(t, stable, "river_watch")
	calls := minimal(t, stable, document)
	calls["list_schema_versions"] = `{}`
	calls["validate_resolved"] = `{"datachain":` + string(s.call("resolve_datachain", with(stable, document, `,"locales":"*"`)).Data) + `}`
	return calls
}

var everyPrompt = map[string]map[string]string{
	"describe_system":   {"system": "A camera counts bicycles.", "version": "place@latest", "locale": "en"},
	"review_datachain":  {"datachain": "{}"},
	"propose_element":   {"need": "a sensor that smells"},
	"translate_content": {"locale": "de", "element_id": "radar"},
}

func TestTheTypeScriptClientsOfBothErasUseEverything(t *testing.T) {
	s := guarded(t)
	type named struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}
	var wanted struct {
		Calls   []named `json:"calls"`
		Prompts []named `json:"prompts"`
	}
	calls := everyCall(t, s)
	for _, name := range toolNames {
		var arguments any
		if err := json.Unmarshal([]byte(calls[name]), &arguments); err != nil {
			t.Fatal(err)
		}
		wanted.Calls = append(wanted.Calls, named{name, arguments})
	}
	for name, arguments := range everyPrompt {
		wanted.Prompts = append(wanted.Prompts, named{name, arguments})
	}
	stdin, err := json.Marshal(wanted)
	if err != nil {
		t.Fatal(err)
	}
	program := script(t, "client.mjs")
	for era, version := range map[string]string{"old": "2025-11-25", "new": "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			stdout, all, ok := runNode(t, string(stdin), program, era, s.URL+"/mcp")
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
				Resources, Listed, Completions []string
				View                           string
				Prompts                        map[string]int
				Unknown                        int
			}
			if err := json.Unmarshal([]byte(stdout), &got, json.MatchCaseInsensitiveNames(true)); err != nil || !ok {
				t.Fatalf("%v\n%.3000s", err, all)
			}
			if got.Version != version || got.Server.Name != "placard" || got.Server.Version != "1.2.3" || got.Instructions == "" {
				t.Errorf("speaks %s with %+v", got.Version, got.Server)
			}
			if diff := cmp.Diff(toolNames, got.Tools); diff != "" {
				t.Error(diff)
			}
			for _, name := range toolNames {
				if call := got.Calls[name]; !call.OK || call.IsError || call.Texts == 0 {
					t.Errorf("%s: %+v", name, call)
				}
			}
			if call := got.Calls["render_datachain"]; call.Texts != 2 || !slices.Contains(call.Meta, "placard/view") {
				t.Errorf("render_datachain: %+v", call)
			}
			if !strings.Contains(got.View, "Lower Tessel") {
				t.Errorf("the view is %.300s", got.View)
			}
			if len(got.Resources) != 1 || len(got.Listed) != len(everyPrompt) || len(got.Prompts) != len(everyPrompt) || !slices.Equal(got.Completions, []string{"place@latest"}) || got.Unknown != -32602 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestTheGoClientUsesEverything(t *testing.T) {
	s := guarded(t)
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
	calls := everyCall(t, s)
	for _, tool := range tools.Tools {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(calls[tool.Name]), &arguments); err != nil {
			t.Fatal(err)
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
		if err != nil || result.IsError || len(result.Content) == 0 || result.StructuredContent == nil {
			t.Errorf("%s: %+v, %v", tool.Name, result, err)
		}
	}
	if len(tools.Tools) != len(toolNames) {
		t.Errorf("%d tools", len(tools.Tools))
	}
	view, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ui://service/datachain/view.html"})
	if err != nil || !strings.Contains(view.Contents[0].Text, "Lower Tessel") {
		t.Errorf("%+v, %v", view, err)
	}
	for name, arguments := range everyPrompt {
		if prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments}); err != nil || len(prompt.Messages) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	completed, err := session.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "describe_system"},
		Argument: mcp.CompleteParamsArgument{Name: "locale", Value: "f"},
	})
	if err != nil || !slices.Equal(completed.Completion.Values, []string{"fr"}) {
		t.Errorf("%+v, %v", completed, err)
	}
}

// mustPass are the scenarios that ask for nothing but a server of the protocol,
// whether or not the suite counts them.
var mustPass = map[string][]string{
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

func TestTheConformanceSuite(t *testing.T) {
	s := guarded(t)
	expected, err := filepath.Abs("testdata/conformance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(testenv.NPM(t), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	for revision, scenarios := range mustPass {
		t.Run(revision, func(t *testing.T) {
			_, all, ok := runNode(t, "", suite, "server", "--url", s.URL+"/mcp", "--requirements", revision, "--expected-failures", expected)
			if !ok {
				_, summary, _ := strings.Cut(all, "=== SUMMARY")
				t.Errorf("%.6000s", summary)
			}
			for _, name := range scenarios {
				passed := regexp.MustCompile(`✓ ` + name + `: ([0-9]+) passed, 0 failed`).FindStringSubmatch(all)
				if passed == nil || passed[1] == "0" {
					t.Errorf("%s does not pass", name)
				}
			}
		})
	}
}

func TestTheInspectorFindsNothingToWarnOf(t *testing.T) {
	s := guarded(t)
	inspector := filepath.Join(testenv.NPM(t), "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	stdout, all, ok := runNode(t, "", inspector, "--cli", s.URL+"/mcp", "--transport", "http", "--method", "tools/list", "--strict")
	if !ok || strings.Contains(all, "Warning:") || strings.Contains(all, "Error:") || strings.Count(stdout, `"inputSchema"`) != len(toolNames) {
		t.Errorf("%.3000s", all)
	}
}
