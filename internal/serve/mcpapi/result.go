package mcpapi

import (
	"fmt"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
)

// longResult is the size in bytes above which a result says how to shorten it. Hosts
// truncate results at about 25,000 tokens, or 75,000 bytes; some of them count the text
// with its quotes escaped.
const longResult = 60_000

// sizeNotice returns a notice if the data of a tool has many bytes.
func (t *tool) sizeNotice(size int) string {
	if size <= longResult {
		return ""
	}
	notice := fmt.Sprintf("The result has %d bytes, and many hosts truncate results of more than 75,000.", size)
	if t.shorter != "" {
		notice += " It is shorter with " + t.shorter + "."
	}
	return notice
}

// recordsResult returns a result with records of r in the requested locales.
func (c *call) recordsResult(r *release.Release, member string, appendTo func([]byte, query.Locales) ([]byte, error)) (toolResult, error) {
	res := toolResult{release: r}
	locales := c.args.requestedLocales()
	b, err := appendTo(c.openData(r, member), locales)
	if err != nil {
		return res, err
	}
	res.data = c.closeData(b)
	res.note(locales.Notice(r))
	res.note(unknownFieldsNotice(&c.args))
	return res, nil
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
