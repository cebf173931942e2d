package datachain

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// rewritten matches hints that contain a rewritten value.
var rewritten = regexp.MustCompile(`^Write ([^a-z].*?)( for a text, or (.*) for an option|, with the rest in the same form)?\.( The other rules .*)?$`)

// wrongShape is a value of the wrong type at a path of the example, and the same
// value as a hint should show it.
type wrongShape struct{ path, sent, want string }

var wrongShapes = []wrongShape{
	{"elements[1].variables", `{"position": "Above the gate"}`, `[{"id": "position", "value": [{"locale": "en", "value": "Above the gate"}]}]`},
	{"elements[1].variables", `{"position": {"en": "Gate", "fr": "Porte"}, "formats": ["pictures"]}`, `[{"id": "position", "value": [{"locale": "en", "value": "Gate"}, {"locale": "fr", "value": "Porte"}]}, {"id": "formats", "value": ["pictures"]}]`},
	{"elements[1].variables", `{"position": "Above the gate", "formats": "pictures"}`, `[{"id": "position", "value": [{"locale": "en", "value": "Above the gate"}]}, {"id": "formats", "value": ["pictures"]}]`},
	{"elements[1].variables", `{"id": "position", "value": "Above the gate"}`, `[{"id": "position", "value": [{"locale": "en", "value": "Above the gate"}]}]`},
	{"elements[1].variables", `{"position": 7}`, `[{"id": "position", "value": [{"locale": "en", "value": "7"}]}]`},
	{"elements[1].variables[0].value", `"Above the gate"`, `[{"locale": "en", "value": "Above the gate"}]`},
	{"elements[1].variables[0].value", `{"locale": "fr", "value": "Porte"}`, `[{"locale": "fr", "value": "Porte"}]`},
	{"elements[1].variables[0].value", `30`, `[{"locale": "en", "value": "30"}]`},
	{"elements[1].variables[0].value[0]", `{"locale": "en", "value": 30}`, ``}, // the path of the finding is deeper
	{"title", `"Entrance \"A\""`, `[{"locale": "en", "value": "Entrance \"A\""}]`},
	{"title", `{"fr": "Entrée"}`, `[{"locale": "fr", "value": "Entrée"}]`},
	{"title[0]", `"Entrance"`, `{"locale": "en", "value": "Entrance"}`},
	{"linked_instance_ids", `"gate-7"`, `["gate-7"]`},
	{"elements[0]", `"safety"`, `{"element_id": "safety"}`},
	{
		"elements", `{"safety": {}, "contact": true, "camera": {"context_type_id": "continuous", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Gate"}]}]}}`,
		`[{"element_id": "safety"}, {"element_id": "contact"}, {"element_id": "camera", "context_type_id": "continuous", "variables": [{"id":"position","value":[{"locale":"en","value":"Gate"}]}]}]`,
	},
	{"elements", `{"id": "camera", "label": "Gate"}`, ``},
	{"elements", `{"camera": false}`, ``},
	{"elements[1].variables", `{"id": "position"}`, ``},
	{"elements[1].variables", `{"value": "Above the gate"}`, ``},
	{"elements[2].actions", `{"type": "url", "label": [], "target": "https://example.org"}`, `[{"type":"url","label":[],"target":"https://example.org"}]`},
	{"sources", `{"type": "law", "title": "Act"}`, `[{"type":"law","title":"Act"}]`},
	{"authoring_provenance", `"AI"`, `{"kind": "ai_generated"}`},
	{"created_at", `"2026-02-03"`, `"2026-02-03T00:00:00Z"`},
	{"created_at", `"2026-02-03 09:30:00"`, `"2026-02-03T09:30:00Z"`},
	{"elements[0].priority", `"3"`, `3`},
	{"id", `7`, `"7"`},
}

func TestHintsShowTheValueInTheRightForm(t *testing.T) {
	for _, test := range wrongShapes {
		document := with(change{test.path, test.sent})
		var got string
		for _, p := range mustRun(t, OpValidate, document).Errors {
			if m := rewritten.FindStringSubmatch(p.FixHint); m != nil && p.Path.String() == test.path {
				got = m[1]
			}
		}
		if got != test.want {
			t.Errorf("%s = %s: got %s, want %s", test.path, test.sent, got, test.want)
			continue
		}
		if got == "" {
			continue
		}
		if report := mustRun(t, OpValidate, with(change{test.path, got})); !report.OK() {
			t.Errorf("%s = %s: got %v, want no errors", test.path, got, report.Errors)
		}
	}
}

func TestHintsForStringValuesMatchTheKindOfTheVariable(t *testing.T) {
	for id, want := range map[string]string{
		"formats":  `Write ["pictures"].`,
		"position": `Write [{"locale": "en", "value": "pictures"}].`,
		"colour":   `Write [{"locale": "en", "value": "pictures"}] for a text, or ["pictures"] for an option.`,
	} {
		report := mustRun(t, OpValidate, with(change{"elements[1].variables[1]", `{"id": "` + id + `", "value": "pictures"}`}))
		if hint := report.Errors[0].FixHint; !strings.HasPrefix(hint, want) {
			t.Errorf("%s: got hint %q, want %q", id, hint, want)
		}
	}
}

func TestTextsInHintsHaveTheLocaleOfTheDocument(t *testing.T) {
	report := mustRun(t, OpValidate, with(change{"title[0].locale", `"fr"`}, change{"description", `"Bonjour"`}))
	if hint := report.Errors[0].FixHint; !strings.Contains(hint, `[{"locale": "fr", "value": "Bonjour"}]`) {
		t.Errorf("got hint %q, want locale fr", hint)
	}
}

func TestRewrittenValuesAreShortAndValidJSON(t *testing.T) {
	long := strings.Repeat("é", 500)
	var many strings.Builder
	for i := range 100 {
		many.WriteString(`"variable_` + strconv.Itoa(i) + `": "` + long[:20] + `", `)
	}
	for _, test := range []wrongShape{
		{path: "title", sent: `"` + long + `"`},
		{path: "elements[1].variables", sent: "{" + many.String() + `"x": "y"}`},
		{path: "elements[1].variables", sent: `{"` + long + `": {"en": "` + long + `", "fr": "` + long + `"}}`},
		{path: "elements[1].variables", sent: `{"x": [` + strings.Repeat(`"y", `, 1000) + `"z"]}`},
		{path: "elements[1].variables", sent: `{}`},
		{path: "elements", sent: "{" + many.String() + `"x": {"label": "` + long + `"}}`},
		{path: "elements", sent: `{"x": {"label": "` + long + long + `"}}`},
		{path: "elements[2].actions", sent: `{"type": "` + long + `"}`},
	} {
		checkRewritten(t, with(change{test.path, test.sent}))
	}
}

func TestHintsForAnyValueAreShortAndValidJSON(t *testing.T) {
	values := rapid.SampledFrom([]string{
		`"x"`, `""`, `7`, `-1e400`, `true`, `null`, `[]`, `["x"]`, `[7]`, `{}`, `{"id": 1, "value": 2}`, `{"id": "x", "value": null}`, `{"en": []}`, `{"en": {"fr": "x"}}`,
		`{"x": "\ud83d\ude00\u0000"}`, `{"element_id": 7}`, `{"x": {"element_id": "y"}}`, `{"locale": 1, "value": "x"}`, `[["x"]]`, `{"a": {"b": {"c": [{}]}}}`,
	})
	paths := rapid.SampledFrom([]string{
		"title", "title[0]", "elements", "elements[1]", "elements[1].variables", "elements[1].variables[0]", "elements[1].variables[0].value", "elements[1].priority",
		"elements[1].label", "elements[2].actions", "elements[2].actions[0].type", "sources", "linked_instance_ids", "created_at", "authoring_provenance", "subchain_instances",
	})
	rapid.Check(t, func(rt *rapid.T) {
		document := with(change{paths.Draw(rt, "path"), values.Draw(rt, "value")})
		checkRewritten(t, document)
	})
}

// checkRewritten checks the rewritten values in the hints for a document.
func checkRewritten(t *testing.T, document string) {
	t.Helper()
	report := mustRun(t, OpValidate, document)
	for _, p := range report.Errors {
		if m := rewritten.FindStringSubmatch(p.FixHint); m != nil && (len(m[1]) > maxRewritten+2 || !jsontext.Value(m[1]).IsValid()) {
			t.Errorf("%.200s: got %d bytes, %s", document, len(m[1]), m[1])
		}
	}
}

func TestHintsSuggestTheNearestChoice(t *testing.T) {
	for _, test := range []struct {
		path, document string
		want           map[string]string
	}{
		{"authoring_provenance.kind", with(change{"authoring_provenance", `{"kind": "@"}`}), map[string]string{
			"AI": "ai_generated", "ai": "ai_generated", "A.I.": "", "generated": "ai_generated", "ai-generated": "ai_generated", "AI generated": "ai_generated",
			"aigenerated": "ai_generated", "llm": "ai_generated", "model": "ai_generated", "person": "human", "Human": "human", "humans": "human", "committee": "",
		}},
		{"elements[2].actions[0].type", with(change{"elements[2].actions[0].type", `"@"`}), map[string]string{
			"Email": "email", "e-mail": "email", "mail": "email", "E-Mail": "email", "emails": "email", "tel": "phone", "telephone": "phone", "Phone": "phone", "website": "url",
			"web": "url", "URL": "url", "link": "url", "post": "postal", "webform": "form", "fax machine": "",
		}},
		{"authoring_provenance.element_provenance.safety.confidence", with(change{"authoring_provenance", `{"kind": "human", "element_provenance": {"safety": {"confidence": "@"}}}`}), map[string]string{
			"hi": "high", "High": "high", "med": "medium", "mid": "medium", "lo": "low", "very high": "high", "0.9": "", "sure": "high",
		}},
	} {
		for word, want := range test.want {
			report := mustRun(t, OpValidate, strings.Replace(test.document, "@\"", word+"\"", 1))
			found := append(report.Errors, report.Warnings...)
			if len(found) != 1 || found[0].Path.String() != test.path {
				t.Fatalf("%s = %q: got %v", test.path, word, found)
			}
			hint := found[0].FixHint
			if want != "" && !strings.HasPrefix(hint, "Did you mean "+strconv.Quote(want)+"?") || want == "" && !strings.HasPrefix(hint, "For example, write ") {
				t.Errorf("%s = %q: got hint %q, want %q", test.path, word, hint, want)
			}
		}
	}
}
