package docschema_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"placard/internal/core/datachain"
	"placard/internal/core/docschema"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

func thinOf(t *testing.T, tax *taxonomy.Taxonomy) []byte {
	t.Helper()
	schema, err := docschema.ThinOf(tax, nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestThinSchemaOfAVersionAcceptsItsExamples(t *testing.T) {
	tree := envtest.BuiltinTree()
	ids, _ := source.Releases(tree)
	checked := 0
	for _, id := range ids {
		tax, found := source.Load(tree, id)
		if tax == nil {
			t.Fatal(found)
		}
		schema := compile(t, thinOf(t, tax))
		for name, document := range examples(t) {
			if strings.HasPrefix(name, id.Folder()+"/") {
				checked++
				if err := schema.Validate(decode(t, document)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	if checked < 4 {
		t.Errorf("checked %d examples, want at least 4", checked)
	}
}

// notInThinSchema maps the codes of errors that the schema of a version does not
// detect to the reasons.
var notInThinSchema = map[problem.Code]string{
	"REQUIRED_CATEGORY_MISSING":                             "concerns the whole document",
	"CATEGORY_TOO_FEW_ELEMENTS":                             "concerns several placements",
	"CATEGORY_TOO_MANY_ELEMENTS":                            "concerns several placements",
	"element_required":                                      "concerns the whole document",
	"ELEMENT_PLACED_TOO_OFTEN":                              "concerns several placements",
	"INSTANCE_ELEMENT_INSTANCE_ID_DUPLICATE":                "concerns two placements",
	"INSTANCE_ELEMENT_INSTANCE_ID_COLLIDES_WITH_ELEMENT_ID": "concerns two placements",
	"INSTANCE_VARIABLE_DUPLICATE":                           "concerns two values",
	"INSTANCE_VARIABLE_VALUE_DUPLICATE":                     "concerns two values",
	"INSTANCE_VARIABLE_OPTION_NOT_APPLICABLE":               "options are those of the variable, for all elements",
	"SUBCHAIN_INSTANCE_UNKNOWN":                             "compares a placement with another part of the document",
	"SUBCHAIN_INSTANCE_ID_DUPLICATE":                        "concerns no placement",
	"address_unsafe":                                        "package link decides what is unsafe, which no pattern can express",
	"element_provenance_unknown_element":                    "compares provenance with the placements",
	"element_provenance_ambiguous":                          "compares provenance with the placements",
	"variable_rationale_unknown_variable":                   "compares provenance with the placements",
}

func TestThinSchemaOfAVersionAgreesWithTheRules(t *testing.T) {
	schema := compile(t, thinOf(t, datachain.ExampleTaxonomy()))
	for _, rule := range datachain.Rules() {
		if !slices.Contains(rule.RaisedBy, datachain.OpValidate) {
			continue
		}
		err := schema.Validate(decode(t, rule.Example))
		reason, excepted := notInThinSchema[rule.Code]
		switch {
		case rule.Code == "findings_truncated": // its example has errors
		case err != nil && rule.Severity == problem.Warning:
			t.Errorf("%s is a warning, but the schema reports %v", rule.Code, err)
		case err != nil && excepted:
			t.Errorf("the schema detects %s, but the list says: %s", rule.Code, reason)
		case err == nil && rule.Severity == problem.Error && !excepted:
			t.Errorf("the schema does not detect %s", rule.Code)
		}
	}
}

func TestThinSchemaOfAVersionAgreesWithValidation(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-02-stable")
	rules := datachain.NewSchema(tax)
	schema := compile(t, thinOf(t, tax))
	check := func(name, document string, isError bool) {
		t.Helper()
		d, report, err := datachain.Parse([]byte(document), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if report.OK() {
			if report, err = datachain.Validate(d, rules, nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if report.OK() == isError {
			t.Errorf("%s: validation reports %v, want errors: %v", name, report.Errors, isError)
		}
		if err := schema.Validate(decode(t, document)); (err != nil) != isError {
			t.Errorf("%s: validation reports %v, the schema %v", name, report.Errors, err)
		}
	}
	check("the full document", full, false)
	for _, change := range []struct {
		old, new string
		isError  bool
	}{
		{`"context_type_id":"fine"`, `"context_type_id":"coarse"`, false},
		{`"context_type_id":"fine"`, `"context_type_id":"loud"`, true},
		{`"context_type_id":"loud"`, `"context_type_id":"fine"`, true},
		{`{"element_id":"safety"}`, `{"element_id":"safety","context_type_id":"fine"}`, true},
		{`{"element_id":"safety"}`, `{"element_id":"safety","variables":[]}`, false},
		{`{"element_id":"safety"}`, `{"element_id":"safety","variables":[{"id":"note","value":[{"locale":"en","value":"x"}]}]}`, true},
		{`"element_id":"pictures"`, `"element_id":"picturs"`, true},
		{`{"id":"where","value":["there"]}`, `{"id":"where","value":["here"]}`, false},
		{`{"id":"where","value":["there"]}`, `{"id":"where","value":["here","there"]}`, false},
		{`{"id":"where","value":["there"]}`, `{"id":"where","value":["here","here"]}`, true},
		{`{"id":"where","value":["there"]}`, `{"id":"where","value":[]}`, true},
		{`{"id":"where","value":["there"]}`, `{"id":"where","value":["nowhere"]}`, true},
		{`{"id":"where","value":["there"]}`, `{"id":"where","value":[{"locale":"en","value":"x"}]}`, true},
		{`"value":[{"locale":"en","value":"Two."}]}`, `"value":[{"locale":"en","value":"Two."}]},{"id":"where","value":["here"]}`, false},
		{`"value":[{"locale":"en","value":"Two."}]`, `"value":["here"]`, true},
		{`"value":[{"locale":"en","value":"Two."}]`, `"value":[]`, true},
		{`"value":[{"locale":"en","value":"Two."}]`, `"value":[{"locale":"en","value":" "}]`, true},
		{`"value":[{"locale":"en","value":"Two."}]`, `"value":[{"locale":"en","value":" "},{"locale":"FR","value":"Deux."}]`, false},
		{`"value":[{"locale":"en","value":"Two."}]`, `"value":[{"locale":"de","value":"Zwei."}]`, false},
		{`"subchain_id":"flow"`, `"subchain_id":"flaw"`, true},
		{`"schema_version":"small@2026-01-02-stable"`, `"schema_version":"small@2026-01-02-beta"`, false},
		{`"id":"d"`, `"id":"d","$schema":"x","note":1`, false},
	} {
		document := strings.Replace(full, change.old, change.new, 1)
		if document == full {
			t.Errorf("the full document has no %s", change.old)
		}
		check("the full document with "+change.new, document, change.isError)
	}
	for change, document := range mutations(t, full) {
		_, report, err := datachain.Parse([]byte(document), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(decode(t, document)); !report.OK() && err == nil {
			t.Errorf("the full document with %s: the parser reports %v, the schema nothing", change, report.Errors)
		}
	}
}

// TestFormat fails if the schema of a version changes and Format does not: clients
// would then keep the old one, because its ETag is still valid.
func TestFormat(t *testing.T) {
	const want = "298da7fc1afc2817526f81cfb6f51e50b5827c467685c808b29914f960e7acdb"
	if got := fmt.Sprintf("%x", sha256.Sum256(thinOf(t, datachain.ExampleTaxonomy()))); got != want {
		t.Errorf("the schema changed: increment Format and update the digest to %s", got)
	}
}

func TestThinSchemaOfAVersionStopsIfAsked(t *testing.T) {
	want := errors.New("stop")
	for steps := 0; ; steps++ {
		left := steps
		_, err := docschema.ThinOf(datachain.ExampleTaxonomy(), func() error {
			if left--; left < 0 {
				return want
			}
			return nil
		})
		switch {
		case err == nil && steps > 50:
			return
		case !errors.Is(err, want):
			t.Fatalf("after %d steps: got error %v, want %v", steps, err, want)
		}
	}
}

func TestThinSchemaOfAVersionKnowsEveryKind(t *testing.T) {
	for _, kind := range taxonomy.Kinds {
		tax := datachain.ExampleTaxonomy()
		tax.Categories[0].Variables[0].Kind = kind
		thinOf(t, tax) // panics on an unknown kind
	}
}

func TestThinSchemaOfALargeVersionIsSmall(t *testing.T) {
	for name, tax := range map[string]*taxonomy.Taxonomy{
		"many elements": largeTaxonomy(),
		"long texts":    wordyTaxonomy(),
	} {
		if schema := thinOf(t, tax); len(schema) > 24<<20 {
			t.Errorf("%s: got %d bytes, want at most 24 MiB", name, len(schema))
		}
	}
}

// wordyTaxonomy returns a taxonomy of about 2 MiB, most of it in the context of a
// category and the options of its variable, in which no two elements have the same
// options.
func wordyTaxonomy() *taxonomy.Taxonomy {
	text := taxonomy.Localized{{Locale: "en", Value: strings.Repeat("long ", 1000)}}
	category := taxonomy.Category{ID: "c", Context: &taxonomy.Context{ID: "c"}, Variables: []taxonomy.Variable{{ID: "v", Kind: taxonomy.MultiSelectEnum}}}
	tax := &taxonomy.Taxonomy{Locales: []string{"en"}}
	v := &category.Variables[0]
	for i := range 200 {
		id := fmt.Sprint("id_", i)
		category.Context.Values = append(category.Context.Values, taxonomy.ContextValue{ID: id, Label: text})
		v.Options = append(v.Options, taxonomy.Option{ID: id, Name: text}, taxonomy.Option{ID: "only_" + id, AppliesTo: []string{id}})
		tax.Elements = append(tax.Elements, taxonomy.Element{ID: id, CategoryID: category.ID})
	}
	tax.Categories = []taxonomy.Category{category}
	tax.Derive()
	return tax
}

// largeTaxonomy returns a taxonomy in which every element has its own context and
// options that apply to it alone.
func largeTaxonomy() *taxonomy.Taxonomy {
	en := func(s string) taxonomy.Localized { return taxonomy.Localized{{Locale: "en", Value: s}} }
	tax := &taxonomy.Taxonomy{Locales: []string{"en"}}
	for c := range 20 {
		category := taxonomy.Category{ID: fmt.Sprint("category_", c), Variables: []taxonomy.Variable{{ID: "v", Kind: taxonomy.MultiSelectEnum}, {ID: "w", Kind: taxonomy.LocalizedText}}}
		for e := range 1000 {
			id := fmt.Sprint("element_", c, "_", e)
			tax.Elements = append(tax.Elements, taxonomy.Element{
				ID: id, CategoryID: category.ID, Title: en("The title of " + id),
				Context: &taxonomy.Context{ID: "c", Values: []taxonomy.ContextValue{{ID: fmt.Sprint("value_", e), Label: en("A value")}}},
			})
			v := &category.Variables[0]
			v.Options = append(v.Options, taxonomy.Option{ID: fmt.Sprint("option_", e), AppliesTo: []string{id}})
			category.Variables[1].RequiredFor = append(category.Variables[1].RequiredFor, id)
		}
		tax.Categories = append(tax.Categories, category)
	}
	tax.Derive()
	return tax
}

func BenchmarkThinOfALargeVersion(b *testing.B) {
	tax := largeTaxonomy()
	for b.Loop() {
		schema, err := docschema.ThinOf(tax, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(schema)), "bytes")
	}
}
