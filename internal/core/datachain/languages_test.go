package datachain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextsThatLackALanguageOfTheTitleAreReportedOnce(t *testing.T) {
	const (
		hall  = `[{"locale": "en", "value": "Hall"}, {"locale": "fr", "value": "Salle"}]`
		blank = `[{"locale": "en", "value": "Hall"}, {"locale": "fr", "value": " "}]`
		other = `[{"locale": "xx", "value": "Hall"}]`
	)
	complete := []change{
		{"title", hall},
		{"elements[1].variables[0].value", `[{"locale": "FR", "value": "Salle"}, {"locale": "en", "value": "Hall"}]`},
		{"elements[2].actions[0].label", hall},
	}
	for _, test := range []struct {
		name    string
		changes []change
		want    []string
	}{
		{"a document in one language", []change{{"description", hall}}, nil},
		{"a complete document", complete, nil},
		{"a plain label", append(complete[:3:3], change{"elements[0].label", `"A 1"`}), nil},
		{"a blank title", []change{{"title", blank}}, nil},
		{
			"every kind of text",
			[]change{{"title", hall}, {"description", blank}, {"elements[0].label", other}, {"subchain_instances[0].label", blank}},
			[]string{
				"texts_incomplete elements[0].label", "LOCALE_UNKNOWN elements[0].label[0].locale",
				"texts_incomplete elements[1].variables[0].value", "texts_incomplete elements[2].actions[0].label",
				"texts_incomplete subchain_instances[0].label", "texts_incomplete description",
			},
		},
	} {
		for _, op := range onThin {
			if diff := cmp.Diff(test.want, codesAt(mustRun(t, op, with(test.changes...)))); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", op, test.name, diff)
			}
		}
	}
	report := mustRun(t, OpValidate, with(change{"title", hall}, change{"elements[2].actions[0].label", hall}, change{"elements[1].variables[0].value", other}))
	p := report.Warnings[0]
	if p.Code != "texts_incomplete" || p.Message != "The title is in en, fr, but this text is not in en, fr." || p.FixHint != "Add the text in en, fr." {
		t.Errorf("got %+v, want the missing languages", p)
	}
}
