package datachain

// Validate checks d against s. The error is the one returned by step.
func Validate(d *Document, s *Schema, step Step) (Report, error) {
	c := newChecker(d, s.definitions, OpValidate, newMeter(step))
	defer c.release()
	c.schema = s
	return c.report()
}

// ValidateResolved checks a resolved document against its own snapshot, and the
// snapshot against s, the schema of the release that the document pins. If s is nil
// because the release is no longer published, the snapshot is not checked. The error
// is the one returned by step.
func ValidateResolved(d *Resolved, s *Schema, step Step) (Report, error) {
	m := newMeter(step)
	defs := newDefinitions(&m, d.Snapshot.Type, d.Snapshot.Categories, d.Snapshot.Elements, d.Suggested)
	c := newChecker(&d.Document, defs, OpValidateResolved, m)
	defer c.release()
	c.schema, c.resolved = s, d
	return c.report()
}
