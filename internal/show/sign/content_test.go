package sign

import (
	"slices"
	"strings"
	"testing"

	"placard/internal/show/view"
)

func TestNothingSeemsToBeAllThereIs(t *testing.T) {
	for _, size := range shapes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				l := exampleLayout(t, name, locales, size)
				for _, c := range l.cells {
					for _, w := range c.words {
						if !w.also.isEmpty() && l.sizeOf(w.also, w.count) == 0 {
							t.Errorf("%s %s %v: neither %q nor a number is shown", size.Name, name, locales, w.also.original)
						}
						if !w.caption.isEmpty() && l.sizeOf(w.caption) == 0 && !c.isExplaining {
							t.Errorf("%s %s %v: %q is not shown", size.Name, name, locales, w.caption.original)
						}
					}
				}
			}
		}
	}
}

func TestSecondAnswers(t *testing.T) {
	text := func(s string) view.Text { return view.Text{Text: s, Dir: "ltr"} }
	context := func(value string) *view.Context { return &view.Context{Value: text(value)} }
	phrases := phrasesFor("en")
	for _, test := range []struct {
		name string
		h    view.Highlight
		want string
	}{
		{"a label", view.Highlight{Heading: text("Never stored"), Also: &view.Highlight{Heading: text("Kept for 5 years"), Caption: text("Totals")}}, "Kept for 5 years\u00A0· Totals"},
		{"the same value", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Sound"), Context: context("Always")}}, "Sound"},
		{"another value", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Sound"), Context: context("Never")}}, "Sound\u00A0· Never"},
		{"another value and more", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Sound"), Context: context("Never"), Remaining: 1}}, "Sound\u00A0· Never\u00A0· and\u00A01\u00A0more"},
		{"the same element", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Video"), Caption: text("Door"), Context: context("Always")}}, ""},
	} {
		if also := phrases.also(&test.h); also.String() != test.want {
			t.Errorf("%s: got %q, want %q", test.name, also, test.want)
		}
	}
	for _, test := range []struct {
		locale string
		others int
		want   string
	}{
		{"en", 0, ""},
		{"en", 1, "and\u00A01\u00A0more"},
		{"fr", 1, "et\u00A01\u00A0autre"},
		{"fr-CA", 2, "et\u00A02\u00A0autres"},
		{"ja", 2, "ほか2件"},
		{"ar", 2, "+2"},
	} {
		if got := phrasesFor(test.locale).count(test.others).String(); got != test.want {
			t.Errorf("%s, %d others: got %q, want %q", test.locale, test.others, got, test.want)
		}
	}
}

func TestNumbersAndSecondAnswersAreInTheSmallLine(t *testing.T) {
	for _, name := range exampleNames {
		for _, elements := range [][]string{nil, elementIDs(example(t, name, "en")[0])[:MaxElements]} {
			l := layoutOf(t, example(t, name, "en", "fr"), Options{Code: code(t, address), Elements: elements})
			for _, c := range l.cells {
				for k, other := range []string{"more", "autre"} {
					if w := c.words[k]; strings.Contains(w.name.original, other) {
						t.Errorf("%s: the name %q contains a number", name, w.name.original)
					} else if w.also.weight != regular || w.count.weight != regular || !w.also.isEmpty() && l.sizeOf(w.also, w.count) >= l.sizeOf(w.name) {
						t.Errorf("%s: the line %q is as prominent as the name", name, w.also.original)
					}
				}
			}
		}
	}
}

func TestOtherOrganisationsAreCounted(t *testing.T) {
	for _, test := range []struct {
		remaining int
		want      string
	}{{0, ""}, {1, "and\u00A01\u00A0more"}, {3, "and\u00A03\u00A0more"}} {
		m := written("en", 4, "City of Aldermere", "Thermal camera", "Nobody is identified")
		m.Highlights[2].Heading, m.Highlights[2].Remaining = m.Responsible.Name, test.remaining
		l := layoutOf(t, []*view.Model{m}, Options{Code: code(t, address)})
		got := ""
		for i := range l.shapes {
			if s := &l.shapes[i]; slices.Contains(l.others, s.text) {
				got += s.line.text
			}
		}
		if got != test.want || len(l.cells) != 3 {
			t.Errorf("%d others: got %q and %d icons, want %q and 3 icons", test.remaining, got, len(l.cells), test.want)
		}
	}
}

func TestTheLastAnswerOfACategoryCountsTheOthers(t *testing.T) {
	highlights := []view.Highlight{{Category: "a", Remaining: 3}, {Category: "b", Remaining: 1}, {Category: "a", Remaining: 3}, {Remaining: 2}}
	countOthers(highlights)
	for i, want := range []int{0, 1, 2, 0} {
		if got := highlights[i].Remaining; got != want {
			t.Errorf("highlight %d: got %d others, want %d", i, got, want)
		}
	}
}

func TestNoColonFollowsAQuestionMarkOrAColon(t *testing.T) {
	for label, want := range map[string]string{"Active": "Active: always", "Can I be recognised?": "Can I be recognised? always", "Purpose:": "Purpose: always"} {
		h := view.Highlight{Context: &view.Context{Name: view.Text{Text: label}, Value: view.Text{Text: "always"}}}
		if got := phrasesFor("en").caption(&h).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWordsWithoutTranslationAreOmitted(t *testing.T) {
	if phrases := phrasesFor("ar"); phrases.learn != "" || phrases.learnAndAct != "" {
		t.Errorf("got the words %+v for Arabic", phrases)
	}
	if phrasesFor("fr-CA").learn != phrasesFor("FR").learn || phrasesFor("fr-CA").learn == "" {
		t.Error("the words for fr-CA are not those for French")
	}
}

func TestCaptionsOfBothLanguagesAreShownIfTheNameIsTheSame(t *testing.T) {
	models := []*view.Model{written("en", 2, "Crossing", "Radar", "Always on"), written("fr", 2, "Passage", "Radar", "Toujours actif")}
	l := layoutOf(t, models, Options{Code: code(t, address)})
	for _, c := range l.cells {
		if len(c.words) != 2 || l.sizeOf(c.words[1].caption) == 0 {
			t.Errorf("the second caption below %q is missing", c.words[0].name.original)
		}
	}
}

func TestTheFirstContextValueAndScalesAreProminent(t *testing.T) {
	models := []*view.Model{written("en", 4, "Crossing", "Radar", "Groups only"), written("fr", 4, "Passage", "Radar", "Groupes seulement")}
	for _, m := range models {
		m.Highlights[0].Context = nil
		m.Highlights[3].Context.Scale = []bool{true, false}
	}
	l := layoutOf(t, models, Options{Code: code(t, address)})
	for i, c := range l.cells {
		for _, w := range c.words {
			if got, want := w.caption.weight == bold && w.caption.color == ink, i == 1 || i == 3; got != want && i > 0 {
				t.Errorf("cell %d: %q is prominent: got %v, want %v", i, w.caption.original, got, want)
			}
		}
	}
}

func TestOnlyAddressesOfTheResponsibleOrganisationAreShown(t *testing.T) {
	m := written("en", 4, "City of Aldermere", "Thermal camera", "Nobody is identified")
	m.Choices[0].Actions = []view.Action{{Href: "mailto:x", Target: view.Text{Text: "complaints@example.org"}}}
	for _, test := range []struct {
		responsible *view.Responsible
		want        int
	}{
		{m.Responsible, 2},
		{&view.Responsible{Name: m.Responsible.Name}, 0},
		{nil, 0},
	} {
		m.Responsible = test.responsible
		l := layoutOf(t, []*view.Model{m}, Options{Code: code(t, address)})
		if got := len(l.contacts); got != test.want {
			t.Errorf("got %d addresses below %+v, want %d", got, test.responsible, test.want)
		}
	}
}
