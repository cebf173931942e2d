package sign

import (
	"strings"
	"testing"

	"placard/internal/show/view"
)

func TestPartsInAnotherDirectionAreIsolated(t *testing.T) {
	arabic := view.Text{Text: "90 يوماً", Dir: "rtl", Kind: "value"}
	english := view.Text{Text: "90 days (summer)", Lang: "en", Dir: "ltr", Kind: "value"}
	unknown := view.Text{Text: "Gate 7 (north)", Kind: "value"}
	for _, test := range []struct {
		name string
		text view.Text
		want string
	}{
		{"plain", view.Text{Text: "Kept", Dir: "ltr"}, "Kept"},
		{"Arabic in English", view.Text{Dir: "ltr", Parts: []view.Text{{Text: "Kept for "}, arabic}}, "Kept for \u206790 يوماً\u2069"},
		{"English in Arabic", view.Text{Dir: "rtl", Parts: []view.Text{{Text: "يحفظ "}, english}}, "يحفظ \u206690 days (summer)\u2069"},
		{"unknown language in Arabic", view.Text{Dir: "rtl", Parts: []view.Text{{Text: "يحفظ "}, unknown}}, "يحفظ \u2066Gate 7 (north)\u2069"},
		{"unknown language in English", view.Text{Dir: "ltr", Parts: []view.Text{{Text: "At "}, unknown}}, "At Gate 7 (north)"},
		{"joined", join(view.Text{Text: "Kept", Dir: "ltr"}, ": ", view.Text{Dir: "ltr", Parts: []view.Text{arabic}}), "Kept: \u206790 يوماً\u2069"},
	} {
		if got := isolated(test.text, test.text.Dir); got != test.want {
			t.Errorf("%s: got %+q, want %+q", test.name, got, test.want)
		}
	}
	for text, want := range map[string]string{"7 (north)": "ltr", "٧ شمال": "rtl", "123": "rtl"} {
		if got := directionOf(view.Text{Text: text}, "rtl"); got != want {
			t.Errorf("direction of %q: got %s, want %s", text, got, want)
		}
	}
}

func TestIsolatedPartsContinueOnTheNextLine(t *testing.T) {
	got := setLines("يحفظ \u2066Ninety days (summer)\u2069", 5, 4)
	lines := strings.Split(got, "|")
	if len(lines) < 2 {
		t.Fatalf("got %+q, want several lines", got)
	}
	for _, line := range lines {
		if strings.ContainsAny(line, "Ndm") && !strings.Contains(line, "\u2066") {
			t.Errorf("the line %+q is not isolated", line)
		}
	}
}
