package search

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// formatTokens lists the tokens of a text. "+" precedes a token that is joined to
// the previous one, "." a token that is adjacent to it.
func formatTokens(locale, text string) string {
	tokens := languageOf(locale).tokenize(normalize(text))
	var list []string
	for {
		tok, ok := tokens.next()
		if !ok {
			return strings.Join(list, " ")
		}
		switch {
		case tok.joined:
			list = append(list, "+"+tok.text)
		case tok.adjacent:
			list = append(list, "."+tok.text)
		default:
			list = append(list, tok.text)
		}
	}
}

func TestTokenize(t *testing.T) {
	for _, tc := range []struct{ locale, text, want string }{
		{"en", "Kept for {{duration}}, then deleted.", "kept for then deleted"},
		{"en", "{{a}}{{b}} and {{c", "and c"},
		{"en", "the operator’s and the operators' data, don't", "the operator and the operators data dont"},
		{"fr", "l’air qu'il n’a aujourd'hui", "l air qu il n a aujourd hui"},
		{"it", "dell'aria", "dell aria"},
		{"en", "Wi-Fi, e_mail. state-of-the-art", "wi +fi e +mail state +of +the +art"},
		{"en", "a - b -- c a--b", "a b c a b"},
		{"en", "3.5 km, 1,000 m, U.S.A.", "3 +5 km 1 000 m u +s +a"},
		{"ca", "intel·ligent", "intel +ligent"},
		{"en", "soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"},
		{"en", "ﬁne ½ Ⅳ ℃", "fine 1 2 iv c"},
		{"ja", "データはいつまで保存されますか。", "データ .はいつまで .保存 .されますか"},
		{"ja", "ＡＩカメラ2台", "ai .カメラ .2 .台"},
		{"ja", "人々、ラーメン・らーめん", "人々 ラーメン らーめん"},
		{"ja", "がぎ", "がぎ"},
		{"ko", "AI카메라 설치", "ai .카메라 설치"},
		{"th", "กล้องวงจรปิด ๒๕", "กล้องวงจรปิด ๒๕"},
		{"my", "ကင်မရာ", "ကင်မရာ"},
		{"en", "́ ̈ 👩‍👧 !", ""},
		{"en", "\xff\xfebroken\xff", "broken"},
	} {
		if diff := cmp.Diff(tc.want, formatTokens(tc.locale, tc.text)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tc.locale, tc.text, diff)
		}
	}
}

func TestClusterIncludesMarks(t *testing.T) {
	for run, want := range map[string]string{
		"กล้องวงจรปิด": "ก|ล้|อ|ง|ว|ง|จ|ร|ปิ|ด",
		"広告":           "広|告",
		"카메라":          "카|메|라",
	} {
		var got []string
		for rest := run; rest != ""; rest = rest[clusterLen(rest):] {
			got = append(got, rest[:clusterLen(rest)])
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", run, diff)
		}
	}
}

func TestJapaneseEndingsAreNotQueryTerms(t *testing.T) {
	for query, want := range map[string]string{
		"データはいつまで保存されますか": "データ 保存",
		"誰が私のデータを見られますか":  "データ 見",
		"顔をぼかす": "顔 ぼかす",
		"ごみの量":  "ごみ 量",
		"ぼかし":   "ぼかし",
		"いつまで":  "いつまで",
	} {
		ix := Build("ja", nil)
		s := newSearcher(ix)
		s.parse(normalize(query))
		var got []string
		for _, term := range s.terms {
			got = append(got, term.text)
		}
		s.release()
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// anyText draws a text of mixed scripts, accents and punctuation.
func anyText(t *rapid.T, label string) string {
	return rapid.StringOf(rapid.OneOf(
		rapid.RuneFrom([]rune("abcdeéïøßŒ ")),
		rapid.RuneFrom([]rune(" -_.'’{}·́ـ")),
		rapid.RuneFrom([]rune("がカーメラ防犯々をはす카메กล้อ")),
		rapid.RuneFrom([]rune("видеёκάςأكامةമ🙂")),
		rapid.Rune(),
	)).Draw(t, label)
}

func TestNoTokenFoldsToEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := languageOf(rapid.SampledFrom([]string{"en", "fr", "ja", "xx"}).Draw(t, "locale"))
		tokens := l.tokenize(normalize(anyText(t, "text")))
		for {
			tok, ok := tokens.next()
			if !ok {
				return
			}
			if len(appendFolded(nil, tok.text)) == 0 {
				t.Fatalf("%q folds to an empty string, want some text", tok.text)
			}
		}
	})
}

func TestStemIsNeverEmpty(t *testing.T) {
	tags := slices.Sorted(maps.Keys(languages))
	rapid.Check(t, func(t *rapid.T) {
		l := languages[rapid.SampledFrom(tags).Draw(t, "language")]
		word := normalize(rapid.StringOfN(rapid.OneOf(
			rapid.RuneFrom([]rune("aàâäbcçdeéèêëfghiîïıjklmnñoôöőpqrsștțuùûüűvwxyzßæøåğş")),
			rapid.RuneFrom([]rune("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")),
			rapid.RuneFrom([]rune("ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآؤئ")),
			rapid.RuneFrom([]rune("அஆஇஈஉகஙசடணதநபமயரலவழளறனாிீுூெே்")),
		), 1, 20, -1).Draw(t, "word"))
		if len(l.appendStem(nil, word)) == 0 {
			t.Fatalf("stem of %q is empty, want some text", word)
		}
	})
}
