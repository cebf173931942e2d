package httpapi_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"placard/internal/serve/httpapi"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/scripts/envtest"
)

// newBuiltinService returns a service with the built-in taxonomy.
func newBuiltinService(t *testing.T) *service {
	t.Helper()
	s := &service{t: t, catalog: catalog.New(builtin.Store(), catalog.Options{Log: slog.New(slog.DiscardHandler)})}
	s.Server = httptest.NewServer(httpapi.New(httpapi.Options{Catalog: s.catalog}))
	t.Cleanup(s.Close)
	s.refresh()
	return s
}

// TestRedoclyFindsNothing runs redocly lint with its default rules.
func TestRedoclyFindsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, []byte(newService(t).get("/api/v2/openapi.json").body), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), envtest.Node(t),
		filepath.Join(envtest.NPM(t), "node_modules", "@redocly", "cli", "bin", "cli.js"), "lint", "--format", "json", file)
	cmd.Dir = filepath.Dir(file) // has no configuration
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	var report struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct {
			Message, RuleID string
			Location        []struct{ Pointer string }
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v, %v\n%s\n%s", runErr, err, &stdout, &stderr)
	}
	for _, p := range report.Problems {
		t.Errorf("%s: %s %v", p.RuleID, p.Message, p.Location)
	}
	if got := report.Totals; runErr != nil || got.Errors+got.Warnings+got.Ignored != 0 {
		t.Errorf("got %+v, %v, want no problems\n%s", got, runErr, &stderr)
	}
}

// TestOpenAPIExamplesAreAccepted sends a request to every route, with the
// examples of the document as path parameters and body.
func TestOpenAPIExamplesAreAccepted(t *testing.T) {
	c, s := newContract(t), newBuiltinService(t)
	for pattern, item := range c.Paths.Map() {
		for method, op := range item.Operations() {
			path := pattern
			for _, p := range op.Parameters {
				if !p.Value.Required {
					continue
				}
				example, ok := p.Value.Example.(string)
				if !ok {
					t.Errorf("%s: parameter %s has no example", op.OperationID, p.Value.Name)
				}
				if p.Value.In == openapi3.ParameterInQuery {
					path += "?" + url.Values{p.Value.Name: {example}}.Encode() // at most one
				}
				path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", example)
			}
			var resp response
			var body string
			if op.RequestBody == nil {
				resp = s.do(method, path)
			} else {
				example := op.RequestBody.Value.Content.Get("application/json").Example
				if example == nil {
					t.Errorf("%s has no example of a request body", op.OperationID)
				}
				data, err := json.Marshal(example)
				if err != nil {
					t.Fatal(err)
				}
				body = string(data)
				resp = s.post(strings.TrimPrefix(path, "/api/v2/schemas/"), body)
			}
			if resp.status != http.StatusOK || strings.Contains(resp.body, `"ok":false`) || strings.Contains(resp.body, `"warnings":[{`) {
				t.Errorf("%s %s: got %d %s, want success without warnings", method, path, resp.status, resp.body)
			}
			c.check(t, method, path, body, resp)
		}
	}
}
