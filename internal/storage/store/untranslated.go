package store

import (
	"fmt"
	"reflect"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// checkTranslated returns an error if a text of t lacks a translation. In an authoring
// tree, that is an error for stable releases only.
func checkTranslated(t *taxonomy.Taxonomy) error {
	missing := missingTexts{locales: make(map[string]int)}
	authored := t.Authored()
	for i := range authored.Categories {
		missing.find(t.Locales, "the category "+authored.Categories[i].ID, authored.Categories[i])
	}
	for i := range authored.Elements {
		missing.find(t.Locales, "the element "+authored.Elements[i].ID, authored.Elements[i])
	}
	rest := *authored
	rest.Categories, rest.Elements = nil, nil
	missing.find(t.Locales, "the type "+t.ID.Type, rest)
	if missing.texts == 0 {
		return nil
	}
	var locales []string
	for _, locale := range t.Locales {
		if n := missing.locales[locale]; n > 0 {
			locales = append(locales, fmt.Sprintf("%s (%d)", locale, n))
		}
	}
	return betaUntranslated.Found("%s has %s without a translation into %s, such as %q in %s.",
		t.ID, problem.Count(missing.texts, "text"), problem.AllOf(locales), problem.Clip(missing.first), missing.part).
		Hint("Add the translations to its authoring tree, and publish the beta again before you promote it.")
}

// missingTexts counts texts that lack translations.
type missingTexts struct {
	texts       int
	first, part string         // one of the texts, and the part of the taxonomy that has it
	locales     map[string]int // the number of texts by locale
}

// find adds the texts in v, a part of the taxonomy, that lack one of the locales.
func (m *missingTexts) find(locales []string, part string, v any) {
	visitTexts(reflect.ValueOf(v), func(text taxonomy.Localized) {
		complete := true
		for _, locale := range locales {
			if _, ok := text.Get(locale); !ok {
				complete = false
				m.locales[locale]++
			}
		}
		if complete {
			return
		}
		if m.texts++; m.texts == 1 {
			m.first, m.part = text[0].Value, part
		}
	})
}

// visitTexts calls visit for every text in v that is not empty.
func visitTexts(v reflect.Value, visit func(taxonomy.Localized)) {
	if text, ok := v.Interface().(taxonomy.Localized); ok {
		if len(text) > 0 {
			visit(text)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visitTexts(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				visitTexts(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			visitTexts(v.Index(i), visit)
		}
	}
}
