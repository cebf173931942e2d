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
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/mcpapi"
	"placard/internal/release"
	"placard/internal/taxonomy"
	"placard/internal/testenv"
)

// mostBytes are 25,000 tokens of three bytes.
const mostBytes = 75_000

// short fails for an answer that agents' programs would cut.
func short(t *testing.T, what string, r toolResult) {
	t.Helper()
	text := 0
	for _, c := range r.Content {
		text += len(c.Text)
	}
	if text > mostBytes || len(r.Structured) > mostBytes {
		t.Errorf("%s: %d bytes of text, %d of structured content", what, text, len(r.Structured))
	}
}

func TestNoAnswerIsLongUnlessItIsAskedToBe(t *testing.T) {
	for name, releases := range map[string]catalog.Store{
		"built-in": builtin.Store(),
		"real":     catalog.NewTree(os.DirFS(testenv.RealTree(t)), slog.New(slog.DiscardHandler)),
	} {
		s := serving(t, releases, mcpapi.Options{})
		short(t, name, s.call("list_schema_versions", `{}`))
		snapshot, err := s.catalog.Current()
		if err != nil || len(snapshot.Releases()) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range snapshot.Releases() {
			version := r.ID().String()
			for tool, arguments := range minimal(t, version, hopeless(t, r)) {
				if strings.Contains(arguments, "radar") {
					continue // below
				}
				short(t, version+" "+tool, s.call(tool, arguments))
			}
			for _, tool := range []string{"validate_datachain", "resolve_datachain", "render_datachain"} {
				answer := s.call(tool, with(version, valid(t, r)))
				if short(t, version+" "+tool, answer); !answer.OK {
					t.Errorf("%s: %v", version, answer.Errors)
				}
			}
			longest := longest(r, 20)
			short(t, version+" get_elements", s.call("get_elements", `{"version":"`+version+`","element_ids":["`+strings.Join(longest, `","`)+`"]}`))
			short(t, version+" get_element", s.call("get_element", `{"version":"`+version+`","element_id":"`+longest[0]+`"}`))
			short(t, version+" get_icon_url", s.call("get_icon_url", `{"version":"`+version+`","element_id":"`+longest[0]+`"}`))
		}
	}
	s := newService(t, mcpapi.Options{})
	for name, document := range examples(t) {
		version, _, _ := strings.Cut(name, " ")
		for tool, arguments := range minimal(t, version, document) {
			short(t, name+" "+tool, s.call(tool, arguments))
		}
	}
}

// longest returns the ids of the n elements whose JSON is longest.
func longest(r *release.Release, n int) []string {
	numbers := make([]int, len(r.Elements))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(len(r.Elements[b].JSON()), len(r.Elements[a].JSON())) })
	ids := make([]string, n)
	for i := range ids {
		ids[i] = r.Taxonomy.Elements[numbers[i]].ID
	}
	return ids
}

// placement is one element placed.
type placement struct {
	ID        string     `json:"element_id"`
	Context   string     `json:"context_type_id,omitzero"`
	Variables []variable `json:"variables,omitzero"`
}

type variable struct {
	ID    string             `json:"id"`
	Value taxonomy.Localized `json:"value"`
}

// valid returns a document that places two elements of each category and all
// that are required.
func valid(t *testing.T, r *release.Release) string {
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
				case taxonomy.MultiSelectEnum: // options make the document no longer
				case taxonomy.LocalizedText:
					p.Variables = append(p.Variables, variable{v.ID, taxonomy.Localized{{Locale: r.DefaultLocale(), Value: "As it says on the sign beside it."}}})
				default:
					t.Fatalf("unhandled kind of variable: %s", v.Kind)
				}
			}
			elements = append(elements, p)
		}
	}
	return document(t, r, elements)
}

// hopeless returns a document that places a thousand elements that do not exist.
func hopeless(t *testing.T, r *release.Release) string {
	t.Helper()
	elements := make([]placement, 1000)
	for i := range elements {
		elements[i].ID = fmt.Sprintf("no_such_element_%d", i)
	}
	return document(t, r, elements)
}

func document(t *testing.T, r *release.Release, elements []placement) string {
	t.Helper()
	placed, err := json.Marshal(elements)
	if err != nil {
		t.Fatal(err)
	}
	return `{"id":"d","schema_version":"` + r.ID().String() + `","created_at":"2026-01-05T10:00:00Z","elements":` + string(placed) + `}`
}

func TestAnAnswerThatLeavesOutLocalesSaysSo(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := example(t, stable, "station_gates")
	brief := s.call("resolve_datachain", with(stable, document))
	if !slices.Equal(brief.About.Locales, []string{"en"}) || !strings.Contains(brief.About.Notice, `locales "*"`) {
		t.Errorf("%+v", brief.About)
	}
	// The document's own texts are all there; of the schema's only those in English.
	var got, sent struct {
		Title    jsontext.Value `json:"title"`
		Snapshot jsontext.Value `json:"schema_snapshot"`
	}
	brief.into(t, &got)
	if err := json.Unmarshal([]byte(document), &sent); err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(got.Title), `"locale"`) != strings.Count(string(sent.Title), `"locale"`) {
		t.Errorf("the title is %s", got.Title)
	}
	if text := string(got.Snapshot); strings.Contains(text, `"locale":"fr"`) || !strings.Contains(text, `"locale":"en"`) || !strings.Contains(text, `"locales":["en","fr","es","ja"]`) {
		t.Errorf("the snapshot is %.300s", text)
	}
	for _, arguments := range []string{
		with(stable, document, `,"locales":["en","fr","es","ja"]`),
		with(stable, document, `,"locales":"*"`),
	} {
		if r := s.call("resolve_datachain", arguments); r.About.Locales != nil || r.About.Notice != "" || len(r.Structured) < mostBytes {
			t.Errorf("%+v", r.About)
		}
	}
	if r := s.call("get_schema", `{"version":"place@latest","include":"manifest"}`); r.About.Locales == nil {
		t.Error("to ask for the default is to ask for more")
	}
	whole := s.call("get_schema", `{"version":"place@latest","locales":["fr"]}`)
	if strings.Contains(string(whole.Structured), `"locale":"en"`) {
		t.Error("texts are left that were not asked for")
	}
}

func TestFindingsThatAreNotListedAreCounted(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	snapshot, err := s.catalog.Current()
	if err != nil {
		t.Fatal(err)
	}
	r := s.call("validate_datachain", with(stable, hopeless(t, snapshot.Releases()[0])))
	var data struct {
		Warnings []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"warnings"`
	}
	r.into(t, &data)
	last := data.Warnings[len(data.Warnings)-1]
	if len(r.Errors) < 50 || last.Code != "findings_truncated" {
		t.Errorf("%d errors, then %+v", len(r.Errors), last)
	}
}
