package datachain

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads a JSON text into a tree, in one pass over its bytes. It knows
// whether the text is JSON that we read. Where it is not, [tree.diagnose] says
// why.
//
// Its methods report whether what they should read is there, and leave the
// scanner after it.
type scanner struct {
	*tree
	meter *meter
	at    int // how far the text is read
	paid  int // how far the meter knows of
	depth int // how many arrays and objects are open
}

// document reads the whole text.
func (s *scanner) document() bool {
	s.next()
	return s.value(0, 0) && s.next() == 0 && s.at == len(s.text)
}

// next skips white space and returns the byte that follows it. At the end of
// the text that is 0, which begins nothing in JSON.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// open adds a node that begins here and returns it.
func (s *scanner) open(up ref, index uint32, kind jsontext.Kind) ref {
	s.nodes = append(s.nodes, node{start: uint32(s.at), up: up, index: index, kind: kind})
	return ref(len(s.nodes) - 1)
}

// closed ends the node n, and all that belongs to it, here.
func (s *scanner) closed(n ref) bool {
	s.nodes[n].end, s.nodes[n].next = uint32(s.at), ref(len(s.nodes))
	work := 1 + (s.at-s.paid)/128
	s.paid = s.at
	return s.meter.spend(work)
}

// value reads the value that is the index-th in up.
func (s *scanner) value(up ref, index uint32) bool {
	if s.at == len(s.text) {
		return false
	}
	switch c := s.text[s.at]; c {
	case '"':
		return s.string(up, index)
	case '{':
		n := s.open(up, index, '{')
		return s.object(n) && s.closed(n)
	case '[':
		n := s.open(up, index, '[')
		return s.array(n) && s.closed(n)
	case 't':
		n := s.open(up, index, 't')
		return s.word("true") && s.closed(n)
	case 'f':
		n := s.open(up, index, 'f')
		return s.word("false") && s.closed(n)
	case 'n':
		n := s.open(up, index, 'n')
		return s.word("null") && s.closed(n)
	}
	n := s.open(up, index, '0')
	return s.number() && s.closed(n)
}

func (s *scanner) object(n ref) bool {
	if s.depth++; s.depth > deepest {
		return false
	}
	s.at++
	var names map[string]struct{} // once there are more than a few
	for i := uint32(0); ; i++ {
		switch s.next() {
		case '"':
		case '}':
			s.at++
			s.depth--
			return i == 0
		default:
			return false
		}
		name := ref(len(s.nodes))
		if !s.string(n, i) || !s.fresh(n, name, &names) || s.next() != ':' {
			return false
		}
		s.at++
		s.next()
		if !s.value(n, i) {
			return false
		}
		s.nodes[name].next = ref(len(s.nodes))
		switch s.next() {
		case ',':
			s.at++
		case '}':
			s.at++
			s.depth--
			return true
		default:
			return false
		}
	}
}

// fresh reports whether no member of the object n before this one is called
// the same. It looks at each while they are few.
func (s *scanner) fresh(n, name ref, names *map[string]struct{}) bool {
	called := s.str(name)
	if s.nodes[name].index < few {
		for i := n + 1; i < name; i = s.nodes[i].next {
			if s.str(i) == called {
				return false
			}
		}
		return true
	}
	if *names == nil {
		*names = make(map[string]struct{}, 2*few)
		for i := n + 1; i < name; i = s.nodes[i].next {
			(*names)[s.str(i)] = struct{}{}
		}
	}
	before := len(*names)
	(*names)[called] = struct{}{}
	return len(*names) > before
}

func (s *scanner) array(n ref) bool {
	if s.depth++; s.depth > deepest {
		return false
	}
	s.at++
	if s.next() == ']' {
		s.at++
		s.depth--
		return true
	}
	for i := uint32(0); s.value(n, i); i++ {
		switch s.next() {
		case ',':
			s.at++
			s.next()
		case ']':
			s.at++
			s.depth--
			return true
		default:
			return false
		}
	}
	return false
}

// string reads the string, a value or the name of one, that is the index-th in
// up.
func (s *scanner) string(up ref, index uint32) bool {
	n := s.open(up, index, '"')
	text, i := s.text, s.at+1
	for i < len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 0
		switch {
		case c == '"':
			s.at = i + 1
			return s.closed(n)
		case c == '\\':
			s.nodes[n].escaped = true
			size = escape(text[i:])
		case c >= utf8.RuneSelf:
			if _, size = utf8.DecodeRuneInString(text[i:]); size == 1 {
				return false
			}
		}
		if size == 0 {
			return false
		}
		i += size
	}
	return false
}

// escape returns the length of the escape that s begins with, 0 where it is
// not one. Surrogates count in pairs only.
func escape(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	r, ok := codeUnit(s)
	if !ok {
		return 0
	}
	if !utf16.IsSurrogate(r) {
		return 6
	}
	if low, ok := codeUnit(s[6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
		return 12
	}
	return 0
}

// codeUnit reads the escape of a UTF-16 code unit that s begins with.
func codeUnit(s string) (r rune, ok bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(unit), err == nil
}

func (s *scanner) word(word string) bool {
	if !strings.HasPrefix(s.text[s.at:], word) {
		return false
	}
	s.at += len(word)
	return true
}

func (s *scanner) number() bool {
	s.skip("-")
	if !s.skip("0") && !s.digits() {
		return false
	}
	if s.skip(".") && !s.digits() {
		return false
	}
	if s.skip("eE") {
		s.skip("+-")
		return s.digits()
	}
	return true
}

// skip reports whether the next byte is one of these, and reads it if so.
func (s *scanner) skip(bytes string) bool {
	if s.at == len(s.text) || strings.IndexByte(bytes, s.text[s.at]) < 0 {
		return false
	}
	s.at++
	return true
}

// digits reads digits, at least one.
func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}
