package mcpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

func TestNothingIsSilentlyIgnoredOrReplaced(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	const version = `"version":"place@latest"`
	for _, tc := range []struct {
		tool, arguments string
		want            []string // parts of the notice; none: no notice
	}{
		{"list_schema_versions", `{"datachain_type":"plac"}`, []string{`"plac"`}},
		{"list_elements", `{` + version + `,"category_id":"sensing","locales":["EN"]}`, nil},
		{"list_elements", `{` + version + `,"category_id":"sensors"}`, []string{`Unknown category "sensors".`, "sensing"}},
		{"list_elements", `{` + version + `,"category_id":"radar"}`, []string{`"radar" is an element of category "sensing"`}},
		{"get_schema", `{` + version + `,"include":"authoring","category_id":"sensors"}`, []string{`Unknown category "sensors".`}},
		{"get_schema", `{` + version + `,"category_id":"sensing","locales":"en"}`, []string{"category_id and cursor are ignored"}},
		{"list_categories", `{` + version + `,"locales":["de"]}`, []string{`no texts in locale "de"`, "en, fr, es, ja"}},
		{"list_categories", `{` + version + `,"locales":["fr-CA","de"]}`, []string{`no texts in locale "de"`}},
		{"get_element", `{` + version + `,"element_id":"radar","fields":["title","colour"]}`, []string{`no field called "colour"`, "title, description"}},
		{"get_elements", `{` + version + `,"element_ids":["radar"],"fields":"titel"}`, []string{`"titel"`}},
		{"list_elements", `{` + version + `,"fields":["title","prompt"]}`, []string{`"prompt"`}},
		{"list_elements", `{` + version + `,"fields":"all","limit":3}`, nil},
		{"list_elements", `{` + version + `,"locale":"fr"}`, []string{"locale is ignored without a query"}},
		{"list_elements", `{` + version + `,"query":"camera","locale":"en-GB"}`, []string{`no texts in locale "en-GB"; the search is in "en"`}},
		{"list_elements", `{` + version + `,"query":"camera"}`, nil},
		{"list_elements", `{` + version + `,"query":"zzzzzz"}`, []string{`No element matches "zzzzzz" in locale "en".`, `include "authoring"`}},
		{"list_elements", `{` + version + `,"query":"vidéosurveillance","locales":"en"}`, []string{`in locale "en"`, "Matches in other locales: fr "}},
		{"list_elements", `{` + version + `,"query":"kammerra"}`, []string{`The nearest words are "camera"`}},
		{"list_elements", `{` + version + `,"query":"radar","category_id":"purpose"}`, []string{`No element of category "purpose" matches`, "In all categories, the number of matches is"}},
		{"list_elements", `{` + version + `,"fields":"all","limit":200,"locales":"*"}`, []string{"bytes, and many hosts truncate"}},
		{"get_schema", `{` + version + `,"include":"full"}`, []string{"bytes, and many hosts truncate"}},
	} {
		r := s.call(tc.tool, tc.arguments)
		if !r.OK || len(tc.want) == 0 && r.EnvelopeMeta.Notice != "" {
			t.Errorf("%s %s: got %q, %v, want no notice", tc.tool, tc.arguments, r.EnvelopeMeta.Notice, r.Errors)
		}
		for _, want := range tc.want {
			if !strings.Contains(r.EnvelopeMeta.Notice, want) {
				t.Errorf("%s %s: got notice %q, want %q in it", tc.tool, tc.arguments, r.EnvelopeMeta.Notice, want)
			}
		}
	}
}

func TestLocalesAloneAlsoChooseTheLanguageOfASearch(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, locales := range []string{`["fr"]`, `"fr"`, `["fr-CA","en"]`} {
		alone := s.call("list_elements", `{"version":"place@latest","query":"vidéosurveillance","locales":`+locales+`}`)
		both := s.call("list_elements", `{"version":"place@latest","query":"vidéosurveillance","locale":"fr","locales":`+locales+`}`)
		if string(alone.Data) != string(both.Data) || !strings.Contains(string(alone.Data), `"id":`) {
			t.Errorf("locales %s: got %s, want %s", locales, alone.Data, both.Data)
		}
	}
}

// serveTaxonomy returns a service for one release.
func serveTaxonomy(t *testing.T, tax *taxonomy.Taxonomy) *service {
	t.Helper()
	tax.Derive()
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	folder := store.OpenFolder(t.TempDir())
	if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
		t.Fatal(err)
	}
	return serveReleases(t, folder, mcpapi.Options{PublicURL: "https://placard.example"})
}

// longText returns a text of about 5000 bytes in both locales.
func longText() taxonomy.Localized {
	text := strings.Repeat("Many words. ", 400)
	return taxonomy.Localized{{Locale: "en", Value: text}, {Locale: "fr", Value: text}}
}

func TestSchemaWithTooManyElementsIsRefused(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-stable")
	for i := range 1001 {
		tax.Elements = append(tax.Elements, taxonomy.Element{ID: fmt.Sprint("e", i), CategoryID: "data", SymbolID: "box", Title: longText()[:1], Description: longText()[:1]})
	}
	s := serveTaxonomy(t, tax)
	r := s.call("get_schema", `{"version":"small@latest","include":"full"}`)
	if r.OK || len(r.Errors) != 1 || !strings.Contains(r.Errors[0].FixHint, "list_elements") {
		t.Errorf("got %.300s", r.Structured)
	}
	page := s.call("list_elements", `{"version":"small@latest","fields":"all","limit":200}`)
	if n := len(elementIDs(t, page)); n != 200 {
		t.Errorf("got %d elements, want 200", n)
	}
}

// elementIDs returns the ids of the elements in the data of a result.
func elementIDs(t *testing.T, r toolResult) (ids []string) {
	t.Helper()
	var data struct {
		Elements []struct {
			ID string `json:"id"`
		} `json:"elements"`
	}
	r.into(t, &data)
	for _, e := range data.Elements {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestLongListOfVersionsIsComplete(t *testing.T) {
	var publications []store.Publication
	for i := range 70 {
		publications = append(publications, store.Publication{Release: releasetest.Release(t, fmt.Sprintf("%s%03d@2026-01-01-stable", strings.Repeat("t", 200), i))})
	}
	folder := store.OpenFolder(t.TempDir())
	if _, err := folder.Publish(t.Context(), store.Intent{}, publications...); err != nil {
		t.Fatal(err)
	}
	s := serveReleases(t, folder, mcpapi.Options{PublicURL: "https://placard.example"})
	r := s.call("list_schema_versions", `{}`)
	if versions, _ := r.dataMember(t, "versions").([]any); len(versions) != 70 {
		t.Errorf("got %d versions, want 70", len(versions))
	}
	if text := s.instructions(); len(text) > 5000 || !strings.Contains(text, "list_schema_versions lists 69 more.") {
		t.Errorf("got %d bytes of instructions: %s", len(text), text)
	}
}

func TestCategoryWithoutElementsGetsANotice(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-stable")
	tax.Elements = tax.Elements[1:]
	s := serveTaxonomy(t, tax)
	r := s.call("list_elements", `{"version":"small@latest","category_id":"purpose"}`)
	if want := `Category "purpose" has no elements.`; r.EnvelopeMeta.Notice != want {
		t.Errorf("got notice %q, want %q", r.EnvelopeMeta.Notice, want)
	}
}

func TestRenderReportsAMissingLocale(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := strings.ReplaceAll(example(t, stable, "station_gates"), `"locale": "ja"`, `"locale": "it"`)
	for locale, want := range map[string]string{"de": `"de", so "en" is used.`, "ja": `The document has no texts in "ja": its own texts are in "en"`, "fr": "", "FR": ""} {
		for _, format := range []string{"html", "text"} {
			r := s.call("render_datachain", documentArguments(stable, document, `,"locale":"`+locale+`","format":"`+format+`"`))
			if !r.OK || !strings.Contains(r.EnvelopeMeta.Notice, want) || want == "" && r.EnvelopeMeta.Notice != "" {
				t.Errorf("locale %s, format %s: got notice %q, want %q", locale, format, r.EnvelopeMeta.Notice, want)
			}
		}
	}
}

func TestWrongArgumentsAreExplained(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	const version = `"version":"place@latest"`
	for _, tc := range []struct{ tool, arguments, path, hint string }{
		{"list_elements", `{` + version + `,"limit":500}`, "limit", "The maximum is 200"},
		{"list_elements", `{` + version + `,"limit":0}`, "limit", "The maximum is 200"},
		{"get_schema", `{` + version + `,"include":"autoring"}`, "include", "Omit it for manifest."},
		{"get_schema", `{` + version + `,"include":"everything"}`, "include", "Omit it for manifest."},
		{"render_datachain", `{` + version + `,"datachain":{},"format":"txt"}`, "format", "Omit it for html."},
		{"list_elements", `{` + version + `,"search":"camera"}`, "search", `The arguments are `},
		{"validate_datachain", `{` + version + `,"document":{}}`, "document", `The arguments are `},
		{"get_schema", `{"schema_version":"place@latest"}`, "schema_version", `Did you mean "version"?`},
		{"get_element", `{` + version + `,"id":"radar"}`, "id", `Did you mean "element_id"?`},
		{"get_element", `{` + version + `,"element_id":"sensing"}`, "element_id", `"sensing" is a category. list_elements with version "place@latest" and category_id "sensing" lists the elements.`},
	} {
		r := s.call(tc.tool, tc.arguments)
		if !r.IsError || r.Errors[0].Path.String() != tc.path || !strings.Contains(r.Errors[0].FixHint, tc.hint) {
			t.Errorf("%s %s: got %+v, want hint %q at %s", tc.tool, tc.arguments, r.Errors, tc.hint, tc.path)
		}
	}
}
