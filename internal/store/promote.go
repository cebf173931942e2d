package store

import (
	"context"
	"reflect"

	"placard/internal/compat"
	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// Promote publishes the content of a beta as the stable release of the same day.
func (s *Store) Promote(ctx context.Context, intent Intent, beta taxonomy.ID, pins ...string) (Result, error) {
	if beta.Status != taxonomy.Beta {
		return Result{}, notABeta.Found("%s is not a beta.", beta).Hint("Only a beta can be promoted; its stable release has the same date.")
	}
	for _, name := range pins {
		if err := checkPin(name); err != nil {
			return Result{}, err
		}
	}
	var outcome Outcome
	result, err := s.update(ctx, Promote, intent, func(ix *Index) error {
		e, err := ix.mustFind(beta)
		if err != nil {
			return err
		}
		r, err := s.Load(ctx, e)
		if err != nil {
			return err
		}
		if err := checkTranslated(r.Taxonomy); err != nil {
			return err
		}
		t := *r.Taxonomy
		t.ID.Status = taxonomy.Stable
		if r, err = release.Compile(&t); err != nil {
			return err
		}
		if err := s.checkCompatible(ctx, ix, r, intent); err != nil {
			return err
		}
		var comparison *compat.Comparison
		if intent.DryRun {
			if comparison, err = s.compare(ctx, ix, r); err != nil {
				return err
			}
		}
		outcome, err = s.publish(ctx, ix, Publication{Release: r, Pins: pins}, intent.DryRun)
		outcome.Comparison = comparison
		return err
	})
	result.Outcomes = []Outcome{outcome}
	return result, err
}

// checkTranslated returns an error if a text of t lacks a translation. In an authoring
// tree, that is an error for stable releases only.
func checkTranslated(t *taxonomy.Taxonomy) error {
	var found []taxonomy.Localized
	missing := make(map[string]bool)
	visitTexts(reflect.ValueOf(t.Authored()), func(text taxonomy.Localized) {
		complete := true
		for _, locale := range t.Locales {
			if _, ok := text.Get(locale); !ok {
				complete, missing[locale] = false, true
			}
		}
		if !complete {
			found = append(found, text)
		}
	})
	if len(found) == 0 {
		return nil
	}
	var locales []string
	for _, locale := range t.Locales {
		if missing[locale] {
			locales = append(locales, locale)
		}
	}
	return betaUntranslated.Found("In %s, %s not translated into %s, such as %q.", t.ID, countTexts(len(found)), problem.OneOf(locales), problem.Clip(found[0][0].Value)).
		Hint("Add the translations to its authoring tree, and publish the beta again before you promote it.")
}

func countTexts(n int) string {
	if n == 1 {
		return "1 text is"
	}
	return problem.Count(n, "text") + " are"
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
