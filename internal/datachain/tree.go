package datachain

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/problem"
)

// deepest is how many arrays and objects may be open at once.
const deepest = 64

// tree is a JSON text read once: the text, and where everything in it stands.
type tree struct {
	text    string
	nodes   []node // in the order of the text
	stopped int    // where reading failed, if it did
}

// ref names a node of a tree. The document itself is node 0; since no member
// is, a member's zero ref says that it is absent.
type ref uint32

// node is one value, or the name of a member, whose value is the next node.
type node struct {
	start, end uint32 // in the text, quotes and brackets included
	next       ref    // the node after this one and all that belongs to it
	up         ref    // the array or object it is in
	index      uint32 // its place there, counted from 0
	kind       jsontext.Kind
	escaped    bool // a string that is spelt with escapes
}

// readTree reads strict JSON: no duplicate names, nothing after the value, no
// invalid UTF-8, no byte order mark, nothing nested too deep. The tree it
// returns beside an error only tells where reading failed.
func readTree(body []byte, m *meter) (*tree, error) {
	t := new(tree)
	return t, t.read(body, m)
}

// read is [readTree], with the memory that t has.
func (t *tree) read(body []byte, m *meter) error {
	if int64(len(body)) > math.MaxUint32 {
		return problem.New(problem.PayloadTooLarge, "The document is larger than 4 GiB.").
			Hint("Split it into several documents that link to each other.")
	}
	t.text = string(body)
	s := scanner{text: t.text, nodes: t.nodes[:0], meter: m}
	done := s.document()
	t.nodes = s.nodes
	if done || m.err != nil {
		return m.err
	}
	return t.diagnose(body, m)
}

// mostValues returns how many values and names text has at most.
func mostValues(text string) int {
	n := 1
	for _, mark := range []string{",", ":", "{", "["} {
		n += strings.Count(text, mark)
	}
	return min(n, len(text)/2+1)
}

func (t *tree) kind(n ref) jsontext.Kind { return t.nodes[n].kind }

// raw returns n as the sender spelt it.
func (t *tree) raw(n ref) string { return t.text[t.nodes[n].start:t.nodes[n].end] }

// str returns the string that n is. It refers to the text wherever that spells
// the string without escapes.
func (t *tree) str(n ref) string {
	at := &t.nodes[n]
	if at.escaped {
		return t.unquoted(n)
	}
	return t.text[at.start+1 : at.end-1]
}

func (t *tree) unquoted(n ref) string {
	// The text is valid JSON, so that unquoting it cannot fail.
	b, _ := jsontext.AppendUnquote(nil, t.raw(n))
	return string(b)
}

// size returns how many items or members n has.
func (t *tree) size(n ref) int {
	count := 0
	for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
		count++
	}
	return count
}

// items are the items of the array n.
func (t *tree) items(n ref) iter.Seq2[int, ref] {
	return func(yield func(int, ref) bool) {
		for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
			if !yield(int(t.nodes[i].index), i) {
				return
			}
		}
	}
}

// list returns the items of the array n.
func (t *tree) list(n ref) []ref {
	list := make([]ref, 0, t.size(n))
	for _, item := range t.items(n) {
		list = append(list, item)
	}
	return list
}

// members are the names and values of the object n.
func (t *tree) members(n ref) iter.Seq2[string, ref] {
	return func(yield func(string, ref) bool) {
		for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
			if !yield(t.str(i), i+1) {
				return
			}
		}
	}
}

// member returns the value called name of the object n, or 0.
func (t *tree) member(n ref, name string) ref {
	for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
		if t.str(i) == name {
			return i + 1
		}
	}
	return 0
}

// path returns where n stands, in the form people write.
func (t *tree) path(n ref) problem.Path {
	if n == 0 {
		return problem.Root
	}
	at := t.nodes[n]
	if t.kind(at.up) == '[' {
		return t.path(at.up).Index(int(at.index))
	}
	return t.path(at.up).Field(t.str(n - 1))
}

// subject returns what a message calls n, which is the document, a member, or
// an item of a member: documents have no arrays of arrays.
func (t *tree) subject(n ref) string {
	up := t.nodes[n].up
	switch {
	case n == 0:
		return "A document"
	case t.kind(up) == '{':
		return strconv.Quote(problem.Clip(t.str(n - 1)))
	}
	return "An item of " + strconv.Quote(problem.Clip(t.str(up-1)))
}

// describe returns what a message says that n is.
func (t *tree) describe(n ref) string {
	switch {
	case t.kind(n) == '{':
		return "an object"
	case t.kind(n) == '[' && t.nodes[n].next == n+1:
		return "an empty array"
	case t.kind(n) == '[':
		return "an array"
	case t.kind(n) == '"':
		return strconv.Quote(problem.Clip(t.str(n)))
	}
	return problem.Clip(t.raw(n))
}
