package view_test

import (
	"fmt"
	"strings"
	"testing"

	"placard/internal/view"
)

func TestGistHasTheFirstAnswers(t *testing.T) {
	text := func(s string) view.Text { return view.Text{Text: s} }
	days := view.Placement{Heading: text("Trip records"), Caption: text("Kept for 90 days")}
	section := view.Section{Placements: []view.Placement{days, {Heading: text("City of Aldermere"), Caption: text("Decides"), IsNamed: true}, days}}
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
		section.Placements = append(section.Placements, view.Placement{Heading: text(fmt.Sprint(i))})
		part.Strands = append(part.Strands, view.Strand{Title: text(fmt.Sprint(i))})
	}
	check("Kept for 90 days · City of Aldermere · 0 · 1 · 2 · 3 · …", section.Gist())
	check("Video camera · 0 · 1 · 2 · 3 · 4 · …", part.Gist())
}
