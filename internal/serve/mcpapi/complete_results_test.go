package mcpapi_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/mcpapi"
	"placard/internal/serve/query"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/scripts/envtest"
)

// knownReleases returns the releases of the built-in and of a real taxonomy.
func knownReleases(t *testing.T) map[string]catalog.Store {
	t.Helper()
	return map[string]catalog.Store{
		"built-in": builtin.Store(),
		"real":     catalog.NewTree(os.DirFS(envtest.RealTree(t)), slog.New(slog.DiscardHandler)),
	}
}

// placement is one placement in a document.
type placement struct {
	ID        string     `json:"element_id"`
	Context   string     `json:"context_type_id,omitzero"`
	Variables []variable `json:"variables,omitzero"`
}

type variable struct {
	ID    string             `json:"id"`
	Value taxonomy.Localized `json:"value"`
}

// validDocument returns a document with up to two elements of each category,
// required elements first.
func validDocument(t *testing.T, r *release.Release) string {
	t.Helper()
	var elements []placement
	placed := make(map[string]int)
	for _, required := range []bool{true, false} {
		for _, e := range r.Taxonomy.Elements {
			if e.Required != required || placed[e.CategoryID] >= 2 {
				continue
			}
			placed[e.CategoryID]++
			p := placement{ID: e.ID}
			if len(e.IconVariants) > 2 {
				p.Context = e.IconVariants[2]
			}
			for _, v := range e.Variables {
				switch v.Kind {
				case taxonomy.MultiSelectEnum: // options do not make the document longer
				case taxonomy.LocalizedText:
					p.Variables = append(p.Variables, variable{v.ID, taxonomy.Localized{{Locale: r.DefaultLocale(), Value: "As it says on the sign beside it."}}})
				default:
					t.Fatalf("unhandled kind of variable: %s", v.Kind)
				}
			}
			elements = append(elements, p)
		}
	}
	return newDocument(t, r, elements)
}

// unknownElementsDocument returns a document with a thousand unknown elements.
func unknownElementsDocument(t *testing.T, r *release.Release) string {
	t.Helper()
	elements := make([]placement, 1000)
	for i := range elements {
		elements[i].ID = fmt.Sprintf("no_such_element_%d", i)
	}
	return newDocument(t, r, elements)
}

func newDocument(t *testing.T, r *release.Release, elements []placement) string {
	t.Helper()
	placed, err := json.Marshal(elements)
	if err != nil {
		t.Fatal(err)
	}
	return `{"id":"d","schema_version":"` + r.ID().String() + `","created_at":"2026-01-05T10:00:00Z","elements":` + string(placed) + `}`
}

func TestResultsAreComplete(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	snapshot, err := s.catalog.Current()
	if err != nil {
		t.Fatal(err)
	}
	all := query.ElementIDs(snapshot.Lookup(stable))
	ids, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	// Asking for less never returns less than asking for more.
	for _, less := range []string{``, `,"locales":["en"]`, `,"fields":["title"]`, `,"locales":"*"`} {
		r := s.call("get_elements", `{"version":"`+stable+`","element_ids":`+string(ids)+less+`}`)
		elements, _ := r.dataMember(t, "elements").(map[string]any)
		if len(elements) != len(all) || !r.OK {
			t.Errorf("get_elements%s: got %d of %d elements", less, len(elements), len(all))
		}
	}
	for tool, notice := range map[string]string{"get_schema": `shorter with include "authoring", or with locales`, "list_categories": ""} {
		r := s.call(tool, `{"version":"`+stable+`"}`)
		if text := string(r.Data); strings.Count(text, `"locale":"ja"`) != strings.Count(text, `"locale":"en"`) || !strings.Contains(r.EnvelopeMeta.Notice, notice) {
			t.Errorf("%s: got notice %q, and not the texts in all locales", tool, r.EnvelopeMeta.Notice)
		}
	}
	french := s.call("get_schema", `{"version":"`+stable+`","locales":["fr"]}`)
	if strings.Contains(string(french.Structured), `"locale":"en"`) {
		t.Error("the result has texts in a locale that was not requested")
	}
}

func TestFindingsAreThoseOfREST(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	snapshot, err := s.catalog.Current()
	if err != nil {
		t.Fatal(err)
	}
	document := unknownElementsDocument(t, snapshot.Releases()[0])
	var rest, data struct {
		Errors   problem.List `json:"errors"`
		Warnings problem.List `json:"warnings"`
	}
	if err := json.Unmarshal([]byte(s.postREST(stable+"/validate", document)), &rest); err != nil {
		t.Fatal(err)
	}
	r := s.call("validate_datachain", documentArguments(stable, document))
	r.into(t, &data)
	if len(r.Errors) != len(rest.Errors) || len(rest.Errors) < 100 || len(data.Warnings) != len(rest.Warnings) {
		t.Errorf("got %d errors and %d warnings, want %d and %d", len(r.Errors), len(data.Warnings), len(rest.Errors), len(rest.Warnings))
	}
}
