package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"placard/internal/core/link"
	"placard/internal/core/taxonomy"
)

// maxHighlights is the number of placements at the top of a page and on a sign.
const maxHighlights = 6

// Highlight is a placement that represents its category at the top of the page
// and on a sign.
type Highlight struct {
	Category  string // id
	Anchor    string // of the first section of the category
	ElementID string
	Question  Text // the prompt of the category, or its name
	Icon      Icon
	Heading   Text     // the [Placement.Answer]
	Caption   Text     // the [Placement.Detail]
	IsNamed   bool     // Heading is a name, not the title of the element
	Context   *Context // may be nil
	Remaining int      // how many placements the category has after this one
	Others    Text     // Remaining in words, if it is not 0

	// Also is the second placement of the category, if its element or name is another
	// one. Its own Also is nil.
	Also *Highlight

	InstanceID string // only of [Model.Placed]; may be empty
}

// Responsible is the organisation that answers for the system.
type Responsible struct {
	Name     Text
	Contacts []Action // its actions, and the addresses in its values
}

// highlight sets the highlights of m, the choices and the responsible organisation.
func (b *builder) highlight(m *Model) {
	members := b.members()
	ranked := b.rankedCategories(members)
	m.ChoiceCategory = b.choiceCategory(members)
	chain := "" // the subchain instance of the first highlight in one
	for _, c := range ranked {
		// Readers relate the answers to each other, so they are about the same chain.
		placements := slices.SortedStableFunc(slices.Values(members[c]), func(x, y int) int {
			return cmp.Or(compareBools(b.isOutside(x, chain), b.isOutside(y, chain)), b.compareWeight(x, y))
		})
		p := b.placement(placements[0])
		if m.Responsible == nil {
			m.Responsible = b.responsible(placements[0])
		}
		if c.Sign == 0 && ranked[0].Sign > 0 || m.isChoice(c.ID) || len(m.Highlights) == maxHighlights {
			continue
		}
		h := p.highlight()
		h.Category, h.Anchor, h.Question = c.ID, m.anchor(c.ID), b.text(c.Prompt)
		if h.Question.IsZero() {
			h.Question = b.nameOrID(c.Name, c.ID)
		}
		h.Remaining = len(placements) - 1
		h.Others = b.others(h.Remaining)
		h.Also = b.second(h, placements[1:])
		m.Highlights = append(m.Highlights, h)
		chain = cmp.Or(chain, b.chainOf(placements[0]))
	}
	m.Choices = b.choices(members, m.isChoice)
}

// second returns the first of the other placements of a category that differs from h in
// its element or name, or nil.
func (b *builder) second(h Highlight, others []int) *Highlight {
	for _, i := range others {
		also := b.placement(i).highlight()
		if also.ElementID == h.ElementID && also.Heading.String() == h.Heading.String() && also.Caption.String() == h.Caption.String() {
			continue
		}
		also.Category, also.Anchor, also.Question = h.Category, h.Anchor, h.Question
		also.Remaining = h.Remaining - 1
		also.Others = b.others(also.Remaining)
		return &also
	}
	return nil
}

// chainOf returns the id of the subchain instance of placement i, or "".
func (b *builder) chainOf(i int) string { return b.doc.Elements[i].SubchainInstanceID }

// isOutside reports whether there is a chain and placement i is not part of it.
func (b *builder) isOutside(i int, chain string) bool { return chain != "" && b.chainOf(i) != chain }

// others returns how many other placements a category has.
func (b *builder) others(n int) Text {
	switch n {
	case 0:
		return Text{}
	case 1:
		return b.labelText(b.labels.another)
	default:
		return b.labelText(fmt.Sprintf(b.labels.others, n))
	}
}

// choices returns the placements of the category of choices, followed by the
// placements with actions of the other categories.
func (b *builder) choices(members map[*category][]int, isChoice func(category string) bool) []Placement {
	var choices, others []Placement
	for _, c := range b.orderedCategories() {
		for _, i := range members[c] {
			switch p := b.placement(i); {
			case isChoice(c.ID):
				choices = append(choices, *p)
			case len(p.Actions) > 0:
				others = append(others, *p)
			}
		}
	}
	return append(choices, others...)
}

// anchor returns the anchor of the first section of a category.
func (m *Model) anchor(category string) string {
	for s := range m.placements() {
		if s.Category == category {
			return s.Anchor
		}
	}
	return ""
}

// members returns the placements of each category, in the order in which a page
// shows them.
func (b *builder) members() map[*category][]int {
	members := make(map[*category][]int)
	for i, e := range b.placed {
		members[e.category] = append(members[e.category], i)
	}
	for _, placements := range members {
		slices.SortStableFunc(placements, b.comparePriority)
	}
	return members
}

// rankedCategories returns the categories that have placements: those with a rank
// in ascending order, then the others in the order of the taxonomy.
func (b *builder) rankedCategories(members map[*category][]int) []*category {
	var ranked []*category
	for _, c := range b.orderedCategories() {
		if len(members[c]) > 0 {
			ranked = append(ranked, c)
		}
	}
	slices.SortStableFunc(ranked, func(x, y *category) int {
		return cmp.Or(compareBools(x.Sign == 0, y.Sign == 0), cmp.Compare(x.Sign, y.Sign))
	})
	return ranked
}

// choiceCategory returns the id of the category without a rank that has the most
// placements with actions, at least two or half of its own, or "" if there is none. All
// of its placements are things that readers can do, also those without an address.
// Elements without a category have nothing in common.
func (b *builder) choiceCategory(members map[*category][]int) string {
	id, most := "", 0
	for _, c := range b.orderedCategories() {
		n := 0
		for _, i := range members[c] {
			if len(b.placement(i).Actions) > 0 {
				n++
			}
		}
		if n > most && (n > 1 || 2*n >= len(members[c])) && c.Sign == 0 && c.ID != "" {
			id, most = c.ID, n
		}
	}
	return id
}

// compareWeight orders placements by the position of their context values in the
// taxonomy. Placements without a context value are last.
func (b *builder) compareWeight(x, y int) int { return cmp.Compare(b.weight(x), b.weight(y)) }

func (b *builder) weight(i int) int {
	if n, ok := b.contextIndex(&b.doc.Elements[i], b.placed[i]); ok {
		return n
	}
	return math.MaxInt
}

// responsible returns the organisation that placement i names, or nil.
func (b *builder) responsible(i int) *Responsible {
	p, e, assigned := b.placement(i), b.placed[i], newAssignments(&b.doc.Elements[i])
	name, variable := b.nameOf(e, assigned)
	if variable == nil {
		return nil
	}
	r := &Responsible{Name: name, Contacts: slices.Clone(p.Actions)}
	known := make(map[string]bool)
	for _, a := range p.Actions {
		known[a.Href] = true
	}
	for _, v := range e.assignedVariables(assigned) {
		value := b.value(v, assigned[v.ID]).String()
		for a := range link.Find(value) {
			if b.err != nil {
				return r
			}
			if !known[a.Href] {
				known[a.Href] = true
				r.Contacts = append(r.Contacts, Action{Target: b.linkText(value[a.Start:a.End]), Href: a.Href})
			}
		}
	}
	return r
}

// nameOf returns the value of a variable with the id name or title, and that variable,
// or nil.
func (b *builder) nameOf(e *element, assigned assignments) (name Text, variable *taxonomy.Variable) {
	for _, id := range []string{"name", "title"} {
		v := e.variable(id)
		if v == nil || assigned[id] == nil || v.Kind != taxonomy.LocalizedText {
			continue
		}
		if name := b.value(v, assigned[id]); !name.IsZero() {
			return name, v
		}
	}
	return Text{}, nil
}
