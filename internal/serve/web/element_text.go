package web

import (
	"strings"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// elementText returns a title or description of the n-th element of r. Each
// placeholder is replaced with the label of its variable in brackets.
func (q *request) elementText(r *release.Release, n int, l taxonomy.Localized) Text {
	t := q.text(r, l)
	t.Value = withLabels(t.Value, &r.Taxonomy.Elements[n], func(label taxonomy.Localized) string { return q.text(r, label).Value })
	return t
}

// elementTitle returns the title of the n-th element of r, or its id if it has none.
func (q *request) elementTitle(r *release.Release, n int) Text {
	e := &r.Taxonomy.Elements[n]
	if t := q.elementText(r, n, e.Title); t.Value != "" {
		return t
	}
	return Text{Value: e.ID}
}

// withLabels replaces the placeholders in a text of an element.
func withLabels(text string, e *taxonomy.Element, label func(taxonomy.Localized) string) string {
	var b strings.Builder
	end := 0
	for p := range taxonomy.Placeholders(text) {
		b.WriteString(text[end:p.Start])
		b.WriteString("[" + variableLabel(e, p.VariableID, label) + "]")
		end = p.End
	}
	if end == 0 {
		return text
	}
	b.WriteString(text[end:])
	return b.String()
}

// variableLabel returns the label of a variable of e, or the id if it has none.
func variableLabel(e *taxonomy.Element, id string, label func(taxonomy.Localized) string) string {
	for i := range e.Variables {
		if e.Variables[i].ID == id {
			if value := label(e.Variables[i].Label); value != "" {
				return value
			}
		}
	}
	return id
}
