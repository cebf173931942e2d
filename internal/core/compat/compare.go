package compat

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Compare compares two versions of a taxonomy. Both must have been derived. Renames
// are also followed through the versions in between, which are given from the oldest
// to the newest. Two versions with the same content have no changes. It is an error
// to compare versions of different types.
func Compare(before, after *taxonomy.Taxonomy, between ...*taxonomy.Taxonomy) (*Comparison, error) {
	return CompareIn("", before, after, between...)
}

// CompareIn is like [Compare] with the given main locale, if both versions have it.
func CompareIn(locale string, before, after *taxonomy.Taxonomy, between ...*taxonomy.Taxonomy) (*Comparison, error) {
	if before.Type.ID != after.Type.ID {
		return nil, problem.Failure("%s and %s have different types.", before.ID, after.ID).
			Hint("Only versions of one type can be compared.")
	}
	c := newComparer(locale, before, after, between)
	c.version()
	c.locales()
	c.subchains()
	c.categories()
	c.elements()
	c.symbols()
	return &c.Comparison, nil
}

// comparer collects the changes of one comparison.
type comparer struct {
	Comparison
	common []string // the locales of both versions, in the order of the new one
	pairs  []elementPair
	*impact
}

// elementPair is an element of both versions, or of one of them.
type elementPair struct {
	pair[taxonomy.Element]
	// resorted is set if the position follows from the id, which changed: elements
	// without an order number are sorted by id.
	resorted bool
}

func newComparer(locale string, before, after *taxonomy.Taxonomy, between []*taxonomy.Taxonomy) *comparer {
	c := &comparer{
		Comparison: Comparison{Before: before, After: after, Old: before.ID, New: after.ID, Renames: []Rename{}, Changes: []Change{}},
	}
	succession := NewSuccession(append(slices.Clip(between), after)...)
	for i := range before.Elements {
		id := before.Elements[i].ID
		if to, _ := succession.Find(id); to != id {
			c.Renames = append(c.Renames, Rename{id, to})
		}
	}
	for _, l := range after.Locales {
		if hasLocale(before.Locales, l) {
			c.common = append(c.common, l)
		}
	}
	for _, main := range []string{locale, after.DefaultLocale(), before.DefaultLocale()} {
		if c.Locale == "" && hasLocale(c.common, main) {
			c.Locale = main
		}
	}
	c.pairs = pairElements(before.Elements, after.Elements, succession.elements.now)
	c.impact = newImpact(before, after, c.pairs, succession)
	return c
}

func hasLocale(locales []string, locale string) bool {
	return slices.ContainsFunc(locales, func(l string) bool { return strings.EqualFold(l, locale) })
}

// pairElements returns the elements in the order of the new version. Each is
// followed by those that were merged into it. Removed elements are at the end.
// Positions count the elements of one category.
func pairElements(before, after []taxonomy.Element, now func(string) string) []elementPair {
	oldPos, newPos := positionsInCategory(before), positionsInCategory(after)
	matched := match(before, after, func(e *taxonomy.Element) string { return e.ID }, now)
	pairs := make([]elementPair, len(matched))
	staying := make(map[string][]*pair[taxonomy.Element]) // by category
	for i, m := range matched {
		p := &pairs[i]
		p.pair, p.moved = m, false
		if p.old != nil {
			p.oldPos = oldPos[m.oldPos-1]
		}
		if p.new != nil {
			p.newPos = newPos[m.newPos-1]
		}
		if p.old == nil || p.new == nil {
			continue
		}
		p.resorted = p.old.ID != p.new.ID && isSortedByID(before, m.oldPos-1) && isSortedByID(after, m.newPos-1)
		if !p.merged && !p.resorted && p.old.CategoryID == p.new.CategoryID {
			staying[p.new.CategoryID] = append(staying[p.new.CategoryID], &p.pair)
		}
	}
	for _, list := range staying {
		markMoved(list)
	}
	return pairs
}

// isSortedByID reports whether an element is between its neighbours in the category in
// the order of ids.
func isSortedByID(elements []taxonomy.Element, i int) bool {
	e := &elements[i]
	isAfter := i == 0 || elements[i-1].CategoryID != e.CategoryID || elements[i-1].ID < e.ID
	isBefore := i == len(elements)-1 || elements[i+1].CategoryID != e.CategoryID || e.ID < elements[i+1].ID
	return isAfter && isBefore
}

func positionsInCategory(elements []taxonomy.Element) []int {
	count := make(map[string]int)
	positions := make([]int, len(elements))
	for i := range elements {
		count[elements[i].CategoryID]++
		positions[i] = count[elements[i].CategoryID]
	}
	return positions
}

func (c *comparer) version() {
	s := Subject{Kind: Version, ID: c.New.String(), Name: c.After.Title}
	c.text(s, "title", c.Before.Title, c.After.Title)
	c.text(s, "description", c.Before.Description, c.After.Description)

	before, after := &c.Before.Type, &c.After.Type
	s = Subject{Kind: Type, ID: after.ID, Name: after.Name}
	c.text(s, "name", before.Name, after.Name)
	c.text(s, "description", before.Description, after.Description)
	// The type usually has the locales of the version, whose changes are listed.
	if !slices.Equal(before.Locales, c.Before.Locales) || !slices.Equal(after.Locales, c.After.Locales) {
		c.field(s, "locales", before.Locales, after.Locales)
	}
	c.sources(s, before.Sources, after.Sources)
}

func (c *comparer) locales() {
	for _, p := range match(c.Before.Locales, c.After.Locales, func(l *string) string { return strings.ToLower(*l) }, same) {
		s := Subject{Kind: Locale, ID: *p.either()}
		if whole(c, s, p) == nil {
			position(c, s, p)
		}
	}
}

func (c *comparer) subchains() {
	for _, p := range match(c.Before.Type.Subchains, c.After.Type.Subchains, func(s *taxonomy.Subchain) string { return s.ID }, same) {
		s := Subject{Kind: Subchain, ID: p.either().ID, Name: p.either().Name}
		if isKept(c, &s, p, func() problem.List { return c.subchainRemoved(p.old) }) {
			c.fields(s, p.old, p.new, nil, nil)
		}
	}
}

func (c *comparer) categories() {
	for _, p := range match(c.Before.Categories, c.After.Categories, func(t *taxonomy.Category) string { return t.ID }, same) {
		s := Subject{Kind: Category, ID: p.either().ID, Name: p.either().Name}
		change := whole(c, s, p)
		switch {
		case change == nil:
			c.category(s, p)
		case p.new == nil:
			change.Breaks = c.categoryRemoved(p.old)
		default:
			change.Breaks = slices.Concat(c.categoryRequired(p.new), c.minimumRaised(p.new), c.maximumLowered(p.new))
		}
	}
}

func (c *comparer) category(s Subject, p pair[taxonomy.Category]) {
	before, after := p.old, p.new
	position(c, s, p)
	c.fields(s, before, after, breaks{
		"required":     func() problem.List { return c.categoryRequired(after) },
		"min_elements": func() problem.List { return c.minimumRaised(after) },
		"max_elements": func() problem.List { return c.maximumLowered(after) },
	}, nil)
	c.context(Subject{CategoryID: after.ID}, before.Context, after.Context, func(lost ...string) problem.List {
		if len(lost) == 0 {
			values, _ := c.succession.parts(after.ID, "")
			lost = lostValues(before.Context, after.Context, values.now)
		}
		return c.categoryContextNarrowed(after, lost)
	})
	c.variables(before, after)
}

// context compares the contexts that a category or element declares, either of
// which may be nil. The function narrowed returns the findings if placements can no
// longer have some values: the given one or, without any, those that are lost with
// the whole context.
func (c *comparer) context(owner Subject, before, after *taxonomy.Context, narrowed func(lost ...string) problem.List) {
	if before == nil && after == nil {
		return
	}
	p := pair[taxonomy.Context]{old: before, new: after}
	s := owner
	s.Kind, s.ID, s.Name = Context, p.either().ID, p.either().Name
	if change := whole(c, s, p); change != nil {
		change.Breaks = narrowed()
		return
	}
	c.field(s, "id", word(before.ID), word(after.ID))
	c.fields(s, before, after, nil, nil)
	values, _ := c.succession.parts(owner.CategoryID, owner.ElementID)
	for _, p := range match(before.Values, after.Values, func(v *taxonomy.ContextValue) string { return v.ID }, values.now) {
		s := owner
		s.Kind, s.ID, s.Name = ContextValue, p.either().ID, p.either().Label
		if isKept(c, &s, p, func() problem.List { return narrowed(p.old.ID) }) {
			c.fields(s, p.old, p.new, nil, nil)
		}
	}
}

func (c *comparer) variables(before, after *taxonomy.Category) {
	_, variables := c.succession.parts(after.ID, "")
	for _, p := range match(before.Variables, after.Variables, func(v *taxonomy.Variable) string { return v.ID }, variables.now) {
		s := Subject{Kind: Variable, ID: p.either().ID, CategoryID: after.ID, Name: p.either().Label}
		if isKept(c, &s, p, func() problem.List { return c.variableRemoved(after, p.old) }) {
			c.variable(s, p, optionsOf(variables, p.old.ID).now)
		} else if p.old == nil {
			c.Changes[len(c.Changes)-1].Breaks = c.variableRequired(after, p)
		}
	}
}

// variable compares a variable. The function now returns the new ids of its options.
func (c *comparer) variable(s Subject, p pair[taxonomy.Variable], now func(string) string) {
	before, after, category := p.old, p.new, c.newCategory[s.CategoryID]
	required := func(in bool) func() problem.List {
		return func() problem.List {
			if after.Required != in {
				return nil // The other field decides.
			}
			return c.variableRequired(category, p)
		}
	}
	c.fields(s, before, after, breaks{
		"required":     required(true),
		"required_for": required(false),
		"kind":         func() problem.List { return c.kindChanged(category, before, after) },
	}, instead{
		"options": func() {
			if before.Kind == after.Kind {
				c.options(s, before, after, now)
			}
		},
	})
}

// options compares the options of a variable whose kind did not change.
func (c *comparer) options(variable Subject, before, after *taxonomy.Variable, now func(string) string) {
	category := c.newCategory[variable.CategoryID]
	for _, p := range match(before.Options, after.Options, func(o *taxonomy.Option) string { return o.ID }, now) {
		s := Subject{Kind: Option, ID: p.either().ID, CategoryID: variable.CategoryID, VariableID: variable.ID, Name: p.either().Name}
		if isKept(c, &s, p, func() problem.List { return c.optionRemoved(category, after, p.old) }) {
			c.fields(s, p.old, p.new, breaks{
				"applies_to": func() problem.List { return c.optionRestricted(category, before, after, p) },
			}, nil)
		}
	}
}

func (c *comparer) elements() {
	for _, p := range c.pairs {
		e := p.either()
		s := Subject{Kind: Element, ID: e.ID, CategoryID: e.CategoryID, Name: e.Title}
		change := whole(c, s, p.pair)
		switch {
		case change == nil:
			c.element(s, p)
		case p.new == nil:
			change.WithCategory = c.newCategory[e.CategoryID] == nil
			if !change.WithCategory {
				change.Breaks = c.elementRemoved(e)
			}
		default:
			change.WithCategory = c.oldCategory[e.CategoryID] == nil
			change.Breaks = c.elementRequired(nil, e)
		}
	}
}

func (c *comparer) element(s Subject, p elementPair) {
	before, after := p.old, p.new
	if before.ID != after.ID {
		s.OldID = before.ID
		change := c.add(Change{Kind: Renamed, Subject: s, Before: word(before.ID), After: word(after.ID)})
		change.Breaks = c.elementRenamed(p)
	}
	if p.merged {
		return
	}
	if before.CategoryID != after.CategoryID {
		change := c.add(Change{Kind: Moved, Subject: s, Field: "category_id", Before: word(before.CategoryID), After: word(after.CategoryID)})
		change.Breaks = c.elementMoved(p)
	}
	position(c, s, p.pair)
	c.fields(s, before, after, breaks{
		"required":       func() problem.List { return c.elementRequired(before, after) },
		"max_placements": func() problem.List { return c.placementsLimited(before, after) },
	}, instead{
		"category_id": func() {}, // compared above
		"symbol_id": func() {
			c.field(s, "symbol_id", word(before.SymbolID), word(after.SymbolID))
			if !bytes.Equal(c.Before.Symbols[before.SymbolID], c.After.Symbols[after.SymbolID]) {
				c.add(Change{Kind: Redrawn, Subject: s, Field: "symbol_id", Before: word(before.SymbolID), After: word(after.SymbolID)})
			}
		},
	})
	c.context(Subject{CategoryID: after.CategoryID, ElementID: after.ID}, before.Context, after.Context, func(lost ...string) problem.List {
		if len(lost) == 0 {
			values, _ := c.succession.parts("", before.ID)
			lost = lostValues(before.EffectiveContext(c.oldCategory[before.CategoryID]), after.EffectiveContext(c.newCategory[after.CategoryID]), values.now)
		}
		return c.elementContextNarrowed(before, lost)
	})
}

func (c *comparer) symbols() {
	ids := make(map[string]bool, len(c.After.Symbols))
	for id := range c.Before.Symbols {
		ids[id] = true
	}
	for id := range c.After.Symbols {
		ids[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		before, wasThere := c.Before.Symbols[id]
		after, isThere := c.After.Symbols[id]
		s := Subject{Kind: Symbol, ID: id}
		switch {
		case !wasThere:
			c.add(Change{Kind: Added, Subject: s})
		case !isThere:
			c.add(Change{Kind: Removed, Subject: s})
		case !bytes.Equal(before, after):
			c.add(Change{Kind: Redrawn, Subject: s})
		}
	}
}
