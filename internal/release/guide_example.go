package release

import (
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/datachain"
	"placard/internal/taxonomy"
)

// Members of the example in a guide, which is a thin document.
type (
	exampleChain struct {
		ID            string             `json:"id"`
		Title         taxonomy.Localized `json:"title"`
		SchemaVersion string             `json:"schema_version"`
		CreatedAt     string             `json:"created_at"`
		Provenance    exampleProvenance  `json:"authoring_provenance"`
		Elements      []examplePlacement `json:"elements"`
	}
	exampleProvenance struct {
		Kind string `json:"kind"`
	}
	examplePlacement struct {
		ElementID string            `json:"element_id"`
		Context   string            `json:"context_type_id,omitzero"`
		Variables []exampleVariable `json:"variables,omitzero"`
	}
	exampleVariable struct {
		ID    string `json:"id"`
		Value any    `json:"value"` // a taxonomy.Localized or a []string
	}
)

// writeExample returns the smallest document that it can write without findings, or
// nil if it cannot write one, for example because a required variable has no
// options, or if the document would be long.
func (r *Release) writeExample(w guideWriter, step func() error) (*exampleChain, error) {
	for _, fillAll := range []bool{false, true} {
		example, ok := r.composeExample(w, fillAll)
		if !ok {
			return nil, nil
		}
		body, err := json.Marshal(example)
		if err != nil {
			return nil, err
		}
		if len(body) > maxGuideExample {
			return nil, nil
		}
		clean, err := r.hasNoFindings(body, step)
		if err != nil {
			return nil, err
		}
		if clean {
			return example, nil
		}
	}
	return nil, nil
}

func (r *Release) hasNoFindings(body []byte, step func() error) (bool, error) {
	doc, report, err := datachain.Parse(body, step)
	if err != nil || !report.OK() {
		return false, err
	}
	defer doc.Release()
	report, err = datachain.Validate(doc, r.schema, step)
	return report.OK() && len(report.Warnings) == 0, err
}

// maxExamplePlacements limits the work on an example. Documents of so many
// placements exceed maxGuideExample.
const maxExamplePlacements = 200

// composeExample returns a document with the required categories and elements, and
// reports whether it is short enough. Placements fill in the variables that are
// required or shown or, if fillAll is set, all of them.
func (r *Release) composeExample(w guideWriter, fillAll bool) (*exampleChain, bool) {
	example := &exampleChain{
		ID:            "example",
		Title:         taxonomy.Localized{{Locale: w.locale, Value: w.short(r.Taxonomy.Title)}},
		SchemaVersion: r.name,
		CreatedAt:     "2026-01-05T10:00:00Z",
		Provenance:    exampleProvenance{"ai_generated"},
		Elements:      []examplePlacement{},
	}
	for i := range r.Taxonomy.Categories {
		c := &r.Taxonomy.Categories[i]
		first, count := r.CategoryRun(c.ID)
		elements := r.Taxonomy.Elements[first : first+count]
		placed := 0
		for _, required := range []bool{true, false} {
			for j := range elements {
				e := &elements[j]
				switch {
				case e.Required != required,
					!required && placed >= c.MinElements && (placed > 0 || !c.Required),
					!required && placed == 0 && !c.Required:
					continue
				}
				if len(example.Elements) == maxExamplePlacements {
					return nil, false
				}
				example.Elements = append(example.Elements, w.placement(e, c, fillAll))
				placed++
			}
		}
	}
	return example, len(example.Elements) > 0 || r.placeAny(w, example)
}

// placeAny places the first element of r: a document needs at least one. It
// reports whether r has any.
func (r *Release) placeAny(w guideWriter, example *exampleChain) bool {
	if len(r.Taxonomy.Elements) == 0 {
		return false
	}
	e := &r.Taxonomy.Elements[0]
	example.Elements = append(example.Elements, w.placement(e, r.categoryOf(e), true))
	return true
}

func (w guideWriter) placement(e *taxonomy.Element, c *taxonomy.Category, fillAll bool) examplePlacement {
	p := examplePlacement{ElementID: e.ID}
	if context := e.EffectiveContext(c); context != nil && len(context.Values) > 0 {
		p.Context = context.Values[0].ID
	}
	shown := shownVariables(e)
	for i := range e.Variables {
		v := &e.Variables[i]
		if !v.Required && !fillAll && !slices.Contains(shown, v.ID) {
			continue
		}
		if value := w.exampleValue(v, e.ID); value != nil {
			p.Variables = append(p.Variables, exampleVariable{v.ID, value})
		}
	}
	return p
}

// exampleValue returns a value of v: its label in brackets, or its first option for
// the element. It returns nil if there is no such option.
func (w guideWriter) exampleValue(v *taxonomy.Variable, element string) any {
	if !v.Kind.HasOptions() {
		return taxonomy.Localized{{Locale: w.locale, Value: "[" + w.short(v.Label) + "]"}}
	}
	for i := range v.Options {
		if o := &v.Options[i]; len(o.AppliesTo) == 0 || slices.Contains(o.AppliesTo, element) {
			return []string{o.ID}
		}
	}
	return nil
}
