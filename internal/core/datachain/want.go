package datachain

import (
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// want describes an expected value, for messages.
type want struct {
	description string
	example     string // JSON, with placeholders; see [reader.exampleOf]
	choices     []string
	synonyms    map[string]string // choices by words for them, in lower case
	rewrite     func(*rewriter, ref)
}

func newWant(description, example string) *want {
	return &want{description: description, example: example}
}

// newChoice returns the want of one of some strings.
func newChoice(choices []string, synonyms map[string]string) *want {
	return &want{description: problem.OneOf(choices), example: strconv.Quote(choices[0]), choices: choices, synonyms: synonyms}
}

// rewrittenBy sets the function that rewrites a value of the wrong type.
func (w *want) rewrittenBy(rewrite func(*rewriter, ref)) *want {
	w.rewrite = rewrite
	return w
}

// hint adds a hint to a problem about the value n, which is not the expected one:
// the value as rw writes it, or example if it cannot.
func (w *want) hint(p problem.Problem, rw rewriter, n ref, example string) problem.Problem {
	if w.choices != nil && rw.kind(n) == '"' {
		if choice := w.nearest(rw.str(n)); choice != "" {
			return p.Hint("Did you mean %q?", choice)
		}
	}
	if w.rewrite != nil {
		if w.rewrite(&rw, n); rw.failed || len(rw.out) == 0 {
			return p.Hint("For example, write %s.", example)
		}
		if rw.cut {
			return p.Hint("Write %s, with the rest in the same form.", rw.out)
		}
		if w == wantValue && (rw.kind(n) == '"' || rw.kind(n) == '0') && rw.variableOf(n) == nil {
			return p.Hint("Write %s for a text, or [%s] for an option.", rw.out, rw.quoted(n))
		}
		return p.Hint("Write %s.", rw.out)
	}
	return p.Hint("For example, write %s.", example)
}

// nearest returns the choice that word most likely means, or "".
func (w *want) nearest(word string) string {
	if choice := w.synonyms[strings.ToLower(strings.TrimSpace(word))]; choice != "" {
		return choice
	}
	if near := problem.Nearest(word, w.choices, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

var (
	wantDocument   = newWant("a JSON object", `{"id": "gate-7", …}`)
	wantArray      = newWant("an array", `[]`).rewrittenBy((*rewriter).array)
	wantString     = newWant("a string", `"gate-7"`).rewrittenBy((*rewriter).scalar)
	wantBoolean    = newWant("true or false", `false`)
	wantStrings    = newWant("an array of strings", `["gate-7"]`).rewrittenBy((*rewriter).strings)
	wantLocalized  = newWant("a localized string", `[{"locale": "en", "value": "Entrance"}]`).rewrittenBy((*rewriter).localized)
	wantText       = newWant("an object with a locale and a value", `{"locale": "en", "value": "Entrance"}`).rewrittenBy((*rewriter).localizedText)
	wantLocale     = newWant("a string that names a locale", `"en"`)
	wantTimestamp  = newWant("an ISO 8601 timestamp with a time zone", `"2026-01-31T09:30:00Z"`).rewrittenBy((*rewriter).timestamp)
	wantVersion    = newWant("a canonical version id, <type>@<YYYY-MM-DD>-<status>", `"<release>"`)
	wantRevision   = newWant("a string or a number", `"1.2"`)
	wantWhole      = newWant("a whole number", `1`).rewrittenBy((*rewriter).number)
	wantCount      = newWant("a non-negative whole number", `1`).rewrittenBy((*rewriter).number)
	wantPlacements = newWant("a non-empty array of placements", `[{"element_id": "<element>"}]`).rewrittenBy((*rewriter).placements)
	wantPlacement  = newWant("a placement", `{"element_id": "<element>"}`).rewrittenBy((*rewriter).placement)
	wantElementID  = newWant("a string, the id of an element", `"<element>"`)
	wantVariables  = newWant("an array of variables", `[{"id": "detail", "value": [{"locale": "en", "value": "At the gate"}]}]`).rewrittenBy((*rewriter).variables)
	wantVariable   = newWant("an object with an id and a value", `{"id": "detail", "value": [{"locale": "en", "value": "At the gate"}]}`)
	wantValue      = newWant(problem.OneOf(valueNouns()), `[{"locale": "en", "value": "At the gate"}]`).rewrittenBy((*rewriter).value)
	wantLabel      = newWant("a string or a localized string", `"North entrance"`)
	wantSource     = newWant("a source", `{"type": "law", "title": "Data Protection Act"}`)
	wantSubchain   = newWant("a subchain instance", `{"id": "s1", "subchain_id": "<subchain>"}`)
	wantAction     = newWant("an action", `{"type": "email", "label": [{"locale": "en", "value": "Write to us"}], "target": "ask@example.org"}`)
	wantActionType = newChoice(ActionTypes, map[string]string{
		"tel": "phone", "telephone": "phone", "mobile": "phone", "call": "phone", "sms": "phone", "fax": "phone",
		"web": "url", "website": "url", "site": "url", "page": "url", "link": "url", "http": "url", "https": "url",
		"post": "postal", "letter": "postal", "address": "postal", "survey": "form", "questionnaire": "form",
	})
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
