package release

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// Elements are encoded in batches. The result must not depend on that.
func TestContentIsTheCanonicalFormOfTheWholeContent(t *testing.T) {
	for _, elements := range []int{-1, 0, 1, elementBatch, elementBatch + 1, 2*elementBatch + 1} {
		for _, categories := range [][]taxonomy.Category{nil, {{ID: "place"}}} {
			t.Run(fmt.Sprintf("%d elements, %d categories", elements, len(categories)), func(t *testing.T) {
				tax := &taxonomy.Taxonomy{Locales: []string{"en"}, Categories: categories, Symbols: map[string][]byte{"b": []byte("<b>"), "a": nil}}
				if elements >= 0 { // -1 is a taxonomy with nil elements
					tax.Elements = make([]taxonomy.Element, elements)
				}
				for i := range tax.Elements {
					tax.Elements[i] = taxonomy.Element{ID: fmt.Sprintf("e%d", i), Title: taxonomy.Localized{{Locale: "en", Value: "\u2028</é>"}}}
				}
				whole := content{Locales: tax.Locales, Categories: tax.Categories, Elements: tax.Elements, Symbols: map[string]string{"a": "", "b": "<b>"}}
				data, err := json.Marshal(whole, json.OmitZeroStructFields(true))
				if err != nil {
					t.Fatal(err)
				}
				want := jsontext.Value(data)
				if err := want.Canonicalize(); err != nil {
					t.Fatal(err)
				}
				got, err := encodeContent(tax)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}
