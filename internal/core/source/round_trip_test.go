package source

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"placard/internal/core/release"
	"placard/internal/storage/builtin"
	"placard/scripts/envtest"
)

func TestWrittenTreesAreReadAsTheSameTaxonomy(t *testing.T) {
	trees := map[string]fs.FS{
		"builtin":  envtest.BuiltinTree(),
		"example":  os.DirFS("../../../docs/example"),
		"minimal":  overlay(demo, Minimal),
		"numbered": overlay(demo, Minimal, minimalCategory+"order: 0\n", replace(replace(minimalElement, "street.yaml", "road.yaml"), "id: street", "id: road")+"order: 7\n"),
		"partly translated": overlay(demo, Minimal, replace(minimalElement, "{en: Street, fr: Rue}", "{fr: Rue}"),
			minimalMeta+"title: {fr: Essai}\ndescription: {en: Trial}\n"),
	}
	for _, r := range rules {
		trees[string(r.Code)] = overlay(demo, Minimal, r.Example)
	}
	t.Run("real", func(t *testing.T) { checkWrite(t, os.DirFS(envtest.RealTree(t))) })
	for name, tree := range trees {
		t.Run(name, func(t *testing.T) { checkWrite(t, tree) })
	}
}

func TestPublishedReleasesAreWrittenWithTheSameContent(t *testing.T) {
	store := builtin.Store()
	index, err := store.Index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range index.Releases {
		want, err := store.Load(context.Background(), entry)
		if err != nil {
			t.Fatal(err)
		}
		got, err := release.Compile(mustLoad(t, writeTree(t, want.Taxonomy), want.ID()))
		if err != nil {
			t.Fatal(err)
		}
		if got.Hash() != want.Hash() || got.Fingerprint() != want.Fingerprint() {
			t.Errorf("%s: got content %s and fingerprint %s, want %s and %s", want.ID(), got.Hash(), got.Fingerprint(), want.Hash(), want.Fingerprint())
		}
	}
}

func TestLineEndingsAndByteOrderMarksDoNotChangeTheContentHash(t *testing.T) {
	compiled := func(tree fstest.MapFS) *release.Release {
		r, err := release.Compile(mustLoad(t, tree, demo))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const lines = "-- symbols/dot.svg --\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 36 36\">\n<path\nd=\"M8 8H28V28H8Z\"/>\n</svg>\n"
	want := compiled(overlay(demo, Minimal, lines))
	for name, change := range map[string]func(string) string{
		"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"a byte order mark and CRLF": func(s string) string {
			return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n")
		},
	} {
		tree := overlay(demo, Minimal, lines)
		for _, file := range tree {
			file.Data = []byte(change(string(file.Data)))
		}
		got := compiled(tree)
		if got.Hash() != want.Hash() || got.Fingerprint() != want.Fingerprint() {
			t.Errorf("%s: got content %s, want %s", name, got.Hash(), want.Hash())
		}
	}
}
