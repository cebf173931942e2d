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

// maxConcise is the maximum size in bytes of a result, unless the call sets the
// length itself. Hosts truncate results at about 25,000 tokens, or 75,000 bytes;
// some of them count the text with its quotes escaped.
const maxConcise = 60_000

// conciseResult returns a result with the data that write returns for the requested
// locales. If that is too long and the call does not set the length itself, texts
// are reduced to the default locale, and the result has a notice.
func conciseResult(r *release.Release, args *arguments, write func(query.Locales) []byte) toolResult {
	locales := args.requestedLocales()
	res := toolResult{release: r, data: write(locales), notice: missingLocaleNotice(r, locales)}
	if len(res.data) <= maxConcise || args.setsLength() {
		return res
	}
	fullSize := len(res.data)
	res.locales = []string{r.DefaultLocale()}
	res.data = write(res.locales)
	res.notice = fmt.Sprintf("Schema texts are in locale %q only: with all locales the result has %d bytes. "+
		`Call again with locales "*" for all locales, or list the ones you need.`, res.locales[0], fullSize)
	return res
}

// missingLocaleNotice returns a notice if r lacks one of the requested locales.
func missingLocaleNotice(r *release.Release, locales query.Locales) string {
	for _, code := range locales {
		if !slices.ContainsFunc(r.Manifest.Locales, func(have string) bool { return strings.EqualFold(have, code) }) {
			return fmt.Sprintf("This version has no texts in locale %q; it has %s.", problem.Clip(code), strings.Join(r.Manifest.Locales, ", "))
		}
	}
	return ""
}

// setsLength reports whether a call has an argument that controls the length of
// the result.
func (a *arguments) setsLength() bool {
	return a.locales != nil || a.fields != nil || a.limit != 0 || a.include == includeFull
}

// appendInLocales appends v, keeping only the given locales in its localized
// strings; nil keeps all. v must be JSON as written by Placard, and b must not be
// empty.
func appendInLocales(b []byte, v jsontext.Value, locales query.Locales) []byte {
	for locales != nil {
		start := bytes.Index(v, localizedPrefix)
		if start < 0 {
			break
		}
		b, v = append(b, v[:start]...), v[start:]
		locale, end := readLocalizedText(v)
		item := b[len(b)-1] == '[' || b[len(b)-1] == ','
		kept := slices.ContainsFunc(locales, func(l string) bool { return strings.EqualFold(l, string(locale)) })
		switch {
		case kept || !item || locale == nil:
			b = append(b, v[:end]...)
		// Remove one comma too: the one before the text, or else the one after it.
		case b[len(b)-1] == ',':
			b = b[:len(b)-1]
		case v[end] == ',':
			end++
		}
		v = v[end:]
	}
	return append(b, v...)
}

// localizedPrefix starts each text of a localized string, as written by Placard.
// It cannot occur inside a JSON string, where its quotes would be escaped.
var localizedPrefix = []byte(`{"locale":`)

// readLocalizedText returns the locale and the end of the text at the start of v.
// The locale is nil if v has the prefix of a text but is not one.
func readLocalizedText(v jsontext.Value) (locale []byte, end int) {
	const separator = `,"value":`
	start := len(localizedPrefix)
	if v[start] != '"' {
		return nil, start
	}
	end = skipString(v, start)
	locale = unquoteBytes(v[start:end])
	if !bytes.HasPrefix(v[end:], []byte(separator+`"`)) {
		return nil, end
	}
	if end = skipString(v, end+len(separator)); v[end] != '}' {
		return nil, end
	}
	return locale, end + 1
}

// Maximum size in bytes of the findings in one result.
const (
	maxErrors   = 36_000
	maxWarnings = 18_000
)

// truncateReport returns the first errors and warnings of a report, up to the
// maximum sizes. If it omits any, the last warning has their number.
func truncateReport(report datachain.Report) (errs, warnings problem.List) {
	errs, warnings = firstWithin(report.Errors, maxErrors), firstWithin(report.Warnings, maxWarnings)
	omitted := len(report.Errors) - len(errs) + len(report.Warnings) - len(warnings)
	if omitted > 0 {
		warnings = append(slices.Clip(warnings), problem.Problem{
			Code: "findings_truncated", Severity: problem.Warning,
			Message: fmt.Sprintf("%d more findings are not listed.", omitted),
			FixHint: "Fix the listed problems, then validate again.",
		})
	}
	return errs, warnings
}

// firstWithin returns the longest prefix of list of at most the given size.
func firstWithin(list problem.List, size int) problem.List {
	for i := range list {
		if size -= len(appendProblems(nil, list[i:i+1])); size < 0 {
			return list[:i]
		}
	}
	return list
}
