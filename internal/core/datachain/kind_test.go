package datachain

import (
	"testing"

	"placard/internal/core/taxonomy"
)

// A value is valid for a variable of its kind, and for no other kind.
func TestEveryKindIsHandled(t *testing.T) {
	values := map[taxonomy.Kind]string{
		taxonomy.LocalizedText:   `[{"locale": "en", "value": "At night"}]`,
		taxonomy.MultiSelectEnum: `["one"]`,
	}
	for _, kind := range taxonomy.Kinds {
		if values[kind] == "" {
			t.Fatalf("the test has no value of kind %s", kind)
		}
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
			entry := `[{"id": "detail", "value": ` + values[other] + `}]`
			report, err := run(OpValidate, []byte(with(change{"elements[0].variables", entry})), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() != (other == kind) {
				t.Errorf("a value of kind %s for a variable of kind %s: got errors %v, want valid %t", other, kind, report.Errors, other == kind)
			}
		}
	}
}
