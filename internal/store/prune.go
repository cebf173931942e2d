package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// Garbage is a file or folder of a store that can be deleted.
type Garbage struct {
	Path   string `json:"path"`
	Reason Reason `json:"reason"`
	// ID and ContentHash are those of a release that was retired or replaced.
	ID          taxonomy.ID `json:"id,omitzero"`
	ContentHash string      `json:"content_hash,omitzero"`
	Since       time.Time   `json:"since"` // when it was retired, replaced, created or set aside
	Size        int64       `json:"size"`  // in bytes
}

// Reason says why something can be deleted.
type Reason string

// The reasons.
const (
	Retired      Reason = "retired"      // the files of a retired release
	Replaced     Reason = "replaced"     // an earlier content of a beta
	Unreferenced Reason = "unreferenced" // left by a writer that was interrupted
	SetAside     Reason = "set aside"    // damaged, or left by a writer, and renamed
)

// Prunable returns the files and folders that have not been in use since the given
// time: no index since then has listed them. It is sorted by path.
func (s *Store) Prunable(ctx context.Context, before time.Time) ([]Garbage, error) {
	ix, err := s.Index(ctx)
	if err != nil {
		return nil, err
	}
	return s.prunable(ctx, ix, before)
}

func (s *Store) prunable(ctx context.Context, ix *Index, before time.Time) ([]Garbage, error) {
	files := s.files(ctx)
	c, err := files.chain(ctx, ix.Journal)
	if err != nil {
		return nil, err
	}
	if gap, ok := c.unknownGap(); ok && !isDamage(gap.err) {
		return nil, gap.err
	} else if ok {
		return nil, fmt.Errorf("%w: %w", journalDamaged.Found("The record %s is missing or damaged, so it is not known which files were in use.", gap.file).
			Hint("Restore the file from a backup, or give it up.").See(problem.Repair()), gap.err)
	}
	uses := c.uses(ix, s.now())
	var all []Garbage
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		u := uses[name]
		if u.state == published || u.until.After(before) {
			continue
		}
		g := Garbage{Path: name, Reason: Reason(u.state), ID: u.ID, ContentHash: u.ContentHash, Since: u.until}
		if _, err := fs.Lstat(files.FS, name); errors.Is(err, fs.ErrNotExist) {
			continue // already pruned, or missing
		}
		all = append(all, g)
	}
	leftovers, err := files.leftovers(ctx, c, uses)
	if err != nil {
		return nil, err
	}
	for _, l := range leftovers {
		// A record that is newer than the index may belong to a change in progress.
		// The next change sets it aside.
		revision, _ := recordRevision(l.path)
		if (l.reason == Unreferenced || l.reason == SetAside) && !l.since.After(before) && revision <= ix.Journal.Revision {
			all = append(all, Garbage{Path: l.path, Reason: l.reason, Since: l.since.UTC().Truncate(time.Second)})
		}
	}
	for i := range all {
		if all[i].Size, err = files.size(ctx, all[i].Path); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b Garbage) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// size returns the size of a file, or of all files in a folder.
func (s FS) size(ctx context.Context, name string) (int64, error) {
	var size int64
	err := s.walk(ctx, name, func(string, error) {}, func(_ string, d fs.DirEntry) error {
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, err
}

// Prune deletes the given garbage, except for files and folders that are in use in
// the meantime, and returns those deleted. They are recorded in the journal before
// the first one is deleted. Entries of retired releases remain in the index, so that
// a stable release never gets other content.
func (s *Store) Prune(ctx context.Context, intent Intent, before time.Time, garbage []Garbage) ([]Garbage, error) {
	if len(garbage) == 0 {
		return nil, nil
	}
	wanted := make(map[string]bool)
	for _, g := range garbage {
		wanted[g.Path] = true
	}
	// current returns the garbage that is still to be deleted.
	current := func(ix *Index) ([]Garbage, error) {
		all, err := s.prunable(ctx, ix, before)
		return slices.DeleteFunc(all, func(g Garbage) bool { return !wanted[g.Path] }), err
	}
	record, err := s.annotate(ctx, Prune, intent, func(ix *Index, record *Record) error {
		all, err := current(ix)
		for _, g := range all {
			record.Removed = append(record.Removed, g.Path)
		}
		return err
	})
	if err != nil || record == nil {
		return nil, err
	}
	// Others may have become garbage since, but are not in the record.
	clear(wanted)
	for _, name := range record.Removed {
		wanted[name] = true
	}
	var deleted []Garbage
	err = s.backend.UpdateIndex(ctx, func(ix *Index) (bool, error) {
		all, err := current(ix)
		if err != nil {
			return false, err
		}
		for _, g := range all {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if err := s.backend.Remove(ctx, g.Path); err != nil {
				return false, fmt.Errorf("store: %w", err)
			}
			deleted = append(deleted, g)
		}
		return false, nil
	})
	return deleted, err
}
