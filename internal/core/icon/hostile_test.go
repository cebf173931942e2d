package icon

import (
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"placard/internal/core/taxonomy"
)

// hostileSymbols returns symbols that contain scripts and external references,
// below accepted or refused.
func hostileSymbols(tb testing.TB) []txtar.File {
	tb.Helper()
	corpus, err := txtar.ParseFile("testdata/hostile.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	return corpus.Files
}

func TestHostileSymbols(t *testing.T) {
	for _, file := range hostileSymbols(t) {
		t.Run(strings.TrimSuffix(file.Name, ".svg"), func(t *testing.T) {
			symbol, found := ParseSymbol(file.Data)
			if accepted := path.Dir(file.Name) == "accepted"; accepted != (symbol != nil) {
				t.Fatalf("got accepted %v, want %v: %v", symbol != nil, accepted, found)
			}
			if symbol == nil {
				return
			}
			checkSymbol(t, symbol)
			for _, paint := range []Paint{blackOnTransparent, whiteOnBlack} {
				checkSafe(t, Compose(taxonomy.Circle, symbol, paint))
			}
			if text := string(symbol.SVG()); strings.Contains(text, "alert") || strings.Contains(text, "leak") {
				t.Errorf("the payload remains: %s", text)
			}
		})
	}
}
