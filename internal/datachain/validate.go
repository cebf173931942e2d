package datachain

// Validate checks d against s. The error is what step returned.
func Validate(d *Document, s *Schema, step Step) (Report, error) {
	c := newRun(d, s.pool, OpValidate, newMeter(step))
	defer c.release()
	c.schema = s
	return c.report()
}

// ValidateResolved checks a resolved document against itself, and its snapshot
// against live, the schema of the release that the document pins, or nil where
// that is no longer published. The error is what step returned.
func ValidateResolved(d *Resolved, live *Schema, step Step) (Report, error) {
	m := newMeter(step)
	p := newPool(&m, d.Snapshot.Type, d.Snapshot.Categories, d.Snapshot.Elements, d.Suggested)
	c := newRun(&d.Document, p, OpValidateResolved, m)
	defer c.release()
	c.schema, c.resolved = live, d
	return c.report()
}
