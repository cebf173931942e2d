package store

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// Publication is a release to publish and the aliases to pin to it.
type Publication struct {
	Release *release.Release
	Pins    []string
	// SkipRetired leaves a retired release as it is. Otherwise, it is published again.
	SkipRetired bool
}

// Outcome is the result of one publication.
type Outcome struct {
	Entry
	Published  bool // whether the release is new or was restored
	WasRetired bool // before the change; if it is not published, it still is
	// Comparison has the changes since another release; see [Store.compare]. It is
	// nil if there is no such release or it is damaged.
	Comparison *compat.Comparison
	Notes      string // of the release, if it is published
}

// Publish publishes releases and pins aliases to them, atomically: if one is refused, none
// is published.
func (s *Store) Publish(ctx context.Context, intent Intent, publications ...Publication) (Result, error) {
	for _, p := range publications {
		for _, name := range p.Pins {
			if err := checkPin(name); err != nil {
				return Result{}, fmt.Errorf("publish %s: %w", p.Release.ID(), err)
			}
		}
	}
	var outcomes []Outcome
	var warnings problem.List
	result, err := s.update(ctx, Publish, intent, func(ix *Index) error {
		before := ix.Clone()
		outcomes, warnings = make([]Outcome, len(publications)), nil
		wanted := slices.DeleteFunc(slices.Clone(publications), func(p Publication) bool {
			_, retired := before.FindRetired(p.Release.ID())
			return retired && p.SkipRetired
		})
		for _, p := range wanted {
			if err := s.checkCompatible(ctx, before, p.Release, intent, wanted...); err != nil {
				return fmt.Errorf("publish %s: %w", p.Release.ID(), err)
			}
		}
		for i, p := range publications {
			id := p.Release.ID()
			if e, retired := before.FindRetired(id); retired && p.SkipRetired {
				outcomes[i] = Outcome{Entry: e, WasRetired: true}
				warnings = append(warnings, releaseRetired.Found("%s was retired, and is not published again.", id).
					Hint("To publish it with the content of the tree, name its folder.").See(problem.Restore(id.String())))
				continue
			}
			var err error
			if outcomes[i], err = s.publish(ctx, before, ix, p, intent); err != nil {
				return fmt.Errorf("publish %s: %w", id, err)
			}
			warnings = append(warnings, s.remarks(ctx, before, outcomes[i])...)
		}
		return nil
	})
	result.Outcomes, result.Warnings = outcomes, warnings
	return result, err
}

// publish adds one release to ix, a copy of before, and, unless the intent is a dry
// run, writes its files. Readers do not see them before ix is written.
func (s *Store) publish(ctx context.Context, before, ix *Index, p Publication, intent Intent) (Outcome, error) {
	comparison, err := s.compare(ctx, before, p.Release, intent)
	if err != nil {
		return Outcome{}, err
	}
	files, e, err := encode(p.Release)
	if err != nil {
		return Outcome{}, err
	}
	e.Path, e.PublishedAt = ix.freeFolder(e), s.now()
	folder := e.Path
	published, err := ix.Publish(e)
	if err != nil {
		return Outcome{}, err
	}
	e, _ = ix.Find(e.ID) // the old entry if nothing changed
	for _, name := range p.Pins {
		if err := ix.Pin(e.ID, name); err != nil {
			return Outcome{}, err
		}
	}
	complete, err := s.complete(ctx, e)
	if err != nil {
		return Outcome{}, err
	}
	if !complete {
		e.Path = folder // of these files: their notes may differ from the lost ones
	}
	if !complete && !intent.DryRun {
		if err := s.backend.WriteFolder(ctx, e.Path, files); err != nil {
			return Outcome{}, err
		}
	}
	if !complete && !published {
		// The files are restored: a new date makes servers load them again, even if
		// they were published in the same second.
		now, next := s.now(), e.PublishedAt.Add(time.Second)
		if now.Before(next) {
			now = next
		}
		e.PublishedAt, published = now, true
		ix.Releases = with(ix.Releases, e)
	}
	_, wasRetired := before.FindRetired(e.ID)
	return Outcome{e, published, wasRetired, comparison, p.Release.Manifest.Notes}, nil
}

// encode returns the files and the index entry of a release. Its folder is named
// after the digest of its header, which has the checksums of the other files.
func encode(r *release.Release) ([]File, Entry, error) {
	seq, err := r.Files()
	if err != nil {
		return nil, Entry{}, err
	}
	var files []File
	var digest string
	for name, data := range seq {
		files = append(files, File{name, data})
		if name == release.HeaderFile {
			digest = release.Digest(data)
		}
	}
	return files, Entry{
		ID:          r.ID(),
		ContentHash: r.Hash(),
		Path:        path.Join(ReleasesDir, r.ID().Folder(), folderName(digest)),
	}, nil
}

// folderName returns the name of the folder of a release from the digest of its
// header.
func folderName(digest string) string { return digest[:16] }

// freeFolder returns the folder in which the release e is published: e.Path, or
// e.Path-2 and so on while a folder is being deleted. If the release already is in one
// of them, that one is returned.
func (ix *Index) freeFolder(e Entry) string {
	for _, entries := range [][]Entry{ix.Releases, ix.Retired} {
		if old, ok := find(entries, e.ID); ok && baseFolder(old.Path) == e.Path && !ix.isPruning(old.Path) {
			return old.Path
		}
	}
	folder := e.Path
	for n := 2; ix.isPruning(folder); n++ {
		folder = fmt.Sprintf("%s-%d", e.Path, n)
	}
	return folder
}

// baseFolder returns the folder of a release without the number that
// [Index.freeFolder] added.
func baseFolder(folder string) string {
	dir, name := path.Split(folder)
	name, _, _ = strings.Cut(name, "-")
	return dir + name
}

// complete reports whether the folder of e has every file of the release, all
// of them undamaged.
func (s *Store) complete(ctx context.Context, e Entry) (bool, error) {
	r, err := s.Load(ctx, e)
	switch {
	case isDamage(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return r.HasAllIcons(), nil
}
