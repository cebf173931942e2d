package datachain

import (
	"testing"

	"placard/internal/core/taxonomy"
)

// The sample value in a hint is valid for a variable of its kind, and for no other
// kind.
func TestEveryKindIsHandled(t *testing.T) {
	for _, kind := range taxonomy.Kinds {
		tax := ExampleTaxonomy()
		v := taxonomy.Variable{ID: "detail", Label: tax.Title, Kind: kind}
		if kind.HasOptions() {
			v.Options = []taxonomy.Option{{ID: "one", Name: tax.Title}}
		}
		tax.Categories[0].Variables = []taxonomy.Variable{v}
		for i := range tax.Elements {
			tax.Elements[i].Variables = nil
		}
		s := NewSchema(tax)
		for _, other := range taxonomy.Kinds {
			sample := s.sample(&variable{id: v.ID, kind: other, options: newIndex([]string{"one"}, new(meter)), applies: make([]index, 1)}, "safety")
			report, err := run(OpValidate, []byte(with(change{"elements[0].variables", "[" + sample + "]"})), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() != (other == kind) {
				t.Errorf("a value of kind %s for a variable of kind %s: got errors %v, want valid %t", other, kind, report.Errors, other == kind)
			}
		}
	}
}
