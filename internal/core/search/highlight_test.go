package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"placard/internal/core/search"
)

// mark returns a text with brackets around the spans that match a query.
func mark(locale, text, query string) string {
	var b strings.Builder
	end := 0
	for _, s := range search.Highlight(locale, text, query) {
		b.WriteString(text[end:s.Start] + "[" + text[s.Start:s.End] + "]")
		end = s.End
	}
	return b.String() + text[end:]
}

func TestHighlight(t *testing.T) {
	for _, tc := range []struct{ name, locale, query, want string }{
		{"a word", "en", "camera", "A [camera], and another [Camera]."},
		{"several words", "en", "thermal camera", "A [camera] that is not a [thermal] [camera]"},
		{"an inflected word", "en", "recordings", "It [records] and keeps the [recording]."},
		{"the start of words", "en", "surveil", "[Surveillance] and [surveillants], no survey"},
		{"a word and the start of another", "en", "cam", "a [cam] and a [camera]"},
		{"no typing error", "en", "micrphone", "The microphone is on."},
		{"no typing error if the word is there", "en", "data", "[data] and date"},
		{"no typing error in a number", "en", "2026", "in 2025 and [2026]-01"},
		{"no function words", "en", "who can see the data", "The staff who can [see] your [data]"},
		{"function words alone", "en", "the", "in [the] street"},
		{"no words", "en", "?!", "Nothing?!"},
		{"an empty query", "en", "", "Nothing"},
		{"an empty text", "en", "camera", ""},
		{"parts of a compound", "en", "screen", "A touch-[screen]."},
		{"a compound in two words", "en", "touch screen", "A [touchscreen]."},
		{"a possessive", "en", "operator", "The [operator’s] staff"},
		{"accents that are not typed", "fr", "camera", "Une [caméra] vidéo"},
		{"decomposed accents", "fr", "caméra", "Une [came\u0301ra]"},
		{"an elision", "fr", "eau", "[L’eau] et l'air"},
		{"letters that fold to two", "fr", "oeuvre", "Une [œuvre]"},
		{"full width and ligatures", "en", "office wifi", "[ＷｉＦｉ] at the [oﬃce]"},
		{"invisible characters", "en", "camera", "cam\u00ADera: [cam\u00ADera]"[len("cam\u00ADera: "):]},
		{"Cyrillic", "ru", "камера", "Видео[камера]"[len("Видео"):] + " и [камеры]"},
		{"a Japanese compound", "ja", "顔認証", "[顔認証]と[認証]"},
		{"parts of a Japanese compound", "ja", "顔認証", "人の[認証]です"},
		{"kana", "ja", "カメラ", "監視[カメラ]とラジオ"},
		{"two consecutive pairs of kana", "ja", "カメラマン", "[カメラ]とメモ"},
		{"no single pair of kana", "ja", "カメラマン", "メラニン"},
		{"a pair of kana", "ja", "ゴミ", "[ゴミ]箱"},
		{"a Japanese question", "ja", "データはいつまで保存されますか", "[データ]を[保存]します"},
		{"adjacent runs", "ja", "監視カメラ", "駅の[監視カメラ]です"},
		{"a lone character", "ja", "音", "[音]と録[音]"},
		{"hiragana for katakana", "ja", "どろーん", "[ドローン]が飛ぶ"},
		{"katakana for hiragana", "ja", "ゴミバコ", "[ごみばこ]と箱"},
		{"two kana only as they are", "ja", "らう", "クラウド"},
		{"half-width kana", "ja", "カメラ", "[ｶﾒﾗ]"},
		{"Thai", "th", "กล้อง", "[กล้อง]วงจรปิด"},
		{"Korean", "ko", "카메라", "감시 [카메라]"},
		{"another script than the locale's", "en", "カメラ", "A [カメラ] there"},
		{"an unknown locale", "xx", "kamera", "[Kamera]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.NewReplacer("[", "", "]", "").Replace(tc.want)
			if got := mark(tc.locale, text, tc.query); got != tc.want {
				t.Errorf("%q: got %s, want %s", tc.query, got, tc.want)
			}
		})
	}
}

// checkSpans fails if spans are not in order, touch each other, or split a character.
func checkSpans(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text string, spans []search.Span,
) {
	t.Helper()
	boundary := map[int]bool{len(text): true}
	for i := range text {
		boundary[i] = true
	}
	end := -1
	for _, s := range spans {
		if s.Start <= end || s.End <= s.Start || !boundary[s.Start] || !boundary[s.End] {
			t.Fatalf("%q: got spans %v, want them in order, apart and between characters", text, spans)
		}
		end = s.End
	}
}

func TestHighlightedSpansAreOrderedAndDisjoint(t *testing.T) {
	texts := rapid.OneOf(phrases, rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text, query := texts.Draw(t, "text"), queries.Draw(t, "query")
		locale := locales.Draw(t, "locale")
		checkSpans(t, text, search.Highlight(locale, text, query))
	})
}

func TestHighlightOfHostileTextsIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a ", 1<<16),
		strings.Repeat("a", 1<<17),
		strings.Repeat("カ", 1<<15),
		strings.Repeat("a-", 1<<16),
		"a" + strings.Repeat("\u0301", 1<<16),
		strings.Repeat("{{", 1<<16),
		strings.Repeat("\xff", 1<<16),
		strings.Repeat("ﷺ", 1<<14),
		strings.Repeat("🙂", 1<<14),
	} {
		for _, query := range []string{"a b c d e f g h i j k l m", strings.Repeat("カ", 256), text} {
			for _, locale := range []string{"en", "ja", "ar"} {
				spans := search.Highlight(locale, text, query)
				checkSpans(t, text[:min(len(text), 1<<15)], spans)
				for _, s := range spans {
					if s.End > 8<<10 {
						t.Fatalf("%.20q: got a span that ends at %d", text, s.End)
					}
				}
			}
		}
	}
}

func FuzzHighlight(f *testing.F) {
	f.Add("Video camera", "camera")
	f.Add("ビデオカメラ", "カメラ")
	f.Add("Kept for {{duration}}", "dura\xff")
	f.Fuzz(func(t *testing.T, text, query string) {
		for _, locale := range []string{"en", "fr", "ja", "ar"} {
			spans := search.Highlight(locale, text, query)
			if utf8.ValidString(text) {
				checkSpans(t, text, spans)
			}
		}
	})
}
