package sign

import (
	"slices"

	"placard/internal/show/qr"
)

// layout arranges the content of a sign from top to bottom: a band with the title,
// the cells, a rule, and the footer. Lengths are in millimetres.
type layout struct {
	*content
	size      Size
	unit      float64 // see [Size.unit]
	frame     float64 // scale of the texts in the band and the footer
	margin    float64
	shapes    []shape
	shortened []string

	omitted        omitted
	isCrowded      bool   // words and icons are smaller than they should be
	withoutContact string // the address of the organisation, if there is no room for it
}

// shape is something to draw: a rectangle, an icon, a code or a line of text.
type shape struct {
	box    box
	fill   string // of a rectangle
	icon   string
	isCode bool
	text   *text
	line   line
	size   float64 // of the font
	base   float64 // y of the baseline
	anchor anchor
}

// box is a rectangle.
type box struct{ x, y, width, height float64 }

// anchor is the position of a line in its box.
type anchor int

const (
	atStart anchor = iota // left, or right on a sign that is written from right to left
	atMiddle
)

// Lengths on A4.
const (
	pageMargin = 12

	bandTop          = 8 // the smallest space above the title: printers leave a margin of 5 mm
	kindMax, kindMin = 7, 5
	titleMax         = 22
	titleMin         = 8
	titleWrap        = 15 // smaller titles may take more lines
	titleLines       = 4
	twoTitles        = 1.25 // they are smaller than one, relative to the words
	titleShrink      = 0.8  // the smallest scale of titles in two languages that shrink to fit on one line each
	titleShort       = 9.2  // the smallest size of such titles

	ruleWidth = 1.6

	codeMin        = 48   // with its quiet zone
	codeShare      = 0.23 // of the width of the sign, at least
	moduleMin      = 0.8
	moduleAbsolute = 0.65 // on every size

	bodyMax, bodyMin       = 9.6, 4.5
	contactMax, contactMin = 7.6, 3.5
	contactWrap            = 5.6 // smaller addresses take more lines
	invitationMax          = 6.8
	invitationMin          = 4.5
	addressMax, addressMin = 5.6, 4
	footerMax, footerMin   = 1.2, 0.8 // scales of the footer
	responsibleLines       = 3
	contactLines           = 3
	invitationLines        = 2
	secondLanguage         = 0.82 // size of the second language, relative to the first
	separatorWidth         = 1.2  // between two languages on a line, in em
	followWidth            = 0.4  // between a name and a number on a line, in em
)

func newLayout(c *content, size Size) *layout {
	u := size.unit()
	return &layout{content: c, size: size, unit: u, margin: pageMargin * u}
}

// start adds the band and the footer, and returns the grid between them.
func (l *layout) start() *grid {
	l.shapes, l.shortened, l.withoutContact = l.shapes[:0], nil, ""
	top := l.band()
	bottom := l.footer()
	return newGrid(l, top+l.padding(7), bottom-l.padding(7))
}

// padding returns the space of the given height on A4, which shrinks with the frame.
func (l *layout) padding(height float64) float64 { return height * l.frame * l.unit }

// band adds the title and returns the height of the band.
func (l *layout) band() float64 {
	u := l.unit
	width := l.size.Width - 2*l.margin
	l.shapes = append(l.shapes, shape{fill: ink})
	blocks := l.pair(l.kinds, kindMax*max(l.frame, footerMin)*u, kindMin*u, width, 1, 2*u)
	if len(blocks) == 2 && blocks[1].indent == 0 {
		blocks = blocks[:1] // one line is enough
	}
	size := l.titleSize(width)
	for i, title := range l.titles {
		b := title.set(size*languageScale(i), width, titleLines)
		b.gap = max(l.padding(3.5), 1.6*u)
		blocks = append(blocks, b)
	}
	y := max(l.padding(10), bandTop*u)
	l.stack(blocks, l.margin, y, width, atStart)
	l.report(blocks)
	y += stackHeight(blocks) + l.padding(8)
	l.shapes[0].box = box{0, 0, l.size.Width, y}
	return y
}

// report records which blocks are shortened.
func (l *layout) report(blocks []block) {
	for i := range blocks {
		if blocks[i].cut {
			l.shortened = append(l.shortened, blocks[i].original)
		}
	}
}

// titleSize returns the size of the title in the first language, with which the
// title fits in every language.
func (l *layout) titleSize(width float64) float64 {
	u := l.unit
	fits := func(size float64, lines int) bool {
		for i, title := range l.titles {
			if !title.fits(size*languageScale(i), width, lines) {
				return false
			}
		}
		return true
	}
	for size := titleMax * l.frame * u; size > titleMin*u; size *= 0.97 {
		lines := 2
		if size < titleWrap*max(l.frame, 0.8)*u {
			lines = titleLines
		}
		if fits(size, lines) {
			for shorter := size; l.languageCount > 1 && shorter >= max(size*titleShrink, titleShort*u); shorter *= 0.98 {
				if fits(shorter, 1) {
					return shorter // two lines instead of four
				}
			}
			return size
		}
	}
	return titleMin * u
}

// footer adds the rule, the responsible organisation, its addresses and the code.
// It returns the position of the rule.
func (l *layout) footer() float64 {
	u := l.unit
	module := max(max(codeMin*u, codeShare*l.size.Width)/float64(l.code.Size), moduleMin*u, moduleAbsolute)
	side := module * float64(l.code.Size)
	quiet := qr.QuietZone * module
	visible := side - 2*quiet
	width := l.size.Width - 2*l.margin - visible - max(8*u, quiet)

	blocks := l.footerBlocks(width, visible)
	height := stackHeight(blocks)
	bottom := Sizes[0].Height*u - l.margin // A5 is a little higher than A4 in proportion, but has the same layout
	y := bottom - max(height, visible)
	rule := box{l.margin, y - max(l.padding(7), quiet) - ruleWidth*u, l.size.Width - 2*l.margin, ruleWidth * u}
	code := box{l.mirror(l.size.Width-l.margin-visible, visible) - quiet, y + (bottom-y-visible)/2 - quiet, side, side}
	l.shapes = append(l.shapes, shape{fill: ink, box: rule}, shape{isCode: true, box: code})
	l.stack(blocks, l.mirror(l.margin, width), y+(bottom-y-height)/2, width, atStart)
	return rule.y
}

// footerBlocks sets the texts beside the code. They are not smaller than the height
// of the code requires.
func (l *layout) footerBlocks(width, height float64) []block {
	scale, smallest := footerMax, max(l.frame, footerMin)
	for scale > smallest && stackHeight(l.footerTexts(width, scale)) > height {
		scale -= 0.02
	}
	blocks := l.footerTexts(width, max(scale, smallest))
	l.report(blocks)
	if l.omitted.address {
		l.shortened = append(l.shortened, l.address.original)
	}
	// Part of an address is of no use.
	return slices.DeleteFunc(blocks, func(b block) bool {
		if !b.cut || !b.isAddress {
			return false
		}
		if slices.Index(l.contacts, b.text) == 0 {
			l.withoutContact = b.original
		}
		return true
	})
}

// footerTexts sets the texts beside the code in the given scale.
func (l *layout) footerTexts(width, scale float64) []block {
	u := l.unit * scale
	blocks := l.pair(l.responsible, bodyMax*u, bodyMin*l.unit, width, responsibleLines, 2*u)
	if len(blocks) != 1 || len(l.others) != 1 || !l.follow(&blocks, l.others[0], width) {
		blocks = append(blocks, l.pair(l.others, invitationMax*u, invitationMin*u, width, 1, 1.4*u)...)
	}
	for i, contact := range l.contacts {
		b := contact.wrap(contactMax*max(u, l.unit), contactWrap*l.unit, contactMin*l.unit, width, contactLines)
		if b.gap = 2 * u; i == 0 {
			b.gap = 3 * u
		}
		blocks = append(blocks, b)
	}
	if !l.omitted.invitation && len(l.invitations) > 0 {
		invitations := l.pair(l.invitations, invitationMax*u, invitationMin*u, width, invitationLines, 2*u)
		invitations[0].gap = 3 * u
		blocks = append(blocks, invitations...)
	}
	if !l.omitted.address {
		b := l.address.shrink(addressMax*u, addressMin*u, width, 1)
		b.gap = 2 * u
		blocks = append(blocks, b)
	}
	return blocks
}

// pair sets a text in one or two languages: on one line if there is room for that,
// or else below one another.
func (l *layout) pair(texts []*text, largest, smallest, width float64, maxLines int, gap float64) []block {
	if len(texts) == 2 && texts[0].rtl == l.rtl && texts[1].rtl == l.rtl {
		length := texts[0].length() + separatorWidth + texts[1].length()
		if size := min(largest, width/length); size >= largest*secondLanguage {
			first, other := texts[0].set(size, width, 1), texts[1].set(size, width, 1)
			first.script = higher(texts[0].script, texts[1].script)
			other.script = first.script // they share a baseline
			first.gap, other.indent = gap, (texts[0].length()+separatorWidth)*size
			return []block{first, other}
		}
	}
	var blocks []block
	for i, t := range texts {
		largest, smallest := largest*languageScale(i), smallest*languageScale(i)
		b := t.shrink(largest, largest*secondLanguage, width, 1)
		if len(texts) == 1 || b.count > 1 || b.cut {
			b = t.shrink(largest, smallest, width, maxLines)
		}
		b.gap = gap
		blocks = append(blocks, b)
	}
	return blocks
}

// follow adds a text after the last line of the last block, and reports whether there is
// room for it.
func (l *layout) follow(blocks *[]block, t *text, width float64) bool {
	last := (*blocks)[len(*blocks)-1]
	if last.cut || last.rtl != l.rtl || t.rtl != l.rtl {
		return false
	}
	lines := last.lines()
	indent := lines[len(lines)-1].width + followWidth
	if (indent+t.length())*last.size > width {
		return false
	}
	b := t.set(last.size, width, 1)
	b.script, b.indent = last.script, indent*last.size
	*blocks = append(*blocks, b)
	return true
}

// higher returns the script that needs the most space above the baseline.
func higher(a, b script) script {
	if a.ascent > b.ascent {
		return a
	}
	return b
}

// languageScale returns the scale of language i.
func languageScale(i int) float64 {
	if i > 0 {
		return secondLanguage
	}
	return 1
}

// shrink sets a text in the largest size with which it fits, or in the smallest.
func (t *text) shrink(largest, smallest, width float64, maxLines int) block {
	size := largest
	for size > smallest && !t.fits(size, width, maxLines) {
		size *= 0.97
	}
	return t.set(max(size, smallest), width, maxLines)
}

// wrap sets a text in as few lines as possible. Only if it does not fit in maxLines, it
// is smaller than good.
func (t *text) wrap(largest, good, smallest, width float64, maxLines int) block {
	for lines := range maxLines {
		if b := t.shrink(largest, good, width, lines+1); t.fits(b.size, width, lines+1) {
			return b
		}
	}
	return t.shrink(largest, smallest, width, maxLines)
}

// stack adds blocks below one another.
func (l *layout) stack(blocks []block, x, y, width float64, a anchor) {
	for i := range blocks {
		b := &blocks[i]
		if b.indent > 0 {
			l.add(b, l.mirrorIn(x, width, b.indent, width-b.indent), y-b.height(), width-b.indent, a)
			continue
		}
		if i > 0 {
			y += b.gap
		}
		l.add(b, x, y, width, a)
		y += b.height()
	}
}

// add adds the lines of a block at the given position.
func (l *layout) add(b *block, x, y, width float64, a anchor) {
	s := b.script
	for i, line := range b.lines() {
		top := y + s.leading*b.size*float64(i)
		l.shapes = append(l.shapes, shape{
			box:  box{x, top, width, (s.ascent + s.descent) * b.size},
			text: b.text, line: line, size: b.size, base: top + s.ascent*b.size, anchor: a,
		})
	}
}
