package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// Repairs are the results of [Store.Repair].
type Repairs struct {
	Rebuilt  bool     `json:"rebuilt"`           // whether the index was rebuilt
	Revision int      `json:"revision,omitzero"` // of the newest record that the index was rebuilt from
	Lost     []string `json:"lost"`              // the files of records that were given up
	Record   *Record  `json:"record,omitzero"`   // nil if nothing was repaired
}

// Repair rebuilds a damaged index from the journal, and records that missing or
// damaged records are lost. It does not change releases. The damaged files are kept.
func (s *Store) Repair(ctx context.Context, intent Intent) (Repairs, error) {
	var repairs Repairs
	if err := intent.Check(); err != nil {
		return repairs, err
	}
	switch ix, err := s.Index(ctx); {
	case err != nil && !isDamage(err):
		return repairs, err
	case err == nil && ix.Layout == 0:
		return repairs, nil // a new store, perhaps not even one
	}
	files := s.files(ctx)
	repaired, err := s.backend.RepairIndex(ctx, func(damaged []byte) (*Index, error) {
		ix, lost, err := files.rebuild(ctx, damaged)
		if errors.Is(err, errNoJournal) {
			return nil, indexDamaged.Found("The index is damaged, and the journal has no records to rebuild it from.").Hint("%s", noJournalHint)
		}
		if rivals, ok := errors.AsType[*rivalsError](err); ok {
			return nil, indexDamaged.Found("The index is damaged, and it is not known which record of the journal was the last one.").Hint("%s", rivals.hint())
		}
		if err != nil {
			return nil, err
		}
		for _, e := range ix.Releases {
			// A release of another layout must not be listed in an index of this one.
			if _, err := files.Load(ctx, e); err != nil && !isDamage(err) {
				return nil, err
			}
		}
		record := s.sign(newRecord(ix, ix), Repair, intent)
		record.Lost = lost
		repairs = Repairs{true, ix.Journal.Revision, lost, record}
		return ix, s.writeRecord(ctx, ix, record)
	})
	if err != nil || repaired {
		return repairs, err
	}
	repairs = Repairs{} // another process was first
	repairs.Record, err = s.annotate(ctx, Repair, intent, func(ix *Index, record *Record) error {
		c, err := files.chain(ctx, ix.Journal)
		if err != nil {
			return err
		}
		record.Lost, err = c.losses()
		repairs.Lost = record.Lost
		return err
	})
	return repairs, err
}

// annotate adds a record to the journal that changes neither releases nor aliases.
// It returns nil if fill leaves the record empty.
func (s *Store) annotate(ctx context.Context, action Action, intent Intent, fill func(*Index, *Record) error) (*Record, error) {
	if err := intent.Check(); err != nil {
		return nil, err
	}
	var added *Record
	err := s.backend.UpdateIndex(ctx, func(ix *Index) (bool, error) {
		added = nil
		record := s.sign(newRecord(ix, ix), action, intent)
		if err := fill(ix, record); err != nil || record.isEmpty() {
			return false, err
		}
		added = record
		return true, s.writeRecord(ctx, ix, record)
	})
	return added, err
}

// losses returns the files of the gaps that are not recorded as lost. It returns an
// error if a record exists but cannot be read.
func (c *chain) losses() ([]string, error) {
	var files []string
	for _, g := range c.gaps {
		if g.known {
			continue
		}
		if !isDamage(g.err) {
			return nil, g.err
		}
		files = append(files, g.file)
	}
	return files, nil
}

// isDamage reports whether err is about a damaged file, and not about one that
// cannot be read at the moment.
func isDamage(err error) bool {
	_, ok := errors.AsType[*release.DamageError](err)
	return ok
}

var errNoJournal = errors.New("the journal has no records")

const noJournalHint = "Restore the store from a backup, or publish the releases again into an empty folder."

// rebuild returns the index that the journal results in, and the records that are
// lost. The argument is the damaged index, if it exists.
func (s FS) rebuild(ctx context.Context, damaged []byte) (ix *Index, lost []string, err error) {
	all, err := s.scan(ctx)
	if err != nil {
		return nil, nil, err
	}
	head, err := all.head(damaged)
	if err != nil {
		return nil, nil, err
	}
	return s.rebuildFrom(ctx, head, all)
}

// rebuildFrom is like rebuild, but the newest record is known.
func (s FS) rebuildFrom(ctx context.Context, head Head, all scannedRecords) (ix *Index, lost []string, err error) {
	c, err := s.follow(ctx, head, all, nil)
	if err != nil {
		return nil, nil, err
	}
	if lost, err = c.losses(); err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		switch {
		case r.err == nil || r.revision <= head.Revision:
		case !isDamage(r.err):
			return nil, nil, r.err
		default:
			lost = append(lost, r.file) // the index may have referred to it
		}
	}
	ix = c.replay()
	ix.Journal = head
	ix.Pruning = c.deletions(ix, time.Now())
	return ix, lost, nil
}

// head returns the newest record that was part of the chain. A record with a
// successor was, because its successor was written when the index referred to it.
// The newest one has none. It was, too, unless its writer crashed before it replaced
// the index; then the damaged index may still name its predecessor. If there are
// several newest records, all but one were left by writers that crashed or lost a race.
func (all scannedRecords) head(damaged []byte) (Head, error) {
	var newest scannedRecords
	for _, r := range all {
		if r.err != nil {
			continue
		}
		if len(newest) > 0 && r.revision < newest[0].revision-1 {
			break
		}
		if bytes.Contains(damaged, []byte(path.Base(r.file))) {
			return Head{r.revision, r.file}, nil
		}
		if len(newest) == 0 || r.revision == newest[0].revision {
			newest = append(newest, r)
		}
	}
	switch len(newest) {
	case 0:
		return Head{}, errNoJournal
	case 1:
		return Head{newest[0].revision, newest[0].file}, nil
	}
	return Head{}, &rivalsError{newest, all}
}

// rivalsError says that the newest record is not known.
type rivalsError struct {
	records scannedRecords // the rivals
	all     scannedRecords
}

func (e *rivalsError) Error() string { return "the newest record is not known" }

// before returns the record before the rivals.
func (e *rivalsError) before() Head { return Head{e.records[0].revision - 1, e.records[0].Previous} }

func (e *rivalsError) hint() string {
	var names []string
	for _, r := range e.records {
		names = append(names, fmt.Sprintf("%s (%s by %s)", r.file, r.Action, author(r.Record)))
	}
	return "At most one of them took effect: " + problem.And(names) + ". Restore index.json from a backup, or delete the records without effect, and repair again."
}

// deletions returns the marks of recent deletions. A prune may still be running.
func (c *chain) deletions(ix *Index, now time.Time) []Deletion {
	uses := c.uses(ix, now)
	marks := new(Index)
	for _, record := range slices.Backward(c.records) {
		if record.At.Add(markLifetime).Before(now) {
			continue
		}
		for _, name := range record.Removed {
			if u := uses[name]; u == nil || u.removed {
				i, ok := marks.findDeletion(name)
				if !ok {
					marks.Pruning = slices.Insert(marks.Pruning, i, Deletion{Path: name})
				}
				marks.Pruning[i].Since = record.At
			}
		}
	}
	return marks.Pruning
}
