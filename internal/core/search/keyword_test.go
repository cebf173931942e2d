package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/search"
)

// TestRankingWithoutKeywords compares hits and scores with those of the ranking
// before there were keywords. The files have the form title | description, followed
// by query | document:score …
func TestRankingWithoutKeywords(t *testing.T) {
	for _, locale := range []string{"en", "ja"} {
		data, err := os.ReadFile(filepath.Join("testdata", "ranking", locale+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		texts, hits, _ := strings.Cut(string(data), "\n\n")
		var docs []search.Document
		for line := range strings.Lines(texts) {
			title, description, _ := strings.Cut(strings.TrimSpace(line), " | ")
			docs = append(docs, search.Document{Title: title, Description: description})
		}
		ix := search.Build(locale, docs)
		for line := range strings.Lines(hits) {
			query, _, _ := strings.Cut(line, " |")
			got := query + " |"
			for _, h := range ix.Search(query, nil) {
				got += fmt.Sprintf(" %d:%v", h.Doc, h.Score)
			}
			if diff := cmp.Diff(strings.TrimSpace(line), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", locale, diff)
			}
		}
	}
}

func TestKeywordsFindDocuments(t *testing.T) {
	ix := search.Build("en", []search.Document{
		{Title: "Video camera", Keywords: []string{"CCTV", "surveillance camera"}},
		{Title: "Sound", Keywords: []string{"touch-screen", " ", ""}},
	})
	for query, want := range map[string][]int{
		"cctv": {0}, "surveilance": {0}, "surveill": {0}, "cameras": {0}, "touchscreen": {1}, "cctv sounds": {1, 0}, "camera touch": {0, 1},
	} {
		if got := docsOf(ix.Search(query, nil)); !slices.Equal(got, want) {
			t.Errorf("%q: got documents %v, want %v", query, got, want)
		}
	}
}

func TestKeywordRanksAboveDescriptions(t *testing.T) {
	for _, tc := range []struct {
		name, locale, keyword, description string
		queries                            []string
	}{
		{
			"a word", "en", "noise", "Noise noise noise noise.",
			[]string{"noise", "Noises", " NOISE? ", "what noise is this"},
		},
		{
			"several words", "en", "fingerprint scanner", "Scanner, fingerprint, scanner, fingerprint scanner.",
			[]string{"fingerprint scanner", "fingerprint scanners", "the fingerprint scanner"},
		},
		{
			"a question", "en", "who can see recordings", "Recordings: see recordings, see recordings and see.",
			[]string{"who can see the recordings", "who can see recordings?"},
		},
		{
			"an elision and accents", "fr", "durée d'écoute", "Durée d’écoute, durée et écoute.",
			[]string{"duree d’ecoute", "la durée de l'écoute"},
		},
		{
			"a compound", "ja", "顔認証", "顔と認証と顔認証と顔認証。",
			[]string{"顔認証", "顔認証は", "顔認証ですか"},
		},
		{
			"two runs", "ja", "データの保存期間", "保存データの期間。保存期間。データの保存期間。",
			[]string{"データ保存期間", "データの保存期間"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			filler := strings.Repeat("Nothing of the kind is here. ", 20)
			var long []string
			for i := range 40 {
				long = append(long, fmt.Sprintf("other%d thing%d", i, i))
			}
			ix := search.Build(tc.locale, []search.Document{
				{Title: "First", Description: tc.description},
				{Title: "Second", Description: filler, Keywords: append(long, tc.keyword)},
				{Title: "Third", Description: filler},
				{Title: "Fourth", Description: filler},
			})
			for _, query := range tc.queries {
				if got := docsOf(ix.Search(query, nil)); len(got) < 2 || got[0] != 1 || got[1] != 0 {
					t.Errorf("%q: got documents %v, want 1 before 0", query, got)
				}
			}
		})
	}
}

func TestKeywordInQueryRanksAboveItsWords(t *testing.T) {
	filler := strings.Repeat("Nothing of the kind is here. ", 20)
	for _, tc := range []struct{ name, locale, keyword, query string }{
		{"a question", "en", "speed trap", "why did the speed trap flash at night"},
		{"accents and elisions", "fr", "durée d'écoute", "pendant la nuit, quelle duree d’ecoute"},
		{"other inflections", "en", "speed trap", "were there speed traps at night"},
		{"a Japanese question", "ja", "映像を見る", "夜に映像を見る人はだれですか"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ix := search.Build(tc.locale, []search.Document{
				{Title: "First", Keywords: strings.FieldsFunc(tc.keyword, func(r rune) bool { return r == ' ' || r == 'を' })},
				{Title: "Second", Keywords: []string{"other " + tc.keyword}},
				{Title: "Third", Keywords: []string{tc.keyword}},
				{Title: "Fourth", Description: filler},
			})
			if got := docsOf(ix.Search(tc.query, nil)); len(got) < 3 || got[0] != 2 {
				t.Errorf("%q: got documents %v, want 2 first", tc.query, got)
			}
		})
	}
}

func TestOnlyTheLongestKeywordCounts(t *testing.T) {
	ix := search.Build("en", []search.Document{
		{Title: "First", Keywords: []string{"bridge camera"}},
		{Title: "Second", Keywords: []string{"camera", "bridge"}},
		{Title: "Third", Keywords: []string{"thermal camera"}},
	})
	hits := ix.Search("thermal camera", nil)
	if len(hits) != 3 || hits[0].Doc != 2 || hits[1].Score != hits[2].Score {
		t.Errorf("got %v, want document 2 first and two equal scores", hits)
	}
	if got := docsOf(ix.Search("old camera", nil)); !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("got documents %v, want the one with the keyword first", got)
	}
}

func TestKeywordsFindTheOtherKana(t *testing.T) {
	docs := []search.Document{
		{Title: "ドローン", Description: "クラウドに送ります。"},
		{Title: "人物の照合", Description: "かおにんしょう。"},
		{Title: "写真", Keywords: []string{"画像"}},
	}
	queries := map[string][]int{
		"どろーん": {0}, "ドローン": {0}, "ﾄﾞﾛｰﾝ": {0}, "どろーんが飛ぶ": {0},
		"カオニンショウ": {1}, "かおにんしょう": {1}, "かおニンショウ": {1},
		"らう": {}, // too short, part of クラウド
	}
	for query, want := range queries {
		if got := docsOf(search.Build("ja", docs).Search(query, nil)); !slices.Equal(got, want) {
			t.Errorf("%q: got documents %v, want %v", query, got, want)
		}
	}
	docs[2].Keywords = nil
	for _, query := range []string{"どろーん", "カオニンショウ"} {
		if got := docsOf(search.Build("ja", docs).Search(query, nil)); len(got) > 0 {
			t.Errorf("%q: got documents %v without keywords, want none", query, got)
		}
	}
}

func TestTitleRanksAboveKeywords(t *testing.T) {
	ix := search.Build("en", []search.Document{
		{Title: "Sound", Keywords: []string{"noise", "noise level", "noise meter"}},
		{Title: "Noise"},
	})
	if got := docsOf(ix.Search("noise", nil)); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("got documents %v, want the whole title first", got)
	}
}

func TestLongListsOfKeywordsAreNotPenalized(t *testing.T) {
	many := []string{"barrier"}
	for i := range 49 {
		many = append(many, fmt.Sprintf("word%d", i))
	}
	ix := search.Build("en", []search.Document{
		{Title: "One", Keywords: many},
		{Title: "Two", Keywords: []string{"barrier"}},
	})
	hits := ix.Search("barrier gate", nil)
	if len(hits) != 2 || hits[0].Score != hits[1].Score {
		t.Errorf("got %v, want two hits with equal scores", hits)
	}
}

func TestJapaneseKeywordRanksAboveItsParts(t *testing.T) {
	ix := search.Build("ja", []search.Document{
		{Title: "画像", Keywords: []string{"認証カメラ", "顔写真", "顔の画像"}},
		{Title: "照合", Keywords: []string{"顔認証"}},
		{Title: "証明書", Description: "認証のための証明書です。"},
	})
	if got := docsOf(ix.Search("顔認証", nil)); len(got) == 0 || got[0] != 1 {
		t.Errorf("got documents %v, want 1 first", got)
	}
}

// TestExactKeywordNeverRanksBelowDescriptions checks the bound from which the bonus
// of keywords is derived.
func TestExactKeywordNeverRanksBelowDescriptions(t *testing.T) {
	words := rapid.SampledFrom([]string{"gate", "stone", "tree", "wall", "bridge", "gates", "gato"})
	phrase := rapid.SliceOfN(words, 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		keyword := strings.Join(phrase.Draw(t, "keyword"), " ")
		docs := []search.Document{{Title: "First", Keywords: []string{"other", keyword}}}
		for range rapid.IntRange(1, 5).Draw(t, "documents") {
			docs = append(docs, search.Document{Title: "Other", Description: strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "description"), " ")})
		}
		hits := search.Build("en", docs).Search(keyword, nil)
		if len(hits) == 0 || hits[0].Doc != 0 {
			t.Fatalf("%q in %q: got %v, want document 0 first", keyword, docs, hits)
		}
	})
}
