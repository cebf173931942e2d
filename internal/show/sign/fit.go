package sign

import (
	"slices"

	"placard/internal/core/problem"
)

// omitted is what a layout leaves out for lack of room. Cells also leave out second
// answers.
type omitted struct {
	explanations bool // captions without which the names are true
	invitation   bool // to scan the code
	address      bool // of the page; the code contains it
}

// omissions returns what is left out for lack of room, in this order. Only the first of
// them is left out to make the words large.
func (l *layout) omissions() []*bool {
	all := []*bool{&l.omitted.explanations}
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
	return append(append(all, important...), &l.omitted.invitation, &l.omitted.address)
}

// draw adds all shapes. It calls step, which may be nil, for each attempt.
func (l *layout) draw(step func() error) error {
	large := scaleLarge
	if l.languageCount > 1 {
		large = scaleLargeTwo
	}
	omissions := l.omissions()
	for _, a := range []struct {
		omissions       []*bool
		smallest, frame float64
	}{
		{omissions[:1], large, frameGood},
		{omissions[:len(omissions)-2], large, frameGood},
		{omissions, scaleGood, 0},
	} {
		if ok, err := l.attempt(a.omissions, a.smallest, a.frame, step); ok || err != nil {
			return err
		}
	}
	l.isCrowded = true
	g := l.start()
	p := g.best(scaleMin)
	if p != nil {
		l.restore(omissions, p.scale)
		return nil
	}
	g.scaleMax = scaleMin // larger words would be shortened more
	for g.cut = captionLines + 1; p == nil && g.cut > 0; g.cut-- {
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

// frameGood is the frame below which explanations are omitted rather than the title set
// smaller.
const frameGood = 0.58

// attempt adds all shapes, with as few omissions as possible, words of at least the
// scale smallest, and a frame of at least smallestFrame. It reports whether there is room
// for them.
func (l *layout) attempt(omissions []*bool, smallest, smallestFrame float64, step func() error) (bool, error) {
	for _, isOmitted := range omissions {
		*isOmitted = false
	}
	for n := range len(omissions) + 1 {
		if n > 0 {
			*omissions[n-1] = true
		}
		for _, l.frame = range frames {
			if l.frame < smallestFrame {
				break
			}
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
	switch {
	case l.isCrowded:
		balance = 0
	case l.languageCount > 1:
		balance *= twoTitles
	}
	g := l.start()
	p := g.best(max(smallest, min(balance, g.scaleMax)))
	if p != nil {
		l.place(p, g.top, g.bottom)
	}
	return p != nil
}
