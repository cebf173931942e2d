package release

import "bytes"

// translationPrefix begins the JSON of a [taxonomy.Text] or a
// [taxonomy.KeywordList], called translations here, and nothing else: within a
// string its quotes are escaped.
var translationPrefix = []byte(`{"locale":"`)

// findTranslation returns the first translation that begins at or after from,
// and its locale. start is negative if there is none.
func findTranslation(json []byte, from int) (start, end int, locale []byte) {
	start = bytes.Index(json[from:], translationPrefix)
	if start < 0 {
		return start, 0, nil
	}
	start += from
	code := start + len(translationPrefix)
	end = endOfString(json, code)
	locale = json[code : end-1] // The characters of locales need no escaping.
	end += len(`,"value":`)
	if json[end] == '"' {
		end = endOfString(json, end+1)
	} else {
		end = endOfStrings(json, end+len(`[`))
	}
	return start, end + len(`}`), locale
}

// endOfStrings returns the end of the JSON array of strings whose content begins
// at i.
func endOfStrings(json []byte, i int) int {
	for json[i] != ']' {
		if json[i] == ',' {
			i++
		}
		i = endOfString(json, i+1)
	}
	return i + 1
}

// endOfString returns the end of the JSON string whose content begins at i.
func endOfString(json []byte, i int) int {
	for ; ; i++ {
		i += bytes.IndexByte(json[i:], '"')
		backslashes := 0
		for json[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i + 1
		}
	}
}

// omitter removes translations from JSON.
type omitter struct {
	kept bool // an earlier translation of the same localized string is kept
}

// next handles the translation json[start:end]. Unless keep is set, it returns
// the bytes to omit: the translation and the comma before it, or the comma after
// it if no earlier translation is kept.
func (o *omitter) next(json []byte, start, end uint32, keep bool) (from, to uint32, omit bool) {
	if json[start-1] == '[' {
		o.kept = false
	}
	switch {
	case keep:
		o.kept = true
		return 0, 0, false
	case o.kept:
		start--
	case json[end] == ',':
		end++
	}
	return start, end, true
}

// AppendInLocales appends JSON that encodes parts of the release's taxonomy or
// manifest, without the translations in other locales.
func (r *Release) AppendInLocales(b, json []byte, locales LocaleSet) []byte {
	if !locales.restricted {
		return append(b, json...)
	}
	var o omitter
	done := uint32(0) // bytes appended or omitted
	for at := 0; ; {
		start, end, code := findTranslation(json, at)
		if start < 0 {
			return append(b, json[done:]...)
		}
		at = end
		locale := indexLocale(r.Manifest.Locales, code)
		keep := locale >= 0 && locales.has(uint32(locale))
		if from, to, omit := o.next(json, uint32(start), uint32(end), keep); omit {
			b = append(b, json[done:from]...)
			done = to
		}
	}
}

func indexLocale(locales []string, code []byte) int {
	for i, locale := range locales {
		if locale == string(code) {
			return i
		}
	}
	return -1
}
