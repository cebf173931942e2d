package datachain

import "slices"

// Validate checks d against s. The error is the one returned by step.
func Validate(d *Document, s *Schema, step Step) (Report, error) {
	c := newChecker(d, s.definitions, OpValidate, newMeter(step))
	defer c.release()
	c.schema = s
	return c.report()
}

// ValidateResolved checks a resolved document against its own snapshot, and both
// against s, the schema of the release that the document pins. If s is nil because the
// release is no longer published, the document is checked against its snapshot only.
// The error is the one returned by step.
func ValidateResolved(d *Resolved, s *Schema, step Step) (Report, error) {
	m := newMeter(step)
	categories := slices.Clip(d.Snapshot.Categories)
	if s != nil {
		// The snapshot lacks categories that the document does not use but should.
		for _, c := range s.categories {
			if !m.spend(1) {
				break
			}
			categories = append(categories, *c.declared)
		}
	}
	defs := newDefinitions(&m, d.Snapshot.Type, categories, d.Snapshot.Elements, d.Suggested)
	if s != nil {
		defs.addRequired(s.definitions)
		defs.locales = s.locales
	}
	c := newChecker(&d.Document, defs, OpValidateResolved, m)
	defer c.release()
	c.schema, c.resolved = s, d
	return c.report()
}
