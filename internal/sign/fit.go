package sign

import (
	"slices"

	"placard/internal/problem"
)

// omitted is what a layout leaves out for lack of room. Cells also leave out second
// answers.
type omitted struct {
	address      bool // the printed address, if it makes the footer higher
	explanations bool // captions without which the names are true
	kind         bool // the line above the title
}

// omissions returns what is left out to make the words large, and what is left out
// for lack of room, in this order.
func (l *layout) omissions() (optional, all []*bool) {
	optional = []*bool{&l.omitted.address, &l.omitted.explanations}
	all = slices.Clone(optional)
	var important []*bool
	for i := range slices.Backward(l.cells) {
		switch c := &l.cells[i]; {
		case !c.hasSecond():
		case c.needsSecond:
			important = append(important, &c.omitsSecond)
		default:
			all = append(all, &c.omitsSecond)
		}
	}
	return optional, append(append(all, &l.omitted.kind), important...)
}

// draw adds all shapes. It calls step, which may be nil, for each attempt.
func (l *layout) draw(step func() error) error {
	large := scaleLarge
	if l.languages > 1 {
		large = scaleLargeTwo
	}
	optional, all := l.omissions()
	if ok, err := l.attempt(optional, large, step); ok || err != nil {
		return err
	}
	if ok, err := l.attempt(all, scaleGood, step); ok || err != nil {
		return err
	}
	g := l.start()
	g.iconMin = iconTiny * l.unit
	p := g.best(scaleMin)
	g.cut = captionLines + 1
	for ; p == nil && g.cut > 0; g.cut-- {
		g.scaleMax = scaleMin // larger words would be shortened more
		p = g.best(scaleMin)
	}
	if p == nil {
		return problem.New(problem.BadRequest, "There is no room for the placements on the sign.").
			Hint("Use shorter texts in the document, fewer elements, or one language.")
	}
	l.place(p, g.top, g.bottom)
	return nil
}

// frames are the scales of the band and the footer. They are as large as the
// words of the cells allow.
var frames = []float64{1, 0.94, 0.88, 0.82, 0.76, 0.7, 0.64, 0.58, 0.52, 0.46}

// attempt adds all shapes, with as few omissions as possible and words of at least the
// given scale. It reports whether there is room for them.
func (l *layout) attempt(omissions []*bool, smallest float64, step func() error) (bool, error) {
	for _, isOmitted := range omissions {
		*isOmitted = false
	}
	for n := range len(omissions) + 1 {
		if n > 0 {
			*omissions[n-1] = true
		}
		for _, l.frame = range frames {
			if step != nil {
				if err := step(); err != nil {
					return false, err
				}
			}
			if l.fit(smallest) {
				l.restore(omissions[:n], smallest)
				return true, nil
			}
		}
	}
	return false, nil
}

// restore adds what need not be omitted, because something larger was omitted after it.
func (l *layout) restore(omissions []*bool, smallest float64) {
	for _, isOmitted := range slices.Backward(omissions) {
		*isOmitted = false
		if !l.fit(smallest) {
			*isOmitted = true
		}
	}
	l.fit(smallest)
}

// fit adds all shapes with words of at least the given scale, and reports whether
// there is room for them.
func (l *layout) fit(smallest float64) bool {
	balance := l.frame
	if l.languages > 1 {
		balance *= twoTitles
	}
	g := l.start()
	p := g.best(max(smallest, min(balance, g.scaleMax)))
	if p != nil {
		l.place(p, g.top, g.bottom)
	}
	return p != nil
}
