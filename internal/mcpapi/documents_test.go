package mcpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/mcpapi"
	"placard/internal/problem"
)

// with returns the arguments of a document tool.
func with(version, document string, more ...string) string {
	return `{"version":"` + version + `","datachain":` + document + strings.Join(more, "") + `}`
}

// posted sends a document to the REST API.
func (s *service) posted(path, document string) string {
	s.t.Helper()
	resp, err := s.Client().Post(s.URL+"/api/v2/schemas/"+path, "application/json", strings.NewReader(document))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%d %s (%v)", resp.StatusCode, data, err)
	}
	return string(data)
}

// wrong are documents with errors, by what is wrong.
var wrong = map[string]string{
	"shape":   `{"id":7,"elements":[]}`,
	"unknown": `{"id":"d","schema_version":"` + stable + `","created_at":"2026-01-05T10:00:00Z","elements":[{"element_id":"video_camra","lable":"x"}]}`,
}

func TestDocumentToolsFindWhatTheirRESTTwinsFind(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	documents := examples(t)
	for name, document := range wrong {
		documents[stable+" "+name] = document
	}
	for name, document := range documents {
		version, _, _ := strings.Cut(name, " ")
		var twin struct {
			OK       bool         `json:"ok"`
			Errors   problem.List `json:"errors"`
			Warnings problem.List `json:"warnings"`
		}
		if err := json.Unmarshal([]byte(s.posted(version+"/validate", document)), &twin); err != nil {
			t.Fatal(err)
		}
		r := s.call("validate_datachain", with(version, document))
		var data struct {
			Valid    bool         `json:"valid"`
			Warnings problem.List `json:"warnings"`
		}
		r.into(t, &data)
		if r.IsError || r.OK != twin.OK || data.Valid != twin.OK || r.About.Version != version {
			t.Errorf("%s: %.300s", name, r.Structured)
		}
		path := cmp.Comparer(func(a, b problem.Path) bool { return a == b })
		if diff := cmp.Diff(twin.Errors, r.Errors, path); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(len(twin.Warnings), len(data.Warnings)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestResolvingGivesTheDocumentItself(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for name, document := range examples(t) {
		version, _, _ := strings.Cut(name, " ")
		r := s.call("resolve_datachain", with(version, document, `,"locales":"*"`))
		var got, want map[string]any
		r.into(t, &got)
		if err := json.Unmarshal([]byte(s.posted(version+"/resolve", document)), &want); err != nil {
			t.Fatal(err)
		}
		delete(want, "ok")
		if diff := cmp.Diff(want, got); diff != "" || !r.OK {
			t.Errorf("%s: %.500s", name, diff)
		}
		for _, arguments := range []string{with(version, string(r.Data)), `{"datachain":` + string(r.Data) + `}`} {
			checked := s.call("validate_resolved", arguments)
			if !checked.OK || string(checked.Data) != `{"valid":true,"warnings":[]}` || checked.About.Version != version {
				t.Errorf("%s: %.500s", name, checked.Structured)
			}
		}
	}
	// Documents that no longer fit are answers, not failed calls.
	r := s.call("validate_resolved", `{"datachain":`+wrong["unknown"]+`}`)
	if r.IsError || r.OK || string(r.Data) != `{"valid":false,"warnings":[]}` {
		t.Errorf("%s", r.Structured)
	}
}

func TestADocumentThatIsNotValidIsAnAnswer(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tool := range []string{"validate_datachain", "resolve_datachain", "render_datachain"} {
		for name, document := range wrong {
			r := s.call(tool, with(stable, document))
			var data struct {
				Valid    *bool         `json:"valid"`
				Warnings *problem.List `json:"warnings"`
			}
			r.into(t, &data)
			if r.IsError || r.OK || len(r.Errors) == 0 || data.Valid == nil || *data.Valid || data.Warnings == nil {
				t.Errorf("%s of a document with the wrong %s: %.300s", tool, name, r.Structured)
			}
			if name == "shape" && r.Errors[0].Code != "parse_error" {
				t.Errorf("%s: %v", tool, codes(r.Errors))
			}
		}
	}
	// What is not JSON that we read cannot be an answer about a document.
	deep := `{"id":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`
	if r := s.call("validate_datachain", with(stable, deep)); !r.IsError || r.Errors[0].Code != "bad_request" {
		t.Errorf("%.300s", r.Structured)
	}
}

func TestARenderedDocumentIsSummedUpCountedAndDrawn(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := example(t, stable, "river_watch")
	resolved := string(s.call("resolve_datachain", with(stable, document, `,"locales":"*"`)).Data)
	for form, document := range map[string]string{"thin": document, "resolved": resolved} {
		r := s.call("render_datachain", with(stable, document))
		var data struct {
			URI      string       `json:"resource_uri"`
			Sections int          `json:"section_count"`
			Elements int          `json:"element_count"`
			Warnings problem.List `json:"warnings"`
			Summary  string       `json:"summary"`
		}
		r.into(t, &data)
		if !r.OK || data.URI != "ui://service/datachain/view.html" || data.Sections != 10 || data.Elements != 18 || data.Warnings == nil {
			t.Errorf("%s: %.500s", form, r.Structured)
		}
		if len(r.Content) != 2 || !strings.Contains(r.Content[0].Text, data.Summary) || !strings.Contains(data.Summary, "Sensing: Water gauge (Continuous)") {
			t.Errorf("%s: %s", form, r.Content[0].Text)
		}
		if string(r.Meta["ui"]) != `{"resourceUri":"ui://service/datachain/view.html"}` || !strings.Contains(string(r.Meta["placard/view"]), "<svg") {
			t.Errorf("%s: _meta %.300s", form, r.Meta)
		}
		if html := s.view("a"); strings.Contains(html, "Lower Tessel") {
			t.Error("another session sees it")
		}
		if html := s.view(""); !strings.Contains(html, "<h1>") || !strings.Contains(html, "Lower Tessel") || strings.Contains(html, "awaiting") {
			t.Errorf("%s: the view is %.300s", form, html)
		}
	}
	french := s.call("render_datachain", with(stable, document, `,"locale":"fr"`))
	if !strings.Contains(french.Content[0].Text, "Basse-Tessel") {
		t.Errorf("%s", french.Content[0].Text)
	}
	// A document that is not valid leaves the view as it was.
	s.call("render_datachain", with(stable, wrong["unknown"]))
	if html := s.view(""); !strings.Contains(html, "Basse-Tessel") {
		t.Error("the view is gone")
	}
}

// view reads the resource in a session.
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
	s.ask("resources/read", `{"uri":"ui://service/datachain/view.html"}`, &read, header...)
	if len(read.Contents) != 1 || read.Contents[0].MimeType != "text/html;profile=mcp-app" || read.Contents[0].URI != "ui://service/datachain/view.html" || read.Contents[0].Meta.UI == nil {
		s.t.Fatalf("%+v", read)
	}
	return read.Contents[0].Text
}

func TestTheViewBelongsToItsSession(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	if html := s.view("a"); !strings.Contains(html, "<title>datachain (awaiting tool call)</title>") {
		t.Errorf("before anything is drawn: %.300s", html)
	}
	s.call("render_datachain", with(stable, example(t, stable, "river_watch")), "Mcp-Session-Id", "a")
	s.call("render_datachain", with(stable, example(t, stable, "smart_crossing")), "Mcp-Session-Id", "b")
	s.call("render_datachain", with(stable, example(t, stable, "station_gates")))
	river, crossing, gates := "Lower Tessel", "crossing", "gates"
	for session, sees := range map[string]string{"a": river, "b": crossing, "": gates, "__service_default_session__": gates} {
		html := strings.ToLower(s.view(session))
		for _, other := range []string{river, crossing, gates} {
			title, _, _ := strings.Cut(html[strings.Index(html, "<title>"):], "</title>")
			if strings.Contains(title, strings.ToLower(other)) != (other == sees) {
				t.Errorf("session %q: %s", session, title)
			}
		}
	}
	if html := s.view("A"); !strings.Contains(html, "awaiting") {
		t.Error("sessions are told apart without regard to case")
	}
}

func TestTheOnlyResourceIsListed(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	var list struct {
		Resources []struct{ URI, Name, MimeType string }
	}
	s.ask("resources/list", `{}`, &list)
	if len(list.Resources) != 1 || list.Resources[0].URI != "ui://service/datachain/view.html" || list.Resources[0].Name != "Datachain View" || list.Resources[0].MimeType != "text/html;profile=mcp-app" {
		t.Errorf("%+v", list)
	}
}
