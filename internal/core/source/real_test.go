package source

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/scripts/envtest"
)

func TestRealTree(t *testing.T) {
	fsys := os.DirFS(envtest.RealTree(t))
	ids, found := Releases(fsys)
	if len(found) > 0 || len(ids) != 1 || ids[0].String() != "ai@2026-08-12-beta" {
		t.Fatalf("got releases %v and findings %v", ids, found)
	}
	got, found := Load(fsys, ids[0])
	if got == nil {
		t.Fatal(found)
	}
	wantFound := []string{
		"COLOR_LOW_CONTRAST ai/2026-08-12-beta/categories/input_dataset.yaml",
		"COLOR_LOW_CONTRAST ai/2026-08-12-beta/categories/output_dataset.yaml",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/binary.svg",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/boolean.svg",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/connectivity.svg",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/dm_allocation-of-resources.svg",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/dm_matching.svg",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/dm_personalization.svg",
		"SYMBOL_UNUSED ai/2026-08-12-beta/symbols/tabular.svg",
	}
	for i := range found {
		found[i].Pos.Line, found[i].Pos.Column = 0, 0
	}
	if diff := cmp.Diff(wantFound, summary(found)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	var categories []string
	for i, c := range got.Categories {
		categories = append(categories, c.ID)
		if c.Order != i+1 {
			t.Errorf("category %s has order %d, want %d", c.ID, c.Order, i+1)
		}
	}
	want := []string{
		"purpose", "accountable", "affected", "functional_modes", "risks_mitigation", "rights",
		"input_dataset", "processing", "output_dataset", "access", "retention", "storage",
	}
	if diff := cmp.Diff(want, categories); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if len(got.Elements) != 109 || len(got.Symbols) != 89 {
		t.Errorf("got %d elements and %d symbols, want 109 and 89", len(got.Elements), len(got.Symbols))
	}
	if title, _ := got.Title.Get("fr"); title != "IA / Algorithme" || got.CreatedAt != "2026-07-13T16:28:13.504Z" {
		t.Errorf("got title %q, created at %q", title, got.CreatedAt)
	}
}

func BenchmarkLoad(b *testing.B) {
	fsys := os.DirFS(envtest.RealTree(b))
	ids, _ := Releases(fsys)
	b.ReportAllocs()
	for b.Loop() {
		mustLoad(b, fsys, ids[0])
	}
}
