package problem

import (
	"strconv"
)

// Path locates a value in a JSON document, written the way people write it:
// elements[3].variables[0].value. A member name that is not a plain word is
// quoted in brackets. The zero Path is no path at all; [Root] is the path of
// the document itself, written as the empty string.
type Path struct {
	text    string
	present bool
}

// Root is the path of a whole document.
var Root = Path{present: true}

// Field returns the path of the member called name of the object at p.
func (p Path) Field(name string) Path {
	switch {
	case !plainWord(name):
		return Path{p.text + "[" + strconv.Quote(name) + "]", true}
	case p.text == "":
		return Path{name, true}
	}
	return Path{p.text + "." + name, true}
}

// Index returns the path of the i-th item, from 0, of the array at p.
func (p Path) Index(i int) Path {
	return Path{p.text + "[" + strconv.Itoa(i) + "]", true}
}

// IsZero reports whether p is no path at all.
func (p Path) IsZero() bool { return !p.present }

func (p Path) String() string { return p.text }

// MarshalText writes the path as [Path.String] does.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText takes any text as a path, so that answers can be read back.
func (p *Path) UnmarshalText(text []byte) error {
	*p = Path{string(text), true}
	return nil
}

func plainWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return s != ""
}
