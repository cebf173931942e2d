package sign

import (
	"cmp"
	"strings"

	"placard/internal/qr"
	"placard/internal/view"
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
	languages   int // number of them
	rtl         bool
	kinds       []*text
	titles      []*text
	cells       []cell
	responsible []*text
	contacts    []*text
	invitations []*text // to scan the code
	code        qr.Code
	address     *text // of the page, for people who cannot scan the code
}

// cell is an icon with words, in each of the languages.
type cell struct {
	element  string // id
	icon     string // SVG
	names    []*text
	captions []*text
	isAnswer bool // the captions are values of a scale, which answer a question
}

// add adds the texts of a model, and the icons of the first one.
func (c *content) add(m *view.Model, highlights []view.Highlight) {
	first := c.cells == nil
	w := regular
	if first {
		w = bold
		c.rtl = m.Direction == rightToLeft
		c.cells = make([]cell, len(highlights))
	}
	texts := textsFor(m.Locale)
	newText := func(t view.Text, w weight, color string) *text {
		dir := directionOf(t, m.Direction)
		return newText(isolated(t, dir), cmp.Or(t.Lang, m.Locale), dir == rightToLeft, w, color)
	}
	if c.languages == 1 { // two titles leave no room for it
		c.kinds = appendNew(c.kinds, newText(m.Kind, regular, softPale))
	}
	c.titles = appendNew(c.titles, newText(m.Title, w, paper))
	for i, h := range highlights {
		if i == len(c.cells) {
			break
		}
		cell := &c.cells[i]
		if first {
			cell.element, cell.icon = h.ElementID, h.Icon.SVG
			cell.isAnswer = h.Context != nil && h.Context.Scale != nil
		}
		if cell.element != h.ElementID {
			continue // the languages must not show different placements
		}
		name, caption := words(&h, texts)
		cell.names = appendNew(cell.names, newText(name, bold, ink))
		if cell.isAnswer {
			cell.captions = appendNew(cell.captions, newText(caption, bold, ink))
		} else {
			cell.captions = appendNew(cell.captions, newText(caption, regular, softInk))
		}
	}
	invitation := texts.learn
	if len(m.Choices) > 0 {
		invitation = texts.learnAndAct
	}
	c.invitations = appendNew(c.invitations, newText(view.Text{Text: invitation, Lang: texts.locale, Dir: view.Direction(texts.locale)}, regular, ink))
	if r := m.Responsible; r != nil {
		c.responsible = appendNew(c.responsible, newText(r.Name, w, ink))
		if first {
			c.contacts = contacts(r.Contacts)
		}
	}
	if first && len(c.contacts) == 0 {
		for i := range m.Choices {
			c.contacts = append(c.contacts, contacts(m.Choices[i].Actions)...)
		}
	}
	c.contacts = c.contacts[:min(len(c.contacts), maxContacts)]
}

// appendNew appends a text, unless it is empty or the same in both languages.
func appendNew(texts []*text, t *text) []*text {
	if t.isEmpty() || len(texts) > 0 && texts[0].original == t.original {
		return texts
	}
	return append(texts, t)
}

// words returns the name of a placement, which is usually the title of its element,
// and the line below it. That is the context value or, if there is none, the label of
// the placement and how many others there are: the context value of a highlight is
// the most important one, but an arbitrary placement must not seem to be the only one.
func words(h *view.Highlight, texts *texts) (name, caption view.Text) {
	if h.Context == nil {
		caption = h.Caption
		switch {
		case caption.IsZero():
			caption = h.Others
		case h.Others.Lang == caption.Lang && !h.Others.IsZero():
			caption = join(caption, texts.space, h.Others)
		}
		return h.Heading, caption
	}
	caption = h.Context.Value
	if label := h.Context.Name; !label.IsZero() && label.Lang == caption.Lang {
		caption = join(label, texts.colon, caption)
	}
	return h.Heading, caption
}

// join joins two texts of the same language.
func join(first view.Text, separator string, second view.Text) view.Text {
	return view.Text{Lang: first.Lang, Dir: first.Dir, Parts: []view.Text{first, {Text: separator}, second}}
}

const maxContacts = 2

// contacts returns the addresses of actions.
func contacts(actions []view.Action) []*text {
	var addresses []*text
	for _, a := range actions {
		address := strings.TrimSpace(a.Target.String())
		if a.Href == "" || address == "" {
			continue
		}
		for _, prefix := range []string{"mailto:", "tel:", "https://"} {
			address = strings.TrimPrefix(address, prefix)
		}
		addresses = append(addresses, newAddress(strings.TrimSuffix(address, "/"), regular, ink))
	}
	return addresses
}
