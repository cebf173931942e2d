package catalog

import (
	"cmp"
	"slices"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// Targets returns the release that each alias of an index refers to: the computed
// aliases and the pinned ones.
func Targets(index *store.Index) map[string]taxonomy.ID {
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
	return targets
}

// Aliases returns the sorted aliases of every release of an index.
func Aliases(index *store.Index) map[taxonomy.ID][]string {
	aliases := make(map[taxonomy.ID][]string, len(index.Releases))
	for alias, id := range Targets(index) {
		aliases[id] = append(aliases[id], alias)
	}
	for _, list := range aliases {
		slices.Sort(list)
	}
	return aliases
}

// AliasChanges returns the aliases that refer to different releases in two indexes,
// in the order of their names.
func AliasChanges(before, after *store.Index) []store.AliasChange {
	old, current := Targets(before), Targets(after)
	var changes []store.AliasChange
	for alias, id := range current {
		if old[alias] != id {
			changes = append(changes, store.AliasChange{Alias: alias, Old: old[alias], New: id})
		}
	}
	for alias, id := range old {
		if _, ok := current[alias]; !ok {
			changes = append(changes, store.AliasChange{Alias: alias, Old: id})
		}
	}
	slices.SortFunc(changes, func(a, b store.AliasChange) int { return cmp.Compare(a.Alias, b.Alias) })
	return changes
}

// Resolve returns the id of the release that ref refers to in an index. Its error
// says why there is none.
func Resolve(index *store.Index, ref taxonomy.Ref) (taxonomy.ID, error) {
	aliases := Aliases(index)
	s := &Snapshot{index: index, byName: make(map[string]*servedRelease)}
	for _, e := range index.Releases {
		s.list(&servedRelease{entry: e}, aliases[e.ID])
	}
	if sv := s.byName[ref.String()]; sv != nil {
		return sv.entry.ID, nil
	}
	if id, ok := retired(index, ref); ok {
		if successor, ok := successorOf(index, id); ok {
			return taxonomy.ID{}, problem.New(problem.NotFound, "%s was retired and replaced by %s.", id, successor).See(problem.Restore(id.String()))
		}
		return taxonomy.ID{}, problem.New(problem.NotFound, "%s was retired.", id).See(problem.Restore(id.String()))
	}
	return taxonomy.ID{}, s.notFound(ref)
}

// successorOf returns the published release that replaces a retired one, if there is
// one. A successor may have been replaced, too.
func successorOf(index *store.Index, id taxonomy.ID) (taxonomy.ID, bool) {
	for range index.Retired {
		e, _ := index.FindRetired(id)
		if id = e.ReplacedBy; id.IsZero() {
			break
		}
		if _, published := index.Find(id); published {
			return id, true
		}
	}
	return taxonomy.ID{}, false
}

// retired returns the retired release that ref refers to, if there is one.
func retired(index *store.Index, ref taxonomy.Ref) (taxonomy.ID, bool) {
	id, ok := ref.ID()
	if !ok {
		id = index.Pins[ref.String()]
	}
	_, ok = index.FindRetired(id)
	return id, ok
}
