package search_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/search"
)

// titles returns documents with the given titles and no descriptions.
func titles(list ...string) []search.Document {
	docs := make([]search.Document, len(list))
	for i, title := range list {
		docs[i].Title = title
	}
	return docs
}

// docsOf returns the documents of hits, in order.
func docsOf(hits []search.Hit) []int {
	docs := []int{}
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	return docs
}

func TestWordIsFound(t *testing.T) {
	for _, tc := range []struct {
		name, locale, title, query string
	}{
		{"as written", "en", "Video camera", "camera"},
		{"in another case", "en", "VIDEO Camera", "cAMERA"},
		{"in the plural", "en", "Video camera", "cameras"},
		{"in the singular", "en", "Video cameras", "camera"},
		{"inflected", "en", "Data is recorded", "recording"},
		{"in a regional locale", "en-GB", "Video cameras", "camera"},
		{"in an upper-case locale", "EN", "Video cameras", "camera"},
		{"by a prefix", "en", "Surveillance", "surveil"},
		{"by its first letter", "en", "Surveillance", "s"},
		{"with a missing letter", "en", "Microphone", "micrphone"},
		{"with an extra letter", "en", "Sound", "soound"},
		{"with a wrong letter", "en", "Sound", "sounf"},
		{"with a wrong first letter", "en", "Sound", "dound"},
		{"with two letters swapped", "en", "Sound", "sonud"},
		{"with two typing errors in a long word", "en", "Microphone", "mikrophome"},
		{"without its possessive", "en", "Operator's staff", "operator"},
		{"with a possessive", "en", "The operator decides", "operator’s"},
		{"without a hyphen", "en", "Wi-Fi listener", "wifi"},
		{"with a hyphen", "en", "Wifi listener", "wi-fi"},
		{"by part of a compound", "en", "Wi-Fi listener", "fi"},
		{"as two words", "en", "A touchscreen", "touch screen"},
		{"as an id", "en", "Face templates", "face_template"},
		{"without accents", "fr", "Caméra vidéo", "camera video"},
		{"with superfluous accents", "fr", "Camera", "câmérà"},
		{"after an elided article", "fr", "Plaque d’immatriculation", "immatriculation"},
		{"with an elided article", "fr", "Immatriculation", "l'immatriculation"},
		{"in the feminine", "fr", "Données ouvertes", "ouvert"},
		{"without its ligature", "fr", "Œuvre d’art", "oeuvre"},
		{"in Spanish, in the plural", "es", "Cámara térmica", "camaras"},
		{"in German, with ss", "de", "Straße", "strasse"},
		{"in German, without umlauts", "de", "Überwachung", "uberwachungen"},
		{"in Danish, without a stroke", "da", "Børn", "born"},
		{"in Polish, without a stroke", "pl", "Miasto Łódź", "lodz"},
		{"in Turkish, in upper case", "tr", "ISPARTA", "ısparta"},
		{"in Russian, in the plural", "ru", "Видеокамера", "видеокамеры"},
		{"in Russian, without a diaeresis", "ru", "Ёлка", "елка"},
		{"in Ukrainian, without an apostrophe", "uk", "П'ять камер", "пять"},
		{"in Greek, without accents", "el", "Κάμερα δρόμος", "ΚΑΜΕΡΑ ΔΡΟΜΟΣ"},
		{"in Hebrew, without points", "he", "מַצְלֵמָה", "מצלמה"},
		{"in Arabic, without vowels", "ar", "كَامِيرَا", "كاميرا"},
		{"in Arabic, without a hamza", "ar", "أمن", "امن"},
		{"in Hindi", "hi", "निगरानी कैमरा", "कैमरा"},
		{"in Tamil", "ta", "கேமரா", "கேமரா"},
		{"in Japanese, inside another word", "ja", "ビデオカメラ", "カメラ"},
		{"in Japanese, in half-width characters", "ja", "マイク", "ﾏｲｸ"},
		{"in Japanese, by one character", "ja", "広告", "告"},
		{"in Japanese, with a typing error", "ja", "ブルートゥース", "ブルートゥス"},
		{"in Japanese, in a question", "ja", "保存期間", "データはいつまで保存されますか"},
		{"in Japanese, in kana", "ja", "顔をぼかす処理", "ぼかす"},
		{"in Japanese, by a character and its inflection", "ja", "人数を数える", "数えて"},
		{"in full-width Latin letters", "ja", "LiDARセンサー", "ｌｉｄａｒ"},
		{"in Chinese", "zh", "视频监控摄像头", "摄像头"},
		{"in Chinese, in a question", "zh-Hant", "資料保存期限", "我的資料會保存多久"},
		{"in Korean", "ko", "비디오 카메라", "카메라를"},
		{"in Korean, beside Latin letters", "ko", "AI카메라", "카메라"},
		{"in Thai", "th", "กล้องวงจรปิด", "กล้อง"},
		{"in Lao", "lo", "ກ້ອງວົງຈອນປິດ", "ກ້ອງ"},
		{"in Khmer", "km", "កាមេរ៉ាសុវត្ថិភាព", "កាមេរ៉ា"},
		{"in Burmese", "my", "ကင်မရာ", "ကင်မရာ"},
		{"in an unknown language", "tlh", "Qapla’ batlh", "batlh"},
		{"as a number", "en", "Kept for 30 days", "30"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ix := search.Build(tc.locale, titles("Zzyzx", tc.title, "Qwrtp"))
			if diff := cmp.Diff([]int{1}, docsOf(ix.Search(tc.query, nil))); diff != "" {
				t.Errorf("%q in %q (-want +got):\n%s", tc.query, tc.title, diff)
			}
		})
	}
}

func TestWordIsNotFound(t *testing.T) {
	for _, tc := range []struct {
		name, locale, title, query string
	}{
		{"three letters allow no typing error", "en", "Fog", "fig"},
		{"seven letters allow one typing error", "en", "Parking", "parxinx"},
		{"nine letters allow two typing errors", "en", "Advertise", "advurtuzu"},
		{"numbers allow no typing error", "en", "Plan 2026", "2027"},
		{"a suffix does not match", "en", "Microphone", "phone"},
		{"variable names are not indexed", "en", "Kept for {{duration}}", "duration"},
		{"one pair of kana is not enough", "ja", "モーター", "データ"},
		{"one pair of Thai characters is not enough", "th", "ของเล่น", "กล้อง"},
		{"the thirteenth word is ignored", "en", "Camera", "a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 camera"},
		{"й is not an accented и", "uk", "Май", "маи"},
		{"the query is blank", "en", "Camera", " \t\u00a0"},
		{"the query is punctuation", "en", "Camera!", "?! …"},
		{"marks without letters are not words", "en", "´ ´", "`¨ ̈"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ix := search.Build(tc.locale, titles(tc.title))
			if hits := ix.Search(tc.query, nil); hits != nil {
				t.Errorf("%q in %q: got %v, want none", tc.query, tc.title, hits)
			}
		})
	}
}

func TestOrderOfHits(t *testing.T) {
	type docs = []search.Document
	for _, tc := range []struct {
		name, locale string
		docs         docs
		query        string
		want         []int
	}{
		{
			"a title before a description", "en",
			docs{{Title: "Sound", Description: "Taken by a camera on a mast."}, {Title: "Camera on a mast", Description: "Takes pictures there."}},
			"camera",
			[]int{1, 0},
		},
		{
			"an exact match before a prefix before a typing error", "en",
			docs{{Title: "Radir mast"}, {Title: "Radarscope mast"}, {Title: "Radar mast"}},
			"radar",
			[]int{2, 1, 0},
		},
		{
			"one typing error before two", "en",
			docs{{Title: "Mycrofhone"}, {Title: "Microfhone"}, {Title: "Zzyzx"}},
			"microphone",
			[]int{1, 0},
		},
		{
			"a whole title first, even if other documents repeat the word", "en",
			docs{{Title: "Sound and sound", Description: "Sound, sound, sound."}, {Title: "Sound"}, {Title: "Sounds", Description: "Sound sound."}},
			"sound",
			[]int{1, 2, 0},
		},
		{
			"a whole title first, ignoring accents, case and white space", "fr",
			docs{{Title: "Caméra et caméra vidéo", Description: "Caméra vidéo."}, {Title: "Caméra vidéo"}},
			"  CAMERA   video ",
			[]int{1, 0},
		},
		{
			"a whole title first, even if it is a function word", "en",
			docs{{Title: "For you and me"}, {Title: "You and me"}, {Title: "You"}},
			"you",
			[]int{2, 1, 0},
		},
		{
			"more matching words before fewer", "en",
			docs{{Title: "Camera"}, {Title: "Camera light", Description: "A mast."}, {Title: "Camera mast light"}, {Title: "Tree"}},
			"camera mast",
			[]int{2, 1, 0},
		},
		{
			"function words alone do not match beside other words", "en",
			docs{{Title: "Who can do this"}, {Title: "Your data"}, {Title: "Nothing"}},
			"who can see my data",
			[]int{1},
		},
		{
			"a query of function words matches", "en",
			docs{{Title: "Who can do this"}, {Title: "Your data"}, {Title: "Who", Description: "Can it?"}},
			"who can",
			[]int{0, 2},
		},
		{
			"a query of Japanese endings matches", "ja",
			docs{{Title: "保存されますか"}, {Title: "広告"}},
			"されますか",
			[]int{0},
		},
		{
			"Japanese endings alone do not match beside other words", "ja",
			docs{{Title: "広告が表示されますか"}, {Title: "保存の期間"}},
			"保存されますか",
			[]int{1},
		},
		{
			"Chinese function words alone do not match beside other words", "zh",
			docs{{Title: "我的广告"}, {Title: "数据"}},
			"我的数据",
			[]int{1},
		},
		{
			"a prefix before a shared stem", "fr",
			docs{{Title: "Affichage public"}, {Title: "Publicité"}},
			"publici",
			[]int{1, 0},
		},
		{
			"equal scores in document order", "en",
			docs{{Title: "Mast"}, {Title: "Camera", Description: "A."}, {Title: "Camera", Description: "B."}, {Title: "Mast"}, {Title: "Camera", Description: "C."}},
			"camera",
			[]int{1, 2, 4},
		},
		{
			"a repeated query word counts once", "en",
			docs{{Title: "Cameras"}, {Title: "Mast, and more"}},
			"mast camera cameras camera",
			[]int{0, 1},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := docsOf(search.Build(tc.locale, tc.docs).Search(tc.query, nil))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tc.query, diff)
			}
		})
	}
}

// TestScoresAreBM25 compares scores with a direct implementation of the formula
// in the package comment.
func TestScoresAreBM25(t *testing.T) {
	docs := []search.Document{
		{Title: "gate", Description: "gate stone tree gate wall"},
		{Title: "tree wall", Description: "bridge gate"},
		{Title: "bridge", Description: "wall wall wall"},
		{Title: "stone bridge tree gate"},
		{Description: "gate"},
	}
	count := func(text, word string) (tf, length float64) {
		for _, w := range strings.Fields(text) {
			length++
			if w == word {
				tf++
			}
		}
		return tf, length
	}
	bm25 := func(doc int, query string) (score float64) {
		for _, word := range strings.Fields(query) {
			var docFreq, sum float64
			for i, d := range docs {
				inTitle, _ := count(d.Title, word)
				inDescription, _ := count(d.Description, word)
				if inTitle+inDescription > 0 {
					docFreq++
				}
				if i != doc {
					continue
				}
				for _, f := range []struct {
					text, all string
					boost     float64
				}{
					{d.Title, "gate tree wall bridge stone bridge tree gate", 3},
					{d.Description, "gate stone tree gate wall bridge gate wall wall wall gate", 1},
				} {
					tf, length := count(f.text, word)
					_, total := count(f.all, word)
					sum += f.boost * tf * 2.2 / (tf + 1.2*(0.25+0.75*length/(total/5)))
				}
			}
			score += sum * math.Log(1+(5-docFreq+0.5)/(docFreq+0.5))
		}
		return score
	}
	ix := search.Build("en", docs)
	for query, full := range map[string][]int{
		"gate tree": {0, 1, 3}, "wall bridge": {1, 2}, "stone tree gate": {0, 3},
	} {
		for _, h := range ix.Search(query, nil) {
			// The score is reduced for documents that lack a query word.
			if !slices.Contains(full, h.Doc) {
				if h.Score >= bm25(h.Doc, query) {
					t.Errorf("%q: document %d lacks a word and has score %v, want less than %v", query, h.Doc, h.Score, bm25(h.Doc, query))
				}
			} else if want := bm25(h.Doc, query); math.Abs(h.Score-want) > 0.002*want {
				t.Errorf("%q: document %d has score %v, want %v", query, h.Doc, h.Score, want)
			}
		}
	}
}

func TestAcceptFiltersHits(t *testing.T) {
	ix := search.Build("en", titles("Camera A", "Camera B", "Camera C", "Camera"))
	odd := func(doc int) bool { return doc%2 == 1 }
	if diff := cmp.Diff([]int{3, 1}, docsOf(ix.Search("camera", odd))); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if hits := ix.Search("camera", func(int) bool { return false }); hits != nil {
		t.Errorf("accept returns false: got %v, want none", hits)
	}
}

func TestStepStopsLongSearches(t *testing.T) {
	docs := titles(slices.Repeat([]string{"Camera at the gate"}, 20_000)...)
	steps := 0
	count := func() error { steps++; return nil }
	if _, err := search.Build("en", docs).SearchStep("camera gate", nil, count); err != nil {
		t.Fatal(err)
	}
	stepsWithoutKeywords := steps
	for i := range docs {
		docs[i].Keywords = []string{"camera gate"}
	}
	ix := search.Build("en", docs)
	steps = 0
	want := ix.Search("camera gate", nil)
	hits, err := ix.SearchStep("camera gate", nil, count)
	if err != nil || len(hits) != len(want) {
		t.Errorf("got %d hits, error %v, want %d hits", len(hits), err, len(want))
	}
	if stepsWithoutKeywords < 10 || steps < stepsWithoutKeywords+10 {
		t.Errorf("got %d steps without keywords and %d with them, want at least 10, and 10 more", stepsWithoutKeywords, steps)
	}
	stop := errors.New("stop")
	for n := range steps {
		left := n
		hits, err := ix.SearchStep("camera gate", nil, func() error {
			if left--; left < 0 {
				return stop
			}
			return nil
		})
		if err != stop || hits != nil || left != -1 {
			t.Errorf("stopped at step %d: got %d hits, error %v, %d more steps; want none, %v, 0", n, len(hits), err, -1-left, stop)
		}
	}
	// A stopped search leaves clean scratch memory behind.
	if diff := cmp.Diff(want, ix.Search("camera gate", nil)); diff != "" {
		t.Errorf("after stopped searches (-want +got):\n%s", diff)
	}
	steps = 0
	if _, err := search.Build("en", docs[:300]).SearchStep("camera gate", nil, count); err != nil || steps > 0 {
		t.Errorf("a short search: got %d steps, error %v, want none", steps, err)
	}
}

func TestEmptyIndexFindsNothing(t *testing.T) {
	for _, docs := range [][]search.Document{nil, {{}}, {{Title: " ", Description: "\n"}, {Title: "{{x}}", Description: "?"}}} {
		ix := search.Build("en", docs)
		for _, query := range []string{"", "a", "camera", "カ", "{{x}}"} {
			if hits := ix.Search(query, nil); hits != nil {
				t.Errorf("%q in %q: got %v, want none", query, docs, hits)
			}
		}
	}
}

func TestConcurrentSearches(t *testing.T) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("Camera %d of %d", i, i%7))
	}
	large, small := search.Build("en", titles(names...)), search.Build("en", titles("Camera", "Mast"))
	want := large.Search("camera 3", nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, large.Search("camera 3", nil)); diff != "" {
					t.Errorf("large index (-want +got):\n%s", diff)
				}
				if got := docsOf(small.Search("camera", nil)); !slices.Equal(got, []int{0}) {
					t.Errorf("small index: got documents %v, want [0]", got)
				}
			}
		})
	}
	wg.Wait()
}
