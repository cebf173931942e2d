package sign

import (
	"slices"

	"placard/internal/qr"
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

	kindSize    = 6.4
	titleMax    = 21
	titleMin    = 9
	titleWrap   = 14  // smaller titles may take three lines, unless the frame is small
	secondTitle = 0.6 // size of the second language, relative to the first

	ruleWidth = 1.6

	codeMin        = 48   // with its quiet zone
	codeShare      = 0.23 // of the width of the sign, at least
	moduleMin      = 0.8
	moduleAbsolute = 0.65 // on every size

	bodyMax, bodyMin       = 8.8, 5.5
	contactMax, contactMin = 7, 4
	lineMax, lineMin       = 6.8, 4.5
	addressMax             = 5.6
	secondBody             = 0.8
	footerMin              = 0.8 // the smallest scale of the footer
)

func newLayout(c *content, size Size) *layout {
	u := size.unit()
	return &layout{content: c, size: size, unit: u, margin: pageMargin * u}
}

// frames are the scales of the band and the footer. They are as large as the
// words of the cells allow.
var frames = []float64{1, 0.94, 0.88, 0.82, 0.76, 0.7, 0.64, 0.58}

// draw adds all shapes. It calls step, which may be nil, for each attempt.
func (l *layout) draw(step func() error) error {
	all := arrangements(len(l.cells))
	choices := [][]arrangement{all}
	if l.languages > 1 && l.size.Width < l.size.Height {
		// Both languages are larger in a list, with a line for each of them.
		choices = [][]arrangement{{list}, all}
	}
	for _, choice := range choices {
		for shown := allCaptions; shown <= noCaptions; shown++ {
			for _, l.frame = range frames {
				if step != nil {
					if err := step(); err != nil {
						return err
					}
				}
				g := l.start(shown)
				if p := g.best(choice, max(scaleGood, l.frame)); p != nil {
					l.place(p, g.top, g.bottom)
					return nil
				}
			}
		}
	}
	g := l.start(noCaptions)
	g.iconMin = iconTiny * l.unit
	p := g.best(all, scaleMin)
	if p == nil {
		g.cut = true
		p = g.best(all, scaleMin)
	}
	if p != nil {
		l.place(p, g.top, g.bottom)
	}
	return nil
}

// start adds the band and the footer, and returns the grid between them.
func (l *layout) start(shown captions) *grid {
	l.shapes, l.shortened = l.shapes[:0], nil
	top := l.band()
	bottom := l.footer()
	return newGrid(l, shown, top+l.padding(7), bottom-l.padding(7))
}

// padding returns the space of the given height on A4, which shrinks with the frame.
func (l *layout) padding(height float64) float64 { return height * l.frame * l.unit }

// band adds the title and returns the height of the band.
func (l *layout) band() float64 {
	u := l.unit
	width := l.size.Width - 2*l.margin
	at := len(l.shapes)
	l.shapes = append(l.shapes, shape{fill: ink})
	y := l.padding(10)
	for _, kind := range l.kinds {
		b := kind.shrink(kindSize*u, lineMin*u, width, 1)
		if b.cut {
			l.shortened = append(l.shortened, kind.original)
		}
		y = l.add(b, l.margin, y, width, atStart) + l.padding(3.5)
	}
	size := l.titleSize(width)
	for i, title := range l.titles {
		if i > 0 {
			y += l.padding(3)
			size *= secondTitle
		}
		b := title.set(size, width, 3)
		if b.cut {
			l.shortened = append(l.shortened, title.original)
		}
		y = l.add(b, l.margin, y, width, atStart)
	}
	y += l.padding(7)
	l.shapes[at].box = box{0, 0, l.size.Width, y}
	return y
}

// titleSize returns the size of the title in the first language, with which the
// title fits in every language.
func (l *layout) titleSize(width float64) float64 {
	u := l.unit
	for size := titleMax * l.frame * u; size > titleMin*u; size *= 0.97 {
		lines := 2
		if size < titleWrap*max(l.frame, 0.8)*u {
			lines = 3
		}
		fits := true
		for i, title := range l.titles {
			fits = fits && title.fits(size*second(i, secondTitle), width, lines)
		}
		if fits {
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
	width := l.size.Width - 2*l.margin - visible - 8*u

	blocks := l.footerBlocks(width, visible)
	height := stackHeight(blocks)
	bottom := l.size.Height - l.margin
	y := bottom - max(height, visible)
	rule := box{l.margin, y - max(l.padding(7), quiet) - ruleWidth*u, l.size.Width - 2*l.margin, ruleWidth * u}
	code := box{l.mirror(l.size.Width-l.margin-visible, visible) - quiet, y - quiet, side, side}
	l.shapes = append(l.shapes, shape{fill: ink, box: rule}, shape{isCode: true, box: code})
	l.stack(blocks, l.mirror(l.margin, width), y+(bottom-y-height)/2, width, atStart)
	return rule.y
}

// footerBlocks sets the texts beside the code. They are not smaller than the height
// of the code requires.
func (l *layout) footerBlocks(width, height float64) []block {
	scale, smallest := 1.0, max(l.frame, footerMin)
	for scale > smallest && stackHeight(l.footerTexts(width, scale)) > height {
		scale -= 0.02
	}
	blocks := l.footerTexts(width, max(scale, smallest))
	for i := range blocks {
		if b := &blocks[i]; b.cut && b.text != l.address { // the code contains the address
			l.shortened = append(l.shortened, b.original)
		}
	}
	// Part of an address is of no use.
	return slices.DeleteFunc(blocks, func(b block) bool { return b.cut && (b.text == l.address || slices.Contains(l.contacts, b.text)) })
}

// footerTexts sets the texts beside the code in the given scale.
func (l *layout) footerTexts(width, scale float64) []block {
	u := l.unit * scale
	var blocks []block
	add := func(t *text, largest, smallest float64, maxLines int, gap float64) {
		b := t.shrink(largest*u, smallest*u, width, maxLines)
		b.gap = gap * u
		blocks = append(blocks, b)
	}
	for i, name := range l.responsible {
		add(name, bodyMax*second(i, secondBody), bodyMin*second(i, secondBody), 3, 2)
	}
	for i, address := range l.contacts {
		add(address, contactMax, contactMin, 1, second(i, 0.5)*4)
	}
	for i, invitation := range l.invitations {
		add(invitation, lineMax*second(i, secondBody), lineMin*second(i, secondBody), 3, second(i, 0.5)*4)
	}
	add(l.address, addressMax, contactMin, 1, 2)
	return blocks
}

// second returns the scale of text i: that of the second language, or 1.
func second(i int, scale float64) float64 {
	if i > 0 {
		return scale
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

// stack adds blocks below one another.
func (l *layout) stack(blocks []block, x, y, width float64, a anchor) {
	for i := range blocks {
		if i > 0 {
			y += blocks[i].gap
		}
		y = l.add(blocks[i], x, y, width, a)
	}
}

// add adds the lines of a block at the given position and returns the position
// below them.
func (l *layout) add(b block, x, y, width float64, a anchor) float64 {
	s := b.script
	for i, line := range b.lines() {
		top := y + s.leading*b.size*float64(i)
		l.shapes = append(l.shapes, shape{
			box:  box{x, top, width, (s.ascent + s.descent) * b.size},
			text: b.text, line: line, size: b.size, base: top + s.ascent*b.size, anchor: a,
		})
	}
	return y + b.height()
}
