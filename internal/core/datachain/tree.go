package datachain

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/core/problem"
)

// maxDepth is the maximum nesting depth of arrays and objects.
const maxDepth = 64

// tree is a parsed JSON text.
type tree struct {
	text     string
	nodes    []node // in text order
	failedAt int    // the offset of a syntax error
}

// ref is the index of a node in a tree. The document itself is node 0, so 0 also
// means an absent member.
type ref uint32

// node is a value, or the name of a member, whose value is the next node.
type node struct {
	start, end uint32 // in the text, including quotes and brackets
	next       ref    // the node after this one and its descendants
	parent     ref    // the enclosing array or object
	index      uint32 // its index in the parent
	kind       jsontext.Kind
	escaped    bool // a string with escapes
}

// readTree parses strict JSON: no duplicate names, no trailing data, no invalid
// UTF-8, no byte order mark, and at most maxDepth levels. If it returns an error,
// only failedAt is set in the tree.
func readTree(body []byte, m *meter) (*tree, error) {
	t := new(tree)
	return t, t.read(body, m)
}

// read is like [readTree] but reuses the memory of t.
func (t *tree) read(body []byte, m *meter) error {
	if int64(len(body)) > math.MaxUint32 {
		return problem.New(problem.PayloadTooLarge, "The document is larger than 4 GiB.").
			Hint("Split it into several documents that refer to each other in linked_instance_ids.")
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

// maxNodes returns an upper bound for the number of nodes in text.
func maxNodes(text string) int {
	n := 1
	for _, mark := range []string{",", ":", "{", "["} {
		n += strings.Count(text, mark)
	}
	return min(n, len(text)/2+1)
}

func (t *tree) kind(n ref) jsontext.Kind { return t.nodes[n].kind }

// raw returns the text of n.
func (t *tree) raw(n ref) string { return t.text[t.nodes[n].start:t.nodes[n].end] }

// str returns the value of the string n. Without escapes, it is a substring of the
// text.
func (t *tree) str(n ref) string {
	node := &t.nodes[n]
	if node.escaped {
		return t.unquoted(n)
	}
	return t.text[node.start+1 : node.end-1]
}

func (t *tree) unquoted(n ref) string {
	// The text is valid JSON, so unquoting cannot fail.
	b, _ := jsontext.AppendUnquote(nil, t.raw(n))
	return string(b)
}

// size returns the number of items or members of n.
func (t *tree) size(n ref) int {
	count := 0
	for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
		count++
	}
	return count
}

// items returns an iterator over the items of the array n. It ends when the meter
// stops.
func (t *tree) items(n ref, m *meter) iter.Seq2[int, ref] {
	return func(yield func(int, ref) bool) {
		for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
			if !m.spend(1) || !yield(int(t.nodes[i].index), i) {
				return
			}
		}
	}
}

// list returns the items of the array n.
func (t *tree) list(n ref) []ref {
	list := make([]ref, 0, t.size(n))
	for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
		list = append(list, i)
	}
	return list
}

// members returns an iterator over the names and values of the object n. It ends when
// the meter stops.
func (t *tree) members(n ref, m *meter) iter.Seq2[string, ref] {
	return func(yield func(string, ref) bool) {
		for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
			if !m.spend(1) || !yield(t.str(i), i+1) {
				return
			}
		}
	}
}

// member returns the value of the member called name of the object n, or 0.
func (t *tree) member(n ref, name string) ref {
	for i := n + 1; i < t.nodes[n].next; i = t.nodes[i].next {
		if t.str(i) == name {
			return i + 1
		}
	}
	return 0
}

// path returns the path of n.
func (t *tree) path(n ref) problem.Path {
	if n == 0 {
		return problem.Root
	}
	node := t.nodes[n]
	if t.kind(node.parent) == '[' {
		return t.path(node.parent).Index(int(node.index))
	}
	return t.path(node.parent).Field(t.nameInPath(n - 1))
}

// nameInPath returns the name n, or the start of a long one. Paths contain only the
// first [problem.MaxName] bytes, and many findings may be below one name.
func (t *tree) nameInPath(n ref) string {
	// An escape sequence has at most 6 bytes for each byte of the name.
	const maxRaw = 6 * (problem.MaxName + 10)
	raw := t.raw(n)
	if !t.nodes[n].escaped || len(raw) <= maxRaw {
		return t.str(n)
	}
	end := 1
	for end < maxRaw-6 {
		switch {
		case raw[end] != '\\':
			end++
		case raw[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	// A character that is cut at the end is not in the path.
	b, _ := jsontext.AppendUnquote(nil, raw[:end]+`"`)
	return string(b)
}

// subject returns the subject of a message about n: the document, a member, or an
// item of a member. Documents have no arrays of arrays.
func (t *tree) subject(n ref) string {
	parent := t.nodes[n].parent
	switch {
	case n == 0:
		return "The document"
	case t.kind(parent) == '{':
		return strconv.Quote(problem.Clip(t.str(n - 1)))
	}
	return "An item of " + strconv.Quote(problem.Clip(t.str(parent-1)))
}

// describe returns a description of the value n for a message.
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
