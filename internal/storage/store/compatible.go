package store

import (
	"context"
	"slices"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// checkCompatible returns an error if r is a new stable release that breaks documents
// of the stable release before it. That may be one of the publications. A release
// that was published or retired has been checked before.
func (s *Store) checkCompatible(ctx context.Context, ix *Index, r *release.Release, intent Intent, publications ...Publication) error {
	id := r.ID()
	if _, published := ix.Find(id); published || intent.AllowBreaking || id.Status != taxonomy.Stable {
		return nil
	}
	if _, retired := ix.FindRetired(id); retired {
		return nil
	}
	base := taxonomyBefore(id, publications)
	if e, ok := ix.stableBefore(id); ok && (base == nil || base.ID.Compare(e.ID) < 0) {
		loaded, err := s.Load(ctx, e)
		if isDamage(err) {
			return stableBreaking.Found("%s cannot be compared with %s, which is damaged.", id, e.ID).
				Hint("Publish %s again from its folder in the authoring tree, or skip the comparison with --allow-breaking.", e.ID)
		}
		if err != nil {
			return err
		}
		base = loaded.Taxonomy
	}
	if base == nil {
		return nil
	}
	comparison, err := compat.Compare(base, r.Taxonomy)
	if err != nil {
		return err
	}
	breaks := slices.Clone(comparison.Breaks())
	if len(breaks) == 0 {
		return nil
	}
	for i := range breaks {
		breaks[i].Severity = problem.Error
	}
	return append(breaks, stableBreaking.Found("%s breaks documents that are valid against %s (%s).", id, base.ID, problem.Count(len(breaks), "breaking change")).
		Hint("Undo these changes, or keep the release a beta. If documents may break, add --allow-breaking.").
		See(problem.Compare(base.ID.String(), id.String())))
}

// taxonomyBefore returns the newest of the publications that is a stable release of the
// same type as id with an earlier date, or nil.
func taxonomyBefore(id taxonomy.ID, publications []Publication) *taxonomy.Taxonomy {
	var newest *taxonomy.Taxonomy
	for _, p := range publications {
		if isStableBefore(p.Release.ID(), id) && (newest == nil || newest.ID.Compare(p.Release.ID()) < 0) {
			newest = p.Release.Taxonomy
		}
	}
	return newest
}

// stableBefore returns the newest stable release of the same type as id with an
// earlier date.
func (ix *Index) stableBefore(id taxonomy.ID) (Entry, bool) {
	for _, e := range slices.Backward(ix.Releases) {
		if isStableBefore(e.ID, id) {
			return e, true
		}
	}
	return Entry{}, false
}

// baseOf returns the release that a new one is compared with. In a dry run, it is the
// published content of the release or, if it is new, the stable release before it, the
// newest beta before it or the newest stable release. Otherwise, it is the stable
// release before it, whose documents it may break.
func (ix *Index) baseOf(r *release.Release, intent Intent) (Entry, bool) {
	id := r.ID()
	published, ok := ix.Find(id)
	if !intent.DryRun {
		if ok && published.ContentHash == r.Hash() || id.Status == taxonomy.Stable && !intent.AllowBreaking {
			return Entry{}, false // nothing changes, or nothing breaks
		}
		return ix.stableBefore(id)
	}
	if ok {
		return published, true
	}
	if e, ok := ix.stableBefore(id); ok {
		return e, true
	}
	for _, e := range slices.Backward(ix.Releases) {
		if e.ID.Type == id.Type && e.ID.Date <= id.Date {
			return e, true
		}
	}
	return ix.newestStable(id.Type)
}

// newestStable returns the newest stable release of a type.
func (ix *Index) newestStable(typeID string) (Entry, bool) {
	for _, e := range slices.Backward(ix.Releases) {
		if e.ID.Type == typeID && e.ID.Status == taxonomy.Stable {
			return e, true
		}
	}
	return Entry{}, false
}

func isStableBefore(a, b taxonomy.ID) bool {
	return a.Type == b.Type && a.Status == taxonomy.Stable && a.Date < b.Date
}

// compare compares a release that is about to be published with another one. It
// returns nil if there is none, or it is damaged.
func (s *Store) compare(ctx context.Context, ix *Index, r *release.Release, intent Intent) (*compat.Comparison, error) {
	base, ok := ix.baseOf(r, intent)
	if !ok {
		return nil, nil
	}
	loaded, err := s.Load(ctx, base)
	if isDamage(err) {
		return nil, nil // publishing writes its files again
	}
	if err != nil {
		return nil, err
	}
	// Renames in versions in between also apply.
	id := r.ID()
	var between []*taxonomy.Taxonomy
	for _, e := range ix.Releases {
		if e.ID.Type != id.Type || e.ID.Compare(base.ID) <= 0 || e.ID.Compare(id) >= 0 {
			continue
		}
		other, err := s.Load(ctx, e)
		if isDamage(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		between = append(between, other.Taxonomy)
	}
	return compat.Compare(loaded.Taxonomy, r.Taxonomy, between...)
}
