package datachain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsPlaceholder(t *testing.T) {
	upper := strings.ToUpper
	for _, text := range []string{
		"[Name of the organisation]", "<name>", "{{name}}", "[[name]]", "  [Name]\n", "[TBD]", "<tbd>", "[]", "<>", "[name [of] it]",
		"…", "...", "-", "–", "?", ". . .", "____", "(...)",
		upper("todo"), upper("todo."), upper("[todo]"), upper("(todo)"), upper("fixme"), upper("xxx"), "TBD", "tbd", "Tbc", "fixme!", "xxx", "to be confirmed", "To be confirmed.", "À confirmer", "*TBD*",
	} {
		if !isPlaceholder(text) {
			t.Errorf("%q: got no placeholder, want one", text)
		}
	}
	for _, word := range placeholderWords {
		if !isPlaceholder(word) || !isPlaceholder(upper(word)) {
			t.Errorf("%q: got no placeholder in one of its cases, want one in both", word)
		}
	}
	for _, text := range []string{
		"", " ", "City of Ostmere", "[a] and [b]", "[sic] as written", "<b>bold</b>", "<ask@example.org>", "<https://example.org>", "a]", "[a", "x",
		"Todo", "todo", upper("todo") + " list of the city", "The date is to be confirmed", "3", "C", "30 days", "日本", "« Ville »", "👮",
	} {
		if isPlaceholder(text) {
			t.Errorf("%q: got a placeholder, want none", text)
		}
	}
}

func TestPlaceholdersAreReportedInEveryText(t *testing.T) {
	const texts = `[{"locale": "en", "value": "Fact"}, {"value": "\u2026", "locale": "fr"}]`
	document := with(
		change{"title", texts},
		change{"description", texts},
		change{"elements[0].label", `"[Label]"`},
		change{"elements[1].label", texts},
		change{"subchain_instances[0].label", texts},
		change{"elements[1].variables[0].value", texts},
		change{"elements[2].actions", `[
			{"type": "email", "label": ` + texts + `, "target": "ask@example.org"},
			{"type": "postal", "label": [{"locale": "en", "value": "Write"}, {"locale": "fr", "value": "Écrire"}], "target": "<address>"}]`},
	)
	want := []string{
		"value_placeholder title[1].value",
		"value_placeholder elements[0].label",
		"value_placeholder elements[1].variables[0].value[1].value",
		"value_placeholder elements[1].label[1].value",
		"value_placeholder elements[2].actions[0].label[1].value",
		"value_placeholder elements[2].actions[1].target",
		"value_placeholder subchain_instances[0].label[1].value",
		"value_placeholder description[1].value",
	}
	for _, op := range onThin {
		if diff := cmp.Diff(want, codesAt(mustRun(t, op, document))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", op, diff)
		}
	}
}
