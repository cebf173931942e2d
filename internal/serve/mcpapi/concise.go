package mcpapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
)

// maxConcise is the maximum size in bytes of the data of a result, unless the call
// controls the length itself. Hosts truncate results at about 25,000 tokens, or
// 75,000 bytes; some of them count the text with its quotes escaped.
const maxConcise = 60_000

// maxExplicit is the maximum size in bytes of the data of a result whose length the
// call controls. Only a single record can be longer.
const maxExplicit = 512 << 10

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
			// The text has no control characters except line breaks, so each of
			// its bytes has at most two bytes of JSON.
			return text[:end] + problem.ClipTo(line, limit/2)
		}
		limit -= len(buf)
		end += len(line)
	}
	return text
}

// dataWriter writes the data of a result in the given locales. It shortens lists so
// that the data has at most limit bytes, and then also returns a notice.
type dataWriter func(locales query.Locales, limit int) (data []byte, notice string)

// conciseResult returns a result with the data that write returns for the requested
// locales. If the data is too long and the call does not control the length itself,
// texts are reduced to the default locale. The notice of the result names the
// omissions.
func conciseResult(r *release.Release, args *arguments, write dataWriter) toolResult {
	res := toolResult{release: r}
	locales, notice := availableLocales(r, args.requestedLocales())
	res.note(notice)
	res.note(unknownFieldsNotice(args))
	data, notice := write(locales, maxExplicit)
	switch size := len(data); {
	case size <= maxConcise:
	case args.controlsLength():
		res.note(sizeNotice(size) + ". Request fewer locales, fields or elements to shorten it.")
	default:
		if len(r.Manifest.Locales) > 1 {
			res.locales = []string{r.DefaultLocale()}
			res.note(fmt.Sprintf("Schema texts are in locale %q only: with all locales the result would have %d bytes. "+
				`Call again with locales "*" for all locales, or list the ones you need.`, res.locales[0], size))
		}
		data, notice = write(res.locales, maxConcise)
	}
	res.note(notice)
	res.data = data
	return res
}

// sizeNotice returns the notice, without its full stop, for a long result.
func sizeNotice(size int) string {
	return fmt.Sprintf("The result has %d bytes, and many hosts truncate results of more than 75,000", size)
}

// availableLocales returns the requested locales, each replaced by the nearest
// locale of r if r has a less specific one. The notice names those that r lacks.
func availableLocales(r *release.Release, requested query.Locales) (available query.Locales, notice string) {
	var replaced, missing []string
	for _, code := range requested {
		locale, ok := query.NearestLocale(r, code)
		if !ok {
			locale = code
			missing = append(missing, strconv.Quote(problem.Clip(code)))
		} else if !strings.EqualFold(locale, code) {
			replaced = append(replaced, fmt.Sprintf("%q by %q", problem.Clip(code), locale))
		}
		available = append(available, locale)
	}
	if replaced != nil {
		notice = fmt.Sprintf("Locales that this version lacks are replaced: %s.", problem.Listing(replaced, maxListedNames))
	}
	if missing != nil {
		notice = joinSentences(notice, fmt.Sprintf("This version has no texts in locale %s; it has %s.",
			problem.Listing(missing, maxListedNames), problem.Listing(r.Manifest.Locales, 20)))
	}
	return available, notice
}

// unknownFieldsNotice returns a notice if the call requests fields that elements do
// not have.
func unknownFieldsNotice(args *arguments) string {
	unknown := args.requestedFields(nil).Unknown()
	if unknown == nil {
		return ""
	}
	for i := range unknown {
		unknown[i] = strconv.Quote(problem.Clip(unknown[i]))
	}
	return fmt.Sprintf("Elements have no field called %s. Their fields are %s.",
		problem.Listing(unknown, maxListedNames), strings.Join(release.ElementFields, ", "))
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
