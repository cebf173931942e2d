package view_test

import (
	"io/fs"
	"path"
	"testing"

	"placard/internal/show/view"
	"placard/scripts/envtest"
)

func BenchmarkBuild(b *testing.B) {
	r, err := builtinRelease()
	if err != nil {
		b.Fatal(err)
	}
	data, err := fs.ReadFile(envtest.BuiltinTree(), path.Join(exampleFolder, "station_gates.json"))
	if err != nil {
		b.Fatal(err)
	}
	d := thin(b, data)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := view.Thin(d, r).Model("en", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	m := example(b, "station_gates", "en")
	b.ReportAllocs()
	for b.Loop() {
		html(b, m)
	}
}
