package web

import (
	"strings"

	"golang.org/x/text/language"

	"placard/internal/core/taxonomy"
	"placard/internal/show/view"
)

// langParam is the parameter for the language of a page.
const langParam = "lang"

// maxPreferences limits the languages that are read from a request.
const maxPreferences = 8

// preferences returns the languages that a reader prefers, best first: the one in the
// address, if any, then those of the browser. Malformed values are ignored.
func preferences(chosen string, accept []string) []language.Tag {
	var tags []language.Tag
	if taxonomy.IsLocale(chosen) {
		if tag, err := language.Parse(chosen); err == nil {
			tags = append(tags, tag)
		}
	}
	if header := strings.Join(accept, ","); header != "" && len(header) <= 512 {
		if accepted, _, err := language.ParseAcceptLanguage(header); err == nil {
			tags = append(tags, accepted[:min(len(accepted), maxPreferences)]...)
		}
	}
	return tags
}

// Text is a text of a taxonomy in one language. Lang is empty if that is the language
// of the page.
type Text struct{ Value, Lang, Dir string }

// String returns the text.
func (t Text) String() string { return t.Value }

// localText returns l in the given locale, or else in the fallback or in any locale.
// page is the language of the page around it.
func localText(l taxonomy.Localized, locale, fallback, page string) Text {
	for _, candidate := range []string{locale, fallback} {
		if value, ok := l.Get(candidate); ok && strings.TrimSpace(value) != "" {
			return newText(value, candidate, page)
		}
	}
	for _, t := range l {
		if strings.TrimSpace(t.Value) != "" {
			return newText(t.Value, t.Locale, page)
		}
	}
	return Text{}
}

func newText(value, locale, page string) Text {
	if locale == page {
		return Text{Value: value}
	}
	return Text{value, locale, view.Direction(locale)}
}

// pageLanguages returns the languages of pages that show no release.
func pageLanguages() []string {
	var all []string
	for _, l := range languages {
		all = append(all, l.language)
	}
	return all
}
