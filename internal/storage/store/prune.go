package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
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
	Interrupted  Reason = "interrupted"  // left by a prune that was interrupted
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
		return nil, journalDamaged.Found("The record %s is missing or damaged, so it is not known which files were in use.", gap.file).
			Hint("Restore the file from a backup, or give it up.").See(problem.Repair()).Because(gap.err)
	}
	if err := c.indexOutdated(ix); err != nil {
		return nil, err
	}
	uses := c.uses(ix, s.now())
	var candidates []Garbage
	for _, d := range ix.Pruning {
		g := Garbage{Path: d.Path, Reason: Interrupted, Since: d.Since}
		u := uses[d.Path]
		if u != nil {
			g.ID, g.ContentHash = u.ID, u.ContentHash
		}
		if u == nil || u.state != published {
			candidates = append(candidates, g)
		}
	}
	for name, u := range uses {
		if u.state != published && !u.until.After(before) && !ix.isPruning(name) {
			candidates = append(candidates, Garbage{Path: name, Reason: Reason(u.state), ID: u.ID, ContentHash: u.ContentHash, Since: u.until})
		}
	}
	leftovers, err := files.leftovers(ctx, ix, c, uses)
	if err != nil {
		return nil, err
	}
	for _, l := range leftovers {
		// A record that is newer than the index may belong to a change in progress.
		revision, _ := recordRevision(l.path)
		if (l.reason == Unreferenced || l.reason == SetAside) && !l.since.After(before) && revision <= ix.Journal.Revision {
			candidates = append(candidates, Garbage{Path: l.path, Reason: l.reason, Since: l.since.UTC().Truncate(time.Second)})
		}
	}
	exists := make([]bool, len(candidates))
	err = forEach(ctx, len(candidates), func(i int) (err error) {
		candidates[i].Size, exists[i], err = files.size(ctx, candidates[i].Path)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []Garbage
	for i, g := range candidates {
		if exists[i] { // it is neither missing nor already pruned
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b Garbage) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// size returns the size of a file, or of all files in a folder, and whether it exists.
func (s FS) size(ctx context.Context, name string) (size int64, exists bool, err error) {
	failed := func(string, error) { exists = true }
	err = s.walk(ctx, name, failed, func(_ string, d fs.DirEntry) error {
		exists = true
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, exists, err
}

// Deletion marks a file or folder that is being deleted, so that no writer publishes
// a release in it.
type Deletion struct {
	Path string `json:"path"`
	// Revision is that of the record of the prune that deletes it. It is zero if
	// another prune took over: it is then not known when the first one has sent its
	// last request, and the mark remains for [markLifetime].
	Revision int       `json:"revision,omitzero"`
	Since    time.Time `json:"since"`
}

// markLifetime is the time after which no prune that took part in a deletion is still
// running.
const markLifetime = 24 * time.Hour

// isPruning reports whether a file or folder is being deleted.
func (ix *Index) isPruning(name string) bool {
	_, ok := ix.findDeletion(name)
	return ok
}

func (ix *Index) findDeletion(name string) (int, bool) {
	return slices.BinarySearchFunc(ix.Pruning, name, func(d Deletion, name string) int { return cmp.Compare(d.Path, name) })
}

// mark adds marks for the files and folders that the record lists as removed, and
// removes those of earlier deletions that are finished.
func (ix *Index) mark(record *Record, garbage []Garbage) {
	ix.Pruning = slices.DeleteFunc(ix.Pruning, func(d Deletion) bool {
		exists := slices.ContainsFunc(garbage, func(g Garbage) bool { return g.Path == d.Path })
		return !exists && d.Since.Add(markLifetime).Before(record.At)
	})
	for _, name := range record.Removed {
		if i, ok := ix.findDeletion(name); ok {
			ix.Pruning[i] = Deletion{Path: name, Since: record.At}
		} else {
			ix.Pruning = slices.Insert(ix.Pruning, i, Deletion{name, record.Revision, record.At})
		}
	}
}

// Prune deletes the given garbage, except for files and folders that are in use in
// the meantime, and returns those deleted. Before the first one is deleted, they are
// marked in the index and recorded in the journal: a writer that has read the index
// before cannot replace it afterwards, and later ones use other folders. An interrupted
// prune is finished by the next one. Entries of retired releases remain in the index,
// so that a stable release never gets other content.
func (s *Store) Prune(ctx context.Context, intent Intent, before time.Time, garbage []Garbage) ([]Garbage, error) {
	if len(garbage) == 0 {
		return nil, nil
	}
	wanted := make(map[string]bool)
	for _, g := range garbage {
		wanted[g.Path] = true
	}
	var marked []Garbage
	record, err := s.annotate(ctx, Prune, intent, func(ix *Index, record *Record) error {
		all, err := s.prunable(ctx, ix, before)
		if err != nil {
			return err
		}
		marked = slices.DeleteFunc(slices.Clone(all), func(g Garbage) bool { return !wanted[g.Path] })
		for _, g := range marked {
			record.Removed = append(record.Removed, g.Path)
		}
		ix.mark(record, all)
		return nil
	})
	if err != nil || record == nil {
		return nil, err
	}
	isDeleted := make([]bool, len(marked))
	removeErr := forEach(ctx, len(marked), func(i int) error {
		if err := s.backend.Remove(ctx, marked[i].Path); err != nil {
			return err
		}
		isDeleted[i] = true
		return nil
	})
	var deleted []Garbage
	done := make(map[string]bool)
	for i, g := range marked {
		if isDeleted[i] {
			deleted = append(deleted, g)
			done[g.Path] = true
		}
	}
	if ctx.Err() != nil {
		return deleted, ctx.Err() // the next prune removes the marks
	}
	err = s.backend.UpdateIndex(ctx, func(ix *Index) (bool, error) {
		marks := len(ix.Pruning)
		ix.Pruning = slices.DeleteFunc(ix.Pruning, func(d Deletion) bool { return d.Revision == record.Revision && done[d.Path] })
		return len(ix.Pruning) < marks, nil
	})
	return deleted, errors.Join(removeErr, err)
}
