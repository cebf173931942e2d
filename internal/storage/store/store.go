package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Store is a store that can be changed. Each change replaces the index and adds one
// record to the journal, in one atomic step.
type Store struct {
	// Now returns the time of a change; nil means time.Now.
	Now      func() time.Time
	backend  Backend
	name     string
	hasIndex atomic.Bool // an index has been read
}

// New returns the store whose files are kept by b. The name is used in error
// messages.
func New(b Backend, name string) *Store { return &Store{backend: b, name: name} }

func (s *Store) files(ctx context.Context) FS { return FS{FS: s.backend.FS(ctx), Name: s.name} }

// Index returns the current index. It is empty if nothing has been published. A store
// that had an index and has none any more is damaged, even if all other files are
// missing, too.
func (s *Store) Index(ctx context.Context) (*Index, error) {
	ix, err := s.files(ctx).Index(ctx)
	switch {
	case err != nil:
		return nil, err
	case ix.Layout != 0:
		s.hasIndex.Store(true)
	case s.hasIndex.Load():
		return nil, s.indexMissing()
	}
	return ix, nil
}

func (s *Store) indexMissing() error {
	return FS{Name: s.name}.damaged(&release.DamageError{File: IndexFile, Err: errIndexMissing})
}

// Load reads and verifies one release.
func (s *Store) Load(ctx context.Context, e Entry) (*release.Release, error) {
	return s.files(ctx).Load(ctx, e)
}

// History returns the journal, newest record first; see [FS.History].
func (s *Store) History(ctx context.Context) ([]Record, error) { return s.files(ctx).History(ctx) }

// Intent says who makes a change, and why.
type Intent struct {
	By     string // a person or a program; one line
	Note   string // may have several lines
	DryRun bool   // compute the result without changing anything
	// AllowBreaking permits a stable release that breaks documents of the stable
	// release before it.
	AllowBreaking bool
	// ReleaseNotes, unless nil, replace the notes of a beta that is promoted.
	ReleaseNotes *string
	// ReplacedBy, unless zero, is the published successor of releases that are retired.
	ReplacedBy taxonomy.ID
}

const (
	maxBy   = 200
	maxNote = 4000
)

// Check returns an error if the intent cannot be recorded. Control characters could
// manipulate the terminals of people who read the journal.
func (i Intent) Check() error {
	for _, text := range []struct {
		name, value, allowed string
		limit                int
	}{
		{"The name of the author", i.By, "", maxBy},
		{"The note", i.Note, "\n\t", maxNote},
		{"The text of the notes", *cmp.Or(i.ReleaseNotes, new(string)), "\n\t", maxNote},
	} {
		isControl := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(text.allowed, r) }
		switch {
		case !utf8.ValidString(text.value):
			return problem.Failure("%s is not valid UTF-8.", text.name)
		case strings.ContainsFunc(text.value, isControl):
			return problem.Failure("%s contains control characters.", text.name)
		case utf8.RuneCountInString(text.value) > text.limit:
			return problem.Failure("%s is longer than %d characters.", text.name, text.limit)
		}
	}
	return nil
}

// Result is the result of a change.
type Result struct {
	Before, After *Index
	Record        *Record   // nil if nothing changed
	Outcomes      []Outcome // of Publish and Promote, in the order of the publications
	Warnings      problem.List
}

// Changed reports whether the index changed.
func (r Result) Changed() bool { return r.Record != nil }

// update changes the index and records the change in the journal.
func (s *Store) update(ctx context.Context, action Action, intent Intent, change func(*Index) error) (Result, error) {
	if err := intent.Check(); err != nil {
		return Result{}, err
	}
	var result Result
	attempt := func(ix *Index) (bool, error) {
		result = Result{Before: ix.Clone(), After: ix}
		if err := change(ix); err != nil {
			return false, err
		}
		record := newRecord(result.Before, ix)
		if record.isEmpty() {
			return false, nil
		}
		result.Record = s.sign(record, action, intent)
		if intent.DryRun {
			return false, nil
		}
		return true, s.writeRecord(ctx, ix, record)
	}
	if intent.DryRun {
		ix, err := s.Index(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			ix, err = new(Index), nil // the folder would be created
		}
		if err != nil {
			return Result{}, err
		}
		_, err = attempt(ix.Clone())
		return result, err
	}
	if err := s.backend.UpdateIndex(ctx, attempt); err != nil {
		return Result{}, err
	}
	return result, nil
}

// sign completes a record with the author and the time of the change.
func (s *Store) sign(record *Record, action Action, intent Intent) *Record {
	record.At, record.Action, record.By, record.Note = s.now(), action, intent.By, intent.Note
	return record
}

// writeRecord writes a record and makes it the newest one of ix.
func (s *Store) writeRecord(ctx context.Context, ix *Index, record *Record) error {
	data, err := record.encode()
	if err != nil {
		return err
	}
	ix.Journal = Head{record.Revision, recordName(record.Revision, data)}
	return s.backend.WriteFile(ctx, File{ix.Journal.Record, data})
}

func (s *Store) now() time.Time {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return now().UTC().Truncate(time.Second)
}

// Retire removes releases from the list of published ones. Their files remain, and
// [Store.Restore] publishes them again. Aliases pinned to them have no effect until then.
func (s *Store) Retire(ctx context.Context, intent Intent, ids ...taxonomy.ID) (Result, error) {
	result, err := s.update(ctx, Retire, intent, func(ix *Index) error {
		for _, id := range ids {
			e, err := ix.mustFind(id)
			if err != nil {
				return err
			}
			e.ReplacedBy = intent.ReplacedBy
			ix.retire(e)
		}
		if !intent.ReplacedBy.IsZero() {
			_, err := ix.mustFind(intent.ReplacedBy)
			return err
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	types := make(map[string]bool)
	for _, e := range result.After.Releases {
		types[e.ID.Type] = true
	}
	for _, id := range ids {
		if !types[id.Type] {
			types[id.Type] = true
			result.Warnings = append(result.Warnings, lastRelease.Found("Without %s, no release of the type %s is published.", id, id.Type).
				Hint("Publish or restore a release of the type if documents still use it."))
		}
	}
	return result, nil
}

// SetAlias makes <type>@name an alias of a published release.
func (s *Store) SetAlias(ctx context.Context, intent Intent, name string, id taxonomy.ID) (Result, error) {
	return s.update(ctx, SetAlias, intent, func(ix *Index) error {
		if _, err := ix.mustFind(id); err != nil {
			return err
		}
		return ix.Pin(id, name)
	})
}

// RemoveAlias removes a pinned alias, <type>@<name>.
func (s *Store) RemoveAlias(ctx context.Context, intent Intent, alias string) (Result, error) {
	return s.update(ctx, RemoveAlias, intent, func(ix *Index) error {
		if _, pinned := ix.Pins[alias]; !pinned {
			return aliasNotPinned(ix, alias)
		}
		delete(ix.Pins, alias)
		return nil
	})
}

// Restore publishes the release e again, which [Store.Contents] has returned. A beta that is
// published is replaced.
func (s *Store) Restore(ctx context.Context, intent Intent, e Entry) (Result, error) {
	return s.update(ctx, Restore, intent, func(ix *Index) error {
		complete := false
		if !ix.isPruning(e.Path) {
			var err error
			if complete, err = s.complete(ctx, e); err != nil {
				return err
			}
		}
		if !complete {
			return contentGone.Found("The files of %s with content %s are missing or damaged.", e.ID, e.ContentHash).
				Hint("Publish the release again from its folder in the authoring tree.")
		}
		if current, published := ix.Find(e.ID); published && current.Path != e.Path {
			e.PublishedAt = s.now()
		}
		_, err := ix.Publish(e)
		return err
	})
}

func aliasNotPinned(ix *Index, alias string) error {
	p := problem.New(problem.NotFound, "The alias %q is not set in this store.", problem.Clip(alias))
	names := slices.Sorted(maps.Keys(ix.Pins))
	if hint := problem.DidYouMean(alias, names); hint != "" {
		return p.Hint("%s", hint)
	}
	return p.Hint("The aliases that are set: %s. Others are computed from the published releases and cannot be removed.",
		cmp.Or(problem.Listing(names, 5), "none"))
}
