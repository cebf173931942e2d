package view

import (
	"cmp"
	"slices"

	"placard/internal/datachain"
	"placard/internal/taxonomy"
)

// entries are the variables that a placement gives values to, by id; of two
// with the same id the first counts.
type entries map[string]*datachain.Variable

func newEntries(p *datachain.Placement) entries {
	if len(p.Variables) == 0 {
		return nil
	}
	e := make(entries, len(p.Variables))
	for i := range p.Variables {
		v := &p.Variables[i]
		if e[v.ID] == nil {
			e[v.ID] = v
		}
	}
	return e
}

// references are the variables that a text, as it is shown, refers to.
func (b *builder) references(l taxonomy.Localized) map[string]bool {
	value, _ := b.choose(l)
	var ids map[string]bool
	for p := range taxonomy.Placeholders(value) {
		if ids == nil {
			ids = make(map[string]bool)
		}
		ids[p.VariableID] = true
	}
	return ids
}

// fill returns a text of e with values in place of the variables it refers to.
// A variable without a value shows its label; what names no variable stays as
// it is written.
func (b *builder) fill(l taxonomy.Localized, e *element, given entries) Text {
	text := b.text(l)
	template := text.Text
	end := 0
	literal := func(upTo int) {
		if end < upTo {
			text.Parts = append(text.Parts, Text{Text: template[end:upTo]})
		}
	}
	for p := range taxonomy.Placeholders(template) {
		v := e.variable(p.VariableID)
		if v == nil {
			continue
		}
		if b.full() {
			break
		}
		literal(p.Start)
		text.Parts = append(text.Parts, b.filled(v, given[v.ID]))
		end = p.End
	}
	if end > 0 {
		literal(len(template))
		text.Text = ""
	}
	return text
}

// filled is the value of v, or the label of v where there is none.
func (b *builder) filled(v *taxonomy.Variable, given *datachain.Variable) Text {
	if given != nil {
		if value := b.value(v, given); !value.IsZero() {
			value.Kind = kindValue
			return value
		}
	}
	blank := b.named(v.Label, v.ID)
	blank.Kind = kindBlank
	return blank
}

// value is what a placement gives for v.
func (b *builder) value(v *taxonomy.Variable, given *datachain.Variable) Text {
	if len(given.Options) == 0 {
		return b.text(given.Text)
	}
	names := b.options[v]
	if names == nil {
		names = make(map[string]taxonomy.Localized, len(v.Options))
		for i := range v.Options {
			names[v.Options[i].ID] = v.Options[i].Name
		}
		b.options[v] = names
	}
	var options []Text
	for _, id := range given.Options {
		if b.spend(32); b.full() {
			break
		}
		options = append(options, b.named(names[id], id))
	}
	return b.list(options)
}

// unshown are the values that no text of the element refers to, in the order in
// which their variables are declared.
func (b *builder) unshown(e *element, given entries) []Fact {
	shown := [...]map[string]bool{b.references(e.Title), b.references(e.Description)}
	var facts []Fact
	for _, v := range e.declared(given) {
		if shown[0][v.ID] || shown[1][v.ID] || b.full() {
			continue
		}
		if value := b.value(v, given[v.ID]); !value.IsZero() {
			facts = append(facts, Fact{b.named(v.Label, v.ID), value})
		}
	}
	return facts
}

// variable returns the variable of e called id, its own or its category's, or
// nil.
func (e *element) variable(id string) *taxonomy.Variable {
	switch i := e.position(id); {
	case i < 0:
		return nil
	case i < len(e.Variables):
		return &e.Variables[i]
	default:
		return &e.category.Variables[i-len(e.Variables)]
	}
}

// position returns where the variable called id stands among those of e, its
// own before its category's, or -1.
func (e *element) position(id string) int {
	if e.variables == nil {
		e.variables = positions(e.Variables)
	}
	if i, ok := e.variables[id]; ok {
		return i
	}
	c := e.category
	if c.variables == nil {
		c.variables = positions(c.Variables)
	}
	if i, ok := c.variables[id]; ok {
		return len(e.Variables) + i
	}
	return -1
}

// declared returns the variables of e that are given a value, in their order.
func (e *element) declared(given entries) []*taxonomy.Variable {
	var list []*taxonomy.Variable
	for id := range given {
		if v := e.variable(id); v != nil {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(x, y *taxonomy.Variable) int { return cmp.Compare(e.position(x.ID), e.position(y.ID)) })
	return list
}

// positions returns where the first variable of each id stands.
func positions(variables []taxonomy.Variable) map[string]int {
	at := make(map[string]int, len(variables))
	for i := range variables {
		if _, ok := at[variables[i].ID]; !ok {
			at[variables[i].ID] = i
		}
	}
	return at
}

// list joins texts as the page's language does, in their own direction where
// they agree on one. One alone stays as it is.
func (b *builder) list(texts []Text) Text {
	if len(texts) == 1 {
		return texts[0]
	}
	list := Text{Dir: b.dir}
	if len(texts) > 0 && !slices.ContainsFunc(texts, func(t Text) bool { return t.Dir != texts[0].Dir }) {
		list.Dir = texts[0].Dir
	}
	for i, t := range texts {
		if i > 0 {
			list.Parts = append(list.Parts, Text{Text: b.labels.comma})
		}
		t.Kind = kindOption
		list.Parts = append(list.Parts, t)
	}
	return list
}
