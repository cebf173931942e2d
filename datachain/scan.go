package datachain

import (
	"encoding/binary"
	"math/bits"
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

// add notes the value of this kind that ends here, and returns whether to go on.
func (s *scanner) add(kind jsontext.Kind, start int, up ref, index uint32) bool {
	n := s.open(kind, start, up, index)
	return s.close(n)
}

// open adds a node and returns it. Its end is not known yet.
func (s *scanner) open(kind jsontext.Kind, start int, up ref, index uint32) ref {
	n := len(s.nodes)
	s.nodes = append(s.nodes, node{})
	at := &s.nodes[n]
	at.start, at.up, at.index, at.kind = uint32(start), up, index, kind
	return ref(n)
}

// close ends the node n, and all that belongs to it, here.
func (s *scanner) close(n ref) bool {
	at := &s.nodes[n]
	at.end, at.next = uint32(s.at), ref(len(s.nodes))
	work := 1 + (s.at-s.paid)/128
	s.paid = s.at
	return s.meter.spend(work)
}

// value reads the value that is the index-th in up.
func (s *scanner) value(up ref, index uint32) bool {
	if s.at == len(s.text) {
		return false
	}
	start := s.at
	switch s.text[start] {
	case '"':
		return s.string(up, index)
	case '{':
		n := s.open('{', start, up, index)
		return s.object(n) && s.close(n)
	case '[':
		n := s.open('[', start, up, index)
		return s.array(n) && s.close(n)
	case 't':
		return s.word("true") && s.add('t', start, up, index)
	case 'f':
		return s.word("false") && s.add('f', start, up, index)
	case 'n':
		return s.word("null") && s.add('n', start, up, index)
	}
	return s.number() && s.add('0', start, up, index)
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
	escaped := false
	for i := s.at + 1; ; {
		i = plain(s.text, i)
		if i == len(s.text) {
			return false
		}
		size := 0
		switch c := s.text[i]; {
		case c == '"':
			n := s.open('"', s.at, up, index)
			s.nodes[n].escaped = escaped
			s.at = i + 1
			return s.close(n)
		case c == '\\':
			escaped = true
			size = escape(s.text[i:])
		case c >= utf8.RuneSelf:
			if _, size = utf8.DecodeRuneInString(s.text[i:]); size == 1 {
				return false
			}
		}
		if size == 0 {
			return false
		}
		i += size
	}
}

// plain returns the first place from i on in a string that is not an ASCII
// character that stands for itself.
func plain(text string, i int) int {
	// The top bit of a byte is set in marks where the byte in eight is such a
	// place. Bytes above the first of them may be marked wrongly.
	for ; i+8 <= len(text); i += 8 {
		const each = 0x0101010101010101
		eight := binary.LittleEndian.Uint64([]byte(text[i : i+8]))
		marks := eight | (eight - each*' ') | ((eight ^ each*'"') - each) | ((eight ^ each*'\\') - each)
		if marks &= each * utf8.RuneSelf; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' && text[i] < utf8.RuneSelf {
		i++
	}
	return i
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
