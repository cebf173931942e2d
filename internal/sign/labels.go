package sign

import "placard/internal/view"

// texts are the words of the sign itself, in one language.
type texts struct {
	learn            string // invites readers to scan the code
	learnAndAct      string // the same, if there is something that readers can do
	colon            string // between a label and its value
	opening, closing string // around what a second answer applies to
	other, others    string // formats of the number of answers that are not shown: one, or more
}

// languages contains the texts by language.
var languages = map[string]texts{
	"en": {"Scan to learn more.", "Scan to learn more, ask or object.", ": ", " (", ")", ", and\u00A0%d\u00A0more", ", and\u00A0%d\u00A0more"},
	"fr": {"Scannez pour en savoir plus.", "Scannez pour en savoir plus, poser une question ou vous opposer.", "\u00A0: ", " (", ")", ", et\u00A0%d\u00A0autre", ", et\u00A0%d\u00A0autres"},
	"es": {"Escanee para saber más.", "Escanee para saber más, preguntar u oponerse.", ": ", " (", ")", ", y\u00A0%d\u00A0más", ", y\u00A0%d\u00A0más"},
	"ja": {"詳しくはコードを読み取ってください。", "詳しい説明、お問い合わせ、異議の申し立てはこちらから。", "：", "（", "）", "、ほか%d件", "、ほか%d件"},
}

// textsFor returns the words for a locale. In a language without translations, the
// sign has no words of its own.
func textsFor(locale string) texts {
	if t, ok := languages[view.Language(locale)]; ok {
		return t
	}
	return texts{colon: ": ", opening: " (", closing: ")", other: "\u00A0+%d", others: "\u00A0+%d"}
}
