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
	missing := make(map[string]int) // the number of texts by locale
	visitTexts(reflect.ValueOf(t.Authored()), func(text taxonomy.Localized) {
		for _, locale := range t.Locales {
			if _, ok := text.Get(locale); !ok {
				missing[locale]++
			}
		}
	})
	var counts []string
	for _, locale := range t.Locales {
		if n := missing[locale]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s (%s)", locale, problem.Count(n, "text")))
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return betaUntranslated.Found("%s lacks translations into %s.", t.ID, problem.AllOf(counts)).
		Hint("Add them to its authoring tree, where \"placard check\" lists them, and publish the beta again before you promote it.")
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
