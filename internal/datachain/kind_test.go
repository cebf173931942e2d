package datachain

import (
	"testing"

	"placard/internal/taxonomy"
)

// The sample value that a hint shows for a variable of any kind is itself valid,
// and is not accepted for a variable of another kind.
func TestEveryKindIsHandled(t *testing.T) {
	for _, kind := range taxonomy.Kinds {
		x := ExampleTaxonomy()
		v := taxonomy.Variable{ID: "detail", Label: x.Title, Kind: kind}
		if kind.HasOptions() {
			v.Options = []taxonomy.Option{{ID: "one", Name: x.Title}}
		}
		x.Categories[0].Variables = []taxonomy.Variable{v}
		for i := range x.Elements {
			x.Elements[i].Variables = nil
		}
		s := NewSchema(x)
		for _, other := range taxonomy.Kinds {
			sample := s.sample(&variable{id: v.ID, kind: other, options: newIndex([]string{"one"}, new(meter)), applies: make([]index, 1)}, "safety")
			report, err := operate(OpValidate, []byte(with(change{"elements[0].variables", "[" + sample + "]"})), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() != (other == kind) {
				t.Errorf("a value of kind %s for a variable of kind %s: got errors %v", other, kind, report.Errors)
			}
		}
	}
}
