package source

import (
	"slices"
	"strings"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var contextRules = []rule{contextValueReserved, colorInvalid, colorLowContrast, colorTooSimilar}

const (
	// minContrast is the contrast that WCAG 2 requires for meaningful graphics.
	minContrast = 3.0
	// minDifference is about three times a just noticeable difference. Smaller
	// differences cannot be seen on icons, which are small and rarely adjacent.
	minDifference = 0.06
)

// exampleContext is a category that has a context with two values.
const exampleContext = minimalCategory + `context:
  id: time
  name: {en: Time, fr: Moment}
  values:
    - {id: by_day, label: {en: By day, fr: Le jour}, color: "#B35900"}
    - {id: by_night, label: {en: By night, fr: La nuit}, color: "#1B4F9F"}
`

var contextValueReserved = rule{
	Rule: problem.Rule{
		Code:     "CONTEXT_VALUE_RESERVED",
		Severity: problem.Error,
		Title:    "A context value must not be called default or dark, regardless of case.",
		Why:      "Every element already has icons with these names, and not every file system distinguishes case.",
		Example:  replace(exampleContext, "by_night", "dark"),
	},
	check: func(t *tree, report reportFunc) {
		for c, pos := range t.contexts {
			for i, v := range c.Values {
				if strings.EqualFold(v.ID, taxonomy.VariantDefault) || strings.EqualFold(v.ID, taxonomy.VariantDark) {
					report(pos("values", i, "id"), "A context value must not be called %q.", v.ID).FixHint = "Choose another id."
				}
			}
		}
	},
}

var colorInvalid = rule{
	Rule: problem.Rule{
		Code:     "COLOR_INVALID",
		Severity: problem.Error,
		Title:    "A colour must be written as #RRGGBB.",
		Why:      "Programs that read the taxonomy expect this format.",
		Example:  replace(exampleContext, `"#1B4F9F"`, "navy"),
	},
	check: func(t *tree, report reportFunc) {
		for c, pos := range t.contexts {
			for i, v := range c.Values {
				if _, ok := icon.ParseColor(v.Color); !ok && v.Color != "" {
					report(pos("values", i, "color"), "%q is not a colour in the form #RRGGBB.", problem.Clip(v.Color)).
						FixHint = `Write it in quotes, such as "#4A90D9", or remove the field to use no colour.`
				}
			}
		}
	},
}

var colorLowContrast = rule{
	Rule: problem.Rule{
		Code:     "COLOR_LOW_CONTRAST",
		Severity: problem.Warning,
		Title:    "A colour should have a contrast of at least 3:1 against white.",
		Why:      "A lighter colour is hard to see on a white page or a printed sign.",
		Example:  replace(exampleContext, "#1B4F9F", "#FFD700"),
	},
	check: func(t *tree, report reportFunc) {
		white := icon.Color{R: 0xFF, G: 0xFF, B: 0xFF}
		for c, pos := range t.contexts {
			for i, v := range c.Values {
				color, ok := icon.ParseColor(v.Color)
				if ratio := icon.Contrast(color, white); ok && ratio < minContrast {
					report(pos("values", i, "color"), "%s has a contrast of %.2f:1 against white; the minimum is %g:1.", v.Color, ratio, minContrast).
						FixHint = "Choose a darker colour."
				}
			}
		}
	},
}

var colorTooSimilar = rule{
	Rule: problem.Rule{
		Code:     "COLOR_TOO_SIMILAR",
		Severity: problem.Warning,
		Title:    "The colours of a context should differ by at least 0.06 in the OKLab colour space.",
		Why:      "More similar colours cannot be told apart on icons.",
		Example:  replace(exampleContext, "#1B4F9F", "#AD5A00"),
	},
	check: func(t *tree, report reportFunc) {
		for c, pos := range t.contexts {
			var distinct []taxonomy.ContextValue
			for i, v := range c.Values {
				if _, ok := icon.ParseColor(v.Color); !ok {
					continue
				}
				similar := slices.IndexFunc(distinct, func(other taxonomy.ContextValue) bool { return areSimilar(v.Color, other.Color) })
				if similar < 0 {
					distinct = append(distinct, v)
					continue
				}
				report(pos("values", i, "color"), "%s looks almost the same as %s, the colour of %q.", v.Color, distinct[similar].Color, problem.Clip(distinct[similar].ID)).
					FixHint = "Choose a clearly different colour."
			}
		}
	},
}

func areSimilar(a, b string) bool {
	p, _ := icon.ParseColor(a)
	q, _ := icon.ParseColor(b)
	return icon.Difference(p, q) < minDifference
}
