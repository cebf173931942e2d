package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Report is the result of [FS.Verify].
type Report struct {
	Releases int   // number of release folders that were read
	Records  int   // number of records in the journal
	Bytes    int64 // size of the releases
	Problems problem.List
}

// Verify reads every file of a store and reports everything that is damaged, and
// files that are not in use. It calls progress, unless it is nil, before it reads
// each release folder. The error is not nil if the store does not exist or
// verification could not be finished.
func (s FS) Verify(ctx context.Context, progress func(done, total int, e Entry)) (*Report, error) {
	for attempt := 1; ; attempt++ {
		v := verifier{FS: s}
		if err := v.run(ctx, progress); err != nil {
			return nil, err
		}
		// A writer may have changed the store in the meantime.
		ix, err := s.Index(ctx)
		if len(v.report.Problems) == 0 || attempt == 3 || err != nil || ix.Journal == v.index.Journal {
			return &v.report, nil
		}
	}
}

// Verify is [FS.Verify].
func (s *Store) Verify(ctx context.Context, progress func(done, total int, e Entry)) (*Report, error) {
	return s.files(ctx).Verify(ctx, progress)
}

type verifier struct {
	FS
	index  *Index
	rivals scannedRecords // records of which one is the newest
	report Report
}

func (v *verifier) add(file string, p problem.Problem) {
	v.report.Problems = append(v.report.Problems, p.At(problem.Pos{File: file}))
}

func (v *verifier) run(ctx context.Context, progress func(done, total int, e Entry)) error {
	if err := v.verifyIndex(ctx); err != nil {
		return err
	}
	journal, err := v.verifyJournal(ctx)
	if err != nil {
		return err
	}
	uses := journal.uses(v.index, time.Now())
	if err := v.verifyReleases(ctx, uses, progress); err != nil {
		return err
	}
	for _, d := range v.index.Pruning {
		if _, err := fs.Lstat(v.FS.FS, d.Path); err == nil {
			v.add(d.Path, fileUnused.Found("A prune has not finished deleting it.").Hint("If that prune was interrupted, prune again.").See(problem.Prune()))
		}
	}
	leftovers, err := v.leftovers(ctx, v.index, journal, uses)
	if err != nil {
		return err
	}
	outdated := journal.indexOutdated(v.index)
	if p, ok := errors.AsType[problem.Problem](outdated); ok {
		v.add(IndexFile, p)
	}
	for _, l := range leftovers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if revision, _ := recordRevision(l.path); outdated != nil && l.reason == Unreferenced {
			continue // newer records may refer to it
		} else if revision > v.index.Journal.Revision {
			v.add(l.path, fileUnused.Found("The record has revision %d, but the index has revision %d.", revision, v.index.Journal.Revision).
				Hint("A publisher was interrupted, or the index is from an older backup. If the store lacks this change, restore the newest index.json."))
		} else if p, ok := v.unlisted(l); ok {
			v.add(l.path, p)
		} else {
			v.add(l.path, l.problem())
		}
	}
	return nil
}

// unlisted returns the finding about a leftover that is a whole release. A lost
// record may have published it.
func (v *verifier) unlisted(l leftover) (p problem.Problem, ok bool) {
	if l.reason != Unreferenced || path.Dir(l.path) == JournalDir {
		return p, false
	}
	sub, err := fs.Sub(v.FS.FS, l.path)
	if err != nil {
		return p, false
	}
	found := release.Verify(sub)
	if len(found.Errors) > 0 || folderName(found.Digest) != path.Base(baseFolder(l.path)) {
		return p, false
	}
	return fileUnused.Found("Neither the index nor the journal refers to it. It contains %s with content %.19s.", found.ID, found.ContentHash).
		Hint("If that release should be published, publish it again from its authoring tree.").See(problem.Prune()), true
}

// verifyIndex reads the index. If it is damaged, the rest of the store is verified
// with an index rebuilt from the journal.
func (v *verifier) verifyIndex(ctx context.Context) error {
	ix, err := v.Index(ctx)
	v.index = ix
	damage, damaged := errors.AsType[*release.DamageError](err)
	if !damaged {
		return err
	}
	found := indexDamaged.Found("The index is %s.", reason(damage))
	data, _ := release.ReadFile(v.FS.FS, IndexFile) // nil if it is missing
	ix, _, err = v.rebuild(ctx, data)
	rivals, ambiguous := errors.AsType[*rivalsError](err)
	if ambiguous {
		// The rest of the store is verified with the index before them.
		ix, _, err = v.rebuildFrom(ctx, rivals.before(), rivals.all)
		v.rivals = rivals.records
	}
	switch {
	case errors.Is(err, errNoJournal):
		v.index = new(Index)
		v.add(IndexFile, found.Hint("%s", noJournalHint))
	case err != nil:
		return err
	case ambiguous:
		v.index = ix
		v.add(IndexFile, found.Hint("%s", rivals.hint()))
	default:
		v.index = ix
		v.add(IndexFile, found.Hint("It can be rebuilt from the journal.").See(problem.Repair()))
	}
	return nil
}

func (v *verifier) verifyJournal(ctx context.Context) (*chain, error) {
	c, err := v.chain(ctx, v.index.Journal)
	if err != nil {
		return nil, err
	}
	v.report.Records = len(c.records)
	for _, r := range v.rivals {
		c.files[r.file] = true
	}
	effect := "Releases are not affected."
	if len(v.report.Problems) > 0 {
		effect = "Its changes are missing in an index that is rebuilt from the journal."
	}
	for _, g := range c.gaps {
		damage, damaged := errors.AsType[*release.DamageError](g.err)
		switch {
		case g.known:
		case !damaged:
			v.add(g.file, unreadable(g.err))
		default:
			v.add(g.file, journalDamaged.Found("A record of the journal is %s.", reason(damage)).
				Hint("%s Restore the file from a backup, or give it up.", effect).See(problem.Repair()))
		}
	}
	if names := c.differences(v.index); len(names) > 0 {
		v.add(IndexFile, journalDamaged.Found("The index does not match the last changes in the journal of %s.", problem.Listing(names, 5)).
			Hint("Restore index.json and the folder journal from the same backup."))
	}
	return c, nil
}

// verifyReleases verifies the release folders, several at a time.
func (v *verifier) verifyReleases(ctx context.Context, uses map[string]*use, progress func(done, total int, e Entry)) error {
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if uses[name].state == published || !v.index.isPruning(name) {
			paths = append(paths, name)
		}
	}
	// Every folder has its own verifier, so that findings are in the order of the
	// folders.
	parts := make([]verifier, len(paths))
	var mu sync.Mutex
	started := 0
	err := forEachOf(ctx, maxVerified, len(paths), func(i int) error {
		u := uses[paths[i]]
		if progress != nil {
			mu.Lock()
			progress(started, len(paths), u.Entry)
			started++
			mu.Unlock()
		}
		parts[i] = verifier{FS: v.FS}
		return parts[i].verifyRelease(u)
	})
	for _, part := range parts {
		v.report.Releases += part.report.Releases
		v.report.Bytes += part.report.Bytes
		v.report.Problems = append(v.report.Problems, part.report.Problems...)
	}
	return err
}

// maxVerified is the number of releases that are verified at a time. Their files are in
// memory.
const maxVerified = 4

// verifyRelease reads all files of a release folder. It returns an error if the store is
// unavailable.
func (v *verifier) verifyRelease(u *use) error {
	add := func(file string, p problem.Problem) {
		if u.state != replaced {
			p.Severity = problem.Error
		}
		v.add(path.Join(u.Path, file), u.withHint(p))
	}
	entries, err := fs.ReadDir(v.FS.FS, u.Path)
	if err != nil {
		info, err := fs.Stat(v.FS.FS, u.Path)
		switch {
		case isUnavailable(err):
			return err
		case errors.Is(err, fs.ErrNotExist):
			if u.state == published || !u.removed {
				add("", releaseMissing.Found("The files of %s are missing.", u.describe()))
			}
			return nil
		case err == nil && !info.IsDir(), err != nil && v.isReplaced(u.Path):
			add("", releaseDamaged.Found("The folder of %s is replaced by a file or a link.", u.describe()))
			return nil
		case err != nil:
			v.add(u.Path, unreadable(err))
			return nil
		}
		// The files of a folder that cannot be listed may be readable.
	}
	sub, err := fs.Sub(v.FS.FS, u.Path)
	if err != nil {
		v.add(u.Path, unreadable(err))
		return nil
	}
	result := release.Verify(sub)
	v.report.Releases++
	v.report.Bytes += result.Bytes
	for _, err := range result.Errors {
		if isUnavailable(err) {
			return err
		}
		if damage, ok := errors.AsType[*release.DamageError](err); ok {
			add(damage.File, releaseDamaged.Found("%s of %s is %s.", damage.File, u.describe(), reason(damage)))
		} else {
			v.add(path.Join(u.Path, unreadableFile(err)), unreadable(err))
		}
	}
	if result.Digest != "" && (result.ID != u.ID || result.ContentHash != u.ContentHash || folderName(result.Digest) != path.Base(baseFolder(u.Path))) {
		add(release.HeaderFile, releaseDamaged.Found("The folder of %s contains another release: %s with content %s.", u.describe(), result.ID, result.ContentHash))
	}
	for _, e := range entries {
		if !release.IsFile(e.Name()) {
			l := leftover{path: path.Join(u.Path, e.Name()), reason: foreign}
			v.add(l.path, l.problem())
		}
	}
	return nil
}

// isReplaced reports whether a folder, or a folder that contains it, is replaced by
// something else.
func (v *verifier) isReplaced(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if info, err := fs.Lstat(v.FS.FS, dir); err == nil {
			return !info.IsDir()
		}
	}
	return false
}

// describe names the release and its content.
func (u *use) describe() string {
	switch u.state {
	case published:
		return u.ID.String()
	case retired:
		return fmt.Sprintf("%s (retired)", u.ID)
	default:
		return fmt.Sprintf("%s (an earlier content, %.19s)", u.ID, u.ContentHash)
	}
}

// withHint returns p, a finding about the release, with a hint that says how to repair it.
func (u *use) withHint(p problem.Problem) problem.Problem {
	end := "."
	if u.state == retired {
		end = ", and retire it again."
	}
	switch {
	case u.state == replaced:
		return p.Hint("It can no longer be restored, unless the folder is in a backup. Published releases are not affected.")
	case u.promoted:
		beta := u.ID
		beta.Status = taxonomy.Beta
		return p.Hint("Promote its beta again, which restores the files%s", end).See(problem.Promote(beta.String()))
	}
	return p.Hint("Publish it again from its folder in the authoring tree, which restores the files%s", end)
}

// unreadableFile returns the name of the file of a release that err is about.
func unreadableFile(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Base(filepath.ToSlash(e.Path))
	}
	return ""
}

// unreadable returns the finding about a file that cannot be read at the moment.
func unreadable(err error) problem.Problem {
	return fileUnreadable.Found("The file cannot be read: %v.", cause(err)).
		Hint("Check its permissions and the disk, and verify again.")
}

// reason describes the damage to a file.
func reason(damage *release.DamageError) string {
	if errors.Is(damage.Err, fs.ErrNotExist) || errors.Is(damage.Err, errRecordMissing) {
		return "missing"
	}
	return fmt.Sprintf("damaged: %v", cause(damage.Err))
}

// cause returns the reason of an error of the file system, without the path.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
