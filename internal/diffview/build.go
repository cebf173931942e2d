package diffview

import (
	"cmp"
	"slices"
	"strings"

	"placard/internal/compat"
	"placard/internal/taxonomy"
	"placard/internal/worddiff"
)

// New arranges the changes between two versions.
func New(c *compat.Comparison) *Report {
	before, after := c.Before, c.After
	b := builder{
		locale: c.Locale,
		old:    newVersion(before),
		new:    newVersion(after),
	}
	for i := range after.Categories {
		b.categoryOrder = append(b.categoryOrder, after.Categories[i].ID)
	}
	for i := range before.Categories {
		if id := before.Categories[i].ID; b.new.categories[id] == nil {
			b.categoryOrder = append(b.categoryOrder, id)
		}
	}
	b.findShownSymbols(c.Changes)
	r := &Report{
		Old: Version{ID: before.ID, Title: b.text(before.Title)},
		New: Version{ID: after.ID, Title: b.text(after.Title)},
	}
	r.add(b.breaking(c.Changes))
	for _, k := range kinds {
		r.add(b.section(k, c.Changes))
	}
	return r
}

// kind describes the section of one kind of change.
type kind struct {
	compat.Kind
	heading, note string
}

// kinds lists the kinds of changes in display order.
var kinds = []kind{
	{compat.Added, "Added", "Only the new version has these."},
	{compat.Removed, "Removed", "Only the old version has these."},
	{compat.Renamed, "Renamed", "The same statements under other ids."},
	{compat.Moved, "Moved", "In another category or at another place in their list."},
	{compat.Reworded, "Reworded", "Texts whose words changed."},
	{compat.Retranslated, "Retranslated", "Translations that changed although the original did not."},
	{compat.Redrawn, "Redrawn", "Elements and symbols with another drawing."},
	{compat.Changed, "Changed", "Other properties."},
}

func (r *Report) add(s Section) {
	for i := range s.Groups {
		s.Count += len(s.Groups[i].Entries)
	}
	if s.Count > 0 {
		r.Sections = append(r.Sections, s)
	}
}

// builder converts the changes of one comparison.
type builder struct {
	locale   string
	old, new *version
	// categoryOrder has the categories of both versions, in display order.
	categoryOrder []string
	// shown has the changes of symbols that the entries of elements show.
	shown map[symbolChange]bool
}

type symbolChange struct {
	kind compat.Kind
	id   string
}

// findShownSymbols finds the changes of symbols that the entries of elements show.
// Listing the symbols too would say everything twice.
func (b *builder) findShownSymbols(changes []compat.Change) {
	b.shown = make(map[symbolChange]bool)
	for i := range changes {
		c := &changes[i]
		if c.Subject.Kind != compat.Element {
			continue
		}
		before, after := b.elements(c.Subject)
		switch {
		case c.Kind == compat.Added:
			b.shown[symbolChange{compat.Added, after.SymbolID}] = true
		case c.Kind == compat.Removed:
			b.shown[symbolChange{compat.Removed, before.SymbolID}] = true
		case c.Kind == compat.Redrawn && before != nil && after != nil:
			b.shown[symbolChange{compat.Redrawn, after.SymbolID}] = true
			b.shown[symbolChange{compat.Added, after.SymbolID}] = true
			b.shown[symbolChange{compat.Removed, before.SymbolID}] = true
		}
	}
}

// breaking returns the section of the changes that break documents.
func (b *builder) breaking(changes []compat.Change) Section {
	items := newGrouping()
	for i := range changes {
		c := &changes[i]
		if len(c.Breaks) == 0 {
			continue
		}
		e := b.entry(c)
		e.Breaks = c.Breaks
		e.Summary = Text{}
		items.add("", e)
	}
	return Section{
		ID: "breaking", Heading: "Breaking", Breaking: true,
		Note:   "Documents that are valid against the old version can be invalid against the new one.",
		Groups: items.sorted(nil, b.categoryName),
	}
}

// section returns the section of one kind of change.
func (b *builder) section(k kind, changes []compat.Change) Section {
	groups := newGrouping()
	for i := range changes {
		c := &changes[i]
		if c.Kind != k.Kind || c.Subject.Kind == compat.Symbol && b.shown[symbolChange{c.Kind, c.Subject.ID}] {
			continue
		}
		e := b.entry(c)
		if c.Kind != compat.Retranslated {
			groups.add(categoryOf(c.Subject), e)
			continue
		}
		for _, t := range e.Texts {
			e.Texts = []TextChange{t}
			groups.add(t.Locale, e)
		}
	}
	s := Section{ID: string(k.Kind), Heading: k.heading, Note: k.note}
	if k.Kind == compat.Retranslated {
		s.Groups = groups.sorted(b.new.taxonomy.Locales, func(locale string) Text { return Text{Value: locale} })
	} else {
		s.Groups = groups.sorted(b.categoryOrder, b.categoryName)
	}
	return s
}

// categoryOf returns the id of the category that an item is or belongs to, or "".
func categoryOf(s compat.Subject) string {
	if s.Kind == compat.Category {
		return s.ID
	}
	return s.CategoryID
}

// categoryName returns the name of a category, or an empty text for the empty id.
func (b *builder) categoryName(id string) Text {
	for _, v := range []*version{b.new, b.old} {
		if c := v.categories[id]; c != nil {
			if name := b.text(c.Name); name.Value != "" {
				return name
			}
		}
	}
	return Text{Value: id}
}

// grouping collects entries in groups by id.
type grouping struct {
	ids     []string
	entries [][]Entry
	index   map[string]int // into ids and entries
}

func newGrouping() *grouping { return &grouping{index: make(map[string]int)} }

// add adds an entry to a group. An entry for the same item as the last one of the
// group is merged with it.
func (g *grouping) add(id string, e Entry) {
	i, ok := g.index[id]
	if !ok {
		i = len(g.ids)
		g.index[id] = i
		g.ids, g.entries = append(g.ids, id), append(g.entries, nil)
	}
	if n := len(g.entries[i]); n > 0 {
		if last := &g.entries[i][n-1]; last.isSameItem(&e) {
			last.Breaks = append(slices.Clip(last.Breaks), e.Breaks...)
			last.Texts = append(last.Texts, e.Texts...)
			last.Values = append(last.Values, e.Values...)
			if last.OldIcon == (Icon{}) {
				last.OldIcon = e.OldIcon
			}
			return
		}
	}
	g.entries[i] = append(g.entries[i], e)
}

// isSameItem reports whether two entries are about the same item.
func (e *Entry) isSameItem(other *Entry) bool {
	return e.Noun == other.Noun && e.ID == other.ID && e.OldID == other.OldID && e.CategoryID == other.CategoryID
}

// sorted returns the groups in the given order of ids. Groups with other ids come
// first.
func (g *grouping) sorted(order []string, name func(id string) Text) []Group {
	rank := make(map[string]int, len(order))
	for i, id := range order {
		rank[id] = i + 1
	}
	groups := make([]Group, len(g.ids))
	slices.SortStableFunc(g.ids, func(x, y string) int { return cmp.Compare(rank[x], rank[y]) })
	for i, id := range g.ids {
		groups[i] = Group{Name: name(id), Entries: g.entries[g.index[id]]}
	}
	return groups
}

func (b *builder) entry(c *compat.Change) Entry {
	s := c.Subject
	e := Entry{Noun: noun(s), ID: s.ID, OldID: s.OldID, Name: b.text(s.Name), CategoryID: s.CategoryID}
	if c.Kind == compat.Added || c.Kind == compat.Removed {
		e.Summary = b.summary(c)
	}
	e.Icon, e.OldIcon = b.icons(c)
	for _, t := range c.Texts {
		change := TextChange{
			Field: c.Field, Locale: t.Locale, Main: strings.EqualFold(t.Locale, b.locale),
			Spans: worddiff.Compare(sanitize(t.Before), sanitize(t.After)),
		}
		if change.Main {
			change.NotRetranslated = strings.Join(c.NotRetranslated, ", ")
		}
		e.Texts = append(e.Texts, change)
	}
	// The main locale need not be the first of the taxonomy.
	slices.SortStableFunc(e.Texts, func(x, y TextChange) int {
		switch {
		case x.Main == y.Main:
			return 0
		case x.Main:
			return -1
		}
		return 1
	})
	// The symbol of a redrawn element can have the same id in both versions.
	if c.Field != "" && len(c.Texts) == 0 && !slices.Equal(c.Before, c.After) {
		e.Values = []ValueChange{value(c)}
	}
	return e
}

// value returns the change of a field. Lists of several items are compared by item.
func value(c *compat.Change) ValueChange {
	before, after := sanitizeAll(c.Before), sanitizeAll(c.After)
	if len(before) <= 1 && len(after) <= 1 {
		return ValueChange{Field: c.Field, Old: strings.Join(before, ""), New: strings.Join(after, "")}
	}
	return ValueChange{Field: c.Field, Items: worddiff.CompareItems(before, after)}
}

// noun describes the kind of an item and, unless it has its own category, the item
// that declares it.
func noun(s compat.Subject) string {
	n := strings.ReplaceAll(string(s.Kind), "_", " ")
	switch {
	case s.VariableID != "":
		return n + " of " + s.VariableID
	case s.ElementID != "":
		return n + " of " + s.ElementID
	}
	return n
}

// text returns a text in the main locale or, if it has none, in its first one.
func (b *builder) text(l taxonomy.Localized) Text {
	if value, ok := l.Get(b.locale); ok {
		return Text{sanitize(value), b.locale}
	}
	if len(l) > 0 {
		return Text{sanitize(l[0].Value), l[0].Locale}
	}
	return Text{}
}

// summary returns the description of an added or removed item, if it has one.
func (b *builder) summary(c *compat.Change) Text {
	v := b.new
	if c.Kind == compat.Removed {
		v = b.old
	}
	switch c.Subject.Kind {
	case compat.Element:
		if e := v.elements[c.Subject.ID]; e != nil {
			return b.text(e.Description)
		}
	case compat.Category:
		if category := v.categories[c.Subject.ID]; category != nil {
			return b.text(category.Description)
		}
	}
	return Text{}
}
