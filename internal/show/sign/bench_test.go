package sign

import "testing"

func BenchmarkDraw(b *testing.B) {
	models := example(b, "smart_crossing", "en", "fr")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Render(models, Options{Code: code(b, address)}); err != nil {
			b.Fatal(err)
		}
	}
}
