package release

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
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
		Actions   []exampleAction   `json:"actions,omitzero"`

		element  *taxonomy.Element
		category *taxonomy.Category
	}
	exampleAction struct {
		Type   string             `json:"type"`
		Label  taxonomy.Localized `json:"label"`
		Target string             `json:"target"`
	}
	exampleVariable struct {
		ID    string `json:"id"`
		Value any    `json:"value"` // a taxonomy.Localized or a []string
	}
)

// exampleDetail is how much of a placement is filled in.
type exampleDetail int

const (
	requiredVariables exampleDetail = iota // and those that the element shows
	allVariables
	variablesAndAction
)

// writeExample returns a small document that is valid and has no warnings, except
// about placeholders in place of facts. It returns nil if it cannot write one, for
// example because a required variable has no options, or if the document would be
// long.
func (r *Release) writeExample(w guideWriter, step func() error) (*exampleChain, error) {
	example, err := r.composeExample(w, step)
	if example == nil || err != nil {
		return nil, err
	}
	for detail := requiredVariables; ; detail++ {
		body, err := json.Marshal(example)
		if err != nil {
			return nil, err
		}
		if len(body) > maxGuideExample {
			return nil, nil
		}
		findings, err := r.findings(body, step)
		if err != nil {
			return nil, err
		}
		if len(findings) == 0 {
			return example, nil
		}
		if detail == variablesAndAction {
			return nil, nil
		}
		for i := range example.Elements {
			at := problem.Root.Field("elements").Index(i).String()
			if slices.ContainsFunc(findings, func(p problem.Problem) bool { return strings.HasPrefix(p.Path.String(), at) }) {
				example.Elements[i].fill(w, detail+1)
			}
		}
	}
}

// findings returns the errors and warnings for a document, except those about
// placeholders.
func (r *Release) findings(body []byte, step func() error) (problem.List, error) {
	doc, report, err := datachain.Parse(body, step)
	if err == nil && report.OK() {
		report, err = datachain.Validate(doc, r.schema, step)
		doc.Release()
	}
	all := append(slices.Clip(report.Errors), report.Warnings...)
	return slices.DeleteFunc(all, func(p problem.Problem) bool { return p.Code == datachain.CodePlaceholder }), err
}

// maxExamplePlacements limits the work on an example. Documents with so many
// placements exceed maxGuideExample.
const maxExamplePlacements = 200

// composeExample returns a document with the required categories and elements, or
// nil if it would be too long.
func (r *Release) composeExample(w guideWriter, step func() error) (*exampleChain, error) {
	example := &exampleChain{
		ID:            "example",
		Title:         taxonomy.Localized{{Locale: w.locale, Value: w.short(r.Taxonomy.Title)}},
		SchemaVersion: r.name,
		CreatedAt:     "2026-01-05T10:00:00Z",
		Provenance:    exampleProvenance{"ai_generated"},
	}
	for i := range r.Taxonomy.Categories {
		c := &r.Taxonomy.Categories[i]
		first, count := r.CategoryRun(c.ID)
		placed := 0
		for _, required := range []bool{true, false} {
			for n := range count {
				e := &r.Taxonomy.Elements[first+n]
				// The minimum applies to categories in which anything is placed.
				wanted := placed == 0 && c.Required || placed > 0 && placed < c.MinElements
				if e.Required != required || !required && !wanted {
					continue
				}
				if err := step(); err != nil {
					return nil, err
				}
				if !required && (e.Deprecated != nil || example.isExcluded(e)) {
					continue
				}
				if len(example.Elements) == maxExamplePlacements {
					return nil, nil
				}
				example.place(w, e, c)
				placed++
			}
		}
	}
	if len(example.Elements) == 0 { // a document has at least one placement
		if len(r.Taxonomy.Elements) == 0 {
			return nil, nil
		}
		e := &r.Taxonomy.Elements[0]
		example.place(w, e, r.categoryOf(e))
	}
	return example, nil
}

// isExcluded reports whether e must not be placed beside an element of the example.
func (x *exampleChain) isExcluded(e *taxonomy.Element) bool {
	return slices.ContainsFunc(x.Elements, func(p examplePlacement) bool {
		return slices.Contains(e.Excludes, p.ElementID) || slices.Contains(p.element.Excludes, e.ID)
	})
}

func (x *exampleChain) place(w guideWriter, e *taxonomy.Element, c *taxonomy.Category) {
	p := examplePlacement{ElementID: e.ID, element: e, category: c}
	if context := e.EffectiveContext(c); context != nil {
		for i := range context.Values {
			if v := &context.Values[i]; v.MaxPlacements == 0 || x.count(c, v.ID) < v.MaxPlacements {
				p.Context = v.ID
				break
			}
		}
	}
	p.fill(w, requiredVariables)
	x.Elements = append(x.Elements, p)
}

// count returns the number of placements in a category with a context value.
func (x *exampleChain) count(c *taxonomy.Category, context string) (n int) {
	for i := range x.Elements {
		if p := &x.Elements[i]; p.category == c && p.Context == context {
			n++
		}
	}
	return n
}

// fill sets the variables and actions of p.
func (p *examplePlacement) fill(w guideWriter, detail exampleDetail) {
	p.Variables, p.Actions = nil, nil
	shown := shownVariables(p.element)
	for i := range p.element.Variables {
		v := &p.element.Variables[i]
		if !v.Required && detail < allVariables && !slices.Contains(shown, v.ID) {
			continue
		}
		if value := w.exampleValue(v, p.ElementID); value != nil {
			p.Variables = append(p.Variables, exampleVariable{v.ID, value})
		}
	}
	if detail == variablesAndAction {
		label := taxonomy.Localized{{Locale: w.locale, Value: w.short(p.element.Title)}}
		p.Actions = []exampleAction{{"url", label, "https://example.org/"}}
	}
}

// exampleValue returns a value of v: its label in brackets, which is a placeholder,
// or its first option for the element. It returns nil if there is no such option.
func (w guideWriter) exampleValue(v *taxonomy.Variable, element string) any {
	return taxonomy.ByKind(v.Kind, func() any {
		return taxonomy.Localized{{Locale: w.locale, Value: "[" + w.short(v.Label) + "]"}}
	}, func() any {
		for i := range v.Options {
			if o := &v.Options[i]; len(o.AppliesTo) == 0 || slices.Contains(o.AppliesTo, element) {
				return []string{o.ID}
			}
		}
		return nil
	})()
}
