package diffview

import (
	"cmp"
	"slices"

	"placard/internal/core/compat"
)

// grouping collects the entries of one section in groups by id.
type grouping struct {
	*builder
	groups       []*group
	index        map[string]*group
	count, shown int
}

// group is a group of entries in the making. Its last item may have no entry.
type group struct {
	id       string
	entries  []Entry
	last     compat.Subject // without its name
	hasEntry bool           // the last item has the last entry
}

func newGrouping(b *builder) *grouping {
	return &grouping{builder: b, index: make(map[string]*group)}
}

// add adds an entry to a group, unless the report has reached its limits. An entry for
// the same item as the last one of the group is merged with it.
func (g *grouping) add(id string, item compat.Subject, build func() Entry) {
	in := g.index[id]
	if in == nil {
		in = &group{id: id}
		g.index[id] = in
		g.groups = append(g.groups, in)
	}
	if isSameItem(&in.last, &item) {
		if in.hasEntry {
			g.merge(&in.entries[len(in.entries)-1], build)
		}
		return
	}
	in.last = item
	g.count++
	in.hasEntry = !g.isFull() && (g.MaxEntries == 0 || g.shown < g.MaxEntries)
	if in.hasEntry {
		g.shown++
		in.entries = append(in.entries, build())
	}
}

func (g *grouping) merge(last *Entry, build func() Entry) {
	if g.isFull() {
		last.IsShortened = true
		return
	}
	e := build()
	last.Breaks = append(last.Breaks, e.Breaks...)
	last.Texts = append(last.Texts, e.Texts...)
	last.Values = append(last.Values, e.Values...)
	if last.OldIcon == "" {
		last.OldIcon = e.OldIcon
	}
}

func isSameItem(x, y *compat.Subject) bool {
	return x.Kind == y.Kind && x.ID == y.ID && x.OldID == y.OldID &&
		x.CategoryID == y.CategoryID && x.ElementID == y.ElementID && x.VariableID == y.VariableID
}

// section returns the section with the given id and its groups in the given order of
// ids. Groups with other ids come first.
func (g *grouping) section(id string, order []string, name func(id string) Text) Section {
	s := Section{ID: id, Heading: g.Words(id), Note: g.Words(id + ".note"), Count: g.count, Shown: g.shown}
	rank := make(map[string]int, len(order))
	for i, id := range order {
		rank[id] = i + 1
	}
	slices.SortStableFunc(g.groups, func(x, y *group) int { return cmp.Compare(rank[x.id], rank[y.id]) })
	for _, in := range g.groups {
		if len(in.entries) == 0 {
			continue
		}
		shown := Group{Name: name(in.id), Entries: in.entries}
		for i := range shown.Entries {
			shown.Entries[i].Grouped = shown.Name.Value != ""
		}
		s.Groups = append(s.Groups, shown)
	}
	return s
}
