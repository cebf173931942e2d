package source

import (
	"slices"
	"testing"

	"placard/internal/core/taxonomy"
)

func TestOptionsMustMatchKind(t *testing.T) {
	const options = ", options: [{id: monday, name: {en: Monday, fr: Lundi}}]"
	for _, kind := range taxonomy.Kinds {
		findings := func(options string) []string {
			_, found := Load(overlay(demo, Minimal, minimalCategory+"variables: [{id: days, label: {en: Days, fr: Jours}, kind: "+string(kind)+options+"}]\n"), demo)
			var codes []string
			for _, p := range found {
				codes = append(codes, string(p.Code))
			}
			return codes
		}
		without, with := []string(nil), []string{"VARIABLE_OPTIONS_UNEXPECTED"}
		if kind.HasOptions() {
			without, with = []string{"VARIABLE_OPTIONS_MISSING"}, nil
		}
		if got := findings(""); !slices.Equal(got, without) {
			t.Errorf("%s without options: got %v, want %v", kind, got, without)
		}
		if got := findings(options); !slices.Equal(got, with) {
			t.Errorf("%s with options: got %v, want %v", kind, got, with)
		}
	}
}
