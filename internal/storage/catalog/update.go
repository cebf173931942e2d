package catalog

import (
	"maps"
	"slices"

	"placard/internal/core/problem"
)

// maxLoggedNames limits the releases and aliases in one line of the log.
const maxLoggedNames = 20

// logUpdate logs the differences between two snapshots, the first of which may be
// nil. It logs nothing if there are none.
func (c *Catalog) logUpdate(old, next *Snapshot) {
	before, after := old.contents(), next.contents()
	var added, replaced, removed, aliases []string
	for _, id := range slices.Sorted(maps.Keys(after)) {
		switch hash, ok := before[id]; {
		case !ok:
			added = append(added, id)
		case hash != after[id]:
			replaced = append(replaced, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[id]; !ok {
			removed = append(removed, id)
		}
	}
	if old != nil {
		for _, change := range AliasChanges(old.index, next.index) {
			aliases = append(aliases, change.Alias)
		}
	}
	attrs := []any{"releases", len(after), "degraded", len(c.Degraded())}
	differ := old == nil || !sameIndex(old.index, next.index)
	add := func(name string, values []string) {
		if len(values) > 0 {
			attrs = append(attrs, name, problem.Listing(values, maxLoggedNames))
			differ = true
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
	if differ {
		log("catalog updated", attrs...)
	}
}

// contents returns the content hashes of the releases that s serves, by id.
func (s *Snapshot) contents() map[string]string {
	hashes := make(map[string]string)
	if s != nil {
		for _, v := range s.Served() {
			hashes[v.ID.String()] = v.ContentHash
		}
	}
	return hashes
}
