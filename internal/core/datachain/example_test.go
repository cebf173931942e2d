package datachain_test

import (
	"fmt"

	"placard/internal/core/datachain"
)

func Example() {
	schema := datachain.NewSchema(datachain.ExampleTaxonomy())
	doc, report, err := datachain.Parse([]byte(`{
		"id": "lobby",
		"schema_version": "demo@2026-01-15-stable",
		"created_at": "2026-02-03T09:30:00Z",
		"elements": [{"element_id": "camra"}, {"element_id": "safety"}, {"element_id": "contact"}]
	}`), nil)
	if err != nil || !report.OK() {
		fmt.Println(report.Errors, err)
		return
	}
	report, err = datachain.Validate(doc, schema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range report.Errors {
		fmt.Printf("%s: %s %s\n", p.Path, p.Message, p.FixHint)
	}
	// Output:
	// elements[0].element_id: Release demo@2026-01-15-stable has no element "camra". Did you mean "camera"?
}
