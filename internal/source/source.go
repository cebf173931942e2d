// Package source reads an authoring tree, folders of YAML and SVG that people
// write, into a taxonomy, and checks it. Every fault is found in one go, with
// the file, line and column where it stands. It knows nothing of compiling or
// serving what it reads.
//
// A tree holds releases as <type>/<YYYY-MM-DD>-<status>/, and a release holds
//
//	meta.yaml             what the release says about itself
//	datachain-type.yaml   the kind of disclosure, and its categories in order
//	categories/*.yaml     one category each
//	elements/*.yaml       one element each
//	symbols/*.svg         the drawings, by symbol id
//	examples/             datachains to show people; not read here
package source

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// The files and folders of a release.
const (
	metaFile       = "meta.yaml"
	typeFile       = "datachain-type.yaml"
	categoryFolder = "categories"
	elementFolder  = "elements"
	symbolFolder   = "symbols"
	exampleFolder  = "examples"
)

// Releases lists the releases of a tree, sorted, and what is wrong with
// folders that look like releases but cannot be. A folder that cannot be
// listed is a FILE_UNREADABLE at that folder: what it holds is not known, which
// does not mean that it is gone.
func Releases(fsys fs.FS) ([]taxonomy.ID, problem.List) {
	r := reader{fsys: fsys}
	var ids []taxonomy.ID
	for _, typ := range r.list(".") {
		if !typ.IsDir() {
			continue
		}
		for _, dated := range r.list(typ.Name()) {
			folder := path.Join(typ.Name(), dated.Name())
			if !dated.IsDir() || !r.looksLikeRelease(folder) {
				continue
			}
			id, err := taxonomy.ParseIDParts(typ.Name(), dated.Name())
			if err != nil {
				r.report(releaseFolderInvalid, problem.Pos{File: folder}, "The folder looks like a release, but %s.", err).
					FixHint = "Rename it to a type, a date and a status, such as place/2026-06-01-beta."
				continue
			}
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, taxonomy.ID.Compare)
	r.found.SortByPos()
	return ids, r.found
}

// looksLikeRelease reports whether a folder was meant as a release: its name
// starts like a year, or it holds what only releases hold.
func (r *reader) looksLikeRelease(folder string) bool {
	name := path.Base(folder)
	if len(name) >= 4 && strings.Trim(name[:4], "0123456789") == "" {
		return true
	}
	for _, file := range []string{metaFile, typeFile} {
		if _, err := fs.Stat(r.fsys, path.Join(folder, file)); err == nil {
			return true
		}
	}
	return false
}

// Load reads and checks one release. The taxonomy is nil when anything in the
// list is an error; otherwise it is complete: ordered, derived and ready to be
// compiled.
func Load(fsys fs.FS, id taxonomy.ID) (*taxonomy.Taxonomy, problem.List) {
	r := reader{fsys: fsys, id: id}
	t := r.release()
	if t != nil {
		for _, rule := range Rules {
			if rule.check != nil {
				rule.check(t, func(at problem.Pos, format string, args ...any) *problem.Problem {
					return r.report(rule, at, format, args...)
				})
			}
		}
	}
	r.found.SortByPos()
	if r.found.HasErrors() {
		return nil, r.found
	}
	return t.taxonomy(), r.found
}

// tree is one release as it was written: its parts, and where each stands.
// Parts that could not be read are there too, without content, so that
// references to them are not taken for mistakes.
type tree struct {
	id         taxonomy.ID
	manifest   manifest
	datachain  datachainType
	categories []category // by file name
	elements   []element  // by file name
	symbols    []symbol   // by file name
	hints      *hints
}

// taxonomy puts the parts of a tree without errors in order.
func (t *tree) taxonomy() *taxonomy.Taxonomy {
	listed := make(map[string]int) // where each category is
	for i, id := range t.datachain.Categories {
		listed[id] = i
	}
	slices.SortFunc(t.categories, func(a, b category) int {
		return cmp.Compare(listed[a.ID], listed[b.ID])
	})
	slices.SortFunc(t.elements, func(a, b element) int {
		return cmp.Or(
			cmp.Compare(listed[a.CategoryID], listed[b.CategoryID]),
			compareOrder(a.order, b.order),
			cmp.Compare(a.ID, b.ID),
		)
	})
	result := &taxonomy.Taxonomy{
		ID:          t.id,
		CreatedAt:   t.manifest.createdAt,
		Notes:       t.manifest.notes,
		Locales:     t.manifest.locales,
		Title:       t.manifest.title,
		Description: t.manifest.description,
		Type:        t.datachain.DatachainType,
		Symbols:     make(map[string][]byte, len(t.symbols)),
	}
	if result.Title == nil {
		result.Title = result.Type.Name
	}
	if result.Description == nil {
		result.Description = result.Type.Description
	}
	for i, c := range t.categories {
		if c.order == nil {
			c.Order = i + 1
		} else {
			c.Order = *c.order
		}
		result.Categories = append(result.Categories, c.Category)
	}
	for _, e := range t.elements {
		result.Elements = append(result.Elements, e.Element)
	}
	for _, s := range t.symbols {
		result.Symbols[s.id] = s.svg
	}
	result.Derive()
	return result
}

// compareOrder puts what has an order before what has none.
func compareOrder(a, b *int) int {
	switch {
	case a != nil && b != nil:
		return cmp.Compare(*a, *b)
	case a != nil:
		return -1
	case b != nil:
		return 1
	}
	return 0
}
