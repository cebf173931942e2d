package search_test

import (
	"bytes"
	"strings"
	"testing"

	"placard/internal/search"
)

func encoded(t testing.TB, locale string, docs ...search.Document) []byte {
	data, err := search.Build(locale, docs).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var someDocs = []search.Document{
	{"Video camera", "Records moving images, like a surveillance camera."},
	{"Caméra", "防犯カメラ 카메라"},
	{"Sound", ""},
}

func TestWhatIsNoIndexIsRefused(t *testing.T) {
	good := encoded(t, "en", someDocs...)
	next := bytes.Clone(good)
	next[3] = search.Format + 1
	for _, tc := range []struct {
		what string
		data []byte
		says string
	}{
		{"nothing", nil, "not an index"},
		{"something else", []byte("{\"ok\":true}"), "not an index"},
		{"another format", next, "has format 2, not 1"},
		{"bytes too many", append(bytes.Clone(good), 0), "damaged"},
	} {
		if _, err := search.Decode(tc.data); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
	for n := range len(good) {
		if _, err := search.Decode(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for an index", n, len(good))
		}
	}
}

// tryOut searches an index in every way there is.
func tryOut(ix *search.Index) {
	for _, query := range []string{"camera", "cam", "vidoe camrea", "sounds", "カメラ", "顔", "Sound", "the"} {
		ix.Search(query, nil)
	}
}

func TestADamagedIndexIsRefusedOrCanBeSearched(t *testing.T) {
	good := encoded(t, "en", someDocs...)
	for i := range good {
		for _, flip := range []byte{0x01, 0x80, 0xFF} {
			data := bytes.Clone(good)
			data[i] ^= flip
			if ix, err := search.Decode(data); err == nil {
				tryOut(ix)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(encoded(f, "en"))
	f.Add(encoded(f, "en", someDocs...))
	f.Add(encoded(f, "ja", someDocs...))
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, err := search.Decode(data)
		if err != nil {
			return
		}
		tryOut(ix)
		again, err := ix.AppendBinary(nil)
		if err != nil || !bytes.Equal(data, again) {
			t.Fatal("an index does not keep its bytes")
		}
	})
}
