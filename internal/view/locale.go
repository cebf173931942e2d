package view

import (
	"slices"
	"strings"

	"golang.org/x/text/language"

	"placard/internal/datachain"
	"placard/internal/taxonomy"
)

// speech chooses, from texts in several locales, those of one view.
type speech struct {
	locale string   // of the page
	dir    string   // of the page
	order  []string // locales that are tried after it and its kin
}

// newSpeech settles the locale of a page: the preferred one, or one of the same
// language; else that in which the document begins; else English.
func newSpeech(preferred string, d *datachain.Document, taxonomyLocales []string) *speech {
	written := documentLocales(d)
	locale, ok := nearest(preferred, slices.Concat(written, taxonomyLocales))
	switch {
	case ok:
	case len(written) > 0:
		locale = written[0]
	default:
		locale = english
	}
	s := &speech{locale: locale, dir: direction(locale), order: []string{english}}
	if len(written) > 0 {
		s.order = []string{written[0], english}
	}
	return s
}

const english = "en"

// choose returns the text of l that suits the page best, and its locale. Blank
// texts are none.
func (s *speech) choose(l taxonomy.Localized) (value, locale string) {
	if value, ok := l.Get(s.locale); ok && strings.TrimSpace(value) != "" {
		return value, s.locale
	}
	var have []string
	for _, t := range l {
		if strings.TrimSpace(t.Value) != "" {
			have = append(have, t.Locale)
		}
	}
	if len(have) == 0 {
		return "", ""
	}
	locale, ok := nearest(s.locale, have)
	for i := 0; !ok && i < len(s.order); i++ {
		locale, ok = nearest(s.order[i], have)
	}
	if !ok {
		locale = have[0]
	}
	i := slices.IndexFunc(l, func(t taxonomy.Text) bool { return t.Locale == locale && strings.TrimSpace(t.Value) != "" })
	return l[i].Value, locale
}

// in returns a text that is known to be in locale.
func (s *speech) in(locale, value string) Text {
	value = tidy(value)
	if value == "" {
		return Text{}
	}
	if !taxonomy.IsLocale(locale) {
		return Text{Text: value}
	}
	t := Text{Text: value, Dir: direction(locale)}
	if !strings.EqualFold(locale, s.locale) {
		t.Lang = locale
	}
	return t
}

// nearest returns that of have which is wanted, or its closest relation: one it
// is a variety of (en for en-GB), or the first of the same language.
func nearest(wanted string, have []string) (locale string, ok bool) {
	if wanted == "" {
		return "", false
	}
	for parent := wanted; parent != ""; parent = parent[:max(0, strings.LastIndexByte(parent, '-'))] {
		for _, h := range have {
			if strings.EqualFold(h, parent) {
				return h, true
			}
		}
	}
	for _, h := range have {
		if strings.EqualFold(primary(h), primary(wanted)) {
			return h, true
		}
	}
	return "", false
}

// primary is the language of a locale, without script and region.
func primary(locale string) string {
	first, _, _ := strings.Cut(locale, "-")
	return first
}

// documentLocales are the locales that d is written in, as one meets them.
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
		add(p.LocalizedLabel)
		for k := range p.Variables {
			add(p.Variables[k].Text)
		}
		for k := range p.Actions {
			add(p.Actions[k].Label)
		}
	}
	return locales
}

const (
	leftToRight = "ltr"
	rightToLeft = "rtl"
)

// direction returns in which direction the language of a locale is written.
func direction(locale string) string {
	script, _ := language.Make(locale).Script()
	switch script.String() {
	case "Adlm", "Arab", "Aran", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa", "Yezi":
		return rightToLeft
	}
	return leftToRight
}
