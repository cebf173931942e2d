package view

// answer is a placement of a highlight as a page shows it.
type answer struct {
	Name        Text
	Caption     Text
	IsSecondary bool     // small screens omit the caption
	Role        Text     // a context value without a colour
	Others      Text     // how many placements are not shown
	Context     *Context // with a colour; may be nil
}

func newAnswer(h *Highlight) answer {
	a := answer{Name: h.Heading, Caption: h.Caption, IsSecondary: h.IsNamed || h.Context != nil, Others: h.Others}
	if h.Context != nil && h.Context.Color != "" {
		a.Context = h.Context
	}
	return a
}

// answers returns the placements of h. What they have in common is shown once.
func answers(h Highlight) []answer {
	first := newAnswer(&h)
	if h.Also == nil {
		return []answer{first}
	}
	second := newAnswer(h.Also)
	first.Others = Text{}
	if h.IsNamed && h.Also.IsNamed && h.Caption.String() == h.Also.Caption.String() {
		second.Caption = Text{}
	}
	x, y := h.Context, h.Also.Context
	switch {
	case x == nil || y == nil:
	case x.Value.String() == y.Value.String():
		first.Context = nil
	case first.Context == nil && second.Context == nil:
		first.Role, second.Role = x.Value, y.Value
	}
	return []answer{first, second}
}
