//go:build !race

package source

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLongListsAreCheckedQuickly(t *testing.T) {
	var ids strings.Builder
	for i := range 140_000 {
		ids.WriteString(strconv.Itoa(i) + ",")
	}
	started := time.Now()
	_, found := Load(overlay(demo, Minimal, minimalElement+"excludes: ["+ids.String()+"]\n"), demo)
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("took %v, want at most 10s", took)
	}
	if len(found) != 140_000 || found[0].Code != excludedElementUnknown.Code {
		t.Errorf("got %d findings, starting with %v; want %s for each id", len(found), found[:min(3, len(found))], excludedElementUnknown.Code)
	}
}

func TestManyReferencesAreCheckedQuickly(t *testing.T) {
	var variables strings.Builder
	for i := range 4_000 {
		variables.WriteString("- {id: v" + strconv.Itoa(i) + ", label: {en: V, fr: V}}\n")
	}
	text := strings.Repeat("{{v3999}}", 100_000)
	started := time.Now()
	mustLoad(t, overlay(demo, Minimal, minimalCategory+"variables:\n"+variables.String(),
		replace(minimalElement, "en: Street, fr: Rue", "en: '"+text+"', fr: '{{v3999}}'")), demo)
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("took %v, want at most 10s", took)
	}
}

func TestUnquotedTextIsFoundInLinearTime(t *testing.T) {
	for name, content := range map[string]string{
		"names":  "{a: b" + strings.Repeat(",c", 400_000) + "}",
		"groups": "[" + strings.Repeat("{a},", 150_000) + "]",
		"braces": strings.Repeat("{", 9000) + "a" + strings.Repeat("}", 9000),
	} {
		start := time.Now()
		Load(overlay(demo, Minimal, "-- meta.yaml --\nnotes: "+content+"\n"), demo)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}
