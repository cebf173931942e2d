package sign

// arrangement is a way to arrange the cells: in columns, with the words below or
// beside the icons.
type arrangement struct {
	columns int
	beside  bool
	share   float64 // of the first of two languages in the width of the words
}

// arrangements lists the arrangements of a number of cells, the preferred one first. Two
// languages are always beside one another, in a list.
func arrangements(cells, languages int) []arrangement {
	all := []arrangement{{columns: 1, beside: true, share: 0.5}}
	switch {
	case languages > 1:
		all = append(all, arrangement{1, true, 0.46}, arrangement{1, true, 0.54})
	case cells <= few:
		all = append(all, arrangement{columns: max(cells, 1)})
	case cells%2 == 0: // an odd number would leave a gap at the end
		all = append(all, arrangement{columns: 2, beside: true})
	}
	return all
}

// Lengths on A4, and numbers of lines.
const (
	iconMin, iconMax = 28, 46
	iconTiny         = 18 // if there is no room for larger ones
	iconMinFew       = 42 // with few cells
	iconMaxFew       = 72
	iconTwo          = 0.75 // the smallest scale of icons in two languages, which need the width
	iconBeside       = 34   // beside words in narrow columns
	iconStep         = 2
	few              = 3

	nameSize     = 12.0
	captionSize  = 8.3
	answerMin    = 7.0  // of captions that are answers, with names of a good scale
	answerShare  = 0.86 // the largest size of answers, relative to names
	nameLines    = 3
	captionLines = 3

	// Scales of names and captions.
	scaleMin       = 0.45
	scaleGood      = 0.7  // more is omitted rather than set smaller than this: capitals are 6 mm high
	scaleLarge     = 0.94 // explanations are omitted rather than set smaller than this: capitals are 8 mm high
	scaleLargeTwo  = 0.8  // the same, in two languages
	scaleMax       = 1.25
	scaleMaxFew    = 1.6
	scaleStep      = 0.02
	scaleTolerance = 0.04 // smaller differences do not decide between arrangements
)

// grid finds the best plan for the cells of a layout.
type grid struct {
	*layout
	top, bottom float64
	width       float64
	scaleMax    float64
	iconMin     float64
	iconMax     float64
	cut         int // if it is positive, texts are shortened to this number of lines
}

func newGrid(l *layout, top, bottom float64) *grid {
	g := &grid{
		layout: l, top: top, bottom: bottom, width: l.size.Width - 2*l.margin,
		scaleMax: scaleMax, iconMin: iconMin * l.unit, iconMax: iconMax * l.unit,
	}
	if len(l.cells) <= few {
		g.scaleMax, g.iconMin, g.iconMax = scaleMaxFew, iconMinFew*l.unit, iconMaxFew*l.unit
	}
	if l.languageCount > 1 {
		g.iconMin *= iconTwo
	}
	if l.isCrowded {
		g.iconMin = iconTiny * l.unit
	}
	return g
}

// best returns the plan with the largest words, or nil if they would be smaller than
// the given scale.
func (g *grid) best(smallest float64) *plan {
	var best *plan
	for _, a := range arrangements(len(g.cells), g.languageCount) {
		if best != nil {
			smallest = best.scale + scaleTolerance
		}
		for scale := smallest; scale <= g.scaleMax; scale += scaleStep {
			p := g.plan(a, scale)
			if p == nil {
				break
			}
			best = p
		}
	}
	return best
}

// plan is an arrangement with all texts set.
type plan struct {
	arrangement
	scale   float64     // of the texts
	icon    float64     // width and height
	texts   [][][]block // by cell and column of words
	rows    int
	heights []float64 // of the rows
	column  float64   // width
	widths  []float64 // of the words in each language
	gap     float64   // between columns
	rowGap  float64   // the minimum
}

// plan returns a plan with texts of the given scale, or nil if they do not fit.
func (g *grid) plan(a arrangement, scale float64) *plan {
	u := g.unit
	n := len(g.cells)
	p := &plan{arrangement: a, scale: scale, rows: (n + a.columns - 1) / a.columns, gap: 6 * u, rowGap: 8 * u}
	if a.beside {
		p.rowGap = 4 * u
	}
	p.column = (g.width - float64(a.columns-1)*p.gap) / float64(a.columns)
	room := g.bottom - g.top - float64(p.rows-1)*p.rowGap
	if a.beside {
		p.icon = min(room/float64(p.rows), g.iconMax)
		if a.columns > 1 {
			p.icon = min(p.icon, iconBeside*u)
		}
		// The smaller the icons are, the wider are the words.
		for !g.set(p, p.column-p.icon-besideGap*u) || p.height(u) > room {
			if p.icon <= g.iconMin {
				return nil
			}
			p.icon = max(p.icon-iconStep*u, g.iconMin)
		}
	} else {
		if !g.set(p, p.column) {
			return nil
		}
		var texts float64
		for _, h := range p.heights {
			texts += h
		}
		p.icon = min((room-texts)/float64(p.rows)-belowGap*u, g.iconMax, p.column)
	}
	if p.icon < g.iconMin {
		return nil
	}
	for i, words := range p.heights {
		p.heights[i] = p.rowHeight(words, u)
	}
	return p
}

// set sets the words of all cells of a plan, and reports whether they fit into the
// given width.
func (g *grid) set(p *plan, width float64) bool {
	if p.widths = []float64{width}; g.languageCount > 1 {
		width -= p.gap
		p.widths = []float64{width * p.share, width * (1 - p.share)}
	}
	p.texts, p.heights = p.texts[:0], make([]float64, p.rows)
	for i := range g.cells {
		stacks := g.words(&g.cells[i], p.scale, p.widths)
		if stacks == nil {
			return false
		}
		p.texts = append(p.texts, stacks)
		row := &p.heights[i/p.columns]
		for _, blocks := range stacks {
			*row = max(*row, stackHeight(blocks))
		}
	}
	return true
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
	besideGap   = 7
	besideSpace = 2 // above and below the words together
	belowGap    = 4
)

// words sets the words of a cell in each language. It returns nil if they do not fit.
func (g *grid) words(c *cell, scale float64, widths []float64) [][]block {
	var stacks [][]block
	for i, w := range c.words {
		var stack []block
		ok := true
		add := func(t *text, size float64, maxLines int, gap float64) {
			size *= g.unit
			if t.isEmpty() {
				return
			}
			if g.cut > 0 {
				maxLines = g.cut
			} else if !t.fits(size, widths[i], maxLines) {
				ok = false
				return
			}
			b := t.set(size, widths[i], maxLines)
			b.gap = gap * size
			stack = append(stack, b)
		}
		name, caption := nameSize*scale, captionSize*scale
		add(w.name, name, nameLines, 0)
		switch {
		case c.isAnswer:
			add(w.caption, max(caption, min(answerMin, answerShare*name)), captionLines, 0.15)
		case !c.isExplaining || !g.omitted.explanations:
			add(w.caption, caption, captionLines, 0.15)
		}
		if c.omitsSecond {
			add(w.count, caption, captionLines, 0.2)
		} else {
			add(w.also, caption, captionLines, 0.2)
		}
		if !ok {
			return nil
		}
		stacks = append(stacks, stack)
	}
	return stacks
}

// place adds the cells of a plan, spread over the space between two positions.
func (l *layout) place(p *plan, top, bottom float64) {
	u := l.unit
	height := 0.0
	for _, h := range p.heights {
		height += h
	}
	free := bottom - top - height
	gap := max(free/float64(p.rows+1), p.rowGap)
	y := top + (free-gap*float64(p.rows-1))/2
	n := len(l.cells)
	for i := range l.cells {
		row, column := i/p.columns, i%p.columns
		if i > 0 && column == 0 {
			y += p.heights[row-1] + gap
		}
		inRow := min(p.columns, n-row*p.columns)
		rowWidth := float64(inRow)*p.column + float64(inRow-1)*p.gap
		x := float64(column) * (p.column + p.gap)
		if !p.beside {
			x += (l.size.Width - 2*l.margin - rowWidth) / 2
		}
		x = l.mirror(l.margin+x, p.column)
		iconX, iconY := x+(p.column-p.icon)/2, y
		if p.beside {
			iconX, iconY = l.mirrorIn(x, p.column, 0, p.icon), y+(p.heights[row]-p.icon)/2
		}
		l.shapes = append(l.shapes, shape{icon: l.cells[i].icon, box: box{iconX, iconY, p.icon, p.icon}})
		height := 0.0 // of the words
		for _, blocks := range p.texts[i] {
			height = max(height, stackHeight(blocks))
		}
		indent := p.icon + besideGap*u
		for k, blocks := range p.texts[i] {
			l.report(blocks)
			if !p.beside {
				l.stack(blocks, x, y+p.icon+belowGap*u, p.column, atMiddle)
				continue
			}
			l.stack(blocks, l.mirrorIn(x, p.column, indent, p.widths[k]), y+(p.heights[row]-height)/2, p.widths[k], atStart)
			indent += p.widths[k] + p.gap
		}
	}
}

// mirrorIn returns the left edge of something of the given width that is indented in
// the column at x.
func (l *layout) mirrorIn(x, column, indent, width float64) float64 {
	if l.rtl {
		return x + column - indent - width
	}
	return x + indent
}

// mirror returns the left edge of something of the given width, which is at x on a
// sign that is written from left to right.
func (l *layout) mirror(x, width float64) float64 {
	if l.rtl {
		return l.size.Width - x - width
	}
	return x
}
