package mcpapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
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
	a.notice = fmt.Sprintf("Schema texts are in locale %q only: with all locales the result has %d bytes. "+
		`Call again with locales "*" for all locales, or list the ones you need.`, a.locales[0], all)
	return a
}

// absent tells which of the locales asked for a release has no texts in.
func absent(r *release.Release, locales query.Locales) string {
	for _, code := range locales {
		if !slices.ContainsFunc(r.Manifest.Locales, func(have string) bool { return strings.EqualFold(have, code) }) {
			return fmt.Sprintf("This version has no texts in locale %q; it has %s.", problem.Clip(code), strings.Join(r.Manifest.Locales, ", "))
		}
	}
	return ""
}

// asksForMore reports whether a call says how much it wants.
func (a *arguments) asksForMore() bool {
	return a.locales != nil || a.fields != nil || a.limit != 0 || a.include == includeFull
}

// appendInLocales appends JSON as we write it, of its localized strings only the
// texts in the locales; nil keeps all. What is before it in b is not empty.
func appendInLocales(b []byte, v jsontext.Value, locales query.Locales) []byte {
	for locales != nil {
		start := bytes.Index(v, textOpening)
		if start < 0 {
			break
		}
		b, v = append(b, v[:start]...), v[start:]
		locale, end := readText(v)
		item := b[len(b)-1] == '[' || b[len(b)-1] == ','
		kept := slices.ContainsFunc(locales, func(l string) bool { return strings.EqualFold(l, string(locale)) })
		switch {
		case kept || !item || locale == nil:
			b = append(b, v[:end]...)
		// A comma goes with it: that before, or else that after.
		case b[len(b)-1] == ',':
			b = b[:len(b)-1]
		case v[end] == ',':
			end++
		}
		v = v[end:]
	}
	return append(b, v...)
}

// textOpening begins one text of a localized string, as we write it. It cannot
// be in a string, where its quotes would be escaped.
var textOpening = []byte(`{"locale":`)

// readText returns the locale of the text that v begins with, and where that
// ends. What only begins like a text has no locale.
func readText(v jsontext.Value) (locale []byte, end int) {
	const between = `,"value":`
	start := len(textOpening)
	if v[start] != '"' {
		return nil, start
	}
	end = skipString(v, start)
	locale = unquoted(v[start:end])
	if !bytes.HasPrefix(v[end:], []byte(between+`"`)) {
		return nil, end
	}
	if end = skipString(v, end+len(between)); v[end] != '}' {
		return nil, end
	}
	return locale, end + 1
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
			Message: fmt.Sprintf("%d more findings are not listed.", left),
			FixHint: "Fix the listed problems, then validate again.",
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
