package diffview

import (
	_ "embed" // for the words
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

//go:embed page/words.json
var wordsJSON []byte

// english has the words of reports in English.
var english = func() map[string]string {
	var words map[string]string
	if err := json.Unmarshal(wordsJSON, &words); err != nil {
		panic(err) // the file is broken
	}
	return words
}()

// englishWord returns a word of a report in English. Pairs of names and values replace
// placeholders such as {name}.
func englishWord(key string, pairs ...any) string {
	word := english[key]
	for i := 0; i+1 < len(pairs); i += 2 {
		word = strings.ReplaceAll(word, "{"+pairs[i].(string)+"}", fmt.Sprint(pairs[i+1]))
	}
	return word
}
