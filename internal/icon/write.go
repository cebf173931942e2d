package icon

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
)

// Symbol is a clean drawing, kept as the text of an icon with holes for what
// depends on the paint.
type Symbol struct {
	pieces []piece
	size   int
	ids    int
	digest [sha256.Size]byte
}

// piece is text followed by a hole.
type piece struct {
	text     string
	hole     hole
	id       int    // of a holeID
	fallback string // of a holeGround, where the shape is not filled
}

type hole int

const (
	holeNone hole = iota
	holeInk
	holeGround
	holeID
)

// writer makes a symbol of a checked tree.
type writer struct {
	symbol     Symbol
	pending    strings.Builder
	referenced map[string]bool
	numbers    map[string]int // of ids, in order of appearance
}

func write(root *node, f frame, referenced map[string]bool) *Symbol {
	w := writer{referenced: referenced, numbers: map[string]int{}}
	tag := "g"
	if f.box == [4]float64{0, 0, 36, 36} {
		w.pending.WriteString("<g")
	} else {
		tag = "svg"
		w.pending.WriteString(`<svg width="36" height="36" viewBox="`)
		for i, v := range f.box {
			if i > 0 {
				w.pending.WriteByte(' ')
			}
			w.pending.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
		w.pending.WriteByte('"')
		if f.fit != "" {
			w.pending.WriteString(` preserveAspectRatio="` + f.fit + `"`)
		}
	}
	w.pending.WriteString(` color="`)
	w.hole(piece{hole: holeInk})
	w.pending.WriteByte('"')
	// What names no fill is black by default; here it takes the paint instead.
	if !root.has("fill") {
		w.pending.WriteString(` fill="currentColor"`)
	}
	w.content(root, tag)
	w.hole(piece{})
	s := w.symbol
	s.ids = len(w.numbers)
	s.digest = sha256.Sum256(fmt.Appendf(nil, "%+v", s.pieces))
	return &s
}

// hole ends the pending text with p's hole.
func (w *writer) hole(p piece) {
	p.text = w.pending.String()
	w.pending.Reset()
	w.symbol.pieces = append(w.symbol.pieces, p)
	w.symbol.size += len(p.text) + len("#RRGGBB") + len(p.fallback)
}

func (w *writer) node(n *node) {
	if isNote(n) {
		return
	}
	w.pending.WriteString("<" + n.name)
	// A mask's own colours decide what shows, so the paint must not reach them.
	if n.name == "mask" {
		w.pending.WriteString(` color="` + black.String() + `"`)
	}
	w.content(n, n.name)
}

// content writes the attributes and children of n, whose start tag is open.
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
				w.hole(piece{hole: holeID, id: w.number(p.ref)})
			case p.ground:
				w.hole(piece{hole: holeGround, fallback: p.fallback})
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

func (w *writer) number(id string) int {
	n, ok := w.numbers[id]
	if !ok {
		n = len(w.numbers)
		w.numbers[id] = n
	}
	return n
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace
