package search_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"placard/internal/core/search"
)

var locales = rapid.SampledFrom([]string{"en", "fr", "es", "de", "ru", "ja", "zh", "ko", "th", "xx"})

// vocabulary is small, so that documents share words, and many words are prefixes
// or misspellings of others.
var vocabulary = rapid.SampledFrom(strings.Fields(`a the who can your camera cameras caméra camara cam camcorder
	cámara Camera! data date dates sound sounds sonud wi-fi wifi Wi Fi touch-screen touchscreen screen l'air d’air
	видео видеокамера видеокамеры カメラ ビデオカメラ データ 保存 保存されます 顔 顔認証 いつまで 摄像头 的 카메라 กล้อง 30 2026
	{{duration}} 🙂 & — é E`))

var phrases = rapid.Map(rapid.SliceOfN(vocabulary, 0, 8), func(words []string) string { return strings.Join(words, " ") })

var documents = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) search.Document {
	return search.Document{
		Title: phrases.Draw(t, "title"), Description: phrases.Draw(t, "description"),
		Keywords: rapid.SliceOfN(phrases, 0, 3).Draw(t, "keywords"),
	}
}), 0, 30)

// queries are phrases or arbitrary strings.
var queries = rapid.OneOf(phrases, rapid.StringN(0, 256, -1))

// foldTitle removes the differences that a title match ignores.
func foldTitle(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(s, "{{duration}}", " ")) {
		if r < 0x300 || r > 0x36F {
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(b.String(), "’", "'"))), " ")
}

func TestTitleFindsItsDocumentFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := documents.Draw(t, "docs")
		ix := search.Build(locales.Draw(t, "locale"), docs)
		for i, d := range docs {
			want := foldTitle(d.Title)
			if want == "" {
				continue
			}
			hits := ix.Search(d.Title, nil)
			if !slices.Contains(docsOf(hits), i) {
				t.Fatalf("title %q finds documents %v, want %d among them", d.Title, docsOf(hits), i)
			}
			if first := docs[hits[0].Doc].Title; foldTitle(first) != want {
				t.Fatalf("title %q finds %q first, want %q", d.Title, first, d.Title)
			}
		}
	})
}

func TestExactMatchRanksAbovePrefixAboveTypo(t *testing.T) {
	letter := rapid.RuneFrom([]rune("abcdefghijklmnopqrstuvwxyz"))
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(letter, 4, 12, -1).Draw(t, "word")
		longer := word + rapid.StringOfN(letter, 1, 12, -1).Draw(t, "rest")
		i := rapid.IntRange(0, len(word)-1).Draw(t, "index")
		misspelt := word[:i] + "ж" + word[i+1:] // ж occurs in no other word
		filler := rapid.SampledFrom([]string{"", " 1", " 1 2 3"}).Draw(t, "filler")

		ranked := []string{word, longer, misspelt}
		order := rapid.Permutation([]int{0, 1, 2}).Draw(t, "order")
		inTitle := rapid.Bool().Draw(t, "title")
		docs := make([]search.Document, 3)
		for i, n := range order {
			text := ranked[n] + filler
			if inTitle {
				// Keeps the whole title from matching the query.
				docs[i].Title = text + " 9"
			} else {
				docs[i].Description = text
			}
		}
		hits := search.Build("xx", docs).Search(word, nil)
		if len(hits) != 3 || hits[0].Score <= hits[1].Score || hits[1].Score <= hits[2].Score {
			t.Fatalf("got %v, want 3 hits with decreasing scores", hits)
		}
		for i, h := range hits {
			if order[h.Doc] != i {
				t.Fatalf("%q has rank %d, want %d", ranked[order[h.Doc]], i, order[h.Doc])
			}
		}
	})
}

// checkHits checks the invariants of the hits of any query.
func checkHits(t rapid.TB, ix *search.Index, docs int, query string) {
	t.Helper()
	hits := ix.Search(query, nil)
	seen := make(map[int]bool)
	for i, h := range hits {
		if h.Doc < 0 || h.Doc >= docs || seen[h.Doc] {
			t.Fatalf("%q: hit %d is document %d, want another one below %d", query, i, h.Doc, docs)
		}
		seen[h.Doc] = true
		if i > 0 {
			if prev := hits[i-1]; prev.Score < h.Score || prev.Score == h.Score && prev.Doc > h.Doc {
				t.Fatalf("%q: got %v before %v, want hits by score, then document", query, prev, h)
			}
		}
	}
	if diff := cmp.Diff(hits, ix.Search(query, nil)); diff != "" {
		t.Fatalf("%q: second search differs (-first +second):\n%s", query, diff)
	}
	odd := func(doc int) bool { return doc%2 == 1 }
	var want []search.Hit
	for _, h := range hits {
		if odd(h.Doc) {
			want = append(want, h)
		}
	}
	if diff := cmp.Diff(want, ix.Search(query, odd)); diff != "" {
		t.Fatalf("%q: search with accept (-want +got):\n%s", query, diff)
	}
}

func TestHitsAreOrderedAndRepeatable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := documents.Draw(t, "docs")
		ix := search.Build(locales.Draw(t, "locale"), docs)
		checkHits(t, ix, len(docs), queries.Draw(t, "query"))
	})
}

func TestManyHitsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var docs []search.Document
		for range rapid.IntRange(100, 300).Draw(t, "size") {
			docs = append(docs, search.Document{
				Title:       strings.Repeat("mast ", len(docs)%5) + "camera",
				Description: strings.Repeat("camera ", len(docs)*7%11) + strings.Repeat("tree ", len(docs)*13%17),
			})
		}
		checkHits(t, search.Build("en", docs), len(docs), rapid.SampledFrom([]string{"camera", "cam tree", "mast camrea"}).Draw(t, "query"))
	})
}

func TestDecodedIndexReturnsSameHits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs, locale := documents.Draw(t, "docs"), locales.Draw(t, "locale")
		built := search.Build(locale, docs)
		data, err := built.AppendBinary([]byte("prefix"))
		if err != nil || !bytes.HasPrefix(data, []byte("prefix")) {
			t.Fatalf("AppendBinary = %q, %v, want data with the prefix", data, err)
		}
		data = data[len("prefix"):]
		rebuilt, _ := search.Build(locale, docs).AppendBinary(nil)
		if !bytes.Equal(data, rebuilt) {
			t.Fatalf("second build: got %q, want %q", rebuilt, data)
		}
		decoded, err := search.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		query := queries.Draw(t, "query")
		if diff := cmp.Diff(built.Search(query, nil), decoded.Search(query, nil)); diff != "" {
			t.Fatalf("hits of %q (-built +decoded):\n%s", query, diff)
		}
	})
}

func FuzzSearch(f *testing.F) {
	docs := []search.Document{
		{Title: "Video camera", Description: "Records moving images, like CCTV."},
		{Title: "Caméra d’air", Description: "L’air, l’eau et le feu."},
		{Title: "ビデオカメラ", Description: "防犯カメラなどで顔を撮影します。"},
		{Title: "Видеокамера", Description: "กล้องวงจรปิด 카메라 摄像头 كاميرا"},
		{},
	}
	var indexes []*search.Index
	for _, locale := range []string{"en", "fr", "ja", "zh", "ar", "xx"} {
		indexes = append(indexes, search.Build(locale, docs))
	}
	for _, seed := range []string{
		"", "camera", "vidéo", "who can see", "カメラ", "顔を見る", "กล้อง", "wi-fi", "a'b’c", "{{x}}", "\xff", "e\u0301",
		strings.Repeat("ab ", 85), strings.Repeat("カ", 256),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, ix := range indexes {
			checkHits(t, ix, len(docs), query)
		}
	})
}
