package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// localized reads one text in several locales, written as a list of locale and
// value or as a mapping from locale to value. The result is in the manifest's
// order and spelling of locales, so that both ways of writing come to the same.
func (f *fields) localized(n *yaml.Node) taxonomy.Localized {
	if n == nil {
		return nil
	}
	var texts taxonomy.Localized
	lines := map[string]int{}
	sound := true // no text was left out for a fault of its own
	add := func(locale, value *yaml.Node) {
		code, ok := "", false
		if locale != nil {
			code, ok = f.locale(locale)
		}
		if !ok || value == nil {
			sound = false
			return
		}
		if line, twice := lines[code]; twice {
			f.report(localeDuplicate, at(f.file, locale), "The text for %q appears here and on line %d.", code, line).FixHint = "Keep one of the two."
			return
		}
		lines[code] = locale.Line
		texts = append(texts, taxonomy.Text{Locale: code, Value: f.text(value)})
	}
	switch n.Kind {
	case yaml.MappingNode:
		sound = !hides(n)
		seen := map[string]bool{}
		for key, value := range members(n) {
			if !seen[key.Value] && !isNull(value) {
				seen[key.Value] = true
				add(key, value)
			}
		}
	case yaml.SequenceNode:
		reported := false
		for _, item := range f.items(n) {
			if locale, text := byLocale(item); locale != nil {
				sound = false
				if !reported {
					reported = true
					f.report(fieldKind, at(f.file, item), "Each translation in a list must have a locale and a value.").
						FixHint = fmt.Sprintf("Write {locale: %[1]q, value: %[2]q} for each, or use {%[1]s: %[2]q} instead of a list.", locale.Value, problem.Clip(text.Value))
				}
				continue
			}
			inner := f.inner(item)
			if inner == nil {
				sound = false
				continue
			}
			add(inner.need("locale"), inner.need("value"))
			inner.end()
		}
	default:
		f.wrongKind(f.file, n, "text for each locale, such as en: "+strconv.Quote(problem.Clip(n.Value)))
		return nil
	}
	if sound {
		f.translations(n, texts)
	}
	slices.SortStableFunc(texts, func(a, b taxonomy.Text) int {
		return f.places[strings.ToLower(a.Locale)] - f.places[strings.ToLower(b.Locale)]
	})
	return texts
}

// byLocale returns the first locale and its text of an item in a list that is
// written as it would be without the list, - en: Street, and nil for any other.
func byLocale(item *yaml.Node) (locale, text *yaml.Node) {
	for key, value := range members(item) {
		// Longer words are well-formed too, but likely misspelt fields.
		if language, _, _ := strings.Cut(key.Value, "-"); len(language) > 3 || !taxonomy.IsLocale(key.Value) {
			return nil, nil
		}
		if locale == nil {
			locale, text = key, value
		}
	}
	return locale, text
}

// localeList reads a list of locales.
func (f *fields) localeList(n *yaml.Node) []string {
	f.unsure = f.unsure || n != nil && n.Kind != yaml.SequenceNode
	var locales []string
	listed := map[string]bool{}
	for _, item := range f.items(n) {
		locale, ok := f.locale(item)
		if !ok {
			f.unsure = true
			continue
		}
		if folded := strings.ToLower(locale); !listed[folded] {
			listed[folded] = true
			locales = append(locales, locale)
			continue
		}
		f.report(localeDuplicate, at(f.file, item), "The locale %q is listed twice.", locale).FixHint = "Remove one of the two."
	}
	return locales
}

// locale reads a locale and returns it as the manifest spells it.
func (f *fields) locale(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		f.wrongKind(f.file, n, "a locale such as en")
		return "", false
	}
	if !taxonomy.IsLocale(n.Value) {
		f.report(localeMalformed, at(f.file, n), "%q is not a valid locale.", problem.Clip(n.Value)).FixHint = "Write a language tag such as en, pt-BR or zh-Hant."
		return "", false
	}
	if i, ok := f.places[strings.ToLower(n.Value)]; ok {
		return f.locales[i], true
	}
	if len(f.locales) > 0 && !f.unsure {
		f.report(localeUnlisted, at(f.file, n), "The release does not list the locale %q.", n.Value).
			FixHint = "Add it to the locales in " + metaFile + ", or use a listed locale: " + listing(f.locales) + "."
		return "", false
	}
	return n.Value, true
}

// translations reports the locales that a text lacks.
func (f *fields) translations(n *yaml.Node, texts taxonomy.Localized) {
	if len(texts) >= len(f.locales) && !f.unsure || len(n.Content) == 0 {
		return
	}
	there := map[string]bool{}
	for _, t := range texts {
		there[t.Locale] = true
	}
	missing := slices.DeleteFunc(slices.Clone(f.locales), func(l string) bool { return there[l] })
	if len(missing) == 0 {
		return
	}
	p := f.report(translationMissing, at(f.file, n), "The translation is missing for %s.", listing(missing))
	p.FixHint = "Add the missing text."
	if f.id.Status == taxonomy.Stable {
		p.Severity = problem.Error
	}
}
