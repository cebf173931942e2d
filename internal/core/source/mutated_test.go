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
	fallback := syntaxMessages[len(syntaxMessages)-1].message(syntaxError{})
	total, unexplained := 0, map[string]bool{}
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
				raw := syntaxErrorOf(variant)
				if raw == nil || strings.ToValidUTF8(variant, "") != variant {
					continue
				}
				total++
				if p := checkSyntaxError(t, variant); p.Message == fallback {
					unexplained[raw.Message] = true
				}
			}
		}
	}
	if total < 2000 || len(unexplained) > 0 {
		t.Errorf("got %d syntax errors, of which no message explains %v; want at least 2000 and none", total, unexplained)
	}
}
