package mcpapi_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/catalog"
)

// These tests act as an agent that follows the prompts and the server's
// instructions. They use only the results of tools.

// draft is a datachain being written.
type draft struct {
	ID            string           `json:"id"`
	SchemaVersion string           `json:"schema_version"`
	CreatedAt     string           `json:"created_at"`
	Elements      []draftPlacement `json:"elements"`
	Provenance    any              `json:"authoring_provenance,omitzero"`
}

type draftPlacement struct {
	ElementID string           `json:"element_id"`
	Context   string           `json:"context_type_id,omitzero"`
	Variables []jsontext.Value `json:"variables,omitzero"`
	Actions   jsontext.Value   `json:"actions,omitzero"`
}

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	additionHint   = regexp.MustCompile(`^Add (\{.*\}) to `)
	variableHint   = regexp.MustCompile(`^Add it to variables; its value is (?:a localized string|an array of option ids \((\w+).*\))\.$`)
	variableID     = regexp.MustCompile(`variable "([^"]+)"`)
	suggestionHint = regexp.MustCompile(`^Did you mean "([^"]+)"`)
	choiceHint     = regexp.MustCompile(`one of (\w+)`)
	elementPath    = regexp.MustCompile(`^elements\[(\d+)\]`)
)

// fix applies the hint of a finding.
func (d *draft) fix(t *testing.T, p problem.Problem) {
	t.Helper()
	var target *draftPlacement
	if n := elementPath.FindStringSubmatch(p.Path.String()); n != nil {
		i, err := strconv.Atoi(n[1])
		if err != nil {
			t.Fatal(err)
		}
		target = &d.Elements[i]
	}
	add, suggestion := additionHint.FindStringSubmatch(p.FixHint), suggestionHint.FindStringSubmatch(p.FixHint)
	switch {
	case add != nil:
		var placed draftPlacement
		if err := json.Unmarshal([]byte(add[1]), &placed); err != nil {
			t.Fatal(err)
		}
		d.Elements = append(d.Elements, placed)
	case variableHint.MatchString(p.FixHint):
		value := `[{"locale": "en", "value": "A fact"}]`
		if option := variableHint.FindStringSubmatch(p.FixHint)[1]; option != "" {
			value = `["` + option + `"]`
		}
		id := variableID.FindStringSubmatch(p.Message)[1]
		target.Variables = append(target.Variables, jsontext.Value(`{"id": "`+id+`", "value": `+value+`}`))
	case suggestion != nil && strings.HasSuffix(p.Path.String(), "context_type_id"):
		target.Context = suggestion[1]
	case suggestion != nil:
		target.ElementID = suggestion[1]
	case strings.HasPrefix(p.FixHint, "Add an action"):
		target.Actions = jsontext.Value(`[{"type": "email", "label": [{"locale": "en", "value": "Ask us"}], "target": "ask@example.org"}]`)
	case choiceHint.MatchString(p.FixHint):
		target.Context = choiceHint.FindStringSubmatch(p.FixHint)[1]
	default:
		t.Fatalf("the hint cannot be applied: %+v", p)
	}
}

func TestFollowingTheInstructionsYieldsAValidDatachain(t *testing.T) {
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
		d.Elements = append(d.Elements, draftPlacement{ElementID: found.Elements[0].ID})
	}
	// Misspell an element and a context, as agents do.
	d.Elements[0].ElementID += "s"
	d.Elements[1].Context = "decide"

	for round := 0; ; round++ {
		r := s.call("validate_datachain", documentArguments(version, mustMarshal(t, d)))
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
			t.Fatalf("after 4 rounds: got %v", r.Errors)
		}
		for _, p := range r.Errors {
			d.fix(t, p)
		}
	}
	if r := s.call("render_datachain", documentArguments(version, mustMarshal(t, d))); !r.OK || len(r.Content) != 2 {
		t.Errorf("got %.500s", r.Structured)
	}
	resolved := s.call("resolve_datachain", documentArguments(version, mustMarshal(t, d), `,"locales":"*"`))
	if r := s.call("validate_resolved", `{"datachain":`+string(resolved.Data)+`}`); !r.OK {
		t.Errorf("got %.500s", r.Structured)
	}
}

func TestFollowingTheProposePromptYieldsAValidDatachain(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	resolved := s.call("resolve_datachain", documentArguments(stable, example(t, stable, "river_watch"), `,"locales":"*"`))
	var document map[string]any
	resolved.into(t, &document)
	title := []any{map[string]any{"locale": "en", "value": "Gas detector"}}
	document["suggested_elements"] = []any{map[string]any{"id": "gas_detector", "category_id": "sensing", "title": title}}
	document["elements"] = append(document["elements"].([]any), map[string]any{"element_id": "gas_detector", "context_type_id": "continuous"})
	if r := s.call("validate_resolved", `{"datachain":`+mustMarshal(t, document)+`}`); r.OK || !slices.Contains(codes(r.Errors), "provenance_required") {
		t.Errorf("got %.500s", r.Structured)
	}
	document["authoring_provenance"] = map[string]any{"kind": "ai_generated"}
	if r := s.call("validate_resolved", `{"datachain":`+mustMarshal(t, document)+`}`); !r.OK {
		t.Errorf("got %.500s", r.Structured)
	}
	if r := s.call("render_datachain", documentArguments(stable, mustMarshal(t, document))); !r.OK || !strings.Contains(r.Content[0].Text, "Gas detector") {
		t.Errorf("got %.500s", r.Structured)
	}
}

func TestTranslationIntoAnUnlistedLocaleIsRendered(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	document := strings.Replace(example(t, stable, "river_watch"), `"title": [`, `"title": [{"locale": "de", "value": "Fluss und Luft an der Tessel"},`, 1)
	r := s.call("validate_datachain", documentArguments(stable, document))
	if !r.OK || !strings.Contains(string(r.Data), `"LOCALE_UNKNOWN"`) {
		t.Errorf("got %.500s", r.Structured)
	}
	if r := s.call("render_datachain", documentArguments(stable, document, `,"locale":"de"`)); !r.OK || !strings.Contains(r.Content[0].Text, "Fluss und Luft") {
		t.Errorf("got %s", r.Content[0].Text)
	}
}
