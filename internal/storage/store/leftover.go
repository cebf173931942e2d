package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"placard/internal/core/problem"
)

// leftover is a file or folder of a store that neither the index nor the journal
// refers to.
type leftover struct {
	path   string
	reason Reason
	since  time.Time // when it was created or set aside
	err    error     // if it is inaccessible
}

// The reasons that only [FS.Verify] reports.
const (
	foreign      Reason = "foreign"      // not written by Placard
	inaccessible Reason = "inaccessible" // a folder whose files cannot be listed
)

func (l leftover) problem() problem.Problem {
	switch l.reason {
	case SetAside:
		return fileUnused.Found("It was set aside when it was replaced.").See(problem.Prune())
	case inaccessible:
		return unreadable(l.err)
	case foreign:
		return fileUnused.Found("It is not part of the store.").Hint("Move it to another folder.")
	default:
		return fileUnused.Found("Neither the index nor the journal refers to it.").See(problem.Prune())
	}
}

// folderFile matches the names of release folders.
var folderFile = regexp.MustCompile(`^[0-9a-f]{16}(-[0-9]+)?$`)

// leftovers returns the files and folders that are neither in use nor being deleted,
// sorted by path.
func (s FS) leftovers(ctx context.Context, ix *Index, journal *chain, uses map[string]*use) ([]leftover, error) {
	var all []leftover
	// add adds a file or folder, and skips its files. Placard has written it if own
	// is true, or if its name says so.
	add := func(name string, d fs.DirEntry, own bool) error {
		if ix.isPruning(name) {
			return skip(d)
		}
		since, aside := setAsideTime(name)
		switch {
		case aside:
			all = append(all, leftover{path: name, reason: SetAside, since: since})
		case !own:
			all = append(all, leftover{path: name, reason: foreign})
		default:
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return skip(d) // deleted in the meantime
			}
			if err != nil {
				return err
			}
			// A lost record may have referred to it.
			all = append(all, leftover{path: name, reason: Unreferenced, since: laterOf(info.ModTime(), journal.lostAt())})
		}
		return skip(d)
	}
	root, err := fs.ReadDir(s.FS, ".")
	if err != nil {
		return nil, err
	}
	for _, d := range root {
		if strings.HasPrefix(d.Name(), IndexFile+".") {
			_ = add(d.Name(), d, false) // only skips a folder
		}
	}
	failed := func(name string, err error) {
		all = append(all, leftover{path: name, reason: inaccessible, err: err})
	}
	err = s.walk(ctx, JournalDir, failed, func(name string, d fs.DirEntry) error {
		_, record := recordRevision(name)
		if name == JournalDir || journal.files[name] {
			return nil
		}
		return add(name, d, record)
	})
	if err != nil {
		return nil, err
	}
	err = s.walk(ctx, ReleasesDir, failed, func(name string, d fs.DirEntry) error {
		depth := strings.Count(name, "/")
		switch {
		case uses[name] != nil:
			return skip(d)
		case depth < 3 && d.IsDir():
			return nil // a type, or a release with its contents
		}
		return add(name, d, depth == 3 && folderFile.MatchString(path.Base(name)))
	})
	slices.SortFunc(all, func(a, b leftover) int { return strings.Compare(a.path, b.path) })
	return all, err
}

// skip makes [FS.walk] skip a folder.
func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// TreeFS is a file system that reads the names of all files in a folder at once, which
// is faster than one folder after the other if each takes a round trip.
type TreeFS interface {
	fs.FS
	// Tree returns a file system with the names and sizes of the files in a folder.
	Tree(dir string) (fs.FS, error)
}

// walk walks a folder, which need not exist. It calls failed for folders that cannot
// be read. Files that are deleted in the meantime are ignored.
func (s FS) walk(ctx context.Context, dir string, failed func(string, error), visit func(string, fs.DirEntry) error) error {
	fsys := s.FS
	if tree, ok := fsys.(TreeFS); ok {
		var err error
		if fsys, err = tree.Tree(dir); err != nil {
			return err
		}
	}
	return fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			failed(name, err)
			return nil
		}
		return visit(name, d)
	})
}
