package icon

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
)

// Symbol is a checked drawing, stored as SVG text with placeholders for the
// parts that depend on the paint.
type Symbol struct {
	pieces []piece
	size   int // upper bound on the symbol's size in an icon, without ids
	ids    int // number of distinct ids
	digest [sha256.Size]byte

	// The parsed document, for SVG.
	root       *node
	frame      frame
	referenced map[string]bool
}

// piece is text followed by a placeholder.
type piece struct {
	text        string
	placeholder placeholder
	id          int    // number of the id, for idPlaceholder
	fallback    string // for backgroundPlaceholder, if the shape is not filled
}

type placeholder int

const (
	noPlaceholder placeholder = iota
	inkPlaceholder
	backgroundPlaceholder
	idPlaceholder
)

// writer converts an element tree to pieces.
type writer struct {
	pieces     []piece
	size       int
	pending    strings.Builder
	referenced map[string]bool
	numbers    map[string]int // number of each id, in order of appearance
	standalone bool           // a document of its own, not part of an icon
	inMask     bool           // the current element is used only in masks
}

func write(root *node, f frame, referenced map[string]bool) *Symbol {
	w := writer{referenced: referenced, numbers: map[string]int{}}
	tag := "g"
	if f.viewBox == [4]float64{0, 0, 36, 36} {
		w.pending.WriteString("<g")
	} else {
		tag = "svg"
		w.pending.WriteString(`<svg width="36" height="36"`)
		w.frame(f)
	}
	w.pending.WriteString(` color="`)
	w.flush(piece{placeholder: inkPlaceholder})
	w.pending.WriteByte('"')
	// Shapes without a fill are black by default; draw them in the ink colour.
	if !root.has("fill") {
		w.pending.WriteString(` fill="currentColor"`)
	}
	w.content(root, tag)
	w.flush(piece{})
	return &Symbol{
		pieces: w.pieces, size: w.size, ids: len(w.numbers), digest: digest(w.pieces),
		root: root, frame: f, referenced: referenced,
	}
}

// SVG returns the symbol as an SVG document of its own. Like an icon, it is
// written from the checked elements and attributes and contains no other part of
// the source, because HTML parsers end comments and CDATA sections differently
// from XML parsers. Colours are kept; the background colour is that of the custom
// property --symbol-bg, if the page has it.
func (s *Symbol) SVG() []byte {
	w := writer{referenced: s.referenced, numbers: map[string]int{}, standalone: true}
	w.pending.WriteString(`<svg xmlns="` + svgNamespace + `"`)
	w.frame(s.frame)
	for _, a := range []struct{ name, value string }{{"width", s.frame.width}, {"height", s.frame.height}} {
		if a.value != "" {
			w.pending.WriteString(" " + a.name + `="` + escape(a.value) + `"`)
		}
	}
	w.content(s.root, "svg")
	w.flush(piece{})
	prefix := s.idPrefix()
	var b []byte
	for _, p := range w.pieces {
		b = append(b, p.text...)
		switch p.placeholder {
		case backgroundPlaceholder:
			b = append(b, "var("+backgroundProperty+", "+p.fallback+")"...)
		case idPlaceholder:
			b = append(b, prefix...)
			b = strconv.AppendInt(b, int64(p.id), 10)
		}
	}
	return b
}

// frame writes the attributes of f that scale the drawing.
func (w *writer) frame(f frame) {
	w.pending.WriteString(` viewBox="`)
	for i, v := range f.viewBox {
		if i > 0 {
			w.pending.WriteByte(' ')
		}
		w.pending.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
	w.pending.WriteByte('"')
	if f.aspectRatio != "" {
		w.pending.WriteString(` preserveAspectRatio="` + f.aspectRatio + `"`)
	}
}

// digest returns a digest of a symbol. The ids in published icons depend on it,
// so the format of the hashed text must not change.
func digest(pieces []piece) [sha256.Size]byte {
	b := []byte("[")
	for i, p := range pieces {
		if i > 0 {
			b = append(b, ' ')
		}
		b = fmt.Appendf(b, "{text:%s hole:%d id:%d fallback:%s}", p.text, p.placeholder, p.id, p.fallback)
	}
	return sha256.Sum256(append(b, ']'))
}

// flush appends p to the pieces, with the pending text as its text.
func (w *writer) flush(p piece) {
	p.text = w.pending.String()
	w.pending.Reset()
	w.pieces = append(w.pieces, p)
	w.size += len(p.text) + len("#RRGGBB") + len(p.fallback)
}

func (w *writer) node(n *node) {
	if isMetadata(n) {
		return
	}
	w.pending.WriteString("<" + n.name)
	// The colours of a mask determine what is visible, so they must not depend
	// on the paint.
	outer := w.inMask
	w.inMask = n.roles == masking
	if w.inMask && !w.standalone && (n.name == "mask" || !outer) {
		w.pending.WriteString(` color="` + black.String() + `"`)
	}
	w.content(n, n.name)
	w.inMask = outer
}

// content writes the attributes and children of n and closes the element.
func (w *writer) content(n *node, tag string) {
	for _, a := range n.attrs {
		if a.name == "id" && !w.referenced[a.parts[0].ref] {
			continue
		}
		w.pending.WriteString(" " + a.name + `="`)
		for _, p := range a.parts {
			w.pending.WriteString(escape(p.text))
			switch {
			case p.ref != "":
				w.flush(piece{placeholder: idPlaceholder, id: w.number(p.ref)})
			case p.background && w.inMask:
				w.pending.WriteString(escape(p.fallback))
			case p.background:
				w.flush(piece{placeholder: backgroundPlaceholder, fallback: p.fallback})
			}
		}
		w.pending.WriteByte('"')
	}
	if len(n.children) == 0 {
		w.pending.WriteString("/>")
		return
	}
	w.pending.WriteByte('>')
	for _, child := range n.children {
		w.node(child)
	}
	w.pending.WriteString("</" + tag + ">")
}

// number returns the number of an id, assigning the next one to a new id.
func (w *writer) number(id string) int {
	n, ok := w.numbers[id]
	if !ok {
		n = len(w.numbers)
		w.numbers[id] = n
	}
	return n
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace
