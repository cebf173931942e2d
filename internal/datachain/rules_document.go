package datachain

import (
	"slices"
	"strings"

	"placard/internal/problem"
)

var documentRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "SCHEMA_VERSION_MISMATCH", Severity: problem.Error,
			Title: "The schema_version of a document is the release it is checked against.",
			Why: "What holds in one release may not in another. " +
				"Validate only warns, so that a document can be tried against a newer release; resolve refuses.",
		},
		RaisedBy: onThin,
		changes:  []change{{"schema_version", `"demo@2025-11-30-stable"`}},
		check: func(c *run, r *Rule) {
			if c.SchemaVersion == c.schema.id {
				return
			}
			severity := r.Severity
			if c.op == OpValidate {
				severity = problem.Warning
			}
			c.found.add(r.Code, severity, place{at: c.version}, func() problem.Problem {
				return r.Found("The document is written for %s and was checked against %s.", c.SchemaVersion, c.schema.id).
					Hint("Ask for %s, or change schema_version to %q.", c.SchemaVersion, c.schema.id.String())
			})
		},
	},
	{
		Rule: problem.Rule{
			Code: "LOCALE_UNKNOWN", Severity: problem.Warning,
			Title: "Localized strings are in locales that the release lists.",
			Why:   "Readers choose among the locales of the release, and never see a text in another.",
		},
		RaisedBy: onThin,
		changes:  []change{{"title[1]", `{"locale": "xx", "value": "Main entrance"}`}},
		check: func(c *run, r *Rule) {
			for _, at := range c.locales {
				if !c.spend(1) {
					return
				}
				locale := c.tree.str(at)
				if c.pool.hasLocale(locale) {
					continue
				}
				c.find(r, place{at: at}, func() problem.Problem {
					return r.Found("Release %s has no locale %q.", c.schema.id, problem.Clip(locale)).
						Hint("It has %s.", listing(c.pool.locales))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "unknown_field", Severity: problem.Warning,
			Title: "Members have names that documents know.",
			Why:   "Others are kept, but nothing reads them; often the name is only misspelt.",
		},
		RaisedBy: onThin,
		changes:  []change{{"elements[1].lable", `"Gate"`}},
		check: func(c *run, r *Rule) {
			for _, s := range c.strangers {
				if !c.spend(1) {
					return
				}
				c.find(r, place{at: s.at}, func() problem.Problem {
					name := c.tree.str(s.at - 1)
					if c.tree.nodes[s.at].up == 0 && slices.Contains(resolvedFields, name) {
						return r.Found("%q is a member of resolved documents only; it is not read here.", name).
							Hint("Leave it out: resolve writes it anew. To check a resolved document, use validate_resolved.")
					}
					found := r.Found("%q is not a known member here; it is kept and not read.", problem.Clip(name))
					if near := c.near(name, s.known); near != "" {
						return found.Hint("%s", near)
					}
					return found.Hint("Known members: %s.", strings.Join(s.known, ", "))
				})
			}
		},
	},
}

// hasLocale reports whether the release has the locale, however it is spelt.
// Mostly it is spelt as there, which is sooner seen.
func (p *pool) hasLocale(locale string) bool {
	return slices.Contains(p.locales, locale) ||
		slices.ContainsFunc(p.locales, func(known string) bool { return strings.EqualFold(known, locale) })
}
