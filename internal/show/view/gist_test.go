package view_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	htmlparse "golang.org/x/net/html"

	"placard/internal/show/view"
)

func TestGistHasTheFirstAnswers(t *testing.T) {
	text := func(s string) view.Text { return view.Text{Text: s} }
	days := view.Placement{Heading: text("Trip records"), Answer: text("Kept for 90 days")}
	section := view.Section{Placements: []view.Placement{days, {Answer: text("City of Aldermere")}, days}}
	part := view.Part{Strands: []view.Strand{{Title: text("Video camera")}}}
	check := func(want string, texts []view.Text) {
		t.Helper()
		var got []string
		for _, text := range texts {
			got = append(got, text.String())
		}
		if got := strings.Join(got, " · "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("Kept for 90 days · City of Aldermere", section.Gist())
	check("Video camera", part.Gist())
	for i := range 200 {
		section.Placements = append(section.Placements, view.Placement{Answer: text(fmt.Sprint(i))})
		part.Strands = append(part.Strands, view.Strand{Title: text(fmt.Sprint(i))})
	}
	check("Kept for 90 days · City of Aldermere · 0 · 1 · 2 · 3 · …", section.Gist())
	check("Video camera · 0 · 1 · 2 · 3 · 4 · …", part.Gist())
}

func TestListsHaveTheSeparatorOfTheirLanguage(t *testing.T) {
	for locale, separator := range map[string]string{"en": "\u00a0· ", "ja": "、"} {
		m := example(t, "smart_crossing", locale)
		var texts []string
		for _, text := range m.Parts[0].Strands[0].Sections[0].Gist() {
			texts = append(texts, text.String())
		}
		want := strings.Join(texts, separator)
		root, err := htmlparse.Parse(bytes.NewReader(html(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		var gists []string
		for n := range root.Descendants() {
			if n.Type == htmlparse.ElementNode && len(n.Attr) > 0 && n.Attr[0].Val == "gist" {
				gists = append(gists, textOf(n))
			}
		}
		if len(texts) < 2 || !slices.Contains(gists, want) {
			t.Errorf("%s: got %q, want %q among them", locale, gists, want)
		}
		channels := m.Choices[0].Values[1].Value.String()
		if !strings.Contains(channels, separator) {
			t.Errorf("%s: got the value %q, want a list with %q", locale, channels, separator)
		}
	}
}
