package sign

// arrangement is a way to arrange the cells: in columns, with the words below or
// beside the icons.
type arrangement struct {
	columns int
	beside  bool
}

// list is the arrangement with the longest lines.
var list = arrangement{1, true}

// arrangements lists the arrangements of a number of cells, the preferred one first.
func arrangements(cells int) []arrangement {
	switch {
	case cells <= few:
		return []arrangement{list, {max(cells, 1), false}}
	case cells == 4:
		return []arrangement{{2, false}, list, {2, true}, {4, false}}
	}
	return []arrangement{{3, false}, list, {2, true}, {2, false}}
}

// Lengths on A4, and numbers of lines.
const (
	iconMin, iconMax = 30, 38
	iconTiny         = 18 // if there is no room for larger ones
	iconMinFew       = 42 // with few cells
	iconMaxFew       = 72
	iconBeside       = 34 // beside words in narrow columns
	few              = 3

	nameSize       = 9.6
	captionSize    = 6.8
	nameLines      = 3
	captionLines   = 2
	scaleMin       = 0.56
	scaleGood      = 0.82 // captions are omitted rather than set smaller than this
	scaleMax       = 1.0
	scaleMaxFew    = 1.8
	scaleTolerance = 0.2 // smaller differences do not decide between arrangements
)

// captions are the captions that are shown.
type captions int

const (
	allCaptions captions = iota
	answers              // those that answer a question
	noCaptions
)

// grid finds the best plan for the cells of a layout.
type grid struct {
	*layout
	top, bottom float64
	width       float64
	scaleMax    float64
	iconMin     float64
	iconMax     float64
	captions    captions
	cut         bool // texts may be shortened
}

func newGrid(l *layout, shown captions, top, bottom float64) *grid {
	g := &grid{
		layout: l, top: top, bottom: bottom, width: l.size.Width - 2*l.margin, captions: shown,
		scaleMax: scaleMax, iconMin: iconMin * l.unit, iconMax: iconMax * l.unit,
	}
	if len(l.cells) <= few {
		g.scaleMax, g.iconMin, g.iconMax = scaleMaxFew, iconMinFew*l.unit, iconMaxFew*l.unit
	}
	return g
}

// best returns the plan with the largest words in one of the arrangements, or nil if
// they would be smaller than the given scale.
func (g *grid) best(choice []arrangement, smallest float64) *plan {
	var best *plan
	for _, a := range choice {
		if best != nil {
			smallest = best.scale + scaleTolerance
		}
		for scale := g.scaleMax; scale >= smallest; scale -= 0.02 {
			if p := g.plan(a, scale); p != nil {
				best = p
				break
			}
		}
	}
	return best
}

// plan is an arrangement with all texts set.
type plan struct {
	arrangement
	scale   float64 // of the texts
	icon    float64 // width and height
	texts   [][]block
	rows    int
	heights []float64 // of the rows
	column  float64   // width
	gap     float64   // between columns
	rowGap  float64   // the minimum
}

// plan returns a plan with texts of the given scale, or nil if they do not fit.
func (g *grid) plan(a arrangement, scale float64) *plan {
	u := g.unit
	n := len(g.cells)
	p := &plan{arrangement: a, scale: scale, rows: (n + a.columns - 1) / a.columns, gap: 7 * u, rowGap: 8 * u}
	if a.beside {
		p.rowGap = 2 * u
	}
	p.column = (g.width - float64(a.columns-1)*p.gap) / float64(a.columns)
	room := g.bottom - g.top - float64(p.rows-1)*p.rowGap
	words := p.column
	if a.beside {
		p.icon = min(room/float64(p.rows), g.iconMax)
		if a.columns > 1 {
			p.icon = min(p.icon, iconBeside*u)
		}
		words -= p.icon + besideGap*u
	}
	for i := range g.cells {
		blocks, ok := g.words(&g.cells[i], scale, words)
		if !ok {
			return nil
		}
		p.texts = append(p.texts, blocks)
		if i%a.columns == 0 {
			p.heights = append(p.heights, 0)
		}
		row := &p.heights[i/a.columns]
		*row = max(*row, stackHeight(blocks))
	}
	if a.beside {
		for p.icon > g.iconMin && p.height(u) > room {
			p.icon = max(p.icon-u/2, g.iconMin)
		}
	} else {
		var texts float64
		for _, h := range p.heights {
			texts += h
		}
		p.icon = min((room-texts)/float64(p.rows)-belowGap*u, g.iconMax, p.column)
	}
	if p.icon < g.iconMin || p.height(u) > room+0.01 {
		return nil
	}
	for i, words := range p.heights {
		p.heights[i] = p.rowHeight(words, u)
	}
	return p
}

// height returns the height of all rows, while p.heights are those of their words.
func (p *plan) height(unit float64) float64 {
	var height float64
	for _, words := range p.heights {
		height += p.rowHeight(words, unit)
	}
	return height
}

// rowHeight returns the height of a row with words of the given height.
func (p *plan) rowHeight(words, unit float64) float64 {
	if p.beside {
		return max(words+besideSpace*unit, p.icon)
	}
	return words + belowGap*unit + p.icon
}

// Distances between icons and words on A4.
const (
	besideGap   = 8
	besideSpace = 3 // above and below the words together
	belowGap    = 4
)

// words sets the words of a cell and reports whether they fit.
func (g *grid) words(c *cell, scale, width float64) (blocks []block, ok bool) {
	ok = true
	add := func(t *text, size float64, maxLines int, gap float64) {
		if size *= scale * g.unit; !ok || !g.cut && !t.fits(size, width, maxLines) {
			ok = false
			return
		}
		b := t.set(size, width, maxLines)
		b.gap = gap * size
		blocks = append(blocks, b)
	}
	showCaptions := g.captions == allCaptions || g.captions == answers && c.isAnswer
	for i := range max(len(c.names), len(c.captions)) {
		if i < len(c.names) {
			add(c.names[i], nameSize, nameLines, 0.45)
		}
		if i < len(c.captions) && showCaptions {
			add(c.captions[i], captionSize, captionLines, 0.2)
		}
	}
	return blocks, ok
}

// place adds the cells of a plan, spread over the space between two positions.
func (l *layout) place(p *plan, top, bottom float64) {
	u := l.unit
	height := 0.0
	for _, h := range p.heights {
		height += h
	}
	space := (bottom - top - height) / float64(p.rows+1)
	if space < p.rowGap/2 && p.rows > 1 {
		space = (bottom - top - height) / float64(p.rows-1)
		top -= space
	}
	y := top + space
	n := len(l.cells)
	for i := range l.cells {
		row, column := i/p.columns, i%p.columns
		if i > 0 && column == 0 {
			y += p.heights[row-1] + space
		}
		inRow := min(p.columns, n-row*p.columns)
		rowWidth := float64(inRow)*p.column + float64(inRow-1)*p.gap
		x := float64(column) * (p.column + p.gap)
		if !p.beside {
			x += (l.size.Width - 2*l.margin - rowWidth) / 2
		}
		x = l.mirror(l.margin+x, p.column)
		blocks := p.texts[i]
		for k := range blocks {
			if blocks[k].cut {
				l.shortened = append(l.shortened, blocks[k].original)
			}
		}
		iconX, iconY := x+(p.column-p.icon)/2, y
		textX, textY, width, a := x, y+p.icon+belowGap*u, p.column, atMiddle
		if p.beside {
			indent := p.icon + besideGap*u
			iconX, iconY = x, y+(p.heights[row]-p.icon)/2
			textX, textY, width, a = x+indent, y+(p.heights[row]-stackHeight(blocks))/2, p.column-indent, atStart
			if l.rtl {
				iconX, textX = x+p.column-p.icon, x
			}
		}
		l.shapes = append(l.shapes, shape{icon: l.cells[i].icon, box: box{iconX, iconY, p.icon, p.icon}})
		l.stack(blocks, textX, textY, width, a)
	}
}

// mirror returns the left edge of something of the given width, which is at x on a
// sign that is written from left to right.
func (l *layout) mirror(x, width float64) float64 {
	if l.rtl {
		return l.size.Width - x - width
	}
	return x
}
