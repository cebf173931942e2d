package source

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestAnyKindOfNodeIsHandledAnywhere(t *testing.T) {
	for _, file := range txtar.Parse([]byte(everything)).Files {
		for content := range mutations(t, file.Data) {
			checkLoad(t, file.Name, content)
		}
	}
}

func TestSyntaxErrorsOfMutatedFilesAreExplained(t *testing.T) {
	total := 0
	for _, file := range txtar.Parse([]byte(everything)).Files {
		content := string(file.Data)
		for i := 0; i <= len(content); i += 3 {
			variants := []string{content[:i]}
			if i < len(content) {
				variants = append(variants, content[:i]+content[i+1:])
			}
			for _, inserted := range []string{"\t", "\n", " ", ":", ": ", "'", `"`, "[", "]", "{", "}", ",", "- ", "@", "`", "*", "&", "!", "|", "%", "? ", `"\q"`, "\uFEFF"} {
				variants = append(variants, content[:i]+inserted+content[i:])
			}
			for _, variant := range variants {
				if syntaxErrorOf(variant) == nil || strings.ToValidUTF8(variant, "") != variant {
					continue
				}
				total++
				checkSyntaxError(t, variant)
			}
		}
	}
	if total < 2000 {
		t.Errorf("got %d syntax errors, want at least 2000", total)
	}
}
