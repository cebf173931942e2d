package diffview

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/taxonomy"
	"placard/internal/core/worddiff"
)

// New arranges the changes between two versions.
func New(c *compat.Comparison, opts Options) *Report {
	before, after := c.Before, c.After
	b := newBuilder(c, opts)
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

// kinds lists the kinds of changes in display order.
var kinds = []compat.Kind{
	compat.Added, compat.Removed, compat.Renamed, compat.Moved,
	compat.Reworded, compat.Retranslated, compat.Redrawn, compat.Changed,
}

func (r *Report) add(s Section) {
	if s.Count > 0 {
		r.Sections = append(r.Sections, s)
	}
}

// builder converts the changes of one comparison.
type builder struct {
	Options
	main     string // the main locale
	old, new *version
	// categoryOrder has the categories of both versions, in display order.
	categoryOrder []string
	// shown has the changes of symbols that the entries of elements show.
	shown map[symbolChange]bool
	// spent is the size of the texts and icons so far.
	spent int
	// copies counts the icons with the same ids.
	copies map[string]int
}

func newBuilder(c *compat.Comparison, opts Options) *builder {
	b := &builder{
		Options: opts, main: c.Locale,
		old: newVersion(c.Before), new: newVersion(c.After),
		copies: make(map[string]int),
	}
	if b.Words == nil {
		b.Words = englishWord
	}
	if b.LocaleName == nil {
		b.LocaleName = func(locale string) string { return locale }
	}
	for i := range c.After.Categories {
		b.categoryOrder = append(b.categoryOrder, c.After.Categories[i].ID)
	}
	for i := range c.Before.Categories {
		if id := c.Before.Categories[i].ID; b.new.categories[id] == nil {
			b.categoryOrder = append(b.categoryOrder, id)
		}
	}
	b.findShownSymbols(c.Changes)
	return b
}

// isFull reports whether the report has as much as it may have.
func (b *builder) isFull() bool { return b.MaxBytes > 0 && b.spent >= b.MaxBytes }

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
	items := newGrouping(b)
	for i := range changes {
		c := &changes[i]
		if len(c.Breaks) == 0 {
			continue
		}
		items.add("", c.Subject, func() Entry {
			e := b.entry(c, c.Texts)
			e.Summary = Text{}
			for _, p := range c.Breaks {
				f := Finding{Problem: p, Meaning: b.Words("meaning." + string(p.Code))}
				if b.CodeURL != nil {
					f.URL = b.CodeURL(p.Code)
				}
				e.Breaks = append(e.Breaks, f)
			}
			return e
		})
	}
	s := items.section("breaking", nil, b.categoryName)
	s.Breaking = true
	return s
}

// section returns the section of one kind of change.
func (b *builder) section(kind compat.Kind, changes []compat.Change) Section {
	groups := newGrouping(b)
	for i := range changes {
		c := &changes[i]
		if c.Kind != kind || c.Subject.Kind == compat.Symbol && b.shown[symbolChange{c.Kind, c.Subject.ID}] {
			continue
		}
		if c.Kind != compat.Retranslated {
			groups.add(categoryOf(c.Subject), c.Subject, func() Entry { return b.entry(c, c.Texts) })
			continue
		}
		for k := range c.Texts {
			groups.add(c.Texts[k].Locale, c.Subject, func() Entry { return b.entry(c, c.Texts[k:k+1]) })
		}
	}
	if kind == compat.Retranslated {
		return groups.section(string(kind), b.new.taxonomy.Locales, func(locale string) Text { return Text{Value: b.LocaleName(locale)} })
	}
	return groups.section(string(kind), b.categoryOrder, b.categoryName)
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

// entry returns the entry of a change with the given texts of it.
func (b *builder) entry(c *compat.Change, texts []compat.TextChange) Entry {
	s := c.Subject
	e := Entry{Noun: b.noun(s), ID: s.ID, OldID: s.OldID, Name: b.text(s.Name), CategoryID: s.CategoryID}
	if b.ForReaders {
		e.folds, e.HidesID = true, e.Name.Value != "" && e.OldID == ""
		if e.HidesID && s.Kind == compat.Element {
			e.Noun = ""
		}
	}
	if c.Kind == compat.Added || c.Kind == compat.Removed {
		e.Summary = b.summary(c)
	}
	if b.URL != nil {
		version := b.new.taxonomy.ID
		if c.Kind == compat.Removed {
			version = b.old.taxonomy.ID
		}
		e.URL = b.URL(version, s)
	}
	e.Icon, e.OldIcon = b.icons(c)
	for _, t := range texts {
		change := TextChange{
			Field: c.Field, Label: b.label(c.Field), Locale: t.Locale, LocaleName: b.LocaleName(t.Locale), Main: strings.EqualFold(t.Locale, b.main),
			Spans: b.compare(t),
		}
		if change.Main {
			change.NotRetranslated = b.list(c.NotRetranslated)
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
		e.Values = []ValueChange{b.value(c)}
	}
	b.spent += len(e.Name.Value) + len(e.Summary.Value) + len(e.Icon) + len(e.OldIcon)
	return e
}

// Limits of the parts of one entry in a limited report.
const (
	maxTextBytes = 8 << 10
	maxItems     = 200
)

// compare returns the differences in one text.
func (b *builder) compare(t compat.TextChange) []worddiff.Span {
	before, after := sanitize(t.Before), sanitize(t.After)
	if b.MaxBytes > 0 && max(len(before), len(after)) > maxTextBytes {
		before, after = clip(before), clip(after)
	}
	b.spent += len(before) + len(after)
	return worddiff.Compare(before, after)
}

// clip returns the start of a long text.
func clip(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxTextBytes], "") + "…"
}

// label returns the name of a field in the words of the report.
func (b *builder) label(field string) string {
	return b.Words("field." + indexes.ReplaceAllString(field, ""))
}

// indexes matches the indexes in the names of fields.
var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// list returns the names of locales as one text.
func (b *builder) list(locales []string) string {
	names := make([]string, len(locales))
	for i, locale := range locales {
		names[i] = b.LocaleName(locale)
	}
	return strings.Join(names, b.Words("separator"))
}

// value returns the change of a field. Lists of several items are compared by item.
func (b *builder) value(c *compat.Change) ValueChange {
	before, after := sanitizeAll(c.Before), sanitizeAll(c.After)
	for _, list := range [][]string{before, after} {
		for i := range list {
			list[i] = b.valueWord(c.Field, list[i])
			b.spent += len(list[i])
		}
	}
	v := ValueChange{Field: c.Field, Label: b.label(c.Field)}
	if len(before) <= 1 && len(after) <= 1 {
		v.Old, v.New = strings.Join(before, ""), strings.Join(after, "")
		return v
	}
	v.Items = worddiff.CompareItems(before, after)
	if b.MaxBytes > 0 && len(v.Items) > maxItems {
		v.Items = slices.DeleteFunc(v.Items, func(s worddiff.Span) bool { return s.Op == worddiff.Equal })
		v.Items = append(v.Items[:min(len(v.Items), maxItems)], worddiff.Span{Op: worddiff.Omit})
	}
	return v
}

// valueWord returns a value in the words of the report.
func (b *builder) valueWord(field, value string) string {
	switch field {
	case "required", "shape", "kind":
		return cmp.Or(b.Words("value."+value), value)
	case "category_id":
		if b.label(field) != "" {
			return b.categoryName(value).Value
		}
	}
	return value
}

// noun describes the kind of an item and, unless it has its own category, the item
// that declares it.
func (b *builder) noun(s compat.Subject) string {
	noun := b.Words("noun." + string(s.Kind))
	if declaredBy := cmp.Or(s.VariableID, s.ElementID); declaredBy != "" {
		return b.Words("noun.of", "noun", noun, "id", declaredBy)
	}
	return noun
}

// text returns a text in the locale of the report or, if it has none, in its first
// one.
func (b *builder) text(l taxonomy.Localized) Text {
	for _, locale := range []string{b.Locale, b.main} {
		if value, ok := l.Get(locale); ok {
			return Text{sanitize(value), locale}
		}
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
