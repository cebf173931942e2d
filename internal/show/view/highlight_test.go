package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/show/view"
)

// highlights describes the highlights, the choices and the responsible
// organisation of m.
func highlights(m *view.Model) []string {
	var lines []string
	for _, h := range m.Highlights {
		line := h.Category + ": " + answer(&h)
		if h.Also != nil {
			line += ", also " + answer(h.Also)
		}
		lines = append(lines, line)
	}
	if r := m.Responsible; r != nil {
		line := fmt.Sprintf("responsible: %s", r.Name)
		for _, c := range r.Contacts {
			line += " " + c.Href
		}
		lines = append(lines, line)
	}
	for i := range m.Choices {
		lines = append(lines, fmt.Sprintf("choice: %s, %d", m.Choices[i].ElementID, len(m.Choices[i].Actions)))
	}
	return lines
}

// answer describes one placement of a highlight.
func answer(h *view.Highlight) string {
	s := h.ElementID
	if !h.Caption.IsZero() {
		s += fmt.Sprintf(" named %s, %s", h.Heading, h.Caption)
	}
	if h.Remaining > 0 {
		s += fmt.Sprintf(" +%d", h.Remaining)
	}
	return s
}

func TestHighlightsOfExamples(t *testing.T) {
	for name, want := range map[string][]string{
		"smart_crossing": {
			"data: head_count +1, also pictures",
			"sensing: thermal_camera named Thermal camera, Thermal cameras on both signal poles +2, also ground_loop +1",
			"purpose: accessible_travel +1, also traffic_flow",
			"outcome: signal_change",
			"retention: kept_for named Kept for 5 years, Hourly totals +1, also never_stored named Never stored, Heat images",
			"accountable: public_authority named City of Aldermere, Streets Department, Public authority +1, also private_company named Brightpole Signals Ltd, Private company",
			"responsible: City of Aldermere, Streets Department mailto:streets@aldermere.example.org",
			"choice: contact_point, 2",
			"choice: complain, 1",
		},
		// The most identifying data is that of entry by face, and so are the device and the outcome.
		"station_gates": {
			"data: face_template +2, also pictures +1",
			"sensing: video_camera +2, also radio_listener +1",
			"purpose: accessible_travel +1, also rule_enforcement named Enforcing rules, Ticket checks",
			"outcome: gate_decision named Face entry (trial), Entry control +1, also gate_decision named Entry by card, Entry control",
			"retention: kept_while_needed named Kept while needed, Face templates +1, also kept_for named Kept for 90 days, Trip records",
			"accountable: transport_operator named Salvan Metro, Transport operator +1, also private_company named Veriline Systems, Private company",
			"responsible: Salvan Metro mailto:privacy@salvanmetro.example.org",
			"choice: opt_out, 1",
			"choice: contact_point, 2",
			"choice: erase_data, 1",
			"choice: human_review, 1",
		},
		// The team is sent out because of the water readings, although the display of the
		// air readings weighs more. Open data is a choice because of its action.
		"river_watch": {
			"data: surroundings named Water readings, Environmental readings +1, also surroundings named Air readings, Environmental readings",
			"sensing: water_gauge +1, also air_sensor",
			"purpose: environment_watch +1, also public_safety",
			"outcome: team_dispatch +1, also public_display",
			"retention: kept_indefinitely",
			"accountable: research_institution named University of Ostmere, Institute for Rivers, Research institution +1, also community_group named Tessel Neighbours Association, Community group",
			"responsible: University of Ostmere, Institute for Rivers mailto:rivers@ostmere.example.org",
			"choice: contact_point, 2",
			"choice: complain, 1",
			"choice: open_data, 1",
		},
	} {
		if diff := cmp.Diff(want, highlights(example(t, name, "en"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestChoiceOfHighlights(t *testing.T) {
	const (
		safety   = `{"element_id": "safety"}`
		pictures = `{"element_id": "pictures", "context_type_id": "fine"}`
		coarse   = `{"element_id": "pictures", "context_type_id": "coarse", "label": "Coarse ones"}`
		plain    = `{"element_id": "pictures"}`
		action   = `"actions": [{"type": "email", "label": [], "target": "a@example.org"}]`
		note     = `"variables": [{"id": "note", "value": [{"locale": "en", "value": "Ring the bell, or +44 1632 960001"}]}]`
	)
	for name, test := range map[string]struct {
		change    func(purpose, data *taxonomy.Category)
		documents []string
		want      []string
	}{
		"a taxonomy without ranks": {
			documents: []string{pictures, safety},
			want:      []string{"purpose: safety", "data: pictures"},
		},
		"ranks": {
			change:    func(purpose, data *taxonomy.Category) { purpose.Sign, data.Sign = 2, 1 },
			documents: []string{safety, pictures},
			want:      []string{"data: pictures", "purpose: safety"},
		},
		"a category without a rank": {
			change:    func(purpose, _ *taxonomy.Category) { purpose.Sign = 7 },
			documents: []string{pictures, safety},
			want:      []string{"purpose: safety"},
		},
		"the first context value": {
			documents: []string{plain, pictures, coarse},
			want:      []string{"data: pictures named Coarse ones, Pictures +2, also pictures +1"},
		},
		"the first of equal placements": {
			documents: []string{`{"element_id": "pictures", "label": "A"}`, `{"element_id": "pictures", "label": "B"}`},
			want:      []string{"data: pictures named A, Pictures +1, also pictures named B, Pictures"},
		},
		"a placement with priority": {
			documents: []string{`{"element_id": "pictures", "label": "A"}`, `{"element_id": "pictures", "label": "B", "priority": 1}`},
			want:      []string{"data: pictures named B, Pictures +1, also pictures named A, Pictures"},
		},
		"a category in which most placements have actions": {
			documents: []string{safety, `{"element_id": "pictures", ` + action + `}`, plain},
			want:      []string{"purpose: safety", "choice: pictures, 1", "choice: pictures, 0"},
		},
		"a category in which few placements have actions": {
			documents: []string{`{"element_id": "pictures", ` + action + `}`, plain, plain},
			want:      []string{"data: pictures +2", "choice: pictures, 1"},
		},
		"a ranked category with actions": {
			change:    func(_, data *taxonomy.Category) { data.Sign = 1 },
			documents: []string{`{"element_id": "pictures", ` + action + `}`},
			want:      []string{"data: pictures", "choice: pictures, 1"},
		},
		"a name in a variable": {
			change:    func(_, data *taxonomy.Category) { data.Variables[0].ID = "name" },
			documents: []string{`{"element_id": "sound", ` + strings.Replace(note, "note", "name", 1) + `}`},
			want: []string{
				"data: sound named Ring the bell, or +44 1632 960001, Sound",
				"responsible: Ring the bell, or +44 1632 960001 tel:+441632960001",
			},
		},
		"a name in a variable and a label": {
			change:    func(_, data *taxonomy.Category) { data.Variables[0].ID = "name" },
			documents: []string{`{"element_id": "sound", "label": "A bell", ` + strings.Replace(note, "note", "name", 1) + `}`},
			want: []string{
				"data: sound named Ring the bell, or +44 1632 960001, A bell",
				"responsible: Ring the bell, or +44 1632 960001 tel:+441632960001",
			},
		},
		"the label of the only placement of an element": {
			documents: []string{`{"element_id": "pictures", "label": "A"}`, `{"element_id": "sound", "label": "B"}`},
			want:      []string{"data: pictures named Pictures, A +1, also sound named Sound, B"},
		},
	} {
		m := changedDemo(t, func(x *taxonomy.Taxonomy) {
			if test.change != nil {
				test.change(&x.Categories[0], &x.Categories[1])
			}
		}, test.documents...)
		if diff := cmp.Diff(test.want, highlights(m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// changedDemo returns the model of a document with the given placements and a changed taxonomy.
func changedDemo(t *testing.T, change func(*taxonomy.Taxonomy), placements ...string) *view.Model {
	t.Helper()
	x := releasetest.Taxonomy(t, "demo@2026-01-02-stable").Authored()
	change(x)
	x.Derive()
	r, err := release.Compile(x)
	if err != nil {
		t.Fatal(err)
	}
	document := `{"id": "a", "title": [], "schema_version": "demo@2026-01-02-stable",
		"created_at": "2026-01-03T04:05:06Z", "updated_at": "2026-01-03T04:05:06Z", "elements": [` + strings.Join(placements, ",") + `]}`
	m, err := view.Thin(thin(t, []byte(document)), r).Model("en", nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestScales(t *testing.T) {
	for _, test := range []struct {
		value string
		added int // values after the two of the taxonomy
		want  []bool
	}{
		{"coarse", 0, nil},
		{"coarse", 1, []bool{true, true, true}},
		{"fine", 1, []bool{true, true, false}},
		{"coarse", 5, nil},
	} {
		m := changedDemo(t, func(x *taxonomy.Taxonomy) {
			values := &x.Categories[1].Context.Values
			for i := range *values {
				(*values)[i].Color, (*values)[i].Tinted = "#1B4F9F", true
			}
			for i := range test.added {
				*values = append(*values, taxonomy.ContextValue{ID: fmt.Sprintf("added_%d", i), Label: (*values)[0].Label, Color: "#1B4F9F", Tinted: true})
			}
		}, `{"element_id": "pictures", "context_type_id": "`+test.value+`"}`)
		if diff := cmp.Diff(test.want, m.Highlights[0].Context.Scale); diff != "" {
			t.Errorf("%s of %d values (-want +got):\n%s", test.value, 2+test.added, diff)
		}
	}
}

func TestHighlightsHaveQuestions(t *testing.T) {
	if h := example(t, "smart_crossing", "en").Highlights[0]; h.Question.IsZero() || h.Context.Explanation.IsZero() {
		t.Errorf("got question %q and explanation %q, want both", h.Question, h.Context.Explanation)
	}
}

func TestPlacedHasTheWordsOfHighlights(t *testing.T) {
	m := example(t, "smart_crossing", "en")
	for _, h := range m.Highlights {
		got, ok := m.Placed(h.ElementID)
		if !ok || got.Heading.String() != h.Heading.String() || got.Caption.String() != h.Caption.String() {
			t.Errorf("%s: got %q and %q, want %q and %q", h.ElementID, got.Heading, got.Caption, h.Heading, h.Caption)
		}
	}
}

func TestElementsWithoutCategoryAreHighlightedAsOthers(t *testing.T) {
	want := []string{"purpose: safety named Safety, A plain label", "data: pictures named Pictures Here\u00a0· There, The first pictures +3, also sound +2", ": stray", "choice: scent, 5"}
	if diff := cmp.Diff(want, highlights(everything(t, ""))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLabelsOfPlacementsWithDifferentTitlesAreCaptions(t *testing.T) {
	note := func(value string) string {
		return `"variables": [{"id": "note", "value": [{"locale": "en", "value": "` + value + `"}]}]`
	}
	m := changedDemo(t, func(x *taxonomy.Taxonomy) {
		for i := range x.Elements {
			if x.Elements[i].ID == "sound" {
				x.Elements[i].Title = taxonomy.Localized{{Locale: "en", Value: "Kept for {{note}}"}}
			}
		}
	}, `{"element_id": "sound", "label": "Voices", `+note("1 day")+`}`, `{"element_id": "sound", "label": "Totals", `+note("1 year")+`}`)
	want := []string{"data: sound named Kept for 1 day, Voices +1, also sound named Kept for 1 year, Totals"}
	if diff := cmp.Diff(want, highlights(m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestElementsWithoutCategoryAreNotChoices(t *testing.T) {
	const action = `"actions": [{"type": "email", "label": [], "target": "a@example.org"}]`
	document := string(file(t, "everything.json"))
	for range 5 {
		document = strings.Replace(document, `"elements": [`, `"elements": [{"element_id": "stray", `+action+`},`, 1)
	}
	document = strings.Replace(document, `"elements": [`, `"elements": [{"element_id": "safety", `+action+`}, {"element_id": "safety", `+action+`},`, 1)
	m, err := view.Resolved(resolved(t, []byte(document)), nil).Model("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "purpose"; m.ChoiceCategory != want {
		t.Errorf("the category of choices is %q, want %q", m.ChoiceCategory, want)
	}
}
