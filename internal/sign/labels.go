package sign

import "strings"

// texts are the words of the sign itself, in one language.
type texts struct {
	locale      string
	learn       string // invites readers to scan the code
	learnAndAct string // the same, if there is something that readers can do
	colon       string // between the name of a context and its value
	space       string // between a label and the number of other placements
}

// languages lists the available languages. The first is the default.
var languages = []texts{
	{"en", "Scan to learn more.", "Scan to learn more, ask or object.", ": ", " "},
	{"fr", "Scannez pour en savoir plus.", "Scannez pour en savoir plus, poser une question ou vous opposer.", "\u00A0: ", " "},
	{"es", "Escanee para saber más.", "Escanee para saber más, preguntar u oponerse.", ": ", " "},
	{"ja", "詳しくはコードを読み取ってください。", "詳しい説明、お問い合わせ、異議の申し立てはこちらから。", "：", "、"},
}

// textsFor returns the words for a locale.
func textsFor(locale string) *texts {
	language, _, _ := strings.Cut(locale, "-")
	for i := range languages {
		if strings.EqualFold(languages[i].locale, language) {
			return &languages[i]
		}
	}
	return &languages[0]
}
