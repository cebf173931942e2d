package view

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"placard/internal/core/datachain"
	"placard/internal/core/link"
	"placard/internal/core/taxonomy"
)

// assignments are the variables of a placement, by id. If an id is repeated, the
// first variable is used.
type assignments map[string]*datachain.Variable

func newAssignments(p *datachain.Placement) assignments {
	if len(p.Variables) == 0 {
		return nil
	}
	a := make(assignments, len(p.Variables))
	for i := range p.Variables {
		v := &p.Variables[i]
		if a[v.ID] == nil {
			a[v.ID] = v
		}
	}
	return a
}

// references returns the ids of the variables that the shown text of l refers to.
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

// expand returns a text of e with its placeholders replaced by values, or by the
// labels of variables without a value. Placeholders of unknown variables are left
// unchanged.
func (b *builder) expand(l taxonomy.Localized, e *element, assigned assignments) Text {
	text := b.text(l)
	template := text.Text
	end := 0
	addLiteral := func(until int) {
		if end < until {
			text.Parts = append(text.Parts, Text{Text: template[end:until]})
		}
	}
	for p := range taxonomy.Placeholders(template) {
		v := e.variable(p.VariableID)
		if v == nil {
			continue
		}
		if b.add(textSize); b.err != nil {
			break
		}
		addLiteral(p.Start)
		text.Parts = append(text.Parts, b.valueOrLabel(v, assigned[v.ID]))
		end = p.End
	}
	if end > 0 {
		addLiteral(len(template))
		text.Text = ""
	}
	return text
}

// valueOrLabel returns the assigned value of v, or the label of v if there is
// none.
func (b *builder) valueOrLabel(v *taxonomy.Variable, assigned *datachain.Variable) Text {
	if assigned != nil {
		if value := b.value(v, assigned); !value.IsZero() {
			value.Kind = kindValue
			return value
		}
	}
	blank := b.nameOrID(v.Label, v.ID)
	blank.Kind = kindBlank
	return blank
}

// value returns the assigned value of v.
func (b *builder) value(v *taxonomy.Variable, assigned *datachain.Variable) (value Text) {
	assigned.Value.Match(
		func(texts taxonomy.Localized) { value = b.text(texts) },
		func(ids []string) { value = b.optionNames(v, ids) })
	return value
}

// optionNames returns the names of options of v.
func (b *builder) optionNames(v *taxonomy.Variable, ids []string) Text {
	names := b.options[v]
	if names == nil {
		names = make(map[string]taxonomy.Localized, len(v.Options))
		for i := range v.Options {
			names[v.Options[i].ID] = v.Options[i].Name
		}
		b.options[v] = names
	}
	var options []Text
	for _, id := range ids {
		if b.add(2 * textSize); b.err != nil { // with a separator
			break
		}
		options = append(options, b.nameOrID(names[id], id))
	}
	return b.join(options)
}

// facts returns the values that neither the title nor the name contains, in the order
// of declaration. The definition of the element is folded, so that its values are
// repeated.
func (b *builder) facts(e *element, assigned assignments, named *taxonomy.Variable) []Fact {
	inTitle := b.references(e.Title)
	var facts []Fact
	for _, v := range e.assignedVariables(assigned) {
		if v == named || inTitle[v.ID] || b.err != nil {
			continue
		}
		if value := b.value(v, assigned[v.ID]); !value.IsZero() {
			isStatement := v.Kind == taxonomy.LocalizedText && utf8.RuneCountInString(value.Text) > maxShortText
			facts = append(facts, Fact{b.nameOrID(v.Label, v.ID), b.withLinks(value), isStatement})
		}
	}
	return facts
}

// maxShortText is the maximum number of characters of a text that needs a label.
const maxShortText = 24

// withLinks returns t with its addresses as links.
func (b *builder) withLinks(t Text) Text {
	if len(t.Parts) > 0 {
		return t
	}
	text, end := t.Text, 0
	for a := range link.Find(text) {
		if end < a.Start {
			t.Parts = append(t.Parts, Text{Text: text[end:a.Start]})
		}
		address := b.linkText(text[a.Start:a.End])
		address.Kind, address.Href = kindLink, a.Href
		t.Parts = append(t.Parts, address)
		end = a.End
	}
	if end > 0 {
		if end < len(text) {
			t.Parts = append(t.Parts, Text{Text: text[end:]})
		}
		t.Text = ""
	}
	return t
}

// variable returns the variable with the given id, of e or its category, or nil.
func (e *element) variable(id string) *taxonomy.Variable {
	switch i := e.variableIndex(id); {
	case i < 0:
		return nil
	case i < len(e.Variables):
		return &e.Variables[i]
	default:
		return &e.category.Variables[i-len(e.Variables)]
	}
}

// variableIndex returns the index of a variable among those of e followed by those
// of its category, or -1.
func (e *element) variableIndex(id string) int {
	if e.variables == nil {
		e.variables = indexVariables(e.Variables)
	}
	if i, ok := e.variables[id]; ok {
		return i
	}
	c := e.category
	if c.variables == nil {
		c.variables = indexVariables(c.Variables)
	}
	if i, ok := c.variables[id]; ok {
		return len(e.Variables) + i
	}
	return -1
}

// assignedVariables returns the variables that are assigned a value, in the order
// of declaration.
func (e *element) assignedVariables(assigned assignments) []*taxonomy.Variable {
	var list []*taxonomy.Variable
	for id := range assigned {
		if v := e.variable(id); v != nil {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(x, y *taxonomy.Variable) int { return cmp.Compare(e.variableIndex(x.ID), e.variableIndex(y.ID)) })
	return list
}

// indexVariables returns the index of the first variable with each id.
func indexVariables(variables []taxonomy.Variable) map[string]int {
	index := make(map[string]int, len(variables))
	for i := range variables {
		if _, ok := index[variables[i].ID]; !ok {
			index[variables[i].ID] = i
		}
	}
	return index
}

// join joins texts to a list, which has the direction of its items if they agree, or
// else that of the page. A single text is returned unchanged.
func (b *builder) join(texts []Text) Text {
	if len(texts) == 1 {
		return texts[0]
	}
	list := Text{Dir: b.dir}
	if len(texts) > 0 && !slices.ContainsFunc(texts, func(t Text) bool { return t.Dir != texts[0].Dir }) {
		list.Dir = texts[0].Dir
	}
	for i, t := range texts {
		if i > 0 {
			list.Parts = append(list.Parts, Text{Text: listSeparator(b.locale)})
		}
		t.Kind = kindOption
		list.Parts = append(list.Parts, t)
	}
	return list
}
