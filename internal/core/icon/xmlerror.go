package icon

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"placard/internal/core/problem"
)

const exportHint = "Fix the markup, or export the drawing again as plain SVG."

// xmlMessages replaces the messages of the decoder that start with a text.
var xmlMessages = []struct{ prefix, message, hint string }{
	{"unexpected EOF in CDATA", "A CDATA section is not closed before the file ends.", "Close it with ]]>."},
	{"unexpected EOF", "The file ends inside a tag or comment.", exportHint},
	{"unexpected end element", "The end tag closes nothing.", "Remove it, or add the start tag."},
	{"expected element name after </", "The end tag has no name.", "Write the name of the element that it closes."},
	{"invalid characters between </", "The end tag contains more than a name.", "Keep only the name of the element."},
	{"expected target name", "A processing instruction has no name.", "Remove it."},
	{"invalid sequence <!-", "The declaration is neither a comment nor a CDATA section.", "Start comments with <!-- and end them with -->."},
	{"invalid sequence \"--\"", "A comment contains two hyphens.", "Write a comment without --."},
	{"invalid <![", "The declaration is neither a comment nor a CDATA section.", "Remove it."},
	{"expected element name after <", "The < does not start a tag.", "Write &lt; for a less-than sign."},
	{"expected /> in element", "The / does not end the tag.", "Write /> at the end of the tag."},
	{"expected attribute name", "Expected the name of an attribute or the end of the tag.", "Write attributes as name=\"value\", and end the tag with > or />."},
	{"attribute name without =", "The attribute has no value.", "Write it as name=\"value\"."},
	{"unquoted or missing", "The value of the attribute is not in quotes.", "Write it as name=\"value\"."},
	{"unescaped ]]>", "The text contains ]]>.", "Write ]]&gt; instead."},
	{"unescaped <", "The value of an attribute contains a < or lacks its closing quote.", "Write &lt; for a less-than sign, and close the quote."},
	{"invalid XML name", "The name contains a character that is not allowed in names.", exportHint},
}

// truncatedTag matches a start tag that is cut off by the end of the file.
var truncatedTag = regexp.MustCompile(`^<([A-Za-z_][^\s/>]*)(?:[^>"']|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$`)

var closedByAnother = regexp.MustCompile(`^element <(.+)> closed by </(.+)>$`)

// describeXMLError returns a message and a hint for a message of the decoder.
func describeXMLError(decoder string) (message, hint string) {
	if m := closedByAnother.FindStringSubmatch(decoder); m != nil {
		open, end := problem.Clip(strings.Map(replaceUnprintable, m[1])), problem.Clip(strings.Map(replaceUnprintable, m[2]))
		return fmt.Sprintf("</%s> is in the wrong place, because <%s> is still open.", end, open), fmt.Sprintf("Close the innermost element first, with </%s>.", open)
	}
	for _, m := range xmlMessages {
		if strings.HasPrefix(decoder, m.prefix) {
			return m.message, m.hint
		}
	}
	return "The XML is not well-formed here.", exportHint
}

// reportSyntaxError reports an error from the decoder. The current token starts at
// offset at.
func (r *reader) reportSyntaxError(err error, at int, open []*node) {
	var syntax *xml.SyntaxError
	isSyntax := errors.As(err, &syntax)
	switch {
	case at <= r.invalidChar && r.invalidChar <= r.inputOffset(), !r.checkCharacterReferences(at):
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
		message, hint := describeXMLError(syntax.Msg)
		r.report(offset, ruleMalformed.Found("%s", message).Hint("%s", hint))
	}
}
