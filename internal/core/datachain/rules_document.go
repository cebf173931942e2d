package datachain

import (
	"slices"
	"strings"

	"placard/internal/core/problem"
)

var documentRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "SCHEMA_VERSION_MISMATCH", Severity: problem.Warning, ErrorIf: "the document is resolved",
			Title: "The schema_version of a document should be the release it is checked against.",
			Why: "A document that is valid in one release may be invalid in another. " +
				"It can be validated against a newer release, but resolved only with its own.",
		},
		RaisedBy: onThin,
		changes:  []change{{"schema_version", `"demo@2025-11-30-stable"`}},
		check: func(c *checker, r *Rule) {
			if c.SchemaVersion == c.schema.id {
				return
			}
			severity := r.Severity
			if c.op == OpResolve {
				severity = problem.Error
			}
			c.found.add(r.Code, severity, location{node: c.version}, func() problem.Problem {
				call := problem.Resolve(c.SchemaVersion.String())
				if c.op == OpValidate {
					call = problem.Validate(c.SchemaVersion.String())
				}
				return r.Found("The document is written for %s but was checked against %s.", c.SchemaVersion, c.schema.id).
					Hint("Change schema_version to %q to use that version.", c.schema.id.String()).
					See(call)
			})
		},
	},
	{
		Rule: problem.Rule{
			Code: "LOCALE_UNKNOWN", Severity: problem.Warning,
			Title: "Localized strings should be in locales of the release.",
			Why:   "Readers choose among the locales of the release, so a text in another locale may never be shown.",
		},
		RaisedBy: onAny,
		changes:  []change{{"title[1]", `{"locale": "xx", "value": "Main entrance"}`}},
		check: func(c *checker, r *Rule) {
			if len(c.definitions.locales) == 0 {
				return // a snapshot need not list them
			}
			for _, n := range c.locales {
				if !c.spend(1) {
					return
				}
				locale := c.tree.str(n)
				if c.definitions.hasLocale(locale) {
					continue
				}
				c.find(r, location{node: n}, func() problem.Problem {
					return r.Found("Release %s has no locale %q.", c.releaseID(), problem.Clip(locale)).
						Hint("It has %s.", listing(c.definitions.locales)).
						See(problem.ShowVersion(c.releaseID().String()))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "texts_incomplete", Severity: problem.Warning,
			Title: "Every text should be in all languages of the document.",
			Why: "Readers of a language see a text that is missing in it in another one. " +
				"The languages of a document are those of its title, except those that the release does not have.",
		},
		RaisedBy: onAny,
		changes: []change{
			{"title[1]", `{"locale": "fr", "value": "Hall d’entrée"}`},
			{"elements[1].variables[0].value[1]", `{"locale": "fr", "value": "Au-dessus de l’entrée"}`},
		},
		check: (*checker).checkLanguages,
	},
	{
		Rule: problem.Rule{
			Code: "unknown_field", Severity: problem.Warning,
			Title: "Members should have known names.",
			Why:   "Unknown members are kept but ignored; often the name is misspelt.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].lable", `"Gate"`}},
		check: func(c *checker, r *Rule) {
			if len(c.unknownMembers) == 0 {
				return
			}
			resolvedForm := c.tree.member(0, "schema_snapshot")
			for _, u := range c.unknownMembers {
				if !c.spend(1) {
					return
				}
				if c.resolved != nil && resolvedForm < u.node && u.node < c.tree.nodes[resolvedForm].next {
					continue // only the release knows the members of its snapshot
				}
				if resolvedForm != 0 && u.node != resolvedForm && c.tree.nodes[u.node].parent == 0 && c.tree.str(u.node-1) == "suggested_elements" {
					continue // reported with the snapshot
				}
				c.find(r, location{node: u.node}, func() problem.Problem {
					name := c.tree.str(u.node - 1)
					switch {
					case c.tree.nodes[u.node].parent == 0 && name == "schema_snapshot":
						return r.Found("The document is a resolved document; its snapshot is ignored.").
							Hint("Remove schema_snapshot and suggested_elements to check it as a thin document.").
							See(problem.ValidateResolved(""))
					case c.tree.nodes[u.node].parent == 0 && name == "suggested_elements":
						return r.Found("Only resolved documents have suggested elements; they are ignored.").
							Hint("Remove them. They can be added to the resolved document, which has a schema_snapshot.").
							See(problem.Resolve(""))
					}
					found := r.Found("%q is not a known member; it is kept but ignored.", problem.Clip(name))
					if near := c.near(name, u.known); near != "" {
						return found.Hint("%s", near)
					}
					return found.Hint("Known members: %s.", strings.Join(u.known, ", "))
				})
			}
		},
	},
}

// checkLanguages reports the texts that lack a language of the title.
func (c *checker) checkLanguages(r *Rule) {
	if len(c.Title) < 2 {
		return
	}
	var languages []string
	for _, l := range c.definitions.locales { // a snapshot need not list them
		if value, _ := c.Title.Get(l); c.spend(len(c.Title)) && !isBlank(value) {
			languages = append(languages, l)
		}
	}
	if len(languages) < 2 {
		return
	}
	var text ref // the array of the current text
	missing := make([]string, 0, len(languages))
	end := func() {
		if len(missing) == 0 {
			return
		}
		missing := listing(missing)
		c.find(r, location{node: text}, func() problem.Problem {
			return r.Found("The title is in %s, but this text is not in %s.", listing(languages), missing).
				Hint("Add the text in %s.", missing)
		})
	}
	for n, value := range c.texts() {
		// Blank texts are reported by other rules.
		if c.tree.kind(n) != '{' || isBlank(value) || !c.spend(len(languages)/8) {
			continue
		}
		if list := c.tree.nodes[n].parent; list != text {
			end()
			text, missing = list, append(missing[:0], languages...)
		}
		locale := c.tree.str(c.tree.member(n, "locale"))
		missing = slices.DeleteFunc(missing, func(l string) bool { return strings.EqualFold(l, locale) })
	}
	end()
}

// hasLocale reports whether the release has the locale, ignoring case. The exact
// match is the common case and is faster.
func (d *definitions) hasLocale(locale string) bool {
	return slices.Contains(d.locales, locale) ||
		slices.ContainsFunc(d.locales, func(known string) bool { return strings.EqualFold(known, locale) })
}
