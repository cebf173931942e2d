package web

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// Every text is used, in a template or in a Go file.
func TestTextsAreUsed(t *testing.T) {
	var source strings.Builder
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".html") && !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		source.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range textsFor(nil).byKey {
		if !isUsed(source.String(), key) {
			t.Errorf("the text %s is not used", key)
		}
	}
}

// isUsed reports whether source contains a key, without its plural form, or the start
// of a key that is composed: status.beta is used as "status." and the status.
func isUsed(source, key string) bool {
	for _, form := range []string{".one", ".other"} {
		key = strings.TrimSuffix(key, form)
	}
	if strings.Contains(source, `"`+key+`"`) {
		return true
	}
	for i, c := range key {
		if c == '.' && strings.Contains(source, `"`+key[:i+1]+`"`) {
			return true
		}
	}
	return false
}
