package datachain

import (
	"slices"

	"placard/internal/core/problem"
)

// suggestion is a suggested element for the examples.
const suggestion = `{"id": "lidar", "title": [{"locale": "en", "value": "Lidar"}], "category_id": "sensing"}`

var resolvedRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "unknown_element_id", Severity: problem.Error,
			Title: "Every placed element must be in schema_snapshot or suggested_elements.",
			Why:   "A resolved document is read without the release, so it must contain every element it uses.",
		},
		RaisedBy: onResolved,
		changes:  []change{{"elements[3]", `{"element_id": "lidar"}`}},
		check:    checkElementsKnown,
	},
	{
		Rule: problem.Rule{
			Code: "element_id_collision", Severity: problem.Error,
			Title: "A suggested element must not have the id of another element in the document.",
			Why:   "A placement would be ambiguous. The element of the snapshot is used, and the suggestion is ignored.",
		},
		RaisedBy: onResolved,
		changes: []change{
			{"authoring_provenance", `{"kind": "ai_generated"}`},
			{"suggested_elements", `[{"id": "camera", "title": [{"locale": "en", "value": "Lidar"}], "category_id": "sensing"}]`},
		},
		check: func(c *checker, r *Rule) {
			if len(c.resolved.Suggested) == 0 {
				return
			}
			ids := make(set)
			for i := range c.resolved.Snapshot.Elements {
				if !c.spend(1) {
					return
				}
				ids.add(c.resolved.Snapshot.Elements[i].ID)
			}
			for i := range c.resolved.Suggested {
				e := &c.resolved.Suggested[i]
				if !c.spend(1) {
					return
				}
				if ids.add(e.ID) {
					continue
				}
				c.find(r, location{node: c.tree.member(c.resolved.suggested[i], "id")}, func() problem.Problem {
					return r.Found("Another element of this document has the id %q.", problem.Clip(e.ID)).
						Hint("Give the suggested element another id, or remove it and place the existing element.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUGGESTED_CATEGORY_UNKNOWN", Severity: problem.Error,
			Title: "The category of a suggested element must exist.",
			Why:   "The element answers the question of its category. Without one, nobody knows what it is about.",
		},
		RaisedBy: onResolved,
		changes: []change{
			{"authoring_provenance", `{"kind": "ai_generated"}`},
			{"suggested_elements", `[{"id": "lidar", "title": [{"locale": "en", "value": "Lidar"}], "category_id": "senses"}]`},
		},
		check: func(c *checker, r *Rule) {
			for i := range c.resolved.Suggested {
				e := &c.resolved.Suggested[i]
				if !c.spend(1 + len(c.resolved.Snapshot.Type.Categories)/8) {
					return
				}
				if c.definitions.category[e.CategoryID] != nil || slices.Contains(c.resolved.Snapshot.Type.Categories, e.CategoryID) {
					continue
				}
				c.find(r, location{node: c.tree.member(c.resolved.suggested[i], "category_id")}, func() problem.Problem {
					return c.suggest(r.Found("The taxonomy has no category %q.", problem.Clip(e.CategoryID)), e.CategoryID, c.resolved.Snapshot.Type.Categories)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "provenance_required", Severity: problem.Error,
			Title: "A document with suggested elements must be marked as ai_generated.",
			Why:   "Readers must be able to distinguish elements suggested by a model from those of the release.",
		},
		RaisedBy: onResolved,
		changes:  []change{{"suggested_elements", "[" + suggestion + "]"}},
		check: func(c *checker, r *Rule) {
			if len(c.resolved.Suggested) == 0 || c.Provenance != nil && c.Provenance.Kind == AIGenerated {
				return
			}
			loc := location{missing: "authoring_provenance"}
			if c.Provenance != nil {
				loc = location{node: c.Provenance.kind}
			}
			c.find(r, loc, func() problem.Problem {
				return r.Found("The document has suggested elements, so authoring_provenance.kind must be %q.", AIGenerated).
					Hint("Set authoring_provenance.kind to %q, or remove suggested_elements.", AIGenerated)
			})
		},
	},
	{
		Rule: problem.Rule{
			Code: "snapshot_drift", Severity: problem.Error,
			Title: "The schema_snapshot of a document must match the release it pins.",
			Why: "Readers rely on the snapshot instead of the release. " +
				"The rule is not checked if the release is no longer published.",
		},
		RaisedBy: onResolved,
		changes:  []change{{"schema_snapshot.elements[1].symbol_id", `"microphone"`}},
		check:    checkDrift,
	},
}
