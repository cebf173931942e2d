package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/source"
	"placard/internal/taxonomy"
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
		return tree{}, fmt.Errorf("%s is not a folder", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return tree{}, err
	}
	id, err := taxonomy.ParseIDParts(filepath.Base(filepath.Dir(abs)), filepath.Base(abs))
	if err != nil {
		if isRelease(dir) {
			return tree{}, fmt.Errorf("%s looks like a release, but its folders are not named <type>/<YYYY-MM-DD>-<status>: %w", dir, err)
		}
		return tree{dir: dir, fsys: os.DirFS(dir)}, nil
	}
	root := filepath.Join(dir, "..", "..")
	return tree{dir: root, fsys: os.DirFS(root), only: id}, nil
}

// isRelease reports whether a folder contains a file that only releases have.
func isRelease(dir string) bool {
	for _, name := range []string{"meta.yaml", "datachain-type.yaml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// noRelease returns the error for a folder without releases.
func noRelease(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if _, err := taxonomy.ParseIDParts("type", e.Name()); err == nil {
				return fmt.Errorf("%s is the folder of a type; use the root of its tree, %s", dir, filepath.Join(dir, ".."))
			}
		}
	}
	return fmt.Errorf("%s contains no release; a tree has folders <type>/<YYYY-MM-DD>-<status>", dir)
}

// checkedRelease is a release read from a tree.
type checkedRelease struct {
	id       taxonomy.ID
	taxonomy *taxonomy.Taxonomy // nil if it has errors
}

// check reads the selected releases. Findings have file names below t.dir.
func (t tree) check() ([]checkedRelease, problem.List) {
	ids, problems := source.Releases(t.fsys)
	if !t.only.IsZero() {
		ids, problems = []taxonomy.ID{t.only}, nil
	}
	var all []checkedRelease
	for _, id := range ids {
		tax, found := source.Load(t.fsys, id)
		problems = append(problems, found...)
		all = append(all, checkedRelease{id, tax})
	}
	for i := range problems {
		problems[i].Pos.File = filepath.Join(t.dir, filepath.FromSlash(problems[i].Pos.File))
	}
	problems.SortByPos()
	return all, problems
}

// compile returns the compiled releases and all findings. If a finding is an
// error, it returns no releases.
func (t tree) compile() ([]*release.Release, problem.List, error) {
	all, problems := t.check()
	if problems.HasErrors() {
		return nil, problems, nil
	}
	var releases []*release.Release
	for _, c := range all {
		r, err := release.Compile(c.taxonomy)
		if err != nil {
			return nil, problems, err
		}
		releases = append(releases, r)
	}
	slices.SortFunc(releases, func(a, b *release.Release) int { return a.ID().Compare(b.ID()) })
	return releases, problems, nil
}
