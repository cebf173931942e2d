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

// scanner parses a JSON text into nodes in a single pass. It only decides whether
// the text is valid; [tree.diagnose] finds the reason if it is not.
//
// Its methods take the offset at which a value begins and return the offset at
// which it ends, or invalid. The offset is not a field of the scanner because
// updating it would take most of the time.
type scanner struct {
	text     string
	nodes    []node
	meter    *meter
	reportAt int // the offset at which to report work to the meter next
	reported int // the number of nodes reported to the meter
	depth    int // the number of open arrays and objects
}

// invalid is returned in place of an offset if the text is not valid JSON.
const invalid = -1

// document parses the whole text and reports whether it is valid.
func (s *scanner) document() bool {
	i, _ := s.next(len(s.text) - len(strings.TrimPrefix(s.text, byteOrderMark)))
	if i = s.value(i, 0, 0); i == invalid {
		return false
	}
	i, _ = s.next(i)
	return i == len(s.text)
}

// next skips white space and returns the offset and value of the byte after it. At
// the end of the text the byte is 0, which is not valid in JSON.
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

// add appends a node for the text from start to end.
func (s *scanner) add(kind jsontext.Kind, start, end int, parent ref, index uint32) ref {
	if len(s.nodes) == cap(s.nodes) {
		s.nodes = slices.Grow(s.nodes, maxNodes(s.text[start:]))
	}
	n := len(s.nodes)
	s.nodes = s.nodes[:n+1]
	// Setting the fields one by one is faster than copying a node.
	node := &s.nodes[n]
	node.start, node.end, node.next = uint32(start), uint32(end), ref(n+1)
	node.parent, node.index, node.kind, node.escaped = parent, index, kind, false
	return ref(n)
}

// value parses a value, the index-th item or member of parent.
func (s *scanner) value(i int, parent ref, index uint32) int {
	if i >= len(s.text) {
		return invalid
	}
	end := invalid
	switch kind := s.text[i]; kind {
	case '"':
		end = s.string(i, parent, index)
	case '{', '[':
		if s.depth++; s.depth > maxDepth {
			return invalid
		}
		n := s.add(jsontext.Kind(kind), i, 0, parent, index)
		if kind == '{' {
			end = s.object(i, n)
		} else {
			end = s.array(i, n)
		}
		s.nodes[n].end, s.nodes[n].next = uint32(end), ref(len(s.nodes))
		s.depth--
	case 't':
		end = s.literal(i, "true", parent, index)
	case 'f':
		end = s.literal(i, "false", parent, index)
	case 'n':
		end = s.literal(i, "null", parent, index)
	default:
		if end = s.number(i); end != invalid {
			s.add('0', i, end, parent, index)
		}
	}
	if end >= s.reportAt && !s.reportWork(end) {
		return invalid
	}
	return end
}

// reportInterval is the number of bytes between two reports to the meter.
const reportInterval = 1 << 10

// reportWork reports the work since the last report to the meter. It returns false
// if the meter stops.
func (s *scanner) reportWork(end int) bool {
	work := len(s.nodes) - s.reported + (end-s.reportAt+reportInterval)/128
	s.reported, s.reportAt = len(s.nodes), end+reportInterval
	return s.meter.spend(work)
}

func (s *scanner) object(i int, n ref) int {
	i, c := s.next(i + 1)
	if c == '}' {
		return i + 1
	}
	var names map[string]struct{} // see isNewName
	for k := uint32(0); c == '"'; k++ {
		name := ref(len(s.nodes))
		if i = s.string(i, n, k); i == invalid || !s.isNewName(n, name, &names) {
			return invalid
		}
		if i, c = s.next(i); c != ':' {
			return invalid
		}
		i, _ = s.next(i + 1)
		if i = s.value(i, n, k); i == invalid {
			return invalid
		}
		s.nodes[name].next = ref(len(s.nodes))
		if i, c = s.next(i); c == '}' {
			return i + 1
		}
		if c != ',' {
			return invalid
		}
		i, c = s.next(i + 1)
	}
	return invalid
}

// isNewName reports whether no earlier member of the object n has the same name. It
// compares the spellings of up to maxLinear names without escapes, and otherwise
// uses a map.
func (s *scanner) isNewName(n, name ref, names *map[string]struct{}) bool {
	node := &s.nodes[name]
	if node.index >= maxLinear || node.escaped || *names != nil {
		return s.addName(n, name, names)
	}
	spelling := s.text[node.start:node.end]
	for i := n + 1; i < name; i = s.nodes[i].next {
		if s.text[s.nodes[i].start:s.nodes[i].end] == spelling {
			return false
		}
	}
	return true
}

// addName adds the name to names, the names in the object n, and reports whether it
// is new.
func (s *scanner) addName(n, name ref, names *map[string]struct{}) bool {
	if *names == nil {
		// Most objects are small, including those with escaped names.
		*names = make(map[string]struct{}, 2*s.nodes[name].index)
		for i := n + 1; i < name; i = s.nodes[i].next {
			(*names)[s.name(i)] = struct{}{}
		}
	}
	before := len(*names)
	(*names)[s.name(name)] = struct{}{}
	return len(*names) > before
}

// name returns the value of the string n.
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
		if i = s.value(i, n, k); i == invalid {
			return invalid
		}
		if i, c = s.next(i); c == ']' {
			return i + 1
		}
		if c != ',' {
			return invalid
		}
		i, _ = s.next(i + 1)
	}
}

// string parses a string, the index-th item, member value or name in parent.
func (s *scanner) string(start int, parent ref, index uint32) int {
	i, ascii := skipPlain(s.text, start+1)
	if i == len(s.text) || s.text[i] != '"' {
		return s.escaped(start, i, ascii, parent, index)
	}
	if !ascii && !utf8.ValidString(s.text[start:i]) {
		return invalid
	}
	s.add('"', start, i+1, parent, index)
	return i + 1
}

// escaped parses the rest of a string from i, the offset of an escape or an invalid
// byte.
func (s *scanner) escaped(start, i int, ascii bool, parent ref, index uint32) int {
	for i < len(s.text) && s.text[i] == '\\' {
		size := escape(s.text[i:])
		if size == 0 {
			return invalid
		}
		var restASCII bool
		i, restASCII = skipPlain(s.text, i+size)
		ascii = ascii && restASCII
	}
	if i == len(s.text) || s.text[i] != '"' || !ascii && !utf8.ValidString(s.text[start:i]) {
		return invalid
	}
	n := s.add('"', start, i+1, parent, index)
	s.nodes[n].escaped = true
	return i + 1
}

// skipPlain returns the offset of the first quote, backslash or control character
// at or after i. ascii is true only if all characters before it are ASCII.
func skipPlain(text string, i int) (end int, ascii bool) {
	// In marks, the high bit of a byte is set if the same byte of word ends the
	// search. Bytes above the first such byte may be marked wrongly.
	const lowBits, highBits = 0x0101010101010101, 0x8080808080808080
	var all uint64
	for ; i+8 <= len(text); i += 8 {
		word := binary.LittleEndian.Uint64([]byte(text[i : i+8]))
		all |= word
		marks := (word - lowBits*' ') | ((word ^ lowBits*'"') - lowBits) | ((word ^ lowBits*'\\') - lowBits)
		if marks &= highBits &^ word; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8, all&highBits == 0
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\'; i++ {
		all |= uint64(text[i])
	}
	return i, all&highBits == 0
}

// escape returns the length of the escape at the start of s, or 0 if it is invalid.
// Surrogates are valid only in pairs.
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

// codeUnit parses the escaped UTF-16 code unit at the start of s.
func codeUnit(s string) (r rune, ok bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(unit), err == nil
}

// literal parses true, false or null.
func (s *scanner) literal(i int, literal string, parent ref, index uint32) int {
	if !strings.HasPrefix(s.text[i:], literal) {
		return invalid
	}
	s.add(jsontext.Kind(literal[0]), i, i+len(literal), parent, index)
	return i + len(literal)
}

func (s *scanner) number(i int) int {
	if s.oneOf(i, "-") {
		i++
	}
	if s.oneOf(i, "0") {
		i++
	} else if i = s.digits(i); i == invalid {
		return invalid
	}
	if s.oneOf(i, ".") {
		if i = s.digits(i + 1); i == invalid {
			return invalid
		}
	}
	if !s.oneOf(i, "eE") {
		return i
	}
	if i++; s.oneOf(i, "+-") {
		i++
	}
	return s.digits(i)
}

// oneOf reports whether the byte at i is one of bytes.
func (s *scanner) oneOf(i int, bytes string) bool {
	return i < len(s.text) && strings.IndexByte(bytes, s.text[i]) >= 0
}

// digits skips one or more digits.
func (s *scanner) digits(i int) int {
	from := i
	for i < len(s.text) && '0' <= s.text[i] && s.text[i] <= '9' {
		i++
	}
	if i == from {
		return invalid
	}
	return i
}
