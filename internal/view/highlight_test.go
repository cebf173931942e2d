package view_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/release"
	"placard/internal/release/releasetest"
	"placard/internal/taxonomy"
	"placard/internal/view"
)

// highlights describes the highlights, the choices and the responsible
// organisation of m.
func highlights(m *view.Model) []string {
	var lines []string
	for _, h := range m.Highlights {
		line := h.Category + ": " + h.ElementID
		if !h.Caption.IsZero() {
			line += fmt.Sprintf(" named %s, %s", h.Heading, h.Caption)
		}
		if !h.Others.IsZero() {
			line += " " + h.Others.String()
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

func TestHighlightsOfExamples(t *testing.T) {
	for name, want := range map[string][]string{
		"smart_crossing": {
			"data: head_count and 1 more",
			"sensing: thermal_camera named Thermal camera, Thermal cameras on both signal poles and 2 more",
			"purpose: accessible_travel and 1 more",
			"outcome: signal_change",
			"retention: never_stored named Never stored, Heat images and 1 more",
			"accountable: public_authority named City of Aldermere, Streets Department, Public authority and 1 more",
			"responsible: City of Aldermere, Streets Department mailto:streets@aldermere.example.org",
			"choice: contact_point, 2",
			"choice: complain, 1",
		},
		// The most identifying data is that of entry by face, and so are the device and the outcome.
		"station_gates": {
			"data: pictures and 2 more",
			"sensing: video_camera and 1 more",
			"purpose: accessible_travel",
			"outcome: gate_decision named Entry control, Entry by face (trial) and 1 more",
			"retention: kept_for named Kept for 90 days, Trip records and 1 more",
			"accountable: transport_operator named Salvan Metro, Transport operator and 1 more",
			"responsible: Salvan Metro mailto:privacy@salvanmetro.example.org",
			"choice: opt_out, 0",
			"choice: contact_point, 2",
			"choice: erase_data, 1",
			"choice: human_review, 1",
		},
		// Open data is in another category, and a choice because of its action.
		"river_watch": {
			"data: surroundings named Environmental readings, Water readings and 1 more",
			"sensing: water_gauge and 1 more",
			"purpose: environment_watch and 1 more",
			"outcome: public_display and 1 more",
			"retention: kept_indefinitely",
			"accountable: research_institution named University of Ostmere, Institute for Rivers, Research institution and 1 more",
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
			want:      []string{"data: pictures named Pictures, Coarse ones and 2 more"},
		},
		"the first of equal placements": {
			documents: []string{`{"element_id": "pictures", "label": "A"}`, `{"element_id": "pictures", "label": "B"}`},
			want:      []string{"data: pictures named Pictures, A and 1 more"},
		},
		"a placement with priority": {
			documents: []string{`{"element_id": "pictures", "label": "A"}`, `{"element_id": "pictures", "label": "B", "priority": 1}`},
			want:      []string{"data: pictures named Pictures, B and 1 more"},
		},
		"a category in which most placements have actions": {
			documents: []string{safety, `{"element_id": "pictures", ` + action + `}`, plain},
			want:      []string{"purpose: safety", "choice: pictures, 1", "choice: pictures, 0"},
		},
		"a category in which few placements have actions": {
			documents: []string{`{"element_id": "pictures", ` + action + `}`, plain, plain},
			want:      []string{"data: pictures and 2 more", "choice: pictures, 1"},
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
		"a label instead of the name": {
			change:    func(_, data *taxonomy.Category) { data.Variables[0].ID = "name" },
			documents: []string{`{"element_id": "sound", "label": "A bell", ` + strings.Replace(note, "note", "name", 1) + `}`},
			want:      []string{"data: sound named Sound, A bell"},
		},
	} {
		x := releasetest.Taxonomy(t, "demo@2026-01-02-stable").Authored()
		if test.change != nil {
			test.change(&x.Categories[0], &x.Categories[1])
		}
		x.Derive()
		r, err := release.Compile(x)
		if err != nil {
			t.Fatal(err)
		}
		document := `{"id": "a", "title": [], "schema_version": "demo@2026-01-02-stable",
			"created_at": "2026-01-03T04:05:06Z", "updated_at": "2026-01-03T04:05:06Z", "elements": [` + strings.Join(test.documents, ",") + `]}`
		m, err := view.Build(thin(t, []byte(document)), r, "en")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, highlights(m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
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
	want := []string{"purpose: safety named Safety, A plain label", "data: pictures named Pictures Here, There, The first pictures and 3 more", ": stray", "choice: scent, 5"}
	if diff := cmp.Diff(want, highlights(everything(t, ""))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyContactsTakeLinearTime(t *testing.T) {
	x := releasetest.Taxonomy(t, "demo@2026-01-02-stable").Authored()
	x.Categories[1].Variables[0].ID = "name"
	x.Derive()
	r, err := release.Compile(x)
	if err != nil {
		t.Fatal(err)
	}
	var addresses strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&addresses, "a%d@b.cd ", i)
	}
	document := `{"id": "a", "title": [], "schema_version": "demo@2026-01-02-stable", "created_at": "2026-01-03T04:05:06Z",
		"elements": [{"element_id": "sound", "variables": [{"id": "name", "value": [{"locale": "en", "value": "` + addresses.String() + `"}]}]}]}`
	start := time.Now()
	m, err := view.Build(thin(t, []byte(document)), r, "en")
	if err != nil || m.Responsible == nil || len(m.Responsible.Contacts) < 10_000 {
		t.Fatalf("got %v, want contacts", err)
	}
	// Comparing each address with all others takes half a minute.
	if got, limit := time.Since(start), 10*time.Second; got > limit {
		t.Errorf("got %v, want less than %v", got, limit)
	}
}
