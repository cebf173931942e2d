package view

import (
	"fmt"
	"strings"
	"time"
)

// months are the names of the months in the languages that write them as words.
var months = map[string][]string{
	english: strings.Fields("January February March April May June July August September October November December"),
	"fr":    strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
	"es":    strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
}

// date returns the date of a timestamp as readers of the page write it: in words in
// English, French, Spanish and Japanese, and as in ISO 8601 in other languages.
func (b *builder) date(timestamp string) Text {
	iso := timestamp[:min(len(timestamp), len(time.DateOnly))]
	date, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return b.untagged(iso)
	}
	year, month, day := date.Date()
	text := iso
	switch language := Language(b.locale); language {
	case english:
		text = fmt.Sprintf("%d %s %d", day, months[language][month-1], year)
	case "fr":
		ordinal := ""
		if day == 1 {
			ordinal = "er"
		}
		text = fmt.Sprintf("%d%s %s %d", day, ordinal, months[language][month-1], year)
	case "es":
		text = fmt.Sprintf("%d de %s de %d", day, months[language][month-1], year)
	case "ja":
		text = fmt.Sprintf("%d年%d月%d日", year, month, day)
	}
	return b.untagged(text)
}
