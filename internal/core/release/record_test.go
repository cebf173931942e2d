package release_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
)

func TestRecordAppendSelectsFieldsAndLocales(t *testing.T) {
	r := releasetest.Release(t, id, "more", "yet_more")
	records := append(append([]release.Record(nil), r.Categories...), r.Elements...)
	names := []string{"id", "title", "name", "description", "context", "variables", "sources", "keywords", "icon_variants", "nonsense"}
	rapid.Check(t, func(t *rapid.T) {
		record := rapid.SampledFrom(records).Draw(t, "record")
		fields := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "fields")
		if rapid.Bool().Draw(t, "all fields") {
			fields = nil
		}
		locales := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"en", "FR", "de"}), rapid.ID).Draw(t, "locales")
		var set release.LocaleSet
		if !rapid.Bool().Draw(t, "all locales") {
			set = r.Locales(locales)
		} else {
			locales = nil
		}
		wanted := release.AllFields
		if fields != nil {
			wanted = release.Fields(fields)
		}
		got := record.Append([]byte("prefix"), wanted, set)
		want := selectJSON(t, record.JSON(), fields, locales)
		if diff := cmp.Diff(want, string(canonical(t, got[len("prefix"):]))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRecordsAppendEqualsAppendingEachRecord(t *testing.T) {
	r := releasetest.Release(t, id, "more", "yet_more")
	lists := []release.Records{r.Categories, r.Elements}
	fieldSets := [][]string{nil, release.BriefFields, {"title", "category_id"}, {"category_id"}, {"title", "shape", "variables"}, {"context"}, {}}
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SampledFrom(lists).Draw(t, "records")
		first := rapid.IntRange(0, len(records)).Draw(t, "first")
		records = records[first:rapid.IntRange(first, len(records)).Draw(t, "end")]
		fields := rapid.SampledFrom(fieldSets).Draw(t, "fields")
		wanted := release.AllFields
		if fields != nil {
			wanted = release.Fields(fields)
		}
		locales := rapid.SampledFrom([][]string{nil, {}, {"en"}, {"fr"}, {"fr", "en"}, {"de"}}).Draw(t, "locales")
		var set release.LocaleSet
		if locales != nil {
			set = r.Locales(locales)
		}
		got := records.Append([]byte("["), wanted, set)
		want := "["
		for i := range records {
			if i > 0 {
				want += ","
			}
			want += selectJSON(t, records[i].JSON(), fields, locales)
		}
		if diff := cmp.Diff(want+"]", string(canonical(t, append(got, ']')))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestReleaseWithMoreThan64Locales(t *testing.T) {
	tax := releasetest.Taxonomy(t, id)
	for i := range 70 {
		locale := "x-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		tax.Locales = append(tax.Locales, locale)
		tax.Elements[0].Title = append(tax.Elements[0].Title, taxonomy.Text{Locale: locale, Value: "In " + locale})
	}
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	for _, locale := range []string{"en", "x-aa", "x-cj", "x-ck", "x-cl", "x-cr"} {
		got := string(r.Elements[0].Append(nil, release.Fields([]string{"title"}), r.Locales([]string{locale})))
		text, _ := tax.Elements[0].Title.Get(locale)
		want := `{"id":"safety","title":[{"locale":"` + locale + `","value":"` + text + `"}]}`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// selectJSON is the reference implementation of Record.Append: it selects from
// the decoded JSON.
func selectJSON(t *rapid.T, record []byte, fields, locales []string) string {
	var object map[string]any
	if err := json.Unmarshal(record, &object); err != nil {
		t.Fatal(err)
	}
	for name := range object {
		keep := fields == nil || name == "id"
		for _, f := range fields {
			keep = keep || f == name
		}
		if !keep {
			delete(object, name)
		}
	}
	data, err := json.Marshal(keepLocales(object, locales))
	if err != nil {
		t.Fatal(err)
	}
	return string(canonical(t, data))
}

func keepLocales(v any, locales []string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = keepLocales(member, locales)
		}
	case []any:
		kept := []any{}
		for _, item := range v {
			if m, ok := item.(map[string]any); ok && m["locale"] != nil {
				wanted := locales == nil
				for _, l := range locales {
					wanted = wanted || strings.EqualFold(l, m["locale"].(string))
				}
				if !wanted {
					continue
				}
			}
			kept = append(kept, keepLocales(item, locales))
		}
		return kept
	}
	return v
}

func canonical(t *rapid.T, data []byte) []byte {
	v := jsontext.Value(bytes.Clone(data))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}
