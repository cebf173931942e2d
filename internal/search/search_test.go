package search_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/search"
)

// titles makes documents that have titles only.
func titles(list ...string) []search.Document {
	docs := make([]search.Document, len(list))
	for i, title := range list {
		docs[i].Title = title
	}
	return docs
}

// found returns the documents of an answer, best first.
func found(hits []search.Hit) []int {
	docs := []int{}
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	return docs
}

func TestAWordIsFound(t *testing.T) {
	for _, tc := range []struct {
		how, locale, title, query string
	}{
		{"as it is written", "en", "Video camera", "camera"},
		{"whatever its case", "en", "VIDEO Camera", "cAMERA"},
		{"in the plural", "en", "Video camera", "cameras"},
		{"in the singular", "en", "Video cameras", "camera"},
		{"inflected", "en", "Data is recorded", "recording"},
		{"in a variety of the language", "en-GB", "Video cameras", "camera"},
		{"in a locale in capitals", "EN", "Video cameras", "camera"},
		{"by its beginning", "en", "Surveillance", "surveil"},
		{"by one letter", "en", "Surveillance", "s"},
		{"with a letter left out", "en", "Microphone", "micrphone"},
		{"with a letter too many", "en", "Sound", "soound"},
		{"with a wrong letter", "en", "Sound", "sounf"},
		{"with a wrong first letter", "en", "Sound", "dound"},
		{"with two letters swapped", "en", "Sound", "sonud"},
		{"with two typing errors, being long", "en", "Microphone", "mikrophome"},
		{"without its possessive", "en", "Operator's staff", "operator"},
		{"with a possessive", "en", "The operator decides", "operator’s"},
		{"without a hyphen", "en", "Wi-Fi listener", "wifi"},
		{"with a hyphen", "en", "Wifi listener", "wi-fi"},
		{"by a part of a compound", "en", "Wi-Fi listener", "fi"},
		{"in two words", "en", "A touchscreen", "touch screen"},
		{"in an id", "en", "Face templates", "face_template"},
		{"without accents", "fr", "Caméra vidéo", "camera video"},
		{"with accents that are not there", "fr", "Camera", "câmérà"},
		{"after an elided article", "fr", "Plaque d’immatriculation", "immatriculation"},
		{"with an elided article", "fr", "Immatriculation", "l'immatriculation"},
		{"in the feminine", "fr", "Données ouvertes", "ouvert"},
		{"without its ligature", "fr", "Œuvre d’art", "oeuvre"},
		{"in Spanish, in the plural", "es", "Cámara térmica", "camaras"},
		{"in German, with ss", "de", "Straße", "strasse"},
		{"in German, without dots", "de", "Überwachung", "uberwachungen"},
		{"in Danish, without a stroke", "da", "Børn", "born"},
		{"in Polish, without a stroke", "pl", "Miasto Łódź", "lodz"},
		{"in Turkish, with capitals", "tr", "ISPARTA", "ısparta"},
		{"in Russian, in the plural", "ru", "Видеокамера", "видеокамеры"},
		{"in Russian, without dots", "ru", "Ёлка", "елка"},
		{"in Ukrainian, without an apostrophe", "uk", "П'ять камер", "пять"},
		{"in Greek, without accents", "el", "Κάμερα δρόμος", "ΚΑΜΕΡΑ ΔΡΟΜΟΣ"},
		{"in Hebrew, without points", "he", "מַצְלֵמָה", "מצלמה"},
		{"in Arabic, without vowels", "ar", "كَامِيرَا", "كاميرا"},
		{"in Arabic, without a hamza", "ar", "أمن", "امن"},
		{"in Hindi", "hi", "निगरानी कैमरा", "कैमरा"},
		{"in Tamil", "ta", "கேமரா", "கேமரா"},
		{"in Japanese, inside another", "ja", "ビデオカメラ", "カメラ"},
		{"in Japanese, in half width", "ja", "マイク", "ﾏｲｸ"},
		{"in Japanese, by one character", "ja", "広告", "告"},
		{"in Japanese, with a slip", "ja", "ブルートゥース", "ブルートゥス"},
		{"in Japanese, in a question", "ja", "保存期間", "データはいつまで保存されますか"},
		{"in Japanese, in kana", "ja", "顔をぼかす処理", "ぼかす"},
		{"in Japanese, by its character and ending", "ja", "人数を数える", "数えて"},
		{"in full width Latin letters", "ja", "LiDARセンサー", "ｌｉｄａｒ"},
		{"in Chinese", "zh", "视频监控摄像头", "摄像头"},
		{"in Chinese, in a question", "zh-Hant", "資料保存期限", "我的資料會保存多久"},
		{"in Korean", "ko", "비디오 카메라", "카메라를"},
		{"in Korean, beside Latin letters", "ko", "AI카메라", "카메라"},
		{"in Thai", "th", "กล้องวงจรปิด", "กล้อง"},
		{"in Lao", "lo", "ກ້ອງວົງຈອນປິດ", "ກ້ອງ"},
		{"in Khmer", "km", "កាមេរ៉ាសុវត្ថិភាព", "កាមេរ៉ា"},
		{"in Burmese", "my", "ကင်မရာ", "ကင်မရာ"},
		{"in a language nobody has told us about", "tlh", "Qapla’ batlh", "batlh"},
		{"beside a number", "en", "Kept for 30 days", "30"},
	} {
		t.Run(tc.how, func(t *testing.T) {
			ix := search.Build(tc.locale, titles("Zzyzx", tc.title, "Qwrtp"))
			if diff := cmp.Diff([]int{1}, found(ix.Search(tc.query, nil))); diff != "" {
				t.Errorf("%q in %q (-want +got):\n%s", tc.query, tc.title, diff)
			}
		})
	}
}

func TestAWordIsNotFound(t *testing.T) {
	for _, tc := range []struct {
		why, locale, title, query string
	}{
		{"three letters forgive no typing error", "en", "Fog", "fig"},
		{"seven letters forgive one", "en", "Parking", "parxinx"},
		{"eight letters forgive two", "en", "Advertise", "advurtuzu"},
		{"a number is not a typing error for another", "en", "Plan 2026", "2027"},
		{"a word is not found by its end", "en", "Microphone", "phone"},
		{"a variable's name is not text", "en", "Kept for {{duration}}", "duration"},
		{"a pair of kana stands in many words", "ja", "モーター", "データ"},
		{"a pair of Thai characters does too", "th", "ของเล่น", "กล้อง"},
		{"it is beyond the twelfth", "en", "Camera", "a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 camera"},
		{"й is not и with an accent", "uk", "Май", "маи"},
		{"there is no query", "en", "Camera", " \t\u00a0"},
		{"a query of signs asks for nothing", "en", "Camera!", "?! …"},
		{"marks without letters are no word", "en", "´ ´", "`¨ ̈"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			ix := search.Build(tc.locale, titles(tc.title))
			if hits := ix.Search(tc.query, nil); hits != nil {
				t.Errorf("%q in %q: %v", tc.query, tc.title, hits)
			}
		})
	}
}

func TestTheOrderOfHits(t *testing.T) {
	type docs = []search.Document
	for _, tc := range []struct {
		what, locale string
		docs         docs
		query        string
		want         []int
	}{
		{
			"a title before a description", "en",
			docs{{"Sound", "Taken by a camera on a mast."}, {"Camera on a mast", "Takes pictures there."}},
			"camera",
			[]int{1, 0},
		},
		{
			"an exact word, the beginning of one, a typing error", "en",
			docs{{"Radir mast", ""}, {"Radarscope mast", ""}, {"Radar mast", ""}},
			"radar",
			[]int{2, 1, 0},
		},
		{
			"one typing error before two", "en",
			docs{{"Mycrofhone", ""}, {"Microfhone", ""}, {"Zzyzx", ""}},
			"microphone",
			[]int{1, 0},
		},
		{
			"a whole title first, though others say the word more often", "en",
			docs{{"Sound and sound", "Sound, sound, sound."}, {"Sound", ""}, {"Sounds", "Sound sound."}},
			"sound",
			[]int{1, 2, 0},
		},
		{
			"a whole title first, with other accents, case and spaces", "fr",
			docs{{"Caméra et caméra vidéo", "Caméra vidéo."}, {"Caméra vidéo", ""}},
			"  CAMERA   video ",
			[]int{1, 0},
		},
		{
			"a whole title first, though it is all function words", "en",
			docs{{"For you and me", ""}, {"You and me", ""}, {"You", ""}},
			"you",
			[]int{2, 1, 0},
		},
		{
			"more words of the query before fewer", "en",
			docs{{"Camera", ""}, {"Camera light", "A mast."}, {"Camera mast light", ""}, {"Tree", ""}},
			"camera mast",
			[]int{2, 1, 0},
		},
		{
			"what one has only function words of is left out", "en",
			docs{{"Who can do this", ""}, {"Your data", ""}, {"Nothing", ""}},
			"who can see my data",
			[]int{1},
		},
		{
			"function words alone are answered", "en",
			docs{{"Who can do this", ""}, {"Your data", ""}, {"Who", "Can it?"}},
			"who can",
			[]int{0, 2},
		},
		{
			"Japanese endings alone are answered", "ja",
			docs{{"保存されますか", ""}, {"広告", ""}},
			"されますか",
			[]int{0},
		},
		{
			"Japanese endings beside a word find nothing by themselves", "ja",
			docs{{"広告が表示されますか", ""}, {"保存の期間", ""}},
			"保存されますか",
			[]int{1},
		},
		{
			"Chinese function words beside a word find nothing by themselves", "zh",
			docs{{"我的广告", ""}, {"数据", ""}},
			"我的数据",
			[]int{1},
		},
		{
			"a beginning that is also another word's stem", "fr",
			docs{{"Affichage public", ""}, {"Publicité", ""}},
			"publici",
			[]int{1, 0},
		},
		{
			"equal ones as they come", "en",
			docs{{"Mast", ""}, {"Camera", "A."}, {"Camera", "B."}, {"Mast", ""}, {"Camera", "C."}},
			"camera",
			[]int{1, 2, 4},
		},
		{
			"a word twice in a query counts once", "en",
			docs{{"Cameras", ""}, {"Mast, and more", ""}},
			"mast camera cameras camera",
			[]int{0, 1},
		},
	} {
		t.Run(tc.what, func(t *testing.T) {
			got := found(search.Build(tc.locale, tc.docs).Search(tc.query, nil))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tc.query, diff)
			}
		})
	}
}

// TestScoresAreBM25 computes the formula of the package comment by itself.
func TestScoresAreBM25(t *testing.T) {
	docs := []search.Document{
		{"gate", "gate stone tree gate wall"},
		{"tree wall", "bridge gate"},
		{"bridge", "wall wall wall"},
		{"stone bridge tree gate", ""},
		{"", "gate"},
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
			var having, sum float64
			for i, d := range docs {
				inTitle, _ := count(d.Title, word)
				inDescription, _ := count(d.Description, word)
				if inTitle+inDescription > 0 {
					having++
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
			score += sum * math.Log(1+(5-having+0.5)/(having+0.5))
		}
		return score
	}
	ix := search.Build("en", docs)
	for query, whole := range map[string][]int{
		"gate tree": {0, 1, 3}, "wall bridge": {1, 2}, "stone tree gate": {0, 3},
	} {
		for _, h := range ix.Search(query, nil) {
			// Documents that lack a word are held back by how much they lack.
			if !slices.Contains(whole, h.Doc) {
				if h.Score >= bm25(h.Doc, query) {
					t.Errorf("%q: document %d lacks words and has all of its score, %v", query, h.Doc, h.Score)
				}
			} else if want := bm25(h.Doc, query); math.Abs(h.Score-want) > 0.002*want {
				t.Errorf("%q: document %d has score %v, want %v", query, h.Doc, h.Score, want)
			}
		}
	}
}

func TestAcceptDecidesWhatIsReturned(t *testing.T) {
	ix := search.Build("en", titles("Camera A", "Camera B", "Camera C", "Camera"))
	odd := func(doc int) bool { return doc%2 == 1 }
	if diff := cmp.Diff([]int{3, 1}, found(ix.Search("camera", odd))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if hits := ix.Search("camera", func(int) bool { return false }); hits != nil {
		t.Errorf("refused, and returned: %v", hits)
	}
}

func TestAnIndexOfNothingFindsNothing(t *testing.T) {
	for _, docs := range [][]search.Document{nil, {{}}, {{" ", "\n"}, {"{{x}}", "?"}}} {
		ix := search.Build("en", docs)
		for _, query := range []string{"", "a", "camera", "カ", "{{x}}"} {
			if hits := ix.Search(query, nil); hits != nil {
				t.Errorf("%q in %q: %v", query, docs, hits)
			}
		}
	}
}

func TestAnIndexAnswersManyAtOnce(t *testing.T) {
	var list []string
	for i := range 500 {
		list = append(list, fmt.Sprintf("Camera %d of %d", i, i%7))
	}
	large, small := search.Build("en", titles(list...)), search.Build("en", titles("Camera", "Mast"))
	want := large.Search("camera 3", nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if diff := cmp.Diff(want, large.Search("camera 3", nil)); diff != "" {
					t.Errorf("(-first +later):\n%s", diff)
				}
				if got := found(small.Search("camera", nil)); !slices.Equal(got, []int{0}) {
					t.Error(got)
				}
			}
		})
	}
	wg.Wait()
}

func TestTheLanguagesWithStemmersAreListed(t *testing.T) {
	got := search.Languages()
	for _, tag := range []string{"en", "fr", "es", "de", "ru", "ar"} {
		if !slices.Contains(got, tag) {
			t.Errorf("%q is missing", tag)
		}
	}
	if !slices.IsSorted(got) || slices.Contains(got, "ja") {
		t.Error(got)
	}
}
