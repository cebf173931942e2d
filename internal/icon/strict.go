package icon

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"placard/internal/problem"
)

// What is not XML and yet passes encoding/xml, or is reported by it elsewhere
// than where it stands. Other programs refuse such a file as a whole.

const xmlnsNamespace = "http://www.w3.org/2000/xmlns/"

// isChar reports whether XML has the character at all.
func isChar(c rune) bool {
	return c >= ' ' && c < 0xD800 || c == '\t' || c == '\n' || c == '\r' || c > 0xDFFF && c < 0xFFFE || c > 0xFFFF && c <= utf8.MaxRune
}

// characters reports the first byte or character that may not be in any
// document, and returns its offset, -1 where there is none.
func (r *reader) characters() int {
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

var characterReference = regexp.MustCompile(`&#([0-9]+|x[0-9A-Fa-f]+);`)

// strayReference reports a reference to a character that XML does not have, in
// the token that the decoder has just read from at on.
func (r *reader) strayReference(at int) bool {
	token := r.src[at:r.offset()]
	if bytes.HasPrefix(token, []byte("<!")) || bytes.HasPrefix(token, []byte("<?")) {
		return false
	}
	for _, place := range characterReference.FindAllSubmatchIndex(token, -1) {
		digits, base := token[place[2]:place[3]], 10
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		if c, err := strconv.ParseInt(string(digits), base, 32); err != nil || !isChar(rune(c)) {
			r.report(at+place[0], ruleMalformed.Found("%q does not refer to an XML character.", problem.Clip(string(token[place[0]:place[1]]))).Hint("Remove it."))
			return true
		}
	}
	return false
}

var xmlDeclaration = regexp.MustCompile(`^version\s*=\s*(?:"1\.0"|'1\.0')` +
	`(?:\s+encoding\s*=\s*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?` +
	`(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*$`)

// declaration checks what stands between <?xml and ?>.
func (r *reader) declaration(content []byte, at int) {
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

// namespace checks an attribute that declares one.
func (r *reader) namespace(a xml.Attr, at int) {
	prefix := a.Name.Local
	if a.Name.Space == "" {
		prefix = "" // xmlns by itself, the default
	}
	first, _ := utf8.DecodeRuneInString(prefix)
	var wrong string
	switch {
	case prefix == "xmlns", (prefix == "xml") != (a.Value == xmlNamespace), a.Value == xmlnsNamespace:
		wrong = "The namespaces of xml and xmlns cannot be redeclared."
	case prefix != "" && a.Value == "":
		wrong = "The prefix has an empty namespace."
	case prefix != "" && first != '_' && !unicode.IsLetter(first):
		wrong = "The prefix does not start with a letter."
	default:
		return
	}
	r.report(at, ruleMalformed.Found("%s", wrong).Hint("Remove the declaration."))
}
