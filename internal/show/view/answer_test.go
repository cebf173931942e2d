package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/show/view"
)

func TestAnswersShowWhatTheyHaveInCommonOnce(t *testing.T) {
	text := func(s string) view.Text { return view.Text{Text: s} }
	context := func(value, color string) *view.Context { return &view.Context{Value: text(value), Color: color} }
	for name, test := range map[string]struct {
		first, second view.Highlight
		want          []string
	}{
		"the same context": {
			view.Highlight{Heading: text("Pictures"), Context: context("Named", "#7A0F2B")},
			view.Highlight{Heading: text("Faces"), Context: context("Named", "#7A0F2B"), Others: text("and 1 more")},
			[]string{"Pictures", "Faces, and 1 more, [Named]"},
		},
		"other contexts": {
			view.Highlight{Heading: text("Counts"), Context: context("Groups", "#1B4F9F")},
			view.Highlight{Heading: text("Pictures"), Context: context("Nobody", "#1F9E89")},
			[]string{"Counts, [Groups]", "Pictures, [Nobody]"},
		},
		"contexts without a colour": {
			view.Highlight{Heading: text("City"), Caption: text("Authority"), Context: context("Decides", "")},
			view.Highlight{Heading: text("Firm"), Caption: text("Company"), Context: context("Supplies", "")},
			[]string{"City, Authority, Decides", "Firm, Company, Supplies"},
		},
		"names with the same caption": {
			view.Highlight{Heading: text("Water"), Caption: text("Readings"), IsNamed: true},
			view.Highlight{Heading: text("Air"), Caption: text("Readings"), IsNamed: true},
			[]string{"Water, Readings", "Air"},
		},
		"titles with the same caption": {
			view.Highlight{Heading: text("Kept for a day"), Caption: text("Pictures")},
			view.Highlight{Heading: text("Kept on site"), Caption: text("Pictures")},
			[]string{"Kept for a day, Pictures", "Kept on site, Pictures"},
		},
	} {
		test.first.Also, test.first.Others = &test.second, text("and 2 more")
		var got []string
		for _, a := range view.Answers(test.first) {
			var words []string
			for _, t := range []view.Text{a.Name, a.Caption, a.Role, a.Others} {
				if !t.IsZero() {
					words = append(words, t.String())
				}
			}
			if a.Context != nil {
				words = append(words, "["+a.Context.Value.String()+"]")
			}
			got = append(got, strings.Join(words, ", "))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAddressesBreakAfterPunctuation(t *testing.T) {
	for _, want := range []string{
		"ombudsman@|ostmere.|example.|org", "+44 1632 960144", "example.|org/|places/|smart_|crossing", "https://|example.|org/", "a--|b", "",
	} {
		if got := strings.Join(view.Split(strings.ReplaceAll(want, "|", "")), "|"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
