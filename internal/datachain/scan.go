package datachain

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads a JSON text into nodes, in one pass over its bytes. It knows
// whether the text is JSON that we read. Where it is not, [tree.diagnose] says
// why.
//
// Its methods are told where in the text something should begin, and return
// where it ends, or bad where it is not there. That place is handed from one to
// the next, and not kept, because most of the time would go into keeping it.
type scanner struct {
	text  string
	nodes []node
	meter *meter
	due   int // how far to read before the meter is told
	told  int // how many nodes it knows of
	depth int // how many arrays and objects are open
}

// bad is where nothing ends.
const bad = -1

// document reads the whole text, and reports whether it is JSON.
func (s *scanner) document() bool {
	i, _ := s.next(0)
	if i = s.value(i, 0, 0); i == bad {
		return false
	}
	i, _ = s.next(i)
	return i == len(s.text)
}

// next skips white space and returns where it ends, and the byte there. At the
// end of the text that is 0, which begins nothing in JSON.
func (s *scanner) next(i int) (int, byte) {
	if i < len(s.text) && s.text[i] > ' ' {
		return i, s.text[i]
	}
	return s.space(i)
}

func (s *scanner) space(i int) (int, byte) {
	for ; i < len(s.text); i++ {
		switch c := s.text[i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return i, c
		}
	}
	return i, 0
}

// add notes what is from start to end, and returns its node.
func (s *scanner) add(kind jsontext.Kind, start, end int, up ref, index uint32) ref {
	if len(s.nodes) == cap(s.nodes) {
		s.nodes = slices.Grow(s.nodes, mostValues(s.text[start:]))
	}
	n := len(s.nodes)
	s.nodes = s.nodes[:n+1]
	// Field by field: a node made elsewhere and copied here takes longer.
	at := &s.nodes[n]
	at.start, at.end, at.next = uint32(start), uint32(end), ref(n+1)
	at.up, at.index, at.kind, at.escaped = up, index, kind, false
	return ref(n)
}

// value reads the value that is the index-th in up.
func (s *scanner) value(i int, up ref, index uint32) int {
	if i >= len(s.text) {
		return bad
	}
	end := bad
	switch kind := s.text[i]; kind {
	case '"':
		end = s.string(i, up, index)
	case '{', '[':
		if s.depth++; s.depth > deepest {
			return bad
		}
		n := s.add(jsontext.Kind(kind), i, 0, up, index)
		if kind == '{' {
			end = s.object(i, n)
		} else {
			end = s.array(i, n)
		}
		s.nodes[n].end, s.nodes[n].next = uint32(end), ref(len(s.nodes))
		s.depth--
	case 't':
		end = s.word(i, "true", up, index)
	case 'f':
		end = s.word(i, "false", up, index)
	case 'n':
		end = s.word(i, "null", up, index)
	default:
		if end = s.number(i); end != bad {
			s.add('0', i, end, up, index)
		}
	}
	if end >= s.due && !s.pay(end) {
		return bad
	}
	return end
}

// portion is how many bytes are read before the meter is told of them.
const portion = 1 << 10

// pay tells the meter what was read since it was last told, and returns whether
// to go on.
func (s *scanner) pay(end int) bool {
	work := len(s.nodes) - s.told + (end-s.due+portion)/128
	s.told, s.due = len(s.nodes), end+portion
	return s.meter.spend(work)
}

func (s *scanner) object(i int, n ref) int {
	i, c := s.next(i + 1)
	if c == '}' {
		return i + 1
	}
	var names map[string]struct{} // see fresh
	for k := uint32(0); c == '"'; k++ {
		name := ref(len(s.nodes))
		if i = s.string(i, n, k); i == bad || !s.fresh(n, name, &names) {
			return bad
		}
		if i, c = s.next(i); c != ':' {
			return bad
		}
		i, _ = s.next(i + 1)
		if i = s.value(i, n, k); i == bad {
			return bad
		}
		s.nodes[name].next = ref(len(s.nodes))
		if i, c = s.next(i); c == '}' {
			return i + 1
		}
		if c != ',' {
			return bad
		}
		i, c = s.next(i + 1)
	}
	return bad
}

// fresh reports whether no member of the object n before this one is called
// the same. It looks at each while they are few and spelt without escapes, and
// collects their names from then on.
func (s *scanner) fresh(n, name ref, names *map[string]struct{}) bool {
	at := &s.nodes[name]
	if at.index >= few || at.escaped || *names != nil {
		return s.another(n, name, names)
	}
	called := s.text[at.start:at.end]
	for i := n + 1; i < name; i = s.nodes[i].next {
		if s.text[s.nodes[i].start:s.nodes[i].end] == called {
			return false
		}
	}
	return true
}

// another adds the name to those of the object n before it, and reports whether
// it is none of them.
func (s *scanner) another(n, name ref, names *map[string]struct{}) bool {
	if *names == nil {
		// Most objects are small, also those with a name that has escapes.
		*names = make(map[string]struct{}, 2*s.nodes[name].index)
		for i := n + 1; i < name; i = s.nodes[i].next {
			(*names)[s.name(i)] = struct{}{}
		}
	}
	before := len(*names)
	(*names)[s.name(name)] = struct{}{}
	return len(*names) > before
}

// name returns what the string n says.
func (s *scanner) name(n ref) string {
	t := tree{text: s.text, nodes: s.nodes}
	return t.str(n)
}

func (s *scanner) array(i int, n ref) int {
	i, c := s.next(i + 1)
	if c == ']' {
		return i + 1
	}
	for k := uint32(0); ; k++ {
		if i = s.value(i, n, k); i == bad {
			return bad
		}
		if i, c = s.next(i); c == ']' {
			return i + 1
		}
		if c != ',' {
			return bad
		}
		i, _ = s.next(i + 1)
	}
}

// string reads the string, a value or the name of one, that is the index-th in
// up.
func (s *scanner) string(start int, up ref, index uint32) int {
	i, ascii := plain(s.text, start+1)
	if i == len(s.text) || s.text[i] != '"' {
		return s.escaped(start, i, ascii, up, index)
	}
	if !ascii && !utf8.ValidString(s.text[start:i]) {
		return bad
	}
	s.add('"', start, i+1, up, index)
	return i + 1
}

// escaped reads the rest of a string from i on, where something stands that
// does not stand for itself.
func (s *scanner) escaped(start, i int, ascii bool, up ref, index uint32) int {
	for i < len(s.text) && s.text[i] == '\\' {
		size := escape(s.text[i:])
		if size == 0 {
			return bad
		}
		var still bool
		i, still = plain(s.text, i+size)
		ascii = ascii && still
	}
	if i == len(s.text) || s.text[i] != '"' || !ascii && !utf8.ValidString(s.text[start:i]) {
		return bad
	}
	n := s.add('"', start, i+1, up, index)
	s.nodes[n].escaped = true
	return i + 1
}

// plain returns the first place from i on in a string that is not a character
// that stands for itself. Where it says ascii, there are no others than ASCII
// characters before that place; else there may be.
func plain(text string, i int) (end int, ascii bool) {
	// The top bit of a byte is set in marks where the byte in eight is such a
	// place. Bytes above the first of them may be marked wrongly.
	const each, top = 0x0101010101010101, 0x8080808080808080
	var all uint64
	for ; i+8 <= len(text); i += 8 {
		eight := binary.LittleEndian.Uint64([]byte(text[i : i+8]))
		all |= eight
		marks := (eight - each*' ') | ((eight ^ each*'"') - each) | ((eight ^ each*'\\') - each)
		if marks &= top &^ eight; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8, all&top == 0
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\'; i++ {
		all |= uint64(text[i])
	}
	return i, all&top == 0
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

// word reads one of the values that are spelt in one way only.
func (s *scanner) word(i int, word string, up ref, index uint32) int {
	if !strings.HasPrefix(s.text[i:], word) {
		return bad
	}
	s.add(jsontext.Kind(word[0]), i, i+len(word), up, index)
	return i + len(word)
}

func (s *scanner) number(i int) int {
	if s.at(i, "-") {
		i++
	}
	if s.at(i, "0") {
		i++
	} else if i = s.digits(i); i == bad {
		return bad
	}
	if s.at(i, ".") {
		if i = s.digits(i + 1); i == bad {
			return bad
		}
	}
	if !s.at(i, "eE") {
		return i
	}
	if i++; s.at(i, "+-") {
		i++
	}
	return s.digits(i)
}

// at reports whether one of these bytes is at i.
func (s *scanner) at(i int, bytes string) bool {
	return i < len(s.text) && strings.IndexByte(bytes, s.text[i]) >= 0
}

// digits reads digits, at least one.
func (s *scanner) digits(i int) int {
	from := i
	for i < len(s.text) && '0' <= s.text[i] && s.text[i] <= '9' {
		i++
	}
	if i == from {
		return bad
	}
	return i
}
