package datachain

import (
	"bytes"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"placard.dev/problem"
)

// deepest is how many arrays and objects may be open at once.
const deepest = 64

// tree is a JSON text read once: the text, and where everything in it stands.
type tree struct {
	text    string
	escapes bool   // some string may be spelt with escapes
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
}

// frame is an array or object whose end has not been read yet.
type frame struct {
	at    ref
	items uint32
	named bool // the next value is that of the name just read
}

// decoders saves the many small allocations of a new one.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// readTree reads strict JSON: no duplicate names, nothing after the value, no
// invalid UTF-8, no byte order mark, nothing nested too deep. The tree it
// returns beside an error only tells where reading failed.
func readTree(body []byte, m *meter) (*tree, error) {
	if int64(len(body)) > math.MaxUint32 {
		return &tree{}, problem.New(problem.PayloadTooLarge, "The document is larger than 4 GiB.").
			Hint("Split it into several documents that link to each other.")
	}
	t := &tree{text: string(body), escapes: bytes.IndexByte(body, '\\') >= 0}
	if strings.HasPrefix(t.text, byteOrderMark) {
		return t, t.fault(0, errByteOrderMark)
	}
	t.nodes = make([]node, 0, t.guess())
	dec := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(dec)
	dec.Reset(bytes.NewBuffer(body))
	var open [deepest]frame
	depth, before := 0, 0
	for {
		token, err := dec.ReadToken()
		if err == io.EOF && len(t.nodes) > 0 {
			return t, m.err
		}
		if depth == 0 && len(t.nodes) > 0 {
			return t, t.fault(len(t.text)-len(strings.TrimLeft(t.text[before:], " \t\r\n")), errTrailing)
		}
		start := t.skip(before)
		if err != nil {
			return t, t.fault(start, err)
		}
		end := int(dec.InputOffset())
		if !m.spend(1 + (end-before)/128) {
			return t, m.err
		}
		before = end

		kind := token.Kind()
		n := node{start: uint32(start), end: uint32(end), next: ref(len(t.nodes) + 1), kind: kind}
		if kind == '}' || kind == ']' {
			depth--
			at := open[depth].at
			t.nodes[at].end, t.nodes[at].next = uint32(end), ref(len(t.nodes))
			if depth > 0 && t.nodes[open[depth-1].at].kind == '{' {
				t.nodes[at-1].next = ref(len(t.nodes))
			}
			continue
		}
		if depth > 0 {
			in := &open[depth-1]
			n.up, n.index = in.at, in.items
			switch {
			case t.nodes[in.at].kind == '[':
				in.items++
			case in.named:
				in.items, in.named = in.items+1, false
				t.nodes[len(t.nodes)-1].next = n.next
			default:
				in.named = true
			}
		}
		if kind == '{' || kind == '[' {
			if depth == deepest {
				return t, t.fault(start, errDepth)
			}
			open[depth] = frame{at: ref(len(t.nodes))}
			depth++
		}
		t.nodes = append(t.nodes, n)
	}
}

// guess returns how many nodes t has at most.
func (t *tree) guess() int {
	n := 1
	for _, mark := range []string{",", ":", "{", "["} {
		n += strings.Count(t.text, mark)
	}
	return min(n, len(t.text)/2+1)
}

// skip returns where the token after the one that ends at i starts.
func (t *tree) skip(i int) int {
	for i < len(t.text) {
		switch t.text[i] {
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
		default:
			return i
		}
	}
	return i
}

func (t *tree) kind(n ref) jsontext.Kind { return t.nodes[n].kind }

// raw returns n as the sender spelt it.
func (t *tree) raw(n ref) string { return t.text[t.nodes[n].start:t.nodes[n].end] }

// str returns the string that n is. It refers to the text wherever that spells
// the string without escapes.
func (t *tree) str(n ref) string {
	raw := t.raw(n)
	plain := raw[1 : len(raw)-1]
	if !t.escapes || strings.IndexByte(plain, '\\') < 0 {
		return plain
	}
	// The text is valid JSON, so that unquoting it cannot fail.
	b, _ := jsontext.AppendUnquote(nil, raw)
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
	for have, v := range t.members(n) {
		if have == name {
			return v
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
	return t.path(at.up).Field(shorten(t.str(n-1), longestName))
}

// subject returns what a message calls n, which is the document, a member, or
// an item of a member: documents have no arrays of arrays.
func (t *tree) subject(n ref) string {
	up := t.nodes[n].up
	switch {
	case n == 0:
		return "A document"
	case t.kind(up) == '{':
		return strconv.Quote(brief(t.str(n - 1)))
	}
	return "An item of " + strconv.Quote(brief(t.str(up-1)))
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
		return strconv.Quote(brief(t.str(n)))
	}
	return brief(t.raw(n))
}
