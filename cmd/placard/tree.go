package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// tree is an authoring tree or a single release in it.
type tree struct {
	dir  string // root of the tree; the prefix of file names in findings
	fsys fs.FS
	only taxonomy.ID // the single release, or zero for all
}

// openTree opens the root of an authoring tree or a release folder in it.
func openTree(dir string) (tree, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return tree{}, err
	}
	if !info.IsDir() {
		return tree{}, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return tree{}, err
	}
	id, err := taxonomy.ParseIDParts(filepath.Base(filepath.Dir(abs)), filepath.Base(abs))
	if err != nil {
		return tree{dir: dir, fsys: os.DirFS(dir)}, nil
	}
	root := filepath.Join(dir, "..", "..")
	return tree{dir: root, fsys: os.DirFS(root), only: id}, nil
}

// isTree reports whether a folder is the root of an authoring tree.
func isTree(dir string) bool {
	ids, _ := source.Releases(os.DirFS(dir))
	return len(ids) > 0
}

// checkOutside returns an error if the store called dir is the root of t or in it.
func (t tree) checkOutside(dir string) error {
	if store.IsAddress(dir) {
		return nil
	}
	root, err := resolvePath(t.dir)
	if err != nil {
		return err
	}
	target, err := resolvePath(dir)
	if err != nil {
		return err
	}
	if relative, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(relative) {
		return nil
	}
	return problem.Failure("The store %q is in the authoring tree %q.", dir, t.dir).Hint("Use a folder outside the tree.")
}

// resolvePath returns the absolute path of a file or folder, which need not exist,
// without links.
func resolvePath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	var missing string
	for folder := abs; ; folder = filepath.Dir(folder) {
		resolved, err := filepath.EvalSymlinks(folder)
		if err == nil {
			return filepath.Join(resolved, missing), nil
		}
		if folder == filepath.Dir(folder) {
			return "", err
		}
		missing = filepath.Join(filepath.Base(folder), missing)
	}
}

// noRelease returns the error for a folder without releases.
func noRelease(dir string) error {
	return problem.Failure("%q contains no release.", dir).Hint("Use the root of an authoring tree, which has folders <type>/<YYYY-MM-DD>-<status>.")
}

// checkedRelease is a release read from a tree.
type checkedRelease struct {
	id       taxonomy.ID
	taxonomy *taxonomy.Taxonomy      // nil if it has errors
	symbols  map[string]*icon.Symbol // by id
}

// releases returns the ids of the selected releases, and findings about the
// folders of the tree.
func (t tree) releases() ([]taxonomy.ID, problem.List) {
	if !t.only.IsZero() {
		return []taxonomy.ID{t.only}, nil
	}
	return source.Releases(t.fsys)
}

// single returns the only selected release or, if there are several, the newest one of
// a type. Without a type, all of them must have the same. dir is the tree as the user
// named it.
func (t tree) single(dir, typeID string) (taxonomy.ID, error) {
	ids, _ := t.releases()
	switch len(ids) {
	case 0:
		return taxonomy.ID{}, noRelease(dir)
	case 1:
		return ids[0], nil
	}
	var types []string
	var newest taxonomy.ID
	for _, id := range ids {
		if !slices.Contains(types, id.Type) {
			types = append(types, id.Type)
		}
		if (typeID == "" || id.Type == typeID) && (newest.IsZero() || id.Compare(newest) > 0) {
			newest = id
		}
	}
	if newest.IsZero() || typeID == "" && len(types) > 1 {
		return taxonomy.ID{}, problem.Failure("%q has releases of type %s.", dir, problem.And(types)).Hint("Use the folder of one release.")
	}
	return newest, nil
}

// check reads the selected releases. Findings have file names below t.dir.
func (t tree) check(p *progress) ([]checkedRelease, problem.List) {
	ids, problems := t.releases()
	var all []checkedRelease
	for i, id := range ids {
		p.show("Checking %s: %d of %d", id, i+1, len(ids))
		r, found := t.load(id)
		problems = append(problems, found...)
		all = append(all, r)
	}
	t.locate(problems)
	return all, problems
}

// load reads a release and validates its examples.
func (t tree) load(id taxonomy.ID) (checkedRelease, problem.List) {
	tax, symbols, found := source.LoadWithSymbols(t.fsys, id)
	if tax != nil {
		found = append(found, t.checkExamples(tax)...)
	}
	return checkedRelease{id, tax, symbols}, found
}

// locate makes the file names of findings paths below t.dir, and sorts the
// findings.
func (t tree) locate(problems problem.List) {
	for i := range problems {
		problems[i].Pos.File = filepath.Join(t.dir, filepath.FromSlash(problems[i].Pos.File))
	}
	problems.SortByPos()
}

// compile returns the compiled releases and all findings. If a finding is an
// error, it returns no releases.
func (t tree) compile(p *progress) ([]*release.Release, problem.List, error) {
	all, problems := t.check(p)
	if problems.HasErrors() {
		return nil, problems, nil
	}
	var releases []*release.Release
	for i, c := range all {
		p.show("Compiling %s: %d of %d", c.id, i+1, len(all))
		r, err := release.CompileWithSymbols(c.taxonomy, c.symbols)
		if err != nil {
			return nil, problems, err
		}
		releases = append(releases, r)
	}
	slices.SortFunc(releases, func(a, b *release.Release) int { return a.ID().Compare(b.ID()) })
	return releases, problems, nil
}
