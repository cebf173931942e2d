package skos_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/show/skos"
)

var update = flag.Bool("update", false, "write golden files")

// TestGoldenFiles fails if a document changes. If the change is intended, increment
// skos.Format, on which entity tags depend.
func TestGoldenFiles(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-03-02-stable", "extra")
	for syntax, name := range map[skos.Syntax]string{skos.Turtle: "small.ttl", skos.JSONLD: "small.jsonld"} {
		got := skos.Write(syntax, tax, skos.Served)
		if cap(got) != len(got) {
			t.Errorf("%s has %d bytes and a capacity of %d", name, len(got), cap(got))
		}
		name = filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLargeTaxonomiesAreWrittenInLittleMemory(t *testing.T) {
	text := func(format string, n int) taxonomy.Localized {
		return taxonomy.Localized{{Locale: "en", Value: fmt.Sprintf(format, n)}, {Locale: "fr", Value: fmt.Sprintf(format, -n)}}
	}
	tax := releasetest.Taxonomy(t, "small@2026-03-02-stable")
	for n := range 20_000 {
		tax.Elements = append(tax.Elements, taxonomy.Element{
			ID: fmt.Sprintf("element_%05d", n), CategoryID: "data",
			Title: text("Element %d", n), Description: text(strings.Repeat("Text. ", 30)+"%d", n),
		})
	}
	for _, syntax := range []skos.Syntax{skos.Turtle, skos.JSONLD} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		document := skos.Write(syntax, tax, skos.Served)
		runtime.ReadMemStats(&after)
		if got := bytes.Count(document, []byte("Element 19999")); got != 1 {
			t.Errorf("syntax %d: the last element is written %d times, want once", syntax, got)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2*uint64(len(document)) {
			t.Errorf("syntax %d: writing %d bytes allocated %d, want at most twice as many", syntax, len(document), allocated)
		}
	}
}
