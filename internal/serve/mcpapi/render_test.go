package mcpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"placard/internal/serve/mcpapi"
)

func TestRenderedTextHasAllValuesAndNoView(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := example(t, stable, "station_gates")
	r := s.call("render_datachain", documentArguments(stable, document, `,"format":"text","locale":"fr"`))
	var data struct {
		URI      *string `json:"resource_uri"`
		Sections int     `json:"section_count"`
		Text     string  `json:"text"`
	}
	r.into(t, &data)
	if !r.OK || data.URI != nil || data.Sections == 0 || r.EnvelopeMeta.Notice != "" || len(r.Meta) != 0 {
		t.Errorf("got %.500s, _meta %.100s", r.Structured, r.Meta)
	}
	for _, want := range []string{"Conservation : 90 jours", "Contact: privacy@salvanmetro.example.org", "Organisme public ou privé qui exploite des trains"} {
		if !strings.Contains(data.Text, want) {
			t.Errorf("%q is missing in the text %s", want, data.Text)
		}
	}
	if len(r.Content) != 2 || !strings.Contains(r.Content[0].Text, "\n"+data.Text+"\n</datachain-") {
		t.Errorf("got %s", r.Content[0].Text)
	}
	if html := s.view(""); !strings.Contains(html, "awaiting") {
		t.Error("rendering as text stored a view")
	}

	summary, _ := s.call("render_datachain", documentArguments(stable, document, `,"format":"html"`)).dataMember(t, "summary").(string)
	for _, want := range []string{"Kept for 90 days", "privacy@salvanmetro.example.org"} {
		if !strings.Contains(summary, want) {
			t.Errorf("%q is missing in the summary %s", want, summary)
		}
	}
}

func TestRenderingAnInvalidDocumentSaysThatNothingWasRendered(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	s.call("render_datachain", documentArguments(stable, example(t, stable, "river_watch")))
	before := s.view("")
	for _, format := range []string{"html", "text"} {
		for _, document := range []string{`{"id":1}`, strings.Replace(shortDocument, "upkeep", "nothing", 1)} {
			r := s.call("render_datachain", documentArguments(stable, document, `,"format":"`+format+`"`))
			if r.OK || r.IsError || !strings.HasPrefix(r.EnvelopeMeta.Notice, "Nothing was rendered: ") {
				t.Errorf("%s: got %.300s", format, r.Structured)
			}
		}
	}
	if s.view("") != before {
		t.Error("the view changed")
	}
}

func TestRenderedTextIsComplete(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	sources := make([]string, 6000)
	for i := range sources {
		sources[i] = fmt.Sprintf(`{"type":"report","title":"Report %d"}`, i)
	}
	document := strings.Replace(example(t, stable, "river_watch"), `"elements": [`, `"sources": [`+strings.Join(sources, ",")+`], "elements": [`, 1)
	r := s.call("render_datachain", documentArguments(stable, document, `,"format":"text"`))
	text, _ := r.dataMember(t, "text").(string)
	if !r.OK || !strings.Contains(text, "Report 5999") || !strings.Contains(r.EnvelopeMeta.Notice, "many hosts truncate") {
		t.Errorf("got notice %q, errors %v", r.EnvelopeMeta.Notice, r.Errors)
	}
}
