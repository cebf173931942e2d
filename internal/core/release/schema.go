package release

import "placard/internal/core/docschema"

// DatachainSchema returns the JSON Schema of the thin datachains of r. The first
// call writes the schema and calls step, which may be nil, in between; an error of
// step is returned. Callers must not modify the schema.
func (r *Release) DatachainSchema(step func() error) ([]byte, error) {
	if schema := r.datachainSchema.Load(); schema != nil {
		return *schema, nil
	}
	schema, err := docschema.ThinOf(r.Taxonomy, step)
	if err == nil {
		r.datachainSchema.Store(&schema)
	}
	return schema, err
}
