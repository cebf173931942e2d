package datachain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// largeTaxonomy returns a taxonomy of realistic size.
func largeTaxonomy() *taxonomy.Taxonomy {
	both := func(s string) taxonomy.Localized {
		return taxonomy.Localized{{Locale: "en", Value: s}, {Locale: "fr", Value: "Le " + s}}
	}
	t := &taxonomy.Taxonomy{
		ID:      taxonomy.ID{Type: "city", Date: "2026-06-01", Status: taxonomy.Stable},
		Locales: []string{"en", "fr"},
	}
	t.Type.ID = "city"
	for c := range 12 {
		category := taxonomy.Category{
			ID: fmt.Sprintf("category_%d", c), Name: both("Category"), Description: both(strings.Repeat("What it is for. ", 5)),
			Shape: taxonomy.Circle, Order: c, Required: c < 5, Variables: []taxonomy.Variable{
				{ID: "detail", Label: both("Detail"), Kind: taxonomy.LocalizedText, Required: true},
				{ID: "kept", Label: both("Kept"), Kind: taxonomy.MultiSelectEnum, Options: []taxonomy.Option{
					{ID: "here", Name: both("Here")}, {ID: "there", Name: both("There")},
				}},
			},
		}
		if c%2 == 0 {
			category.Context = &taxonomy.Context{ID: "degree", Name: both("Degree"), Values: []taxonomy.ContextValue{
				{ID: "low", Label: both("Low"), Color: "#112233"}, {ID: "high", Label: both("High"), Color: "#445566"},
			}}
		}
		t.Categories = append(t.Categories, category)
		t.Type.Categories = append(t.Type.Categories, category.ID)
		for e := range 10 {
			t.Elements = append(t.Elements, taxonomy.Element{
				ID: fmt.Sprintf("element_%d_%d", c, e), CategoryID: category.ID, SymbolID: "symbol",
				Title: both("Element"), Description: both(strings.Repeat("It tells people something. ", 8)),
			})
		}
	}
	t.Derive()
	return t
}

// twentyPlacements returns a document with 20 placements for largeTaxonomy.
func twentyPlacements() []byte {
	var b strings.Builder
	b.WriteString(`{"id": "square-1", "schema_version": "city@2026-06-01-stable", "created_at": "2026-07-01T10:00:00+02:00",
  "title": [{"locale": "en", "value": "Market square"}, {"locale": "fr", "value": "Place du marché"}],
  "elements": [`)
	for i := range 20 {
		if i > 0 {
			b.WriteString(",")
		}
		context := ""
		if i%2 == 0 {
			context = `"context_type_id": "low", `
		}
		fmt.Fprintf(&b, `
    {"element_id": "element_%d_%d", %s"element_instance_id": "placed-%d", "priority": %d,
     "variables": [{"id": "detail", "value": [{"locale": "en", "value": "On the north side of the square"}, {"locale": "fr", "value": "Du côté nord de la place"}]},
                   {"id": "kept", "value": ["here", "there"]}]}`, i%12, i%10, context, i, i)
	}
	b.WriteString(`],
  "authoring_provenance": {"kind": "human", "element_provenance": {"placed-3": {"rationale": "Seen on site.", "confidence": "high"}}}}`)
	return []byte(b.String())
}

func tokenise(body []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	for {
		if _, err := dec.ReadToken(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func parseAndValidate(body []byte, s *Schema) (Report, error) {
	d, report, err := Parse(body, nil)
	if err != nil || !report.OK() {
		return report, err
	}
	defer d.Release()
	return Validate(d, s, nil)
}

func BenchmarkTokenise(b *testing.B) {
	body := twentyPlacements()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := tokenise(body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkValidate also reports the time to parse and validate a document relative
// to the time to read its tokens, as x-tokenise.
func BenchmarkValidate(b *testing.B) {
	body, schema := twentyPlacements(), NewSchema(largeTaxonomy())
	ratio := fastest(func() { parseAndValidate(body, schema) }) / fastest(func() { tokenise(body) })
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if report, err := parseAndValidate(body, schema); err != nil || !report.OK() || len(report.Warnings) > 0 {
			b.Fatal(report, err)
		}
	}
	b.ReportMetric(ratio, "x-tokenise")
}

// fastest returns the shortest of 50 measurements of 20 calls to f, in seconds. It
// is the least affected by other load.
func fastest(f func()) float64 {
	best := time.Hour
	for range 50 {
		start := time.Now()
		for range 20 {
			f()
		}
		best = min(best, time.Since(start))
	}
	return best.Seconds()
}

func BenchmarkResolve(b *testing.B) {
	body, schema := twentyPlacements(), NewSchema(largeTaxonomy())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		d, _, err := Parse(body, nil)
		if err != nil {
			b.Fatal(err)
		}
		if r, err := Resolve(d, schema, nil); err != nil || !r.OK() {
			b.Fatal(r.Report, err)
		} else {
			r.Release()
		}
		d.Release()
	}
}

func BenchmarkValidateResolved(b *testing.B) {
	schema := NewSchema(largeTaxonomy())
	d, _, _ := Parse(twentyPlacements(), nil)
	r, err := Resolve(d, schema, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(r.Response())))
	b.ReportAllocs()
	for b.Loop() {
		d, _, err := ParseResolved(r.Response(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if report, err := ValidateResolved(d, schema, nil); err != nil || !report.OK() {
			b.Fatal(report, err)
		}
		d.Release()
	}
}
