package view_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"placard/internal/show/view"
)

func TestGoldenPlainText(t *testing.T) {
	for name, m := range map[string]*view.Model{"everything": everything(t, ""), "station_gates": example(t, "station_gates", "fr")} {
		golden(t, name+".txt.golden", []byte(m.PlainText()+"\n"))
		golden(t, name+".summary.golden", []byte(m.Summary()+"\n"))
	}
}

func TestPlainTextContainsEveryTextOfTheModel(t *testing.T) {
	models := map[string]*view.Model{"everything": everything(t, "")}
	for _, name := range exampleNames {
		for _, locale := range []string{"en", "ja"} {
			models[name+" "+locale] = example(t, name, locale)
		}
	}
	for name, m := range models {
		plain, found := m.PlainText(), 0
		for text := range strings.Lines(plain) {
			if words := strings.Fields(text); strings.TrimSpace(text) != strings.Join(words, " ") {
				t.Errorf("%s: the white space of %q is not collapsed", name, text)
			}
		}
		m.Words = view.Words{} // names and headings that only a page has
		for i := range m.Highlights {
			m.Highlights[i].Others = view.Text{} // the text lists the other placements
			if also := m.Highlights[i].Also; also != nil {
				also.Others = view.Text{}
			}
		}
		walkTexts(reflect.ValueOf(m), func(text view.Text) {
			found++
			if want := strings.Join(strings.Fields(text.Text), " "); !strings.Contains(plain, want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		})
		if found < 50 {
			t.Errorf("%s: got %d texts, want at least 50", name, found)
		}
	}
}

// walkTexts calls visit for every text in v that has no parts.
func walkTexts(v reflect.Value, visit func(view.Text)) {
	if text, ok := v.Interface().(view.Text); ok && len(text.Parts) == 0 {
		visit(text)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkTexts(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkTexts(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkTexts(v.Index(i), visit)
		}
	}
}

// placementWith returns a model with one placement.
func placementWith(p view.Placement) *view.Model {
	section := view.Section{Name: view.Text{Text: "Section"}, Placements: []view.Placement{p}}
	return &view.Model{Title: view.Text{Text: "Title"}, Parts: []view.Part{{Strands: []view.Strand{{Sections: []view.Section{section}}}}}}
}

func TestSummaryContainsTheValuesOfVariables(t *testing.T) {
	value := func(text string) view.Text { return view.Text{Text: text, Kind: "value"} }
	plain := func(text string) view.Text { return view.Text{Text: text} }
	m := placementWith(view.Placement{
		Heading:     view.Text{Parts: []view.Text{plain("Kept for "), value("30 days")}},
		Description: view.Text{Parts: []view.Text{plain("Deleted after "), value("30 days"), plain(" by "), value("the city"), plain(" or "), {Text: "Another", Kind: "blank"}}},
		Values:      []view.Fact{{Label: plain("Contact"), Value: plain("privacy@city.example")}},
		Actions:     []view.Action{{Label: plain("Write"), Target: plain("1 High Street\nOstmere")}, {Target: plain("112")}},
	})
	want := "Title\nSection: Kept for 30 days – Contact: privacy@city.example, the city, [Another], Write: 1 High Street Ostmere, 112"
	if got := m.Summary(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSummaryMarksProposedElements(t *testing.T) {
	plain := func(text string) view.Text { return view.Text{Text: text} }
	m := placementWith(view.Placement{Heading: plain("Gas detector"), Proposed: plain("Proposed"), Context: &view.Context{Value: plain("All the time")}})
	if got, want := m.Summary(), "Title\nSection: Gas detector (Proposed) (All the time)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSummaryIsBounded(t *testing.T) {
	long := view.Text{Text: strings.Repeat("long ", 100_000)}
	p := view.Placement{Heading: long, Caption: long, Context: &view.Context{Value: long}}
	for i := range 10_000 {
		p.Values = append(p.Values, view.Fact{Label: view.Text{Text: fmt.Sprint("Label ", i)}, Value: view.Text{Text: "v"}})
		p.Description.Parts = append(p.Description.Parts, view.Text{Text: "v", Kind: "value"})
		p.Actions = append(p.Actions, view.Action{Target: view.Text{Text: "v"}})
	}
	m := placementWith(p)
	sections := m.Parts[0].Strands[0].Sections
	for len(sections[0].Placements) < 1000 {
		sections[0].Placements = append(sections[0].Placements, p)
	}
	for len(sections) < 100 {
		sections = append(sections, sections[0])
	}
	m.Parts[0].Strands[0].Sections = sections
	got := m.Summary()
	if !strings.HasSuffix(got, "\n(99 more sections)") || !strings.Contains(got, "; 988 more\n") || len(got) > 20_000 {
		t.Errorf("got a summary of %d bytes that ends with %q", len(got), got[len(got)-100:])
	}
}
