package store

import (
	"context"
	"errors"
	"fmt"
	"path"

	"placard/internal/compat"
	"placard/internal/release"
)

// Publication is a release to publish and the aliases to pin to it.
type Publication struct {
	Release *release.Release
	Pins    []string
}

// Outcome is the result of one publication.
type Outcome struct {
	Entry
	Published bool // whether the release is new or was restored
	// Comparison has the changes since the published content or, for a new release,
	// since the release before it. It is set in dry runs, and nil if there is no such
	// release or it is damaged.
	Comparison *compat.Comparison
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
	outcomes := make([]Outcome, len(publications))
	result, err := s.update(ctx, Publish, intent, func(ix *Index) (err error) {
		// Both compare with the releases that are published now.
		comparisons := make([]*compat.Comparison, len(publications))
		for i, p := range publications {
			err := s.checkCompatible(ctx, ix, p.Release, intent, publications...)
			if err == nil && intent.DryRun {
				comparisons[i], err = s.compare(ctx, ix, p.Release)
			}
			if err != nil {
				return fmt.Errorf("publish %s: %w", p.Release.ID(), err)
			}
		}
		for i, p := range publications {
			if outcomes[i], err = s.publish(ctx, ix, p, intent.DryRun); err != nil {
				return fmt.Errorf("publish %s: %w", p.Release.ID(), err)
			}
			outcomes[i].Comparison = comparisons[i]
		}
		return nil
	})
	result.Outcomes = outcomes
	return result, err
}

// publish adds one release to ix and, unless dryRun is set, writes its files.
// Readers do not see them before ix is written.
func (s *Store) publish(ctx context.Context, ix *Index, p Publication, dryRun bool) (Outcome, error) {
	files, e, err := encode(p.Release)
	if err != nil {
		return Outcome{}, err
	}
	e.PublishedAt = s.now()
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
	if !complete && !dryRun {
		if err := s.backend.WriteFolder(ctx, e.Path, files); err != nil {
			return Outcome{}, err
		}
	}
	if !complete && !published {
		// The files are restored: a new date makes servers load them again.
		e.PublishedAt, published = s.now(), true
		ix.Releases = with(ix.Releases, e)
	}
	return Outcome{Entry: e, Published: published}, nil
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

// complete reports whether the folder of e has every file of the release, all
// of them undamaged.
func (s *Store) complete(ctx context.Context, e Entry) (bool, error) {
	r, err := s.Load(ctx, e)
	var damage *release.DamageError
	if errors.As(err, &damage) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return r.HasAllIcons(), nil
}
