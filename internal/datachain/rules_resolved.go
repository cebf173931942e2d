package datachain

import "placard/internal/problem"

// suggestion is an element that a release could have had.
const suggestion = `{"id": "lidar", "title": [{"locale": "en", "value": "Lidar"}], "category_id": "sensing"}`

var resolvedRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "unknown_element_id", Severity: problem.Error,
			Title: "Every element that is placed is in schema_snapshot or in suggested_elements.",
			Why:   "A resolved document is read without the release; an element that it does not carry is unknown.",
		},
		RaisedBy: onResolved,
		changes:  []change{{"elements[3]", `{"element_id": "lidar"}`}},
		check:    checkElementsKnown,
	},
	{
		Rule: problem.Rule{
			Code: "element_id_collision", Severity: problem.Error,
			Title: "No suggested element has the id of another element in the document.",
			Why:   "A placement would mean either. The snapshot's counts, and the suggestion is lost.",
		},
		RaisedBy: onResolved,
		changes: []change{
			{"authoring_provenance", `{"kind": "ai_generated"}`},
			{"suggested_elements", `[{"id": "camera", "title": [{"locale": "en", "value": "Lidar"}], "category_id": "sensing"}]`},
		},
		check: func(c *run, r *Rule) {
			if len(c.resolved.Suggested) == 0 {
				return
			}
			var ids set
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
				c.find(r, place{at: c.tree.member(c.resolved.suggested[i], "id")}, func() problem.Problem {
					return r.Found("Another element of this document has the id %q.", problem.Clip(e.ID)).
						Hint("Give the suggested element another id, or remove it and place the other one.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "provenance_required", Severity: problem.Error,
			Title: "A document with suggested elements says that it is ai_generated.",
			Why:   "Readers must be able to tell elements that a model proposed from those of the release.",
		},
		RaisedBy: onResolved,
		changes:  []change{{"suggested_elements", "[" + suggestion + "]"}},
		check: func(c *run, r *Rule) {
			if len(c.resolved.Suggested) == 0 || c.Provenance != nil && c.Provenance.Kind == AIGenerated {
				return
			}
			at := place{missing: "authoring_provenance"}
			if c.Provenance != nil {
				at = place{at: c.Provenance.kind}
			}
			c.find(r, at, func() problem.Problem {
				return r.Found("There are suggested elements, so that authoring_provenance.kind must be %q.", AIGenerated).
					Hint(`Add "authoring_provenance": {"kind": %q}, or remove suggested_elements.`, AIGenerated)
			})
		},
	},
	{
		Rule: problem.Rule{
			Code: "snapshot_drift", Severity: problem.Error,
			Title: "The schema_snapshot of a document says what the release says that it pins.",
			Why: "Readers take the snapshot for the release. " +
				"The rule is not asked once the release is no longer published.",
		},
		RaisedBy: onResolved,
		changes:  []change{{"schema_snapshot.elements[1].symbol_id", `"microphone"`}},
		check:    checkDrift,
	},
}
