package datachain

import (
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// want describes an expected value, for messages.
type want struct {
	description string
	example     string // JSON
	choices     []string
}

func newWant(description, example string) *want {
	return &want{description: description, example: example}
}

// newChoice returns the want of one of some strings.
func newChoice(choices []string) *want {
	return &want{description: problem.OneOf(choices), example: strconv.Quote(choices[0]), choices: choices}
}

// hint adds a hint to a problem about the value n of t, which is not the expected
// one.
func (w *want) hint(p problem.Problem, t *tree, n ref) problem.Problem {
	if w == wantVersion {
		return p.Hint(hintVersion).See(problem.ListVersions())
	}
	if w.choices != nil && t.kind(n) == '"' {
		if near := problem.DidYouMean(t.str(n), w.choices); near != "" {
			return p.Hint("%s", near)
		}
	}
	return p.Hint("For example, write %s.", w.example)
}

// hintVersion is the hint about schema_version.
const hintVersion = "Use the id of a published version."

var (
	wantDocument   = newWant("a JSON object", `{"id": "gate-7", …}`)
	wantArray      = newWant("an array", `[]`)
	wantString     = newWant("a string", `"gate-7"`)
	wantBoolean    = newWant("true or false", `false`)
	wantStrings    = newWant("an array of strings", `["gate-7"]`)
	wantLocalized  = newWant("a localized string", `[{"locale": "en", "value": "Entrance"}]`)
	wantText       = newWant("an object with a locale and a value", `{"locale": "en", "value": "Entrance"}`)
	wantLocale     = newWant("a string that names a locale", `"en"`)
	wantTimestamp  = newWant("an ISO 8601 date and time", `"2026-01-31T09:30:00Z"`)
	wantVersion    = newWant("a canonical version id, <type>@<YYYY-MM-DD>-<status>", `"example@2026-06-01-stable"`)
	wantRevision   = newWant("a string or a number", `"1.2"`)
	wantWhole      = newWant("a whole number", `1`)
	wantCount      = newWant("a non-negative whole number", `1`)
	wantPlacements = newWant("a non-empty array of placements", `[{"element_id": "video_camera"}]`)
	wantPlacement  = newWant("a placement", `{"element_id": "video_camera"}`)
	wantElementID  = newWant("a string, the id of an element", `"video_camera"`)
	wantVariables  = newWant("an array of variables", `[{"id": "detail", "value": [{"locale": "en", "value": "At the gate"}]}]`)
	wantVariable   = newWant("an object with an id and a value", `{"id": "detail", "value": [{"locale": "en", "value": "At the gate"}]}`)
	wantValue      = newWant(problem.OneOf(valueNouns()), `[{"locale": "en", "value": "At the gate"}]`)
	wantLabel      = newWant("a string or a localized string", `"North entrance"`)
	wantSource     = newWant("a source", `{"type": "law", "title": "Data Protection Act"}`)
	wantSubchain   = newWant("a subchain instance", `{"id": "s1", "subchain_id": "sensing_to_outcome"}`)
	wantAction     = newWant("an action", `{"type": "email", "label": [{"locale": "en", "value": "Write to us"}], "target": "ask@example.org"}`)
	wantActionType = newChoice(ActionTypes)
)

// ActionTypes lists the types of actions.
var ActionTypes = []string{"email", "url", "phone", "form", "postal"}

// valueNouns returns the nouns for the values of all kinds of variables.
func valueNouns() []string {
	nouns := make([]string, len(taxonomy.Kinds))
	for i, kind := range taxonomy.Kinds {
		nouns[i] = kind.ValueNoun()
	}
	return nouns
}
