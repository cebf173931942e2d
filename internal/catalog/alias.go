package catalog

import (
	"slices"

	"placard/internal/store"
	"placard/internal/taxonomy"
)

// Aliases returns the aliases of every release of an index, sorted: those that
// follow from the set of releases, and those pinned by hand.
func Aliases(index *store.Index) map[taxonomy.ID][]string {
	named := make(map[string]taxonomy.ID)
	// In the order of ids a later release is newer, and of one day the stable
	// release comes after the beta, so the last to claim a name keeps it.
	for _, e := range index.Releases {
		id := e.ID
		prefix := id.Type + "@"
		named[prefix+id.Date] = id
		named[prefix+string(id.Status)] = id
		if latest, ok := named[prefix+taxonomy.AliasLatest]; !ok || id.Status == taxonomy.Stable || latest.Status == taxonomy.Beta {
			named[prefix+taxonomy.AliasLatest] = id
		}
	}
	for alias, id := range index.Pins {
		// A pin outlives a release that is retired, but names nothing then.
		if _, published := index.Find(id); published {
			named[alias] = id
		}
	}
	aliases := make(map[taxonomy.ID][]string, len(index.Releases))
	for alias, id := range named {
		aliases[id] = append(aliases[id], alias)
	}
	for _, list := range aliases {
		slices.Sort(list)
	}
	return aliases
}
