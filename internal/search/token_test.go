package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cut shows the tokens of a text: a plus stands before one that is glued to
// the one before, a dot before one that follows it directly.
func cut(locale, text string) string {
	tokens := languageOf(locale).tokenize(normalize(text))
	var shown []string
	for {
		tok, ok := tokens.next()
		if !ok {
			return strings.Join(shown, " ")
		}
		switch {
		case tok.glued:
			shown = append(shown, "+"+tok.text)
		case tok.follows:
			shown = append(shown, "."+tok.text)
		default:
			shown = append(shown, tok.text)
		}
	}
}

func TestATextIsCutIntoWordsAndRuns(t *testing.T) {
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
		if diff := cmp.Diff(tc.want, cut(tc.locale, tc.text)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", tc.locale, tc.text, diff)
		}
	}
}

func TestCharactersKeepTheirMarks(t *testing.T) {
	for run, want := range map[string]string{
		"กล้องวงจรปิด": "ก|ล้|อ|ง|ว|ง|จ|ร|ปิ|ด",
		"広告":           "広|告",
		"카메라":          "카|메|라",
	} {
		var got []string
		for rest := run; rest != ""; rest = rest[cluster(rest):] {
			got = append(got, rest[:cluster(rest)])
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", run, diff)
		}
	}
}

func TestJapaneseEndingsAreLeftOutOfAQuestion(t *testing.T) {
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
		s.read(normalize(query))
		var got []string
		for _, u := range s.units {
			got = append(got, u.text)
		}
		s.release()
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// anyText draws texts that mix scripts, accents and signs.
func anyText(t *rapid.T, label string) string {
	return rapid.StringOf(rapid.OneOf(
		rapid.RuneFrom([]rune("abcdeéïøßŒ ")),
		rapid.RuneFrom([]rune(" -_.'’{}·́ـ")),
		rapid.RuneFrom([]rune("がカーメラ防犯々をはす카메กล้อ")),
		rapid.RuneFrom([]rune("видеёκάςأكامةമ🙂")),
		rapid.Rune(),
	)).Draw(t, label)
}

func TestEveryTokenFoldsToSomething(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := languageOf(rapid.SampledFrom([]string{"en", "fr", "ja", "xx"}).Draw(t, "locale"))
		tokens := l.tokenize(normalize(anyText(t, "text")))
		for {
			tok, ok := tokens.next()
			if !ok {
				return
			}
			if len(appendFolded(nil, tok.text)) == 0 {
				t.Fatalf("%q folds to nothing", tok.text)
			}
		}
	})
}

func TestStemmersTakeAnyWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := languages[rapid.SampledFrom(Languages()).Draw(t, "language")]
		word := normalize(rapid.StringOfN(rapid.OneOf(
			rapid.RuneFrom([]rune("aàâäbcçdeéèêëfghiîïıjklmnñoôöőpqrsștțuùûüűvwxyzßæøåğş")),
			rapid.RuneFrom([]rune("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")),
			rapid.RuneFrom([]rune("ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآؤئ")),
			rapid.RuneFrom([]rune("அஆஇஈஉகஙசடணதநபமயரலவழளறனாிீுூெே்")),
		), 1, 20, -1).Draw(t, "word"))
		if len(l.appendStem(nil, word)) == 0 {
			t.Fatalf("nothing is left of %q", word)
		}
	})
}
