package compat

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// add adds a change. The result is valid until the next call.
func (c *comparer) add(change Change) *Change {
	c.Changes = append(c.Changes, change)
	return &c.Changes[len(c.Changes)-1]
}

// whole adds a change if the item was added or removed. Otherwise it returns nil.
func whole[T any](c *comparer, s Subject, p pair[T]) *Change {
	switch {
	case p.old == nil:
		return c.add(Change{Kind: Added, Subject: s})
	case p.new == nil:
		return c.add(Change{Kind: Removed, Subject: s})
	}
	return nil
}

// isKept adds a change if the item was added, removed, renamed or moved. It sets the old
// id, and returns whether the fields of the item can be compared. The function lost
// returns the findings about an item that was removed.
func isKept[T any, P taxonomy.Named[T]](c *comparer, s *Subject, p pair[T], lost func() problem.List) bool {
	if change := whole(c, *s, p); change != nil {
		if p.new == nil {
			change.Breaks = lost()
		}
		return false
	}
	if id, _ := P(p.old).Names(); id != s.ID {
		s.OldID = id
		change := c.add(Change{Kind: Renamed, Subject: *s, Before: word(id), After: word(s.ID)})
		if len(lost()) > 0 {
			change.Breaks = problem.List{partRenamed.Found("The %s %q is now %q. Documents that use the old id become invalid.",
				strings.ReplaceAll(string(s.Kind), "_", " "), problem.Clip(id), problem.Clip(s.ID)).Hint(upgradeHint)}
		}
	}
	if !p.merged {
		position(c, *s, p)
	}
	return !p.merged
}

// position adds a change if the item moved.
func position[T any](c *comparer, s Subject, p pair[T]) {
	if p.moved {
		c.add(Change{Kind: Moved, Subject: s, Field: "position", Before: word(strconv.Itoa(p.oldPos)), After: word(strconv.Itoa(p.newPos))})
	}
}

// field adds a change if the values differ. Otherwise it returns nil.
func (c *comparer) field(s Subject, name string, before, after []string) *Change {
	if slices.Equal(before, after) {
		return nil
	}
	return c.add(Change{Kind: Changed, Subject: s, Field: name, Before: before, After: after})
}

// breaks returns the findings about changes of fields, by the name of the field.
type breaks map[string]func() problem.List

// instead compares fields in a way of their own, by the name of the field.
type instead map[string]func()

// fields compares the authored fields of two records of the taxonomy, which are
// pointers to structs of one type. Ids, contexts and lists of records with ids are
// left to the caller.
func (c *comparer) fields(s Subject, before, after any, breaks breaks, instead instead) {
	for _, f := range taxonomy.RecordOf(after).Fields {
		if compare := instead[f.Name]; compare != nil {
			compare()
			continue
		}
		isRename := f.Name == "replaces" && s.OldID != "" && slices.Contains(values(f, after), s.OldID)
		if f.Name == "id" || f.Authored == "" || isRename {
			continue
		}
		if change := c.compare(s, f, before, after); change != nil && breaks[f.Name] != nil {
			change.Breaks = breaks[f.Name]()
		}
	}
}

func (c *comparer) compare(s Subject, f *taxonomy.Field, before, after any) *Change {
	switch was := f.In(before).(type) {
	case *taxonomy.Localized:
		c.text(s, f.Name, *was, *f.In(after).(*taxonomy.Localized))
		return nil
	case *taxonomy.Keywords:
		c.keywords(s, *was, *f.In(after).(*taxonomy.Keywords))
		return nil
	case **taxonomy.Deprecation:
		none := new(taxonomy.Deprecation)
		old, is := cmp.Or(*was, none), cmp.Or(*f.In(after).(**taxonomy.Deprecation), none)
		c.field(s, "deprecated.since", word(old.Since), word(is.Since))
		c.text(s, "deprecated.message", old.Message, is.Message)
		return c.field(s, "deprecated.use", old.Use, is.Use)
	case *[]taxonomy.Source:
		c.sources(s, *was, *f.In(after).(*[]taxonomy.Source))
		return nil
	case *[]taxonomy.Example:
		c.examples(s, *was, *f.In(after).(*[]taxonomy.Example))
		return nil
	}
	if f.Type == "[]ElementID" {
		return c.elementIDs(s, f.Name, values(f, before), values(f, after))
	}
	return c.field(s, f.Name, values(f, before), values(f, after))
}

// values returns the values of a field of a record.
func values(f *taxonomy.Field, record any) []string {
	switch v := f.In(record).(type) {
	case *[]string:
		return *v
	case *taxonomy.IDs:
		return *v
	case *bool:
		return []string{strconv.FormatBool(*v)}
	case *int:
		if *v == 0 && f.Type == "Count" {
			return nil // no limit
		}
		return []string{strconv.Itoa(*v)}
	case *string:
		if v, ok := record.(*taxonomy.ContextValue); ok && f.Type == "Color" && !v.Tinted {
			return nil
		}
		return word(*v)
	case *taxonomy.Shape:
		return word(string(*v))
	case *taxonomy.Kind:
		return word(string(*v))
	}
	return nil
}

// elementIDs is like field for ids of elements, whose order has no meaning. An id
// that was only renamed is not a difference.
func (c *comparer) elementIDs(s Subject, name string, before, after []string) *Change {
	if slices.Equal(before, after) {
		return nil
	}
	renamed := make([]string, len(before))
	for i, id := range before {
		renamed[i] = c.succession.elements.now(id)
	}
	if slices.Equal(distinct(renamed), distinct(after)) {
		return nil
	}
	return c.add(Change{Kind: Changed, Subject: s, Field: name, Before: before, After: after})
}

func distinct(ids []string) []string {
	sorted := slices.Sorted(slices.Values(ids))
	return slices.Compact(sorted)
}

// text adds a change if the text differs in a locale of both versions.
func (c *comparer) text(s Subject, field string, before, after taxonomy.Localized) {
	if slices.Equal(before, after) {
		return
	}
	change := Change{Kind: Retranslated, Subject: s, Field: field}
	var unchanged []string
	for _, locale := range c.common {
		was, _ := before.Get(locale)
		is, _ := after.Get(locale)
		if was == is {
			if is != "" {
				unchanged = append(unchanged, locale)
			}
			continue
		}
		change.Texts = append(change.Texts, TextChange{locale, was, is})
		if c.Locale == "" || strings.EqualFold(locale, c.Locale) {
			change.Kind = Reworded
		}
	}
	if change.Kind == Reworded && c.Locale != "" {
		change.NotRetranslated = unchanged
	}
	if len(change.Texts) > 0 {
		c.add(change)
	}
}

// keywords adds a change if the search words differ in a locale of both versions.
// Before and After have the words of the locales that differ.
func (c *comparer) keywords(s Subject, before, after taxonomy.Keywords) {
	var was, is []string
	for _, locale := range c.common {
		oldWords, newWords := before.Get(locale), after.Get(locale)
		if oldWords != newWords {
			was, is = appendKeywords(was, locale, oldWords), appendKeywords(is, locale, newWords)
		}
	}
	c.field(s, "keywords", was, is)
}

// appendKeywords appends words, each with its locale.
func appendKeywords(list []string, locale string, words taxonomy.Words) []string {
	for word := range words.All() {
		list = append(list, locale+": "+word)
	}
	return list
}

func (c *comparer) sources(s Subject, before, after []taxonomy.Source) {
	if !slices.Equal(before, after) {
		c.field(s, "sources", describeSources(before), describeSources(after))
	}
}

func describeSources(sources []taxonomy.Source) []string {
	var list []string
	for _, s := range sources {
		parts := slices.DeleteFunc([]string{s.Title, s.Citation, s.URL}, func(part string) bool { return part == "" })
		list = append(list, s.Type+": "+strings.Join(parts, ", "))
	}
	return list
}

// examples compares examples by their position.
func (c *comparer) examples(s Subject, before, after []taxonomy.Example) {
	for i := range min(len(before), len(after)) {
		field := "examples[" + strconv.Itoa(i) + "]"
		c.text(s, field+".scenario", before[i].Scenario, after[i].Scenario)
		c.text(s, field+".narrative", before[i].Narrative, after[i].Narrative)
	}
	if len(before) != len(after) {
		c.add(Change{Kind: Changed, Subject: s, Field: "examples", Before: c.scenarios(before), After: c.scenarios(after)})
	}
}

// scenarios returns the scenarios of examples in the main locale.
func (c *comparer) scenarios(examples []taxonomy.Example) []string {
	var list []string
	for _, e := range examples {
		text, _ := e.Scenario.Get(c.Locale)
		list = append(list, text)
	}
	return list
}

// word returns the value of a field that is a string.
func word(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
