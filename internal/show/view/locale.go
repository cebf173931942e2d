package view

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// localizer chooses the texts of one page.
type localizer struct {
	locale    string   // of the page
	dir       string   // of the page
	fallbacks []string // locales to try if none of the same language is available
	original  string   // see [Model.OriginalLocale]
}

// newLocalizer chooses the locale of a page: the preferred locale, another of the
// same language, the first locale of the document, or English.
func newLocalizer(preferred string, d *datachain.Document, taxonomyLocales []string) *localizer {
	used := documentLocales(d)
	locale, ok := nearest(preferred, slices.Concat(used, taxonomyLocales))
	switch {
	case ok:
	case len(used) > 0:
		locale = used[0]
	default:
		locale = english
	}
	lz := &localizer{locale: locale, dir: Direction(locale), fallbacks: []string{english}}
	if len(used) > 0 {
		lz.fallbacks = []string{used[0], english}
		if _, ok := nearest(locale, used); !ok {
			lz.original = used[0]
		}
	}
	return lz
}

const english = "en"

// choose returns the best text of l for the page, and its locale. Blank texts are
// ignored.
func (lz *localizer) choose(l taxonomy.Localized) (value, locale string) {
	if value, ok := l.Get(lz.locale); ok && strings.TrimSpace(value) != "" {
		return value, lz.locale
	}
	var available []string
	for _, t := range l {
		if strings.TrimSpace(t.Value) != "" {
			available = append(available, t.Locale)
		}
	}
	if len(available) == 0 {
		return "", ""
	}
	locale, ok := nearest(lz.locale, available)
	for i := 0; !ok && i < len(lz.fallbacks); i++ {
		locale, ok = nearest(lz.fallbacks[i], available)
	}
	if !ok {
		locale = available[0]
	}
	i := slices.IndexFunc(l, func(t taxonomy.Text) bool { return t.Locale == locale && strings.TrimSpace(t.Value) != "" })
	return l[i].Value, locale
}

// textIn returns a text in the given locale, which may be invalid.
func (lz *localizer) textIn(locale, value string) Text {
	value = sanitize(value)
	if value == "" {
		return Text{}
	}
	if !taxonomy.IsLocale(locale) {
		return Text{Text: value}
	}
	t := Text{Text: value, Dir: Direction(locale)}
	if !strings.EqualFold(locale, lz.locale) {
		t.Lang = locale
	}
	return t
}

// nearest returns the available locale that is closest to wanted: wanted itself, a
// parent of it (en for en-GB), or the first of the same language. Locales in the same
// script are preferred.
func nearest(wanted string, available []string) (locale string, ok bool) {
	if wanted == "" {
		return "", false
	}
	available = slices.DeleteFunc(slices.Clone(available), func(a string) bool { return Language(a) != Language(wanted) })
	if len(available) == 0 {
		return "", false
	}
	wantedScript := script(wanted)
	for parent := wanted; parent != ""; parent = parent[:max(0, strings.LastIndexByte(parent, '-'))] {
		for _, a := range available {
			if strings.EqualFold(a, parent) && (len(a) == len(wanted) || script(a) == wantedScript) {
				return a, true
			}
		}
	}
	for _, a := range available {
		if script(a) == wantedScript {
			return a, true
		}
	}
	return available[0], true
}

// sameWriting reports whether two locales have the same language and script.
func sameWriting(a, b string) bool {
	return strings.EqualFold(a, b) || Language(a) == Language(b) && script(a) == script(b)
}

// script returns the script of a locale, which may be implied, such as Hant of zh-TW.
func script(locale string) string {
	s, _ := language.Make(locale).Script()
	return s.String()
}

// Language returns the language of a locale in lower case, without script and region.
func Language(locale string) string {
	first, _, _ := strings.Cut(locale, "-")
	return strings.ToLower(first)
}

// dot separates texts. No line begins with it.
const dot = "\u00a0· "

// listSeparator returns the text between the items of a list in a locale. Items begin
// with a capital letter, so a comma would look like a mistake. In Japanese and Chinese,
// a dot would look like one of those inside names.
func listSeparator(locale string) string {
	switch Language(locale) {
	case "ja", "zh":
		return "、"
	}
	return dot
}

// IsIn reports whether m is in the given locale or in another one of its language and
// script.
func (m *Model) IsIn(locale string) bool { return sameWriting(m.Locale, locale) }

// LocaleNotice returns a sentence if texts of m are not in the requested locale, and ""
// otherwise. An empty locale matches every text.
func (m *Model) LocaleNotice(requested string) string {
	switch {
	case requested == "":
		return ""
	case !m.IsIn(requested):
		return fmt.Sprintf("Neither the document nor its taxonomy has texts in %q, so %q is used.", problem.Clip(requested), m.Locale)
	case m.OriginalLocale != "":
		return fmt.Sprintf("The document has no texts in %q: its own texts are in %q, those of its taxonomy in %q.", problem.Clip(requested), m.OriginalLocale, m.Locale)
	}
	return ""
}

// documentLocales returns the locales of the texts of d, in order of appearance.
func documentLocales(d *datachain.Document) []string {
	var locales []string
	seen := make(map[string]bool)
	add := func(l taxonomy.Localized) {
		for _, t := range l {
			if !seen[t.Locale] && taxonomy.IsLocale(t.Locale) {
				seen[t.Locale] = true
				locales = append(locales, t.Locale)
			}
		}
	}
	add(d.Title)
	add(d.Description)
	for i := range d.Elements {
		p := &d.Elements[i]
		add(p.Label.Localized)
		for k := range p.Variables {
			p.Variables[k].Value.Match(add, func([]string) {})
		}
		for k := range p.Actions {
			add(p.Actions[k].Label)
		}
	}
	for i := range d.SubchainInstances {
		add(d.SubchainInstances[i].Label.Localized)
	}
	return locales
}

// Writing directions.
const (
	LeftToRight = "ltr"
	RightToLeft = "rtl"
)

// Direction returns the writing direction of a locale.
func Direction(locale string) string {
	switch script(locale) {
	case "Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa", "Yezi":
		return RightToLeft
	}
	return LeftToRight
}

// LanguageName returns the name of a language in itself, or the locale if it is not
// known.
func LanguageName(locale string) string {
	tag, err := language.Parse(locale)
	if err != nil {
		return locale
	}
	name := display.Self.Name(tag)
	if name == "" {
		return locale
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToTitle(first)) + name[size:]
}

// pageLocales returns the locales of the pages of d: those of its title, each
// language at most once in each script, with the preferred one first.
func pageLocales(d *datachain.Document, preferred string) []string {
	locales := []string{preferred}
	for _, t := range d.Title {
		isNew := !slices.ContainsFunc(locales, func(l string) bool { return sameWriting(l, t.Locale) })
		if isNew && taxonomy.IsLocale(t.Locale) && strings.TrimSpace(t.Value) != "" && len(locales) < maxLocales {
			locales = append(locales, t.Locale)
		}
	}
	return locales
}

// maxLocales is the maximum number of languages of one page.
const maxLocales = 24
