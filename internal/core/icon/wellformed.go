package icon

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"placard/internal/core/problem"
)

// This file checks for errors that encoding/xml does not detect or reports at
// the wrong position.

// isChar reports whether c is allowed in XML.
func isChar(c rune) bool {
	return c >= ' ' && c < 0xD800 || c == '\t' || c == '\n' || c == '\r' || c > 0xDFFF && c < 0xFFFE || c > 0xFFFF && c <= utf8.MaxRune
}

// checkCharacters reports the first byte or character that is not allowed in XML
// and returns its offset, or -1 if there is none.
func (r *reader) checkCharacters() int {
	for i := 0; i < len(r.src); {
		c, size := utf8.DecodeRune(r.src[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			r.report(i, ruleMalformed.Found("The file is not encoded in UTF-8.").Hint("Save the file as UTF-8."))
			return i
		case !isChar(c):
			r.report(i, ruleMalformed.Found("The character %U is not allowed in XML.", c).Hint("Remove it."))
			return i
		}
		i += size
	}
	return -1
}

var xmlDeclaration = regexp.MustCompile(`^version\s*=\s*(?:"1\.0"|'1\.0')` +
	`(?:\s+encoding\s*=\s*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?` +
	`(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*$`)

// checkDeclaration checks the content of an XML declaration.
func (r *reader) checkDeclaration(content []byte, at int) {
	if at != 0 {
		r.report(at, ruleMalformed.Found("The XML declaration is not at the very start of the file.").Hint("Remove the declaration, or everything before it."))
	}
	match := xmlDeclaration.FindSubmatch(content)
	if match == nil {
		r.report(at, ruleMalformed.Found("The XML declaration is not well-formed.").
			Hint(`Write <?xml version="1.0" encoding="UTF-8"?>, or remove the declaration.`))
		return
	}
	if encoding := string(match[1]) + string(match[2]); encoding != "" && !strings.EqualFold(encoding, "UTF-8") {
		r.report(at, ruleEncoding.Found("The symbol declares the encoding %q.", problem.Clip(encoding)).
			Hint("Save the file as UTF-8, and declare UTF-8 or remove the declaration."))
	}
}
