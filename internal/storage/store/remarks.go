package store

import (
	"context"
	"slices"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// remarks returns warnings about a release that was published. before is the index
// before the change.
func (s *Store) remarks(ctx context.Context, before *Index, o Outcome) problem.List {
	old, wasPublished := before.Find(o.ID)
	switch {
	case !o.Published || wasPublished && old.ContentHash == o.ContentHash:
		return nil
	case o.ID.Status == taxonomy.Stable:
		if newest, ok := before.newestStable(o.ID.Type); ok && o.ID.Date < newest.ID.Date {
			return problem.List{stableNotLatest.Found("%s is older than %s, which remains %s@%s.", o.ID, newest.ID, o.ID.Type, taxonomy.AliasLatest).
				Hint("If it is to be the newest, publish its content under a later date, and retire this release.")}
		}
		return nil
	}
	var found problem.List
	if stable, ok := before.stableOf(o.ID); ok && stable.ContentHash != o.ContentHash {
		found = append(found, betaSuperseded.Found("%s can no longer be promoted, because %s was published with different content.", o.ID, stable.ID).
			Hint("Continue it under a new date.").See(problem.Continue(o.ID.Type, o.ID.String())))
	}
	if _, published := before.Find(o.ID); !published {
		return found // the journal is long, and no restoration can be undone
	}
	if r, ok := s.undoneRestore(ctx, o.Entry); ok {
		found = append(found, restoreUndone.Found("%s has the content again that %s replaced by restoring another one on %s.", o.ID, author(r), r.At.Format(time.RFC3339)).
			Hint("If that was not intended, restore the other content again, and change the authoring tree.").See(problem.History(o.ID.String())))
	}
	return found
}

// undoneRestore returns the newest record about a release if it is that of restoring
// another content in place of that of e. If the journal is damaged, it may find none.
func (s *Store) undoneRestore(ctx context.Context, e Entry) (Record, bool) {
	records, _ := s.History(ctx)
	for _, r := range records {
		i := slices.IndexFunc(r.Releases, func(c ReleaseChange) bool { return c.ID == e.ID })
		if i >= 0 {
			replaced := r.Releases[i].Old
			return r, r.Action == Restore && replaced != nil && replaced.ContentHash == e.ContentHash
		}
	}
	return Record{}, false
}

func author(r Record) string {
	if r.By == "" {
		return "an unknown author"
	}
	return r.By
}
