package datachain

// Validate checks d against s. The error is the one returned by step.
func Validate(d *Document, s *Schema, step Step) (Report, error) {
	c := newChecker(d, s.definitions, OpValidate, newMeter(step))
	defer c.release()
	c.schema = s
	return c.report()
}

// ValidateResolved checks a resolved document against its own snapshot, and the
// snapshot against live, the schema of the release that the document pins. If the
// release is no longer published, live is nil. The error is the one returned by
// step.
func ValidateResolved(d *Resolved, live *Schema, step Step) (Report, error) {
	m := newMeter(step)
	p := newDefinitions(&m, d.Snapshot.Type, d.Snapshot.Categories, d.Snapshot.Elements, d.Suggested)
	c := newChecker(&d.Document, p, OpValidateResolved, m)
	defer c.release()
	c.schema, c.resolved = live, d
	return c.report()
}
