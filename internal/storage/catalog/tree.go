package catalog

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// Tree is a [Store] that compiles an authoring tree whenever it changes, so that
// authors see their edits immediately. It logs the findings. A release with errors
// is listed without a content hash and cannot be loaded.
type Tree struct {
	// Check returns more findings about a release, such as those in its examples. It may
	// be nil, and must be set before the first call of Index.
	Check func(*taxonomy.Taxonomy) problem.List

	fsys fs.FS
	log  *slog.Logger

	mu      sync.Mutex
	folders map[taxonomy.ID]*releaseFolder
	logged  string // the last logged findings about the tree's folders

	findings atomic.Pointer[problem.List]
}

// releaseFolder is the state of one release folder.
type releaseFolder struct {
	fingerprint string           // of the files at the last attempt
	release     *release.Release // nil if the attempt failed
	err         error            // a [problem.List] if the release has errors
	findings    problem.List
}

// NewTree returns the store of an authoring tree.
func NewTree(fsys fs.FS, log *slog.Logger) *Tree {
	return &Tree{fsys: fsys, log: log, folders: make(map[taxonomy.ID]*releaseFolder)}
}

// Index compiles the releases that changed since the last call.
func (t *Tree) Index(ctx context.Context) (*store.Index, error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if _, err := fs.Stat(t.fsys, "."); err != nil {
		return nil, fmt.Errorf("authoring tree: %w", err)
	}
	ids, problems := source.Releases(t.fsys)
	if findings := fmt.Sprint(len(ids) == 0, problems); findings != t.logged {
		t.logged = findings
		t.logFindings("", problems)
		if len(ids) == 0 {
			t.log.Warn("the authoring tree has no release folders, <type>/<YYYY-MM-DD>-<status>")
		}
	}
	index := new(store.Index)
	folders := make(map[taxonomy.ID]*releaseFolder, len(ids))
	// Keep the releases in folders that cannot be listed at the moment.
	for id := range t.folders {
		if !slices.Contains(ids, id) && parentUnreadable(id, problems) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := t.compile(id)
		folders[id] = f
		entry := store.Entry{ID: id, Path: f.fingerprint}
		if f.release != nil {
			entry.ContentHash = f.release.Hash()
		}
		if _, err := index.Publish(entry); err != nil {
			return nil, err
		}
	}
	t.folders = folders
	for _, e := range index.Releases {
		problems = append(problems, folders[e.ID].findings...)
	}
	t.findings.Store(&problems)
	return index, nil
}

// Findings returns the findings of the last call of Index, in the order of the
// releases. It does not wait for a call in progress.
func (t *Tree) Findings() problem.List {
	if findings := t.findings.Load(); findings != nil {
		return *findings
	}
	return nil
}

// parentUnreadable reports whether a parent folder of the release cannot be read.
func parentUnreadable(id taxonomy.ID, problems problem.List) bool {
	return slices.ContainsFunc(problems, func(p problem.Problem) bool {
		return p.Severity == problem.Error && (p.Pos.File == "." || p.Pos.File == id.Type)
	})
}

// compile returns the state of a release folder, recompiled if its files
// changed.
func (t *Tree) compile(id taxonomy.ID) *releaseFolder {
	f := t.folders[id]
	if f == nil {
		f = new(releaseFolder)
	}
	// Computed before reading the files, so that a change in between is seen by
	// the next call.
	current, err := Fingerprint(t.fsys, id.Folder())
	if err != nil {
		current = err.Error()
	}
	if current == f.fingerprint {
		return f
	}
	next := &releaseFolder{fingerprint: current, err: err}
	if err == nil {
		next.release, next.findings, next.err = t.load(id)
	}
	if next.err != nil && !next.findings.HasErrors() {
		next.findings = append(problem.List{unreadable(id.String() + " cannot be read.")}, next.findings...)
	}
	if next.release != nil {
		t.log.Info("compiled", "release", id.String(), "content_hash", next.release.Hash(), "elements", len(next.release.Elements))
	}
	return next
}

// load reads and compiles a release folder, and logs the findings. If any is an
// error, err contains all of them, errors first. It turns a panic into an error, so
// that no input crashes the author's server.
func (t *Tree) load(id taxonomy.ID) (r *release.Release, findings problem.List, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	tax, symbols, findings := source.LoadWithSymbols(t.fsys, id)
	if tax != nil && t.Check != nil {
		findings = append(findings, t.Check(tax)...)
	}
	t.logFindings(id.String(), findings)
	if tax == nil {
		errs, warnings := findings.Split()
		return nil, findings, append(errs, warnings...)
	}
	r, err = release.CompileWithSymbols(tax, symbols)
	return r, findings, err
}

func (t *Tree) logFindings(id string, problems problem.List) {
	for _, p := range problems {
		level := slog.LevelError
		if p.Severity == problem.Warning {
			level = slog.LevelWarn
		}
		t.log.Log(context.Background(), level, p.Message, "release", id, "code", string(p.Code), "at", p.Pos.String(), "hint", p.FixHint)
	}
}

// Load returns a release listed by Index.
func (t *Tree) Load(_ context.Context, e store.Entry) (*release.Release, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.folders[e.ID]
	if f == nil || f.fingerprint != e.Path {
		return nil, fmt.Errorf("%s changed while it was being loaded", e.ID)
	}
	return f.release, f.err
}

// Fingerprint hashes the names, sizes, modes and modification times of the files
// of a release folder. A file that becomes readable has only another mode.
func Fingerprint(fsys fs.FS, dir string) (string, error) {
	h := fnv.New64a()
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if d == nil {
			return err // the release folder does not exist
		}
		exists := func(sibling string) bool {
			_, err := fs.Lstat(fsys, path.Join(path.Dir(name), sibling))
			return err == nil
		}
		switch ignored := source.Ignored(d.Name(), exists); {
		case ignored && d.IsDir():
			return fs.SkipDir
		case err != nil || ignored || d.IsDir():
			return err
		}
		info, err := fs.Stat(fsys, name)
		if err != nil {
			// A broken link is reported when the release is loaded.
			if info, err = d.Info(); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(h, "%s\x00%d\x00%o\x00%d\n", name, info.Size(), info.Mode(), info.ModTime().UnixNano())
		return err
	})
	return strconv.FormatUint(h.Sum64(), 16), err
}
