package web

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/language"
)

//go:embed texts
var textFiles embed.FS

// texts are the texts of the pages themselves in one language.
type texts struct {
	language string
	name     string // of the language, in itself
	byKey    map[string]string
}

// languages are the languages of the pages. The first is the default.
var languages = []*texts{
	{language: "en", name: "English"},
	{language: "fr", name: "Français"},
	{language: "es", name: "Español"},
	{language: "ja", name: "日本語"},
}

// languageMatcher returns a matcher of the languages, and reads the texts.
var languageMatcher = sync.OnceValue(func() language.Matcher {
	if err := loadTexts(); err != nil {
		panic(err)
	}
	var tags []language.Tag
	for _, l := range languages {
		tags = append(tags, language.Make(l.language))
	}
	return language.NewMatcher(tags)
})

// loadTexts reads the embedded files. Each is an object of keys, with a text for each
// language.
func loadTexts() error {
	for _, l := range languages {
		l.byKey = make(map[string]string)
	}
	files, err := textFiles.ReadDir("texts")
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := textFiles.ReadFile("texts/" + f.Name())
		if err != nil {
			return err
		}
		var byKey map[string]map[string]string
		if err := json.Unmarshal(data, &byKey); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		for key, translations := range byKey {
			for _, l := range languages {
				if translations[l.language] == "" || l.byKey[key] != "" || len(translations) != len(languages) {
					return fmt.Errorf("%s: %s must occur once, with a text in each language", f.Name(), key)
				}
				l.byKey[key] = translations[l.language]
			}
		}
	}
	return nil
}

// textsFor returns the texts in the language that a reader prefers.
func textsFor(preferred []language.Tag) *texts {
	matcher := languageMatcher()
	if len(preferred) == 0 {
		return languages[0]
	}
	_, i, _ := matcher.Match(preferred...)
	return languages[i]
}

// get returns the text with the given key. Pairs of names and values replace
// placeholders such as {name}. It panics if there is no such text.
func (t *texts) get(key string, pairs ...any) string {
	text, ok := t.byKey[key]
	if !ok {
		panic("web: there is no text " + key)
	}
	if len(pairs) == 0 {
		return text
	}
	// All at once: values, such as searches, may contain what looks like a placeholder.
	var replacements []string
	for i := 0; i+1 < len(pairs); i += 2 {
		replacements = append(replacements, "{"+pairs[i].(string)+"}", fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(replacements...).Replace(text)
}

// find returns the text with the given key, if there is one.
func (t *texts) find(key string) (string, bool) {
	text, ok := t.byKey[key]
	return text, ok
}

// count returns the text key.one or key.other, depending on n, which replaces {n}.
func (t *texts) count(key string, n int, pairs ...any) string {
	form := ".other"
	if n == 1 || n == 0 && t.language == "fr" {
		form = ".one"
	}
	return t.get(key+form, append(pairs, "n", n)...)
}

// date returns a date of the form YYYY-MM-DD as readers of the language write it. Any
// other text is returned as it is.
func (t *texts) date(iso string) string {
	parsed, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	day := fmt.Sprint(parsed.Day())
	if day == "1" && t.language == "fr" {
		day = "1er"
	}
	months := strings.Split(t.get("date.months"), "|")
	return t.get("date", "d", day, "month", months[parsed.Month()-1], "y", parsed.Year())
}
