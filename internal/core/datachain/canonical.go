package datachain

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// writer writes nodes of a tree as canonical JSON (RFC 8785), except that numbers
// keep their original spelling.
type writer struct {
	tree    *tree
	meter   *meter
	out     []byte
	members []member // the members of the open objects, innermost last
}

// member is one member of an object to be written.
type member struct {
	name string
	node ref    // the value's node, or 0
	json string // the value, if node is 0
}

func (w *writer) value(n ref) {
	if !w.meter.spend(1) {
		return
	}
	switch w.tree.kind(n) {
	case '{':
		from := len(w.members)
		for name, v := range w.tree.members(n, w.meter) {
			w.members = append(w.members, member{name: name, node: v})
		}
		w.out = append(w.out, '{')
		for i, m := range w.sorted(from) {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.member(m)
		}
		w.out = append(w.out, '}')
		w.members = w.members[:from]
	case '[':
		w.out = append(w.out, '[')
		for i, item := range w.tree.items(n, w.meter) {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value(item)
		}
		w.out = append(w.out, ']')
	case '"':
		w.string(n)
	default:
		w.out = append(w.out, w.tree.raw(n)...)
	}
}

// sorted sorts w.members[from:] and returns it.
func (w *writer) sorted(from int) []member {
	members := w.members[from:]
	slices.SortFunc(members, func(a, b member) int {
		if !w.meter.spend(1) {
			return 0
		}
		return compareUTF16(a.name, b.name)
	})
	return members
}

func (w *writer) member(m member) {
	if m.node == 0 {
		w.out = append(w.out, '"')
		w.out = append(w.out, m.name...)
		w.out = append(w.out, '"', ':')
		w.out = append(w.out, m.json...)
		return
	}
	w.string(m.node - 1)
	w.out = append(w.out, ':')
	w.value(m.node)
}

// string writes the string n. A string without escapes is already canonical.
func (w *writer) string(n ref) {
	if !w.tree.nodes[n].escaped {
		w.out = append(w.out, w.tree.raw(n)...)
		return
	}
	// Parsed strings are valid UTF-8, so quoting cannot fail.
	w.out, _ = jsontext.AppendQuote(w.out, w.tree.str(n))
}

// compareUTF16 compares names by UTF-16 code units, as RFC 8785 requires. This is
// byte order except for characters above U+FFFF, whose surrogates sort before
// U+E000.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for !utf8.RuneStart(a[i]) {
		i--
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if (x > 0xFFFF) != (y > 0xFFFF) && x >= 0xE000 && y >= 0xE000 {
		if x > 0xFFFF {
			return -1
		}
		return +1
	}
	return strings.Compare(a[i:], b[i:])
}
