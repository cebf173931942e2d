package catalog

import (
	"slices"

	"placard/internal/store"
	"placard/internal/taxonomy"
)

// Aliases returns the sorted aliases of every release of an index: the computed
// ones and the pinned ones.
func Aliases(index *store.Index) map[taxonomy.ID][]string {
	targets := make(map[string]taxonomy.ID)
	// Releases are sorted by date, and the beta of a day precedes its stable
	// release, so the last assignment wins.
	for _, e := range index.Releases {
		id := e.ID
		prefix := id.Type + "@"
		targets[prefix+id.Date] = id
		targets[prefix+string(id.Status)] = id
		if latest, ok := targets[prefix+taxonomy.AliasLatest]; !ok || id.Status == taxonomy.Stable || latest.Status == taxonomy.Beta {
			targets[prefix+taxonomy.AliasLatest] = id
		}
	}
	for alias, id := range index.Pins {
		// A pin whose release has been retired is ignored.
		if _, published := index.Find(id); published {
			targets[alias] = id
		}
	}
	aliases := make(map[taxonomy.ID][]string, len(index.Releases))
	for alias, id := range targets {
		aliases[id] = append(aliases[id], alias)
	}
	for _, list := range aliases {
		slices.Sort(list)
	}
	return aliases
}
