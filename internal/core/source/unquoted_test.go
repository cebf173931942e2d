package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// titled returns the minimal release with another title of its element.
func titled(title string) string {
	return Minimal + "-- elements/street.yaml --\n" + strings.TrimPrefix(replace(minimalElement, "{en: Street, fr: Rue}", title), "-- elements/street.yaml --\n")
}

func TestTextThatYAMLWouldCutIsReportedOnce(t *testing.T) {
	for _, test := range []struct {
		title string
		want  string // the finding
	}{
		{"{en: Search, rescue and survey, fr: Rue}", "TEXT_UNQUOTED 3:21"},
		{"{en: Street, fr: Rue, route , voie}", "TEXT_UNQUOTED 3:30"},
		{"{en: Yes, no, fr: Oui}", "TEXT_UNQUOTED 3:18"},
		{"{en: Street,\n  road\n  or path , fr: Rue}", "TEXT_UNQUOTED 4:3"},
		{"[{locale: en, value: A street, or road}, {locale: fr, value: Rue}]", "TEXT_UNQUOTED 3:39"},
		{"\n  en: &Photos and more\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"\n  en: &Photos\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"\n  en: !New photos\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"\n  en: !!New photos\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"\n  en: ! Photos\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"\n  en: {street}\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"\n  en: {a, b}\n  fr: Rue", "TEXT_UNQUOTED 4:7"},
		{"{en: {a street}, fr: Rue}", "TEXT_UNQUOTED 3:13"},
		{"\n  en: Photo #1 of it's tree\n  fr: Rue", "TEXT_COMMENT 4:7"},
		{"\n  en: Photo\n    of #1\n  fr: Rue", "TEXT_COMMENT 4:7"},
		{"{en: Photo #1\n  , fr: Rue}", "TEXT_COMMENT 3:13"},
		{"\n  en: #1 photo\n  fr: Rue", "TEXT_COMMENT 4:3"},
		{"\n  en: Street # no text\n  fr: Rue", ""},
		{"\n  en: Street#1\n  fr: 'Rue #1'", ""},
		{"\n  en: 'Street' #todo\n  fr: Rue", ""},
		{"\n  en: &street Street\n  fr: *street", ""},
		{"\n  en: !!str Street\n  fr: Rue", ""},
		{"\n  en: Street\n  fr:", "TRANSLATION_MISSING 5:3"},
		{"\n  en: Street\n  fr: # later", "TRANSLATION_MISSING 5:3"},
		{"{en: Street, fr: }", "TRANSLATION_MISSING 3:21"},
		{"{en: Street, fr: Rue, 'road':}", "LOCALE_MALFORMED 3:30"},
	} {
		_, found := Load(overlay(demo, titled(test.title)), demo)
		var want []string
		if test.want != "" {
			code, pos, _ := strings.Cut(test.want, " ")
			want = []string{code + " elements/street.yaml:" + pos}
		}
		if diff := cmp.Diff(want, summary(found)); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", test.title, diff)
		}
	}
}

func TestCutTextIsAnErrorInEveryRelease(t *testing.T) {
	stable := taxonomy.ID{Type: "demo", Date: "2026-01-31", Status: taxonomy.Stable}
	for title, want := range map[string][2]problem.Severity{
		"{en: Street, road, fr: Rue}":       {problem.Error, problem.Error},
		"\n  en: &Street x\n  fr: Rue":      {problem.Error, problem.Error},
		"\n  en: Street #1 here\n  fr: Rue": {problem.Warning, problem.Error},
	} {
		for i, id := range []taxonomy.ID{demo, stable} {
			result, found := Load(overlay(id, titled(title)), id)
			if len(found) != 1 || found[0].Severity != want[i] || (result == nil) != (want[i] == problem.Error) {
				t.Errorf("%s in %s: got findings %v, want one %s", title, id, found, want[i])
			}
		}
	}
}

func TestUnquotedVariablesAreReportedOnce(t *testing.T) {
	category := minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}]\n"
	for title, want := range map[string]string{
		"\n  en: {{name}}\n  fr: 'Rue {{name}}'": "TEXT_UNQUOTED elements/street.yaml:4:7",
		"{en: {{name}}, fr: 'Rue {{name}}'}":     "TEXT_UNQUOTED elements/street.yaml:3:13",
	} {
		_, found := Load(overlay(demo, titled(title), category), demo)
		if diff := cmp.Diff([]string{want}, summary(found)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
}

func TestRequiredFieldReadAsCommentIsReportedOnce(t *testing.T) {
	_, found := Load(overlay(demo, Minimal, replace(minimalElement, "symbol_id: street", "symbol_id: #street")+"guidance: #none\n"), demo)
	want := []string{"FIELD_MISSING elements/street.yaml:5:1", "TEXT_COMMENT elements/street.yaml:6:1"}
	if diff := cmp.Diff(want, summary(found)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	} else if want := `The field "symbol_id" is empty. Without quotes, YAML reads "#street" as a comment.`; found[0].Message != want {
		t.Errorf("got message %q, want %q", found[0].Message, want)
	}
}
