package sign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// block is a text set in lines.
type block struct {
	*text
	script script
	size   float64 // of the font, in mm
	width  float64 // of the lines, in em
	pieces []piece // those of the text, or parts of them
	count  int     // number of lines
	cut    bool    // the text is shortened
	gap    float64 // between the block and the one above it, in mm
	indent float64 // if it is positive, the block continues the line of the one above it, in mm
}

// line is one line of a block.
type line struct {
	text  string
	width float64 // in em
}

// height returns the height of a block in mm.
func (b *block) height() float64 {
	if b.count == 0 {
		return 0
	}
	s := b.script
	return b.size * (s.ascent + s.descent + s.leading*float64(b.count-1))
}

// stackHeight returns the height of blocks below one another.
func stackHeight(blocks []block) float64 {
	var height float64
	for i := range blocks {
		if blocks[i].indent > 0 {
			continue
		}
		if i > 0 {
			height += blocks[i].gap
		}
		height += blocks[i].height()
	}
	return height
}

// set sets a text in at most maxLines lines of the given width. If that is not
// possible, it breaks words, and then shortens the text.
func (t *text) set(size, width float64, maxLines int) block {
	b := block{text: t, script: t.script, size: size, width: width / size, pieces: t.pieces}
	var ok bool
	if b.count, ok = countLines(b.pieces, b.width); !ok {
		b.pieces = t.split(b.width)
		b.count, _ = countLines(b.pieces, b.width)
	}
	if b.count > maxLines {
		b.count, b.cut = maxLines, true
	}
	return b
}

// lines returns the lines of a block.
func (b *block) lines() []line {
	if !b.cut {
		pieces := b.pieces
		if parts := joinParts(pieces); fitsIn(parts, b.width, b.count) {
			pieces = parts
		}
		lines := fill(pieces, balanced(pieces, b.width, b.count))
		continueIsolates(lines)
		return lines
	}
	lines := fill(b.pieces, b.width)[:b.count]
	last := &lines[b.count-1]
	*last = b.shorten(last.text, b.width)
	continueIsolates(lines)
	return lines
}

// fits reports whether a text fits into lines of the given width without being
// broken inside words or shortened.
func (t *text) fits(size, width float64, maxLines int) bool {
	return fitsIn(t.pieces, width/size, maxLines)
}

func fitsIn(pieces []piece, width float64, maxLines int) bool {
	count, ok := countLines(pieces, width)
	return ok && count <= maxLines
}

// joinParts joins the pieces between colons and dots that separate the parts of a text,
// after which lines end best.
func joinParts(pieces []piece) []piece {
	var parts []piece
	isEnd := true
	for _, p := range pieces {
		if isEnd {
			parts = append(parts, p)
		} else {
			last := &parts[len(parts)-1]
			if last.space > 0 {
				last.text += " "
			}
			*last = piece{last.text + p.text, last.width + last.space + p.width, p.space}
		}
		r, _ := utf8.DecodeLastRuneInString(p.text)
		isEnd = strings.ContainsRune(":：·", r)
	}
	return parts
}

// countLines returns the number of lines of the given width, and whether each piece
// fits into one.
func countLines(pieces []piece, width float64) (count int, ok bool) {
	ok = true
	var used, space float64
	for i, p := range pieces {
		if i == 0 || used+space+p.width > width {
			count++
			used = p.width
		} else {
			used += space + p.width
		}
		space = p.space
		ok = ok && p.width <= width
	}
	return count, ok
}

// balanced returns the smallest width at which the pieces take no more than count
// lines, so that the last line is not much shorter than the others.
func balanced(pieces []piece, width float64, count int) float64 {
	if count < 2 {
		return width
	}
	low, high := width/float64(count)/2, width
	for range 12 {
		middle := (low + high) / 2
		if n, ok := countLines(pieces, middle); ok && n <= count {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// fill puts the pieces into lines of the given width.
func fill(pieces []piece, width float64) []line {
	var lines []line
	var space float64
	for i, p := range pieces {
		if i == 0 || lines[len(lines)-1].width+space+p.width > width {
			lines = append(lines, line{p.text, p.width})
		} else {
			l := &lines[len(lines)-1]
			if space > 0 {
				l.text += " "
			}
			l.text += p.text
			l.width += space + p.width
		}
		space = p.space
	}
	return lines
}

// split returns the pieces of t with those broken that are wider than width. A
// hyphen marks a break inside a word of an alphabet.
func (t *text) split(width float64) []piece {
	hyphen, _ := widthOf('-', t.weight)
	var pieces []piece
	for _, p := range t.pieces {
		if p.width <= width {
			pieces = append(pieces, p)
			continue
		}
		part := piece{}
		for clusters := graphemes.FromString(p.text); clusters.Next(); {
			cluster := clusters.Value()
			w := t.measure(cluster)
			if part.text != "" && part.width+w+hyphen > width {
				if r, _ := utf8.DecodeLastRuneInString(part.text); !t.isAddress && unicode.IsLetter(r) && !isIdeographic(r) && t.script == alphabetic {
					part.text += "-"
					part.width += hyphen
				}
				pieces = append(pieces, part)
				part = piece{}
			}
			part.text += cluster
			part.width += w
		}
		part.space = p.space
		pieces = append(pieces, part)
	}
	return pieces
}

// ellipsis marks the end of a shortened text.
const ellipsis = "…"

// shorten returns a line with an ellipsis after the last word that leaves room for
// it, or after the last character if that is the first word.
func (t *text) shorten(s string, width float64) line {
	mark := t.measure(ellipsis)
	for t.measure(s)+mark > width {
		if i := strings.LastIndexByte(s, ' '); i > 0 {
			s = s[:i]
			continue
		}
		end := 0
		for clusters := graphemes.FromString(s); clusters.Next(); {
			if clusters.End() < len(s) {
				end = clusters.End()
			}
		}
		if s = s[:end]; s == "" {
			break
		}
	}
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }) + ellipsis
	return line{s, t.measure(s)}
}
