package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInexactMatchesAreLimited(t *testing.T) {
	ix := Build("en", []Document{{Title: "Radarscope mast"}, {Title: "Radar mast"}, {Title: "Radir mast"}})
	for bytesRead, want := range map[int][]int{0: {1, 0, 2}, maxInexactBytes: {1}} {
		s := newSearcher(ix)
		s.bytesRead = bytesRead
		s.parse("radar")
		s.match(0)
		var got []int
		for _, h := range s.hits(nil) {
			got = append(got, h.Doc)
		}
		s.release()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %d bytes (-want +got):\n%s", bytesRead, diff)
		}
	}
}

func TestGramLookupsAreLimited(t *testing.T) {
	ix := Build("zh", []Document{{Title: "天地玄黄宇宙洪荒"}, {Title: "终"}})
	long := make([]rune, 0, 300)
	for r := rune(0x5000); len(long) < 2*maxGrams; r++ {
		long = append(long, r)
	}
	if hits := ix.Search(string(long)+"天地 终", nil); hits != nil {
		t.Errorf("terms after %d grams: got %v, want no hits", maxGrams, hits)
	}
	if hits := ix.Search("天地 终", nil); len(hits) != 2 {
		t.Errorf("got %v, want 2 hits", hits)
	}
}

func TestSearcherIsNotReusedAfterPanic(t *testing.T) {
	docs := []Document{{Title: "Radar"}, {Title: "Camera"}, {Title: "Mast"}}
	intact := Build("en", docs)
	want := intact.Search("mast", nil)

	broken := Build("en", docs)
	broken.postings = nil // matching "radar" panics
	for range 20 {
		func() {
			defer func() {
				if recover() == nil {
					t.Fatal("search without postings returned, want a panic")
				}
			}()
			broken.Search("radar", nil)
		}()
		if diff := cmp.Diff(want, intact.Search("mast", nil)); diff != "" {
			t.Fatalf("after a panic (-want +got):\n%s", diff)
		}
	}
}
