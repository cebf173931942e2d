package mcpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard.dev/datachain"
	"placard.dev/problem"
	"placard.dev/query"
	"placard.dev/release"
)

// maxConcise is how many bytes an answer may have that was not asked to be
// long. Agents' programs cut answers at about 25,000 tokens, which are 75,000
// bytes; some count the text form with its quotes escaped.
const maxConcise = 60_000

// concise answers with what write gives for the locales asked for. Where a
// caller who asked for nothing in particular would get more than an agent can
// read, texts are in the main locale only, and the answer says so.
func concise(r *release.Release, args *arguments, write func(query.Locales) []byte) answer {
	wanted := args.wantedLocales()
	a := answer{about: r, data: write(wanted), notice: absent(r, wanted)}
	if len(a.data) <= maxConcise || args.asksForMore() {
		return a
	}
	all := len(a.data)
	a.locales = []string{r.DefaultLocale()}
	a.data = write(a.locales)
	a.notice = fmt.Sprintf("Texts of the schema are in locale %q only: in all locales the answer has %d bytes. "+
		`Call again with locales "*" for all, or name those that you need.`, a.locales[0], all)
	return a
}

// absent tells which of the locales asked for a release has no texts in.
func absent(r *release.Release, locales query.Locales) string {
	for _, code := range locales {
		if !slices.ContainsFunc(r.Manifest.Locales, func(have string) bool { return strings.EqualFold(have, code) }) {
			return fmt.Sprintf("This version has no texts in locale %q; it has %s.", shorten(code), strings.Join(r.Manifest.Locales, ", "))
		}
	}
	return ""
}

// asksForMore reports whether a call says how much it wants.
func (a *arguments) asksForMore() bool {
	return a.locales != nil || a.fields != nil || a.limit != 0 || a.include == includeFull
}

// appendInLocales appends a JSON value, of its localized strings only the texts
// in the locales; nil keeps all.
func appendInLocales(b []byte, v jsontext.Value, locales query.Locales) []byte {
	switch {
	case locales == nil:
	case v.Kind() == '{':
		b = append(b, '{')
		for name, value := range members(v) {
			b = append(appendString(b, name), ':')
			b = append(appendInLocales(b, value, locales), ',')
		}
		return closing(b, '}')
	case v.Kind() == '[':
		b = append(b, '[')
		for item := range items(v) {
			if locale, ok := localeOf(item); ok && !slices.ContainsFunc(locales, func(l string) bool { return strings.EqualFold(l, locale) }) {
				continue
			}
			b = append(appendInLocales(b, item, locales), ',')
		}
		return closing(b, ']')
	}
	return append(b, v...)
}

// localeOf returns the locale of one text of a localized string.
func localeOf(v jsontext.Value) (locale string, ok bool) {
	if v.Kind() != '{' {
		return "", false
	}
	count, value := 0, false
	for name, v := range members(v) {
		count++
		switch string(name) {
		case "locale":
			locale, ok = unquote(v), v.Kind() == '"'
		case "value":
			value = v.Kind() == '"'
		}
	}
	return locale, ok && value && count == 2
}

// Bytes of findings that one answer lists.
const (
	maxErrors   = 36_000
	maxWarnings = 18_000
)

// listed returns as many findings as an agent can read, which is more than it
// can mend at once; the last of the warnings says how many more there are.
func listed(report datachain.Report) (errors, warnings problem.List) {
	errors, warnings = fitting(report.Errors, maxErrors), fitting(report.Warnings, maxWarnings)
	left := len(report.Errors) - len(errors) + len(report.Warnings) - len(warnings)
	if left > 0 {
		warnings = append(slices.Clip(warnings), problem.Problem{
			Code: "findings_truncated", Severity: problem.Warning,
			Message: fmt.Sprintf("%d more findings are not listed here.", left),
			FixHint: "Mend those that are listed, then check again.",
		})
	}
	return errors, warnings
}

// fitting returns the first of list that have no more than so many bytes.
func fitting(list problem.List, bytes int) problem.List {
	for i := range list {
		if bytes -= len(appendProblems(nil, list[i:i+1])); bytes < 0 {
			return list[:i]
		}
	}
	return list
}
