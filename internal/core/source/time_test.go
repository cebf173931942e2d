package source

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// maxTime is generous, because the machine may be slow or busy. Work that grows with
// the square of the size takes longer nevertheless.
const maxTime = 20 * time.Second

func TestLongListsAreCheckedQuickly(t *testing.T) {
	var ids strings.Builder
	for i := range 40_000 {
		ids.WriteString(strconv.Itoa(i) + ",")
	}
	started := time.Now()
	_, found := Load(overlay(demo, Minimal, minimalElement+"excludes: ["+ids.String()+"]\n"), demo)
	if took := time.Since(started); took > maxTime {
		t.Errorf("took %v, want at most %v", took, maxTime)
	}
	if len(found) != 40_000 || found[0].Code != excludedElementUnknown.Code {
		t.Errorf("got %d findings, starting with %v; want %s for each id", len(found), found[:min(3, len(found))], excludedElementUnknown.Code)
	}
}

func TestManyReferencesAreCheckedQuickly(t *testing.T) {
	var variables strings.Builder
	for i := range 4_000 {
		variables.WriteString("- {id: v" + strconv.Itoa(i) + ", label: {en: V, fr: V}}\n")
	}
	text := strings.Repeat("{{v3999}}", 30_000)
	started := time.Now()
	mustLoad(t, overlay(demo, Minimal, minimalCategory+"variables:\n"+variables.String(),
		replace(minimalElement, "en: Street, fr: Rue", "en: '"+text+"', fr: '{{v3999}}'")), demo)
	if took := time.Since(started); took > maxTime {
		t.Errorf("took %v, want at most %v", took, maxTime)
	}
}

func TestUnquotedTextIsFoundInLinearTime(t *testing.T) {
	for name, content := range map[string]string{
		"names":  "{a: b" + strings.Repeat(",c", 100_000) + "}",
		"groups": "[" + strings.Repeat("{a},", 40_000) + "]",
		"braces": strings.Repeat("{", 9000) + "a" + strings.Repeat("}", 9000),
	} {
		start := time.Now()
		Load(overlay(demo, Minimal, "-- meta.yaml --\nnotes: "+content+"\n"), demo)
		if took := time.Since(start); took > maxTime {
			t.Errorf("%s: took %v, want at most %v", name, took, maxTime)
		}
	}
}

func TestHostileFilesAreRejectedQuickly(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		n := string(rune('0' + i))
		bomb += "a" + n + ": &a" + n + " [" + strings.Repeat("*a"+string(rune('0'+i-1))+", ", 9) + "x]\n"
	}
	for name, test := range map[string]struct {
		meta string
		want string
	}{
		"an alias bomb":               {bomb, "YAML_ALIAS_EXPANSION meta.yaml:5:"},
		"deeply nested lists":         {"notes: " + strings.Repeat("[", 100_000), "YAML_SYNTAX meta.yaml:1:"},
		"deeply nested dashes":        {strings.Repeat("- ", 100_000) + "x", "YAML_SYNTAX meta.yaml:1:"},
		"deeply nested lists, closed": {"notes: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), "FIELD_KIND meta.yaml:1:9"},
		"ten megabytes":               {strings.Repeat("0123456789", 1<<20), "FILE_TOO_LARGE meta.yaml"},
		"one field of a megabyte":     {"notes: " + strings.Repeat("x", 1<<20-10) + "\nlocales: [en]", "FILE_TOO_LARGE meta.yaml"},
		"many fields":                 {manyFields(10_000), "FIELD_UNKNOWN meta.yaml:1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			_, found := Load(overlay(demo, Minimal, "-- meta.yaml --\n"+test.meta+"\n"), demo)
			if took := time.Since(started); took > maxTime {
				t.Errorf("took %v, want at most %v", took, maxTime)
			}
			if !slices.ContainsFunc(summary(found), func(s string) bool { return strings.HasPrefix(s, test.want) }) {
				t.Errorf("got %d findings, starting with %v; want one with prefix %q", len(found), found[:min(3, len(found))], test.want)
			}
		})
	}
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("f" + strings.Repeat("z", i%17) + string(rune('a'+i%26)) + ": x\n")
	}
	return b.String()
}
