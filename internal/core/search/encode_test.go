package search_test

import (
	"bytes"
	"strings"
	"testing"

	"placard/internal/core/search"
)

func encode(t testing.TB, locale string, docs ...search.Document) []byte {
	data, err := search.Build(locale, docs).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var sampleDocs = []search.Document{
	{Title: "Video camera", Description: "Records moving images, like a surveillance camera.", Keywords: []string{"CCTV", "moving images"}},
	{Title: "Caméra", Description: "防犯カメラ 카메라", Keywords: []string{"監視カメラ"}},
	{Title: "Sound"},
}

func TestDecodeRejectsInvalidData(t *testing.T) {
	valid := encode(t, "en", sampleDocs...)
	newer := bytes.Clone(valid)
	newer[3] = search.Format + 1
	for _, tc := range []struct {
		name    string
		data    []byte
		wantErr string
	}{
		{"empty", nil, "not an index"},
		{"JSON", []byte("{\"ok\":true}"), "not an index"},
		{"newer format", newer, "has format 3, want 2"},
		{"trailing byte", append(bytes.Clone(valid), 0), "corrupt"},
	} {
		if _, err := search.Decode(tc.data); err == nil || !strings.Contains(err.Error(), tc.wantErr) {
			t.Errorf("%s: got error %v, want %q", tc.name, err, tc.wantErr)
		}
	}
	for n := range len(valid) {
		if _, err := search.Decode(valid[:n]); err == nil {
			t.Errorf("first %d of %d bytes: got no error, want one", n, len(valid))
		}
	}
}

// searchAllKinds runs one query of every kind: exact, prefix, misspelt, stemmed,
// run, lone character, title and function word.
func searchAllKinds(ix *search.Index) {
	for _, query := range []string{"camera", "cam", "vidoe camrea", "sounds", "カメラ", "顔", "Sound", "the", "moving images", "監視カメラ"} {
		ix.Search(query, nil)
	}
}

func TestCorruptIndexIsRejectedOrSearchable(t *testing.T) {
	valid := encode(t, "en", sampleDocs...)
	for i := range valid {
		for _, flip := range []byte{0x01, 0x80, 0xFF} {
			data := bytes.Clone(valid)
			data[i] ^= flip
			if ix, err := search.Decode(data); err == nil {
				searchAllKinds(ix)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(encode(f, "en"))
	f.Add(encode(f, "en", sampleDocs...))
	f.Add(encode(f, "ja", sampleDocs...))
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, err := search.Decode(data)
		if err != nil {
			return
		}
		searchAllKinds(ix)
		encoded, err := ix.AppendBinary(nil)
		if err != nil || !bytes.Equal(data, encoded) {
			t.Fatalf("AppendBinary = %q (%v), want the decoded bytes %q", encoded, err, data)
		}
	})
}
