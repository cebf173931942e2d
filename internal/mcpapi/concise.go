package mcpapi

import (
	"fmt"
	"slices"
	"strings"

	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
)

// maxConcise is the maximum size in bytes of the data of a result, unless the call
// controls the length itself. Hosts truncate results at about 25,000 tokens, or
// 75,000 bytes; some of them count the text with its quotes escaped.
const maxConcise = 60_000

// maxText is the maximum size in bytes of the JSON of a plain text. The text is in
// the result twice: by itself, and in its data.
const maxText = 26_000

// clipLines returns the first lines of text, up to limit bytes of JSON. It
// shortens the line that exceeds the limit.
func clipLines(text string, limit int) string {
	var buf []byte
	end := 0
	for line := range strings.Lines(text) {
		buf = appendString(buf[:0], line)
		if len(buf) > limit {
			// Each byte of the text has at most two bytes of JSON.
			return text[:end] + problem.ClipTo(line, limit/2)
		}
		limit -= len(buf)
		end += len(line)
	}
	return text
}

// conciseResult returns a result with the data that write returns for the requested
// locales. If the data is too long and the call does not control the length itself,
// texts are reduced to the default locale, and the result has a notice.
func conciseResult(r *release.Release, args *arguments, write func(query.Locales) []byte) toolResult {
	locales := args.requestedLocales()
	res := toolResult{release: r, data: write(locales), notice: missingLocaleNotice(r, locales)}
	if len(res.data) <= maxConcise || args.controlsLength() {
		return res
	}
	fullSize := len(res.data)
	res.locales = []string{r.DefaultLocale()}
	res.data = write(res.locales)
	res.notice = fmt.Sprintf("Schema texts are in locale %q only: with all locales the result would have %d bytes. "+
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

// controlsLength reports whether any of the arguments controls the length of the
// result.
func (a *arguments) controlsLength() bool {
	return a.locales != nil || a.fields != nil || a.limit != 0 || a.include == includeFull
}

// Maximum size in bytes of the findings in one result.
const (
	maxErrors   = 36_000
	maxWarnings = 18_000
)

// findingsTruncated is the code of the warning that findings are not listed.
const findingsTruncated = "findings_truncated"

// truncateReport returns the first errors and warnings of a report, up to the
// maximum sizes. If it omits any, it adds a warning with their number. A report
// that was already truncated keeps its own warning about that. tool is the tool
// that returns the report.
func truncateReport(report datachain.Report, tool string) (errs, warnings problem.List) {
	all, notices := report.Warnings, problem.List(nil)
	if n := len(all); n > 0 && all[n-1].Code == findingsTruncated {
		all, notices = all[:n-1], all[n-1:]
	}
	errs, warnings = truncateList(report.Errors, maxErrors), truncateList(all, maxWarnings)
	if omitted := len(report.Errors) - len(errs) + len(all) - len(warnings); omitted > 0 {
		notices = append(slices.Clip(notices), problem.Problem{
			Code: findingsTruncated, Severity: problem.Warning,
			Message: fmt.Sprintf("%d more findings are not listed.", omitted),
			FixHint: "Fix the listed problems, then call " + tool + " again.",
		})
	}
	return errs, append(slices.Clip(warnings), notices...)
}

// truncateList returns the longest prefix of list whose problems have at most size
// bytes of JSON.
func truncateList(list problem.List, size int) problem.List {
	for i := range list {
		if size -= len(appendProblems(nil, list[i:i+1])); size < 0 {
			return list[:i]
		}
	}
	return list
}
