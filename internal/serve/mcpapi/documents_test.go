package mcpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/serve/mcpapi"
)

// documentArguments returns the arguments of a document tool. more are further
// members, each preceded by a comma.
func documentArguments(version, document string, more ...string) string {
	return `{"version":"` + version + `","datachain":` + document + strings.Join(more, "") + `}`
}

// postREST posts a document to the REST API and returns the body of the response.
func (s *service) postREST(path, document string) string {
	s.t.Helper()
	resp, err := s.Client().Post(s.URL+"/api/v2/schemas/"+path, "application/json", strings.NewReader(document))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("got %d %s, error %v", resp.StatusCode, data, err)
	}
	return string(data)
}

// invalidDocuments are documents with errors, by kind of error.
var invalidDocuments = map[string]string{
	"malformed": `{"id":7,"elements":[]}`,
	"misspelt":  `{"id":"d","schema_version":"` + stable + `","created_at":"2026-01-05T10:00:00Z","elements":[{"element_id":"video_camra","lable":"x"}]}`,
}

func TestDocumentToolsReportTheSameProblemsAsREST(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	documents := examples(t)
	for name, document := range invalidDocuments {
		documents[stable+" "+name] = document
	}
	for name, document := range documents {
		version, _, _ := strings.Cut(name, " ")
		var rest struct {
			OK       bool         `json:"ok"`
			Errors   problem.List `json:"errors"`
			Warnings problem.List `json:"warnings"`
		}
		if err := json.Unmarshal([]byte(s.postREST(version+"/validate", document)), &rest); err != nil {
			t.Fatal(err)
		}
		r := s.call("validate_datachain", documentArguments(version, document))
		var data struct {
			Valid    bool         `json:"valid"`
			Warnings problem.List `json:"warnings"`
		}
		r.into(t, &data)
		if r.IsError || r.OK != rest.OK || data.Valid != rest.OK || r.EnvelopeMeta.Version != version {
			t.Errorf("%s: got %.300s", name, r.Structured)
		}
		path := cmp.Comparer(func(a, b problem.Path) bool { return a == b })
		for i, p := range rest.Errors {
			rest.Errors[i].FixHint = strings.ReplaceAll(p.FixHint, "GET /api/v2/schemas lists", "list_schema_versions lists")
		}
		if diff := cmp.Diff(rest.Errors, r.Errors, path, cmp.AllowUnexported(problem.Problem{})); diff != "" {
			t.Errorf("%s: errors (-rest +tool):\n%s", name, diff)
		}
		if got, want := len(data.Warnings), len(rest.Warnings); got != want {
			t.Errorf("%s: got %d warnings, want %d", name, got, want)
		}
	}
}

func TestResolveReturnsTheSameDocumentAsREST(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for name, document := range examples(t) {
		version, _, _ := strings.Cut(name, " ")
		r := s.call("resolve_datachain", documentArguments(version, document, `,"locales":"*"`))
		var got, want map[string]any
		r.into(t, &got)
		if err := json.Unmarshal([]byte(s.postREST(version+"/resolve", document)), &want); err != nil {
			t.Fatal(err)
		}
		delete(want, "ok")
		if diff := cmp.Diff(want, got); diff != "" || !r.OK {
			t.Errorf("%s: document (-rest +tool):\n%.500s", name, diff)
		}
		for _, arguments := range []string{documentArguments(version, string(r.Data)), `{"datachain":` + string(r.Data) + `}`} {
			checked := s.call("validate_resolved", arguments)
			if !checked.OK || string(checked.Data) != `{"valid":true,"warnings":[]}` || checked.EnvelopeMeta.Version != version {
				t.Errorf("%s: got %.500s", name, checked.Structured)
			}
		}
	}
	// An invalid document is a regular result, not a failed call.
	r := s.call("validate_resolved", `{"datachain":`+invalidDocuments["misspelt"]+`}`)
	if r.IsError || r.OK || string(r.Data) != `{"valid":false,"warnings":[]}` {
		t.Errorf("got %s", r.Structured)
	}
}

func TestInvalidDocumentIsNotAnErrorResult(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tool := range []string{"validate_datachain", "resolve_datachain", "render_datachain"} {
		for name, document := range invalidDocuments {
			r := s.call(tool, documentArguments(stable, document))
			var data struct {
				Valid    *bool         `json:"valid"`
				Warnings *problem.List `json:"warnings"`
			}
			r.into(t, &data)
			if r.IsError || r.OK || len(r.Errors) == 0 || data.Valid == nil || *data.Valid || data.Warnings == nil {
				t.Errorf("%s, %s document: got %.300s", tool, name, r.Structured)
			}
			if name == "malformed" && r.Errors[0].Code != "parse_error" {
				t.Errorf("%s: got codes %v, want parse_error first", tool, codes(r.Errors))
			}
		}
	}
	// JSON that exceeds the nesting limit is a failed call.
	deep := `{"id":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`
	if r := s.call("validate_datachain", documentArguments(stable, deep)); !r.IsError || r.Errors[0].Code != "bad_request" {
		t.Errorf("got %.300s", r.Structured)
	}
}

func TestRenderReturnsSummaryAndStoresView(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := example(t, stable, "river_watch")
	resolved := string(s.call("resolve_datachain", documentArguments(stable, document, `,"locales":"*"`)).Data)
	for kind, document := range map[string]string{"thin": document, "resolved": resolved} {
		r := s.call("render_datachain", documentArguments(stable, document))
		var data struct {
			URI      string       `json:"resource_uri"`
			Sections int          `json:"section_count"`
			Elements int          `json:"element_count"`
			Warnings problem.List `json:"warnings"`
			Summary  string       `json:"summary"`
		}
		r.into(t, &data)
		if !r.OK || data.URI != "ui://service/datachain/view.html" || data.Sections != 10 || data.Elements != 18 || data.Warnings == nil {
			t.Errorf("%s: got %.500s", kind, r.Structured)
		}
		if len(r.Content) != 2 || !strings.Contains(r.Content[0].Text, data.Summary) || !strings.Contains(data.Summary, "Sensors: Water gauge (Continuously)") {
			t.Errorf("%s: got %s", kind, r.Content[0].Text)
		}
		if string(r.Meta["ui"]) != `{"resourceUri":"ui://service/datachain/view.html"}` || !strings.Contains(string(r.Meta["placard/view"]), "<svg") {
			t.Errorf("%s: got _meta %.300s", kind, r.Meta)
		}
		if html := s.view("a"); strings.Contains(html, "Lower Tessel") {
			t.Error("the view is visible in another session")
		}
		if html := s.view(""); !strings.Contains(html, "<h1>") || !strings.Contains(html, "Lower Tessel") || strings.Contains(html, "awaiting") {
			t.Errorf("%s: got view %.300s", kind, html)
		}
	}
	french := s.call("render_datachain", documentArguments(stable, document, `,"locale":"fr"`))
	if !strings.Contains(french.Content[0].Text, "Basse-Tessel") {
		t.Errorf("got %s", french.Content[0].Text)
	}
	// An invalid document does not replace the view.
	s.call("render_datachain", documentArguments(stable, invalidDocuments["misspelt"]))
	if html := s.view(""); !strings.Contains(html, "Basse-Tessel") {
		t.Error("an invalid document replaced the view")
	}
}

// view returns the view of a session.
func (s *service) view(session string) string {
	s.t.Helper()
	var read struct {
		Contents []struct {
			URI      string
			MimeType string
			Text     string
			Meta     struct {
				UI map[string]any `json:"ui"`
			} `json:"_meta"`
		}
	}
	var header []string
	if session != "" {
		header = []string{"Mcp-Session-Id", session}
	}
	s.invoke("resources/read", `{"uri":"ui://service/datachain/view.html"}`, &read, header...)
	if len(read.Contents) != 1 || read.Contents[0].MimeType != "text/html;profile=mcp-app" || read.Contents[0].URI != "ui://service/datachain/view.html" || read.Contents[0].Meta.UI == nil {
		s.t.Fatalf("got %+v", read)
	}
	return read.Contents[0].Text
}

func TestViewsAreSeparatedBySession(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	if html := s.view("a"); !strings.Contains(html, "<title>datachain (awaiting tool call)</title>") {
		t.Errorf("before the first rendering: got %.300s", html)
	}
	s.call("render_datachain", documentArguments(stable, example(t, stable, "river_watch")), "Mcp-Session-Id", "a")
	s.call("render_datachain", documentArguments(stable, example(t, stable, "smart_crossing")), "Mcp-Session-Id", "b")
	s.call("render_datachain", documentArguments(stable, example(t, stable, "station_gates")))
	river, crossing, gates := "Lower Tessel", "crossing", "gates"
	for session, want := range map[string]string{"a": river, "b": crossing, "": gates, "__service_default_session__": gates} {
		html := strings.ToLower(s.view(session))
		for _, other := range []string{river, crossing, gates} {
			title, _, _ := strings.Cut(html[strings.Index(html, "<title>"):], "</title>")
			if strings.Contains(title, strings.ToLower(other)) != (other == want) {
				t.Errorf("session %q: got %s, want %s", session, title, want)
			}
		}
	}
	if html := s.view("A"); !strings.Contains(html, "awaiting") {
		t.Error("session ids are not case-sensitive")
	}
}

func TestListResources(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	var list struct {
		Resources []struct{ URI, Name, MimeType string }
	}
	s.invoke("resources/list", `{}`, &list)
	if len(list.Resources) != 1 || list.Resources[0].URI != "ui://service/datachain/view.html" || list.Resources[0].Name != "Datachain View" || list.Resources[0].MimeType != "text/html;profile=mcp-app" {
		t.Errorf("got %+v", list)
	}
}
