package mcpapi_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/catalog"
	"placard/internal/mcpapi"
	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// These tests do what the prompts and the server's instructions tell an agent
// to do, with nothing but what the tools answer.

// draft is a datachain being written.
type draft struct {
	ID            string    `json:"id"`
	SchemaVersion string    `json:"schema_version"`
	CreatedAt     string    `json:"created_at"`
	Elements      []drafted `json:"elements"`
	Provenance    any       `json:"authoring_provenance,omitzero"`
}

type drafted struct {
	ElementID string           `json:"element_id"`
	Context   string           `json:"context_type_id,omitzero"`
	Variables []jsontext.Value `json:"variables,omitzero"`
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	inHint    = regexp.MustCompile(`^Add (\{.*\}) to `)
	meantHint = regexp.MustCompile(`^Did you mean "([^"]+)"`)
	oneOfHint = regexp.MustCompile(`one of (\w+)`)
	numbered  = regexp.MustCompile(`^elements\[(\d+)\]`)
)

// mend changes a draft as the hint of a finding says.
func (d *draft) mend(t *testing.T, p problem.Problem) {
	t.Helper()
	var at *drafted
	if n := numbered.FindStringSubmatch(p.Path.String()); n != nil {
		i, err := strconv.Atoi(n[1])
		if err != nil {
			t.Fatal(err)
		}
		at = &d.Elements[i]
	}
	add, meant := inHint.FindStringSubmatch(p.FixHint), meantHint.FindStringSubmatch(p.FixHint)
	switch {
	case add != nil && at == nil:
		var placed drafted
		if err := json.Unmarshal([]byte(add[1]), &placed); err != nil {
			t.Fatal(err)
		}
		d.Elements = append(d.Elements, placed)
	case add != nil:
		at.Variables = append(at.Variables, jsontext.Value(add[1]))
	case meant != nil && strings.HasSuffix(p.Path.String(), "context_type_id"):
		at.Context = meant[1]
	case meant != nil:
		at.ElementID = meant[1]
	case oneOfHint.MatchString(p.FixHint):
		at.Context = oneOfHint.FindStringSubmatch(p.FixHint)[1]
	default:
		t.Fatalf("an agent would not know what to do: %+v", p)
	}
}

func TestTheInstructionsLeadToAValidDatachain(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	var listed struct {
		Versions []catalog.Version `json:"versions"`
	}
	s.call("list_schema_versions", `{}`).into(t, &listed)
	newest := slices.IndexFunc(listed.Versions, func(v catalog.Version) bool { return v.Status == taxonomy.Stable })
	version := listed.Versions[newest].ID.String()

	var schema struct {
		Categories []struct {
			ID       string `json:"id"`
			Required bool   `json:"required"`
		} `json:"categories"`
	}
	s.call("get_schema", `{"version":"`+version+`","locales":["en"]}`).into(t, &schema)
	d := draft{ID: "bicycles", SchemaVersion: version, CreatedAt: "2026-11-15T10:00:00Z", Provenance: map[string]any{"kind": "ai_generated"}}
	for _, c := range schema.Categories {
		if !c.Required {
			continue
		}
		var found struct {
			Elements []struct {
				ID string `json:"id"`
			} `json:"elements"`
		}
		s.call("list_elements", `{"version":"`+version+`","category_id":"`+c.ID+`","locales":["en"]}`).into(t, &found)
		d.Elements = append(d.Elements, drafted{ElementID: found.Elements[0].ID})
	}
	// Agents misremember.
	d.Elements[0].ElementID += "s"
	d.Elements[1].Context = "decide"

	for round := 0; ; round++ {
		r := s.call("validate_datachain", with(version, encoded(t, d)))
		if r.OK {
			var data struct {
				Warnings problem.List `json:"warnings"`
			}
			if r.into(t, &data); len(data.Warnings) == 0 {
				break
			}
			r.Errors = data.Warnings
		}
		if round == 4 {
			t.Fatalf("still %v", r.Errors)
		}
		for _, p := range r.Errors {
			// A category that only lacks its misspelt element is mended with it.
			if p.Code == "REQUIRED_CATEGORY_MISSING" {
				continue
			}
			d.mend(t, p)
		}
	}
	if r := s.call("render_datachain", with(version, encoded(t, d))); !r.OK || len(r.Content) != 2 {
		t.Errorf("%.500s", r.Structured)
	}
	resolved := s.call("resolve_datachain", with(version, encoded(t, d), `,"locales":"*"`))
	if r := s.call("validate_resolved", `{"datachain":`+string(resolved.Data)+`}`); !r.OK {
		t.Errorf("%.500s", r.Structured)
	}
}

func TestAProposedElementCanBeUsedAsThePromptSays(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	whole := s.call("resolve_datachain", with(stable, example(t, stable, "river_watch"), `,"locales":"*"`))
	var document map[string]any
	whole.into(t, &document)
	title := []any{map[string]any{"locale": "en", "value": "Gas detector"}}
	document["suggested_elements"] = []any{map[string]any{"id": "gas_detector", "category_id": "sensing", "title": title}}
	document["elements"] = append(document["elements"].([]any), map[string]any{"element_id": "gas_detector", "context_type_id": "continuous"})
	if r := s.call("validate_resolved", `{"datachain":`+encoded(t, document)+`}`); r.OK || !slices.Contains(codes(r.Errors), "provenance_required") {
		t.Errorf("%.500s", r.Structured)
	}
	document["authoring_provenance"] = map[string]any{"kind": "ai_generated"}
	if r := s.call("validate_resolved", `{"datachain":`+encoded(t, document)+`}`); !r.OK {
		t.Errorf("%.500s", r.Structured)
	}
	if r := s.call("render_datachain", with(stable, encoded(t, document))); !r.OK || !strings.Contains(r.Content[0].Text, "Gas detector") {
		t.Errorf("%.500s", r.Structured)
	}
}

func TestATranslationIsShownThoughTheTaxonomyLacksTheLocale(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := strings.Replace(example(t, stable, "river_watch"), `"title": [`, `"title": [{"locale": "de", "value": "Fluss und Luft an der Tessel"},`, 1)
	r := s.call("validate_datachain", with(stable, document))
	if !r.OK || !strings.Contains(string(r.Data), `"LOCALE_UNKNOWN"`) {
		t.Errorf("%.500s", r.Structured)
	}
	if r := s.call("render_datachain", with(stable, document, `,"locale":"de"`)); !r.OK || !strings.Contains(r.Content[0].Text, "Fluss und Luft") {
		t.Errorf("%s", r.Content[0].Text)
	}
}
