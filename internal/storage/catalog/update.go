package catalog

import (
	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

// maxLoggedNames limits the releases and aliases in one line of the log.
const maxLoggedNames = 20

// logUpdate logs the differences between two snapshots, the first of which may be
// nil. It logs nothing if there are none.
func (c *Catalog) logUpdate(old, next *Snapshot) {
	before := new(store.Index)
	if old != nil {
		before = old.index
	}
	var added, replaced, removed, aliases []string
	for _, e := range next.index.Releases {
		switch was, ok := before.Find(e.ID); {
		case !ok:
			added = append(added, e.ID.String())
		case was.ContentHash != e.ContentHash:
			replaced = append(replaced, e.ID.String())
		}
	}
	for _, e := range before.Releases {
		if _, ok := next.index.Find(e.ID); !ok {
			removed = append(removed, e.ID.String())
		}
	}
	if old != nil {
		for _, change := range AliasChanges(old.index, next.index) {
			aliases = append(aliases, change.Alias)
		}
	}
	attrs := []any{"releases", len(next.Served()), "degraded", len(c.Degraded())}
	add := func(name string, values []string) {
		if len(values) > 0 {
			attrs = append(attrs, name, problem.Listing(values, maxLoggedNames))
		}
	}
	add("added", added)
	add("replaced", replaced)
	add("removed", removed)
	add("aliases", aliases)
	log := c.Log.Info
	if len(next.index.Releases) == 0 { // perhaps the wrong store
		log = c.Log.Warn
	}
	if old == nil || !sameIndex(old.index, next.index) {
		log("catalog updated", attrs...)
	}
}
