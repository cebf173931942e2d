package upgrade

import (
	"cmp"

	"placard/internal/core/compat"
	"placard/internal/core/taxonomy"
)

// origin is a version that documents pin.
type origin struct {
	version    *Version             // nil if it is not published
	newer      []*taxonomy.Taxonomy // from the oldest to the target
	succession *compat.Succession
	// reworded are the elements of the version whose title or description has other
	// words in the target.
	reworded map[string]bool
}

// origin returns the version that a document pins. Documents often pin the same
// one.
func (u *Upgrader) origin(id taxonomy.ID) (*origin, error) {
	if o := u.origins[id]; o != nil {
		return o, nil
	}
	o := &origin{reworded: make(map[string]bool)}
	for i := range u.published {
		v := &u.published[i]
		switch {
		case v.id() == id:
			o.version = v
		case v.id().Compare(id) > 0 && v.id().Compare(u.target.id()) <= 0:
			o.newer = append(o.newer, v.Taxonomy)
		}
	}
	if id == u.target.id() {
		// A document that was copied into a new version may use the ids of the old one.
		o.newer = append(o.newer, u.target.Taxonomy)
	}
	o.succession = compat.NewSuccession(o.newer...)
	if o.version != nil {
		between := o.newer[:len(o.newer)-1]
		c, err := compat.Compare(o.version.Taxonomy, u.target.Taxonomy, between...)
		if err != nil {
			return nil, err
		}
		o.findReworded(c, u.target.Taxonomy)
	}
	u.origins[id] = o
	return o, nil
}

func (o *origin) findReworded(c *compat.Comparison, target *taxonomy.Taxonomy) {
	for i := range c.Changes {
		change := &c.Changes[i]
		if change.Kind == compat.Reworded && change.Subject.Kind == compat.Element && (change.Field == "title" || change.Field == "description") {
			o.reworded[cmp.Or(change.Subject.OldID, change.Subject.ID)] = true
		}
	}
	// An element that is merged into another one gets the words of that one, which
	// is not a change of either.
	before, after := elementsByID(o.version.Taxonomy), elementsByID(target)
	for _, r := range c.Renames {
		was, is := before[r.OldID], after[r.NewID]
		if !isSameText(was.Title, is.Title, c.Locale) || !isSameText(was.Description, is.Description, c.Locale) {
			o.reworded[r.OldID] = true
		}
	}
}

func elementsByID(t *taxonomy.Taxonomy) map[string]*taxonomy.Element {
	byID := make(map[string]*taxonomy.Element, len(t.Elements))
	for i := range t.Elements {
		byID[t.Elements[i].ID] = &t.Elements[i]
	}
	return byID
}

func isSameText(a, b taxonomy.Localized, locale string) bool {
	x, _ := a.Get(locale)
	y, _ := b.Get(locale)
	return x == y
}

// versionElement is an element of a version.
type versionElement struct {
	version *taxonomy.Taxonomy
	id      string
}

// lastVersions maps elements that the target lacks to the newest version that has
// them, possibly under another id.
func (o *origin) lastVersions(ids []string) map[string]versionElement {
	last := make(map[string]versionElement)
	note := func(t *taxonomy.Taxonomy, find func(id string) (string, bool)) {
		for _, id := range ids {
			if _, noted := last[id]; noted {
				continue
			}
			if now, ok := find(id); ok {
				last[id] = versionElement{t, now}
			}
		}
	}
	for k := len(o.newer) - 1; k > 0; k-- {
		note(o.newer[k-1], compat.NewSuccession(o.newer[:k]...).Find)
	}
	if o.version != nil {
		note(o.version.Taxonomy, compat.NewSuccession(o.version.Taxonomy).Find)
	}
	return last
}
