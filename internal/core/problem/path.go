package problem

import "strconv"

// Path locates a value in a JSON document, such as
// elements[3].variables[0].value. A member name that is not a plain word is
// quoted in brackets. The zero Path means that there is no path; [Root] is the
// path of the document itself, written as the empty string.
type Path struct {
	text    string
	present bool
}

// Root is the path of the whole document.
var Root = Path{present: true}

// Field returns the path of the named member of the object at p.
func (p Path) Field(name string) Path {
	name = ClipTo(name, MaxName)
	switch {
	case !isPlainWord(name):
		return Path{p.text + "[" + strconv.Quote(name) + "]", true}
	case p.text == "":
		return Path{name, true}
	}
	return Path{p.text + "." + name, true}
}

// Index returns the path of item i, counting from 0, of the array at p.
func (p Path) Index(i int) Path {
	return Path{p.text + "[" + strconv.Itoa(i) + "]", true}
}

// IsZero reports whether p is the zero Path.
func (p Path) IsZero() bool { return !p.present }

func (p Path) String() string { return p.text }

// MarshalText implements [encoding.TextMarshaler]. It returns the same text as
// [Path.String].
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It accepts any text, so
// that clients can decode responses.
func (p *Path) UnmarshalText(text []byte) error {
	*p = Path{string(text), true}
	return nil
}

func isPlainWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return s != ""
}
