package sign

import "placard/internal/view"

// texts are the words of the sign itself, in one language.
type texts struct {
	learn            string // invites readers to scan the code
	learnAndAct      string // the same, if there is something that readers can do
	colon            string // between a label and its value
	opening, closing string // around what a second answer applies to
}

// languages contains the texts by language.
var languages = map[string]texts{
	"en": {"Scan to learn more.", "Scan to learn more, ask or object.", ": ", " (", ")"},
	"fr": {"Scannez pour en savoir plus.", "Scannez pour en savoir plus, poser une question ou vous opposer.", "\u00A0: ", " (", ")"},
	"es": {"Escanee para saber más.", "Escanee para saber más, preguntar u oponerse.", ": ", " (", ")"},
	"ja": {"詳しくはコードを読み取ってください。", "詳しい説明、お問い合わせ、異議の申し立てはこちらから。", "：", "（", "）"},
}

// textsFor returns the words for a locale. In a language without translations, the
// sign has no words of its own.
func textsFor(locale string) texts {
	if t, ok := languages[view.Language(locale)]; ok {
		return t
	}
	return texts{colon: ": ", opening: " (", closing: ")"}
}
