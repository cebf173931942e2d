package mcpapi_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/scripts/testenv"
)

// maxResultBytes is the size of 25,000 tokens of three bytes each.
const maxResultBytes = 75_000

// checkLength reports an error if hosts would truncate a result.
func checkLength(t *testing.T, name string, r toolResult) {
	t.Helper()
	text := 0
	for _, c := range r.Content {
		text += len(c.Text)
	}
	if text > maxResultBytes || len(r.Structured) > maxResultBytes {
		t.Errorf("%s: got %d bytes of text and %d of structured content, want at most %d", name, text, len(r.Structured), maxResultBytes)
	}
}

func TestResultsAreConciseByDefault(t *testing.T) {
	for name, releases := range knownReleases(t) {
		s := serveReleases(t, releases, mcpapi.Options{})
		checkLength(t, name, s.call("list_schema_versions", `{}`))
		snapshot, err := s.catalog.Current()
		if err != nil || len(snapshot.Releases()) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range snapshot.Releases() {
			version := r.ID().String()
			for tool, arguments := range requiredArguments(t, version, unknownElementsDocument(t, r)) {
				if strings.Contains(arguments, "radar") {
					continue // tested below
				}
				checkLength(t, version+" "+tool, s.call(tool, arguments))
			}
			for _, tool := range []string{"validate_datachain", "resolve_datachain", "render_datachain"} {
				res := s.call(tool, documentArguments(version, validDocument(t, r)))
				if checkLength(t, version+" "+tool, res); !res.OK {
					t.Errorf("%s %s: got errors %v, want none", version, tool, res.Errors)
				}
			}
			longest := longestElements(r, 20)
			checkLength(t, version+" get_elements", s.call("get_elements", `{"version":"`+version+`","element_ids":["`+strings.Join(longest, `","`)+`"]}`))
			checkLength(t, version+" get_element", s.call("get_element", `{"version":"`+version+`","element_id":"`+longest[0]+`"}`))
			checkLength(t, version+" get_icon_url", s.call("get_icon_url", `{"version":"`+version+`","element_id":"`+longest[0]+`"}`))
		}
	}
	s := newService(t, mcpapi.Options{})
	for name, document := range examples(t) {
		version, _, _ := strings.Cut(name, " ")
		for tool, arguments := range requiredArguments(t, version, document) {
			checkLength(t, name+" "+tool, s.call(tool, arguments))
		}
	}
}

// knownReleases returns the releases of the built-in and of a real taxonomy.
func knownReleases(t *testing.T) map[string]catalog.Store {
	t.Helper()
	return map[string]catalog.Store{
		"built-in": builtin.Store(),
		"real":     catalog.NewTree(os.DirFS(testenv.RealTree(t)), slog.New(slog.DiscardHandler)),
	}
}

// longestElements returns the ids of the n elements with the longest JSON.
func longestElements(r *release.Release, n int) []string {
	indexes := make([]int, len(r.Elements))
	for i := range indexes {
		indexes[i] = i
	}
	slices.SortFunc(indexes, func(a, b int) int { return cmp.Compare(len(r.Elements[b].JSON()), len(r.Elements[a].JSON())) })
	ids := make([]string, n)
	for i := range ids {
		ids[i] = r.Taxonomy.Elements[indexes[i]].ID
	}
	return ids
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

func TestResultReportsOmittedLocales(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	concise := s.call("get_schema", `{"version":"place@latest","include":"manifest"}`)
	if !slices.Equal(concise.EnvelopeMeta.Locales, []string{"en"}) || !strings.Contains(concise.EnvelopeMeta.Notice, `locales "*"`) {
		t.Errorf("got %+v", concise.EnvelopeMeta)
	}
	if text := string(concise.Data); strings.Contains(text, `"locale":"fr"`) || !strings.Contains(text, `"locale":"en"`) {
		t.Errorf("got %.300s", text)
	}
	for _, locales := range []string{`["en","fr","es","ja"]`, `"*"`} {
		r := s.call("get_schema", `{"version":"place@latest","locales":`+locales+`}`)
		if r.EnvelopeMeta.Locales != nil || !strings.Contains(r.EnvelopeMeta.Notice, "Request fewer locales") || len(r.Data) <= 60_000 {
			t.Errorf("locales %s: got %d bytes, %+v", locales, len(r.Data), r.EnvelopeMeta)
		}
	}
	french := s.call("get_schema", `{"version":"place@latest","locales":["fr"]}`)
	if strings.Contains(string(french.Structured), `"locale":"en"`) {
		t.Error("the result has texts in a locale that was not requested")
	}
}

func TestOmittedFindingsAreCounted(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	snapshot, err := s.catalog.Current()
	if err != nil {
		t.Fatal(err)
	}
	document := unknownElementsDocument(t, snapshot.Releases()[0])
	var rest struct {
		Errors   problem.List `json:"errors"`
		Warnings problem.List `json:"warnings"`
	}
	if err := json.Unmarshal([]byte(s.postREST(stable+"/validate", document)), &rest); err != nil {
		t.Fatal(err)
	}
	r := s.call("validate_datachain", documentArguments(stable, document))
	var data struct {
		Warnings problem.List `json:"warnings"`
	}
	r.into(t, &data)
	last := data.Warnings[len(data.Warnings)-1]
	omitted := 0
	if _, err := fmt.Sscanf(last.Message, "%d more findings", &omitted); err != nil || last.Code != "findings_truncated" {
		t.Errorf("got last warning %+v, want findings_truncated", last)
	}
	listed := len(r.Errors) + len(data.Warnings) - 1
	if total := len(rest.Errors) + len(rest.Warnings); listed < 50 || listed+omitted != total {
		t.Errorf("got %d listed and %d omitted findings, want %d in total", listed, omitted, total)
	}
}
