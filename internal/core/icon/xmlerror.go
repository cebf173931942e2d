package icon

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"placard/internal/core/problem"
)

const exportHint = "Fix the markup, or export the drawing again as plain SVG."

// truncatedTag matches a start tag that is cut off by the end of the file.
var truncatedTag = regexp.MustCompile(`^<([A-Za-z_][^\s/>]*)(?:[^>"']|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$`)

// reportSyntaxError reports an error from the decoder. The current token starts at
// offset at.
func (r *reader) reportSyntaxError(err error, at int, open []*node) {
	var syntax *xml.SyntaxError
	isSyntax := errors.As(err, &syntax)
	switch {
	case at <= r.invalidChar && r.invalidChar <= r.inputOffset():
		// Already reported at its position.
	case err == io.EOF:
		r.report(at, ruleMalformed.Found("The file has no svg element.").Hint("Export the drawing again as plain SVG."))
	case isSyntax && strings.HasSuffix(syntax.Msg, "(no semicolon)"):
		r.report(bytes.LastIndexByte(r.src[:r.inputOffset()], '&'), ruleMalformed.Found("The & does not start an entity.").Hint("Write &amp; for an ampersand."))
	case isSyntax && strings.HasPrefix(syntax.Msg, "invalid character entity"):
		entity := strings.TrimPrefix(syntax.Msg, "invalid character entity ")
		r.report(bytes.LastIndexByte(r.src[:r.inputOffset()], '&'), ruleEntity.Found("%q is not one of the five entities predefined in XML.", problem.Clip(entity)).
			Hint("Write the character itself."))
	case isSyntax && syntax.Msg == "unexpected EOF" && truncatedTag.Match(r.src[at:]):
		tag := truncatedTag.FindSubmatch(r.src[at:])[1]
		r.report(at, ruleMalformed.Found("The file ends in the middle of <%s>, so it is incomplete.", problem.Clip(string(tag))).
			Hint("Export the drawing again as plain SVG."))
	case isSyntax && syntax.Msg == "unexpected EOF" && len(open) > 0:
		last := open[len(open)-1]
		r.report(last.offset, ruleMalformed.Found("<%s> is not closed before the file ends.", last.name).Hint("Close it with </%s>.", last.name))
	case !isSyntax:
		r.report(at, ruleMalformed.Found("The version or the encoding in the XML declaration is not supported.").
			Hint(`Write <?xml version="1.0" encoding="UTF-8"?>, or remove the declaration.`))
	default:
		offset := r.lastRead(at)
		if bytes.HasPrefix(r.src[at:], []byte("</")) {
			offset = at
		}
		message := problem.Clip(strings.Map(replaceUnprintable, syntax.Msg))
		r.report(offset, ruleMalformed.Found("The XML is not well-formed: %s.", message).Hint(exportHint))
	}
}
