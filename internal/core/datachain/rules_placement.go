package datachain

import (
	"fmt"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// CodeElementUnknown is the code of errors about elements that a release lacks.
const CodeElementUnknown problem.Code = "INSTANCE_ELEMENT_UNKNOWN"

var placementRules = []Rule{
	{
		Rule: problem.Rule{
			Code: CodeElementUnknown, Severity: problem.Error,
			Title: "Every element that is placed or named in head_refs must be in the release.",
			Why:   "An element that the release does not define has no meaning for a reader.",
		},
		RaisedBy: onThin,
		changes:  []change{{"elements[3]", `{"element_id": "camra"}`}},
		check:    checkElementsKnown,
	},
	{
		Rule: problem.Rule{
			Code: "element_deprecated", Severity: problem.Warning,
			Title: "A document should not place elements that are deprecated.",
			Why:   "A later version of the taxonomy may not have the element.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "object"}`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				e := c.placed[i]
				if e == nil || e.deprecated == nil || c.byElement[e.id].first != i {
					continue
				}
				c.find(r, location{node: p.refs.element}, func() problem.Problem {
					advice := "Place another element, or remove the placement."
					if len(e.deprecated.Use) > 0 {
						advice = "Place " + listing(e.deprecated.Use) + " instead."
					}
					message := fmt.Sprintf("Element %q is deprecated. %s", problem.Clip(e.id), problem.ClipTo(c.text(e.deprecated.Message), 500))
					return r.Found("%s", strings.TrimSpace(message)).Hint("%s", advice)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "CONTEXT_TYPE_UNKNOWN", Severity: problem.Error,
			Title: "A context_type_id must be a value of the placed element's context.",
			Why:   "Any other value neither colours the icon nor answers the context's question.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].context_type_id", `"sometimes"`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				e := c.placed[i]
				if e == nil || p.refs.context == 0 || e.context.find(p.ContextTypeID) >= 0 {
					continue
				}
				c.find(r, location{node: p.refs.context}, func() problem.Problem {
					found := r.Found("%q is not a context value of element %q.", problem.Clip(p.ContextTypeID), problem.Clip(e.id))
					if e.context != nil {
						return c.suggestPart(found, e, "Context value", p.ContextTypeID, e.context.ids, e.context.now)
					}
					if e.category == nil {
						return found.Hint("Add the category of the element to schema_snapshot.categories, or remove context_type_id.")
					}
					return found.Hint("Remove context_type_id; the element has no context.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "CONTEXT_TYPE_MISSING", Severity: problem.Warning,
			Title: "A placement of an element with a context should have a context_type_id.",
			Why:   "Without it, the context's question is unanswered and the icon has no colour.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "microphone", "variables": [{"id": "position", "value": [{"locale": "en", "value": "In the lift"}]}]}`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				e := c.placed[i]
				if e == nil || p.refs.context != 0 || e.context == nil || len(e.context.ids) == 0 || c.misnamed(p.refs.self, "context_type_id") != "" {
					continue
				}
				c.find(r, location{p.refs.self, "context_type_id"}, func() problem.Problem {
					return c.seeElement(r.Found("Element %q has a context, but this placement has no context_type_id.", problem.Clip(e.id)).
						Hint("Add context_type_id, one of %s. If you do not know which applies, ask someone who knows the system; do not guess.", listing(e.context.ids)), e, e.context.ids)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "context_type_used_too_often", Severity: problem.Warning,
			Title: "A context value should not have more than max_placements placements.",
			Why:   "The value can be true of only that many placements: for example, one organisation decides.",
		},
		RaisedBy: onAny,
		changes: []change{
			{"elements[1].context_type_id", `"on_event"`},
			{"elements[3]", `{"element_id": "microphone", "context_type_id": "on_event", "variables": [{"id": "position", "value": [{"locale": "en", "value": "In the lift"}]}]}`},
		},
		check: func(c *checker, r *Rule) {
			if c.definitions.counters == 0 {
				return
			}
			c.byValue = append(c.byValue, make([]int, c.definitions.counters)...)
			for i, p := range c.placements() {
				e := c.placed[i]
				if e == nil || p.refs.context == 0 || e.context == nil || e.context.limits == nil {
					continue
				}
				value := e.context.find(p.ContextTypeID)
				if value < 0 || e.context.limits[value] == 0 {
					continue
				}
				limit, placed := e.context.limits[value], &c.byValue[e.context.firstCounter+value]
				// Report only the first placement above the limit.
				if *placed++; *placed != limit+1 {
					continue
				}
				c.find(r, location{node: p.refs.context}, func() problem.Problem {
					return r.Found("%s have the context value %q, but at most %d should.",
						count(*placed, "placement"), problem.Clip(p.ContextTypeID), limit).
						Hint("Keep it where it is true, and give the other placements another value.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "placement_label_empty", Severity: problem.Warning,
			Title: "A label should not be blank.",
			Why:   "A blank label does not distinguish the placement or the subchain instance from others.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].label", `" "`}},
		check: func(c *checker, r *Rule) {
			for l := range c.labels {
				if l.node != 0 && isBlank(l.Text) && isBlankText(l.Localized) {
					c.find(r, location{node: l.node}, func() problem.Problem {
						return r.Found("The label is blank.").Hint("Write a label, or remove it.")
					})
				}
			}
		},
	},
}

// checkElementsKnown checks that every element the document refers to is defined.
func checkElementsKnown(c *checker, r *Rule) {
	unknown := func(id string, n ref) {
		c.find(r, location{node: n}, func() problem.Problem {
			return c.unknownElement(r, id)
		})
	}
	for i, p := range c.placements() {
		if c.placed[i] == nil {
			unknown(p.ElementID, p.refs.element)
		}
	}
	for s := range c.subchainInstances {
		if s.heads == 0 {
			continue
		}
		for k, item := range c.items(s.heads) {
			if _, ok := c.byInstance[s.HeadRefs[k]]; !ok && c.definitions.element[s.HeadRefs[k]] == nil {
				unknown(s.HeadRefs[k], item)
			}
		}
	}
}

func (c *checker) unknownElement(r *Rule, id string) problem.Problem {
	if now := c.definitions.now[id]; now != "" && c.resolved == nil {
		return c.renamed(r.Found(""), "Element", id, now)
	}
	near := problem.DidYouMean(id, c.nearestElements(id))
	if c.resolved != nil {
		found := r.Found("Element %q is neither in schema_snapshot nor in suggested_elements.", problem.Clip(id))
		if near == "" {
			return found.Hint("Resolve the document again, or add the element to suggested_elements.").
				See(problem.Resolve(c.SchemaVersion.String()))
		}
		return found.Hint("%s", near)
	}
	found := r.Found("Release %s has no element %q.", c.schema.id, problem.Clip(id))
	if near == "" {
		return found.Hint("Use the id of an element of this release.").See(problem.ListElementsWithout(c.schema.id.String(), id))
	}
	return found.Hint("%s", near).See(problem.FindElement(c.schema.id.String(), id))
}

// renamed returns p with the message that an id is another one in the release.
func (c *checker) renamed(p problem.Problem, kind, old, now string) problem.Problem {
	p.Message = fmt.Sprintf("%s %q is now %q.", kind, problem.Clip(old), problem.Clip(now))
	return p.Hint("Write %q.", problem.Clip(now)).See(problem.Upgrade(c.schema.id.String()))
}

// suggestPart adds a hint to a problem about an id in a placement of e that is not in
// known. It may be an old one.
func (c *checker) suggestPart(p problem.Problem, e *element, kind, id string, known []string, now map[string]string) problem.Problem {
	if now[id] != "" && c.resolved == nil {
		return c.renamed(p, kind, id, now[id])
	}
	return c.seeElement(c.suggest(p, id, known), e, known)
}

// text returns a text in the first language of the document or, if it has none, in the
// first language of the text.
func (c *checker) text(texts taxonomy.Localized) (text string) {
	for _, t := range texts {
		if text == "" || len(c.locales) > 0 && strings.EqualFold(t.Locale, c.tree.str(c.locales[0])) {
			text = t.Value
		}
	}
	return text
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func isBlankText(texts taxonomy.Localized) bool {
	for _, t := range texts {
		if !isBlank(t.Value) {
			return false
		}
	}
	return true
}
