package sign

import "placard/internal/show/view"

// phrases are the words of the sign itself, in one language.
type phrases struct {
	learn            string // invites readers to scan the code
	learnAndAct      string // the same, if there is something that readers can do
	colon            string // between a label and its value
	opening, closing string // around what a second answer applies to
	pause            string // between a second answer and the number of others
	other, others    string // formats of the number of answers that are not shown: one, or more
}

// Values begin with a capital letter, which would look like a mistake in parentheses. No
// line begins with a dot.
const dot = "\u00A0· "

// phrasesByLanguage contains the phrases by language.
var phrasesByLanguage = map[string]phrases{
	"en": {"Scan to learn more.", "Scan to learn more and see what you can do.", ": ", dot, "", dot, "and\u00A0%d\u00A0more", "and\u00A0%d\u00A0more"},
	"fr": {"Scannez pour en savoir plus.", "Scannez pour en savoir plus et voir ce que vous pouvez faire.", "\u00A0: ", dot, "", dot, "et\u00A0%d\u00A0autre", "et\u00A0%d\u00A0autres"},
	"es": {"Escanee el código para saber más.", "Escanee el código para saber más y ver qué puede hacer.", ": ", dot, "", dot, "y\u00A0%d\u00A0más", "y\u00A0%d\u00A0más"},
	"ja": {"詳しくはコードを読み取ってください。", "詳しい説明と「あなたにできること」はこちらから。", "：", "（", "）", "、", "ほか%d件", "ほか%d件"},
}

// phrasesFor returns the words for a locale. In a language without translations, the
// sign has no words of its own.
func phrasesFor(locale string) phrases {
	if t, ok := phrasesByLanguage[view.Language(locale)]; ok {
		return t
	}
	return phrases{colon: ": ", opening: dot, pause: dot, other: "+%d", others: "+%d"}
}
