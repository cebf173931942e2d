package sign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"placard/internal/show/qr"
	"placard/internal/show/view"
)

// Colours of the sign. All texts have a contrast of at least 7:1.
const (
	ink      = "#14161a"
	softInk  = "#3d4047"
	paper    = "#ffffff"
	softPale = "#e4e3de" // on ink
)

// content holds the texts and icons of a sign, in each of its languages.
type content struct {
	languageCount int
	rtl           bool
	kinds         []*text
	titles        []*text
	cells         []cell
	responsible   []*text
	others        []*text // number of other organisations
	contacts      []*text // of the responsible organisation
	invitations   []*text // to scan the code
	code          qr.Code
	address       *text // of the page, for people who cannot scan the code
}

// cell is an icon with words, in each of the languages.
type cell struct {
	element      string // id
	icon         string // SVG
	words        []words
	isAnswer     bool // the captions are as important as the names
	isExplaining bool // the captions can be omitted, because the names are true without them
	needsSecond  bool // the second answer is as important as the first
	omitsSecond  bool // a number replaces the second answer
}

// hasSecond reports whether the cell has a second answer.
func (c *cell) hasSecond() bool {
	return slices.ContainsFunc(c.words, func(w words) bool { return w.also != w.count })
}

// words are the words of a cell in one language.
type words struct {
	name    *text
	caption *text // what the name applies to, or its context value; may be empty
	also    *text // the second answer of the category and the number of others; may be empty
	count   *text // the number of other answers, which can replace also
}

// add adds the texts of a model, and the icons of the first one.
func (c *content) add(m *view.Model, highlights []view.Highlight) {
	first := c.cells == nil
	if first {
		c.rtl = m.Direction == view.RightToLeft
		c.cells = make([]cell, len(highlights))
	}
	phrases := phrasesFor(m.Locale)
	newText := func(t view.Text, w weight, color string) *text {
		dir := directionOf(t, m.Direction)
		return newText(isolated(t, dir), cmp.Or(t.Lang, m.Locale), dir == view.RightToLeft, w, color)
	}
	c.kinds = appendNew(c.kinds, newText(m.Kind, regular, softPale))
	c.titles = appendNew(c.titles, newText(m.Title, bold, paper))
	hasContext := false // a cell above has a context value
	for i := range highlights {
		if i == len(c.cells) {
			break
		}
		h := &highlights[i]
		cell := &c.cells[i]
		if first {
			cell.element, cell.icon = h.ElementID, h.Icon.SVG
			// The first context value is the most important one, and a scale answers a question.
			cell.isAnswer = h.Context != nil && (!hasContext || len(h.Context.Scale) > 0)
			cell.isExplaining = h.Context != nil && !cell.isAnswer
			cell.needsSecond = i == 0 || h.Context == nil && !h.Caption.IsZero() || isGraver(h.Also, h)
			hasContext = hasContext || h.Context != nil
		}
		if cell.element != h.ElementID {
			continue // the languages must not show different placements
		}
		w := words{name: newText(h.Heading, bold, ink), count: newText(phrases.count(h.Remaining), regular, ink)}
		if w.caption = newText(phrases.caption(h), regular, softInk); cell.isAnswer {
			w.caption = newText(phrases.caption(h), bold, ink)
		}
		if w.also = w.count; h.Also != nil {
			if also := phrases.also(h); !also.IsZero() {
				w.also = newText(also, regular, ink)
			}
		}
		cell.words = append(cell.words, w)
	}
	if phrases.learn != "" {
		invitation := phrases.learn
		if len(m.Choices) > 0 && c.languageCount == 1 {
			invitation = phrases.learnAndAct
		}
		c.invitations = appendNew(c.invitations, newText(view.Text{Text: invitation}, regular, ink))
	}
	if r := m.Responsible; r != nil {
		c.responsible = appendNew(c.responsible, newText(r.Name, bold, ink))
		c.others = appendNew(c.others, newText(phrases.count(otherOrganisations(m)), regular, ink))
		if first {
			c.contacts = contacts(r.Contacts)
		}
	}
}

// otherOrganisations returns the number of organisations that are involved besides the
// responsible one.
func otherOrganisations(m *view.Model) int {
	for i := range m.Highlights {
		if h := &m.Highlights[i]; isResponsible(m, h) {
			return h.Remaining
		}
	}
	return 0
}

// appendNew appends a text, unless it is empty or the same in both languages.
func appendNew(texts []*text, t *text) []*text {
	if t.isEmpty() || len(texts) > 0 && texts[0].original == t.original {
		return texts
	}
	return append(texts, t)
}

// isGraver reports whether the context value of a weighs more than that of b.
func isGraver(a, b *view.Highlight) bool {
	weight := func(h *view.Highlight) int {
		if h == nil || h.Context == nil {
			return 0
		}
		n := 0
		for _, filled := range h.Context.Scale {
			if filled {
				n++
			}
		}
		return n
	}
	return weight(a) > weight(b)
}

// caption returns the line below the name of a placement: its context value or, if
// there is none, its label.
func (t phrases) caption(h *view.Highlight) view.Text {
	if h.Context == nil {
		return h.Caption
	}
	if label, value := h.Context.Name, h.Context.Value; !label.IsZero() && label.Lang == value.Lang {
		return t.labelled(label, value)
	}
	return h.Context.Value
}

// also returns the second answer of a category with what it applies to and the number
// of further ones, or a zero text if it says the same as the first. Its context value is
// omitted if it is that of the first.
func (t phrases) also(h *view.Highlight) view.Text {
	also := h.Also
	answer, detail := also.Heading, view.Text{}
	switch {
	case also.Context == nil:
		detail = also.Caption
	case h.Context == nil || h.Context.Value.String() != also.Context.Value.String():
		detail = also.Context.Value
	}
	if !detail.IsZero() {
		answer = join(join(answer, t.opening, detail), t.closing, view.Text{})
	}
	if answer.String() == h.Heading.String() {
		return view.Text{} // another placement of the same element
	}
	if also.Remaining > 0 {
		answer = join(answer, t.pause, t.count(also.Remaining))
	}
	return answer
}

// count returns the number of other answers in words, or a zero text if there are none.
func (t phrases) count(others int) view.Text {
	switch {
	case others <= 0:
		return view.Text{}
	case others == 1:
		return view.Text{Text: fmt.Sprintf(t.other, others)}
	}
	return view.Text{Text: fmt.Sprintf(t.others, others)}
}

// labelled returns a value after its label, with a colon if the label needs one.
func (t phrases) labelled(label, value view.Text) view.Text {
	separator := t.colon
	if label.EndsLabel() {
		separator = " "
	}
	return join(label, separator, value)
}

// join joins two texts. The language is that of the first.
func join(first view.Text, separator string, second view.Text) view.Text {
	return view.Text{Lang: first.Lang, Dir: first.Dir, Parts: []view.Text{first, {Text: separator, Dir: first.Dir}, second}}
}

const maxContacts = 2

// contacts returns the first addresses of actions.
func contacts(actions []view.Action) []*text {
	var addresses []*text
	for _, a := range actions {
		address := strings.TrimSpace(a.Target.String())
		if a.Href == "" || address == "" {
			continue
		}
		if len(addresses) == maxContacts {
			break
		}
		for _, prefix := range []string{"mailto:", "tel:", "https://"} {
			address = strings.TrimPrefix(address, prefix)
		}
		addresses = append(addresses, newAddress(strings.TrimSuffix(address, "/"), regular, ink))
	}
	return addresses
}
