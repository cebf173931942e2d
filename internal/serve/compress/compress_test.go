package compress

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

func decode(t rapid.TB, c Coding, b []byte) []byte {
	t.Helper()
	var r io.Reader
	switch c {
	case Identity:
		return b
	case Gzip:
		gz, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		r = gz
	case Zstd:
		z, err := zstd.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	case Brotli:
		r = brotli.NewReader(bytes.NewReader(b))
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return out
}

// bodies generates bodies of repeated and random text.
var bodies = rapid.Custom(func(t *rapid.T) []byte {
	var b []byte
	for range rapid.IntRange(0, 20).Draw(t, "parts") {
		part := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 300),
			rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
			rapid.Just([]byte(`{"id":"public_safety","title":[{"locale":"en","value":"Public safety"}]},`)),
		).Draw(t, "part")
		b = append(b, bytes.Repeat(part, rapid.IntRange(1, 40).Draw(t, "times"))...)
	}
	return b
})

func TestEveryCodingRoundTrips(t *testing.T) {
	cache := NewCache(1 << 16)
	rapid.Check(t, func(t *rapid.T) {
		body := bodies.Draw(t, "body")
		for c := range Coding(codings) {
			for name, encoded := range map[string][]byte{
				"quick":    Bytes(body, c, Quick),
				"thorough": Bytes(body, c, Thorough),
				"cached":   cache.Bytes(body, c),
				"again":    cache.Bytes(body, c),
			} {
				if !bytes.Equal(decode(t, c, encoded), body) {
					t.Fatalf("%v, %s: a body of %d bytes does not round-trip", c, name, len(body))
				}
			}
		}
	})
}

func TestCompressionIsDeterministic(t *testing.T) {
	// A strong entity tag identifies the bytes, so every server must produce the
	// same ones.
	body := []byte(strings.Repeat(`{"id":"x","label":[{"locale":"ja","value":"公共の安全"}]}`, 200))
	for c := range Coding(codings) {
		for e := range Effort(efforts) {
			first := Bytes(body, c, e)
			Bytes([]byte("something else in between"), c, e)
			if !bytes.Equal(first, Bytes(body, c, e)) {
				t.Errorf("%v: the second result differs from the first", c)
			}
		}
	}
}

func TestNegotiation(t *testing.T) {
	for _, tc := range []struct {
		accept          string
		quick, thorough Coding
	}{
		{"", Identity, Identity},
		{"gzip", Gzip, Gzip},
		{"x-gzip", Gzip, Gzip},
		{"GZIP", Gzip, Gzip},
		{"br", Brotli, Brotli},
		{"deflate", Identity, Identity},
		{"gzip, deflate, br, zstd", Zstd, Brotli},
		{"gzip, deflate, br", Gzip, Brotli},
		{"gzip;q=1.0, br;q=0.9", Gzip, Brotli},
		{"br ; q=0.5 , gzip\t;\tq=0.50", Gzip, Brotli},
		{"br;Q=0.5", Brotli, Brotli},
		{"*", Zstd, Brotli},
		{"*;q=0", Identity, Identity},
		{"*, br;q=0", Zstd, Zstd},
		{"gzip, *;q=0", Gzip, Gzip},
		{"identity", Identity, Identity},
		{"identity, gzip", Gzip, Gzip},
		{"identity;q=0", Identity, Identity},
		{"identity;q=0, br;q=0.1", Brotli, Brotli},
		{"gzip;q=0", Identity, Identity},
		{"gzip;q=0.0000", Identity, Identity},
		{"gzip;q=1.", Gzip, Gzip},
		{"gzip;q=", Identity, Identity},
		{"gzip;q=-1", Identity, Identity},
		{"gzip;q=0.x", Identity, Identity},
		{"gzip;level=9", Identity, Identity},
		{",, ,gzip,", Gzip, Gzip},
		{";;;,=,q=1", Identity, Identity},
	} {
		if got := Negotiate(tc.accept, Quick); got != tc.quick {
			t.Errorf("Negotiate(%q, Quick) = %v, want %v", tc.accept, got, tc.quick)
		}
		if got := Negotiate(tc.accept, Thorough); got != tc.thorough {
			t.Errorf("Negotiate(%q, Thorough) = %v, want %v", tc.accept, got, tc.thorough)
		}
	}
}

func FuzzNegotiate(f *testing.F) {
	f.Add("gzip, deflate, br;q=0.5, *;q=0")
	f.Fuzz(func(t *testing.T, accept string) {
		for e := range Effort(efforts) {
			c := Negotiate(accept, e)
			if c != Identity && !strings.Contains(accept, "*") && !strings.Contains(strings.ToLower(accept), c.String()) {
				t.Errorf("Negotiate(%q) = %v, which the header does not name", accept, c)
			}
		}
	})
}

func TestCacheCompressesOnce(t *testing.T) {
	cache := NewCache(0)
	body := bytes.Repeat([]byte("the same again, "), 1000)
	results := make([][]byte, 16)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() { results[i] = cache.Bytes(bytes.Clone(body), Brotli) })
	}
	group.Wait()
	for _, r := range results {
		if &r[0] != &results[0][0] {
			t.Fatal("a body was compressed more than once")
		}
	}
	if other := cache.Bytes(body, Gzip); bytes.Equal(other, results[0]) {
		t.Error("two codings share an entry")
	}
}

func TestCacheCompressesLargeBodiesQuickly(t *testing.T) {
	for size, want := range map[int]Effort{MinSize: Thorough, maxThorough: Thorough, maxThorough + 1: Quick} {
		cache := NewCache(0)
		var got []Effort
		cache.encode = func(_ []byte, _ Coding, e Effort) []byte {
			got = append(got, e)
			return []byte("compressed")
		}
		cache.Bytes(make([]byte, size), Zstd)
		if len(got) != 1 || got[0] != want {
			t.Errorf("a body of %d bytes: got efforts %v, want %v", size, got, want)
		}
	}
}

func TestCacheRecoversFromAPanickingEncoder(t *testing.T) {
	cache := NewCache(0)
	cache.encode = func([]byte, Coding, Effort) []byte { panic("encoder failed") }
	body := bytes.Repeat([]byte("text"), 1000)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		cache.Bytes(body, Gzip)
	}()
	cache.encode = Bytes
	if got := decode(t, Gzip, cache.Bytes(body, Gzip)); !bytes.Equal(got, body) {
		t.Errorf("after a panic, the body decodes to %d bytes, want %d", len(got), len(body))
	}
}

func BenchmarkNegotiate(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Negotiate("gzip, deflate, br, zstd", Thorough)
	}
}

func BenchmarkCache(b *testing.B) {
	cache := NewCache(0)
	for _, size := range []int{1 << 10, 48 << 10} {
		body := bytes.Repeat([]byte("0123456789abcdef"), size/16)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cache.Bytes(body, Brotli)
			}
		})
	}
}
