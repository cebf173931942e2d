// Package source reads, checks and writes authoring trees, the folders of YAML and
// SVG files in which stewards write taxonomies. It reports all findings at once,
// with file, line and column. It knows nothing about compiling or serving a
// taxonomy.
//
// A tree contains releases as <type>/<YYYY-MM-DD>-<status>/. A release contains
//
//	meta.yaml             the manifest
//	datachain-type.yaml   the type of document and the order of its categories
//	categories/*.yaml     one category each
//	elements/*.yaml       one element each
//	symbols/*.svg         one symbol each, named by its id
//	examples/             example datachains, which are not read here
package source

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// The files and folders of a release.
const (
	metaFile       = "meta.yaml"
	typeFile       = "datachain-type.yaml"
	categoryFolder = "categories"
	elementFolder  = "elements"
	symbolFolder   = "symbols"
	ExampleFolder  = "examples"
)

// Releases returns the sorted ids of the releases in a tree, and findings about
// entries that look like releases or parts of one but are not read. An unreadable
// folder is reported as FILE_UNREADABLE at that folder; its releases are unknown,
// not deleted.
func Releases(fsys fs.FS) ([]taxonomy.ID, problem.List) {
	r := reader{fileReader: fileReader{fsys: fsys}}
	var ids []taxonomy.ID
	for _, typ := range r.readDir(".") {
		if !typ.IsDir() {
			r.reportLink(typ)
			continue
		}
		var outside []fs.DirEntry
		before := len(ids)
		for _, dated := range r.readDir(typ.Name()) {
			folder := path.Join(typ.Name(), dated.Name())
			if !dated.IsDir() || !r.looksLikeRelease(folder) {
				outside = append(outside, dated)
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
		for _, entry := range outside {
			_, err := taxonomy.ParseIDParts(typ.Name(), entry.Name())
			// A folder without releases may have nothing to do with the taxonomies.
			if err == nil || len(ids) > before {
				r.reportOutside(path.Join(typ.Name(), entry.Name()), err == nil)
			}
		}
	}
	slices.SortFunc(ids, taxonomy.ID.Compare)
	r.found.SortByPos()
	return ids, r.found
}

// looksLikeRelease reports whether a folder is probably meant to be a release:
// its name starts with a year, or it contains a file that only releases have.
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

// Load reads and checks one release. The taxonomy is nil if any finding is an
// error; otherwise it is sorted, has its derived fields set and is ready to be
// compiled.
func Load(fsys fs.FS, id taxonomy.ID) (*taxonomy.Taxonomy, problem.List) {
	t, _, found := LoadWithSymbols(fsys, id)
	return t, found
}

// LoadWithSymbols is [Load], and also returns the parsed symbols by id, so that a
// compiler need not parse them again.
func LoadWithSymbols(fsys fs.FS, id taxonomy.ID) (*taxonomy.Taxonomy, map[string]*icon.Symbol, problem.List) {
	r := newReader(fsys, id)
	t := r.readRelease()
	// The rules depend only on the names of the symbols, so they are checked while
	// the symbols are read.
	symbolReader := newFileReader(fsys, id)
	var drawings []drawing
	taxonomy.Parallel(2, func(i int) {
		if i == 0 {
			drawings = readFiles(&symbolReader, path.Join(id.Folder(), symbolFolder), r.symbolFiles, (*fileReader).readDrawing)
		} else if t != nil {
			r.checkRules(t)
		}
	})
	r.merge(&symbolReader)
	r.found.SortByPos()
	r.found = mergeFindings(r.found)
	r.addLineTexts()
	if r.found.HasErrors() {
		return nil, nil, r.found
	}
	result, symbols := t.taxonomy(), make(map[string]*icon.Symbol, len(t.symbols))
	for i, s := range t.symbols {
		result.Symbols[s.id], symbols[s.id] = drawings[i].svg, drawings[i].parsed
	}
	result.Ignored = ignored(r.found)
	return result, symbols, r.found
}

// maxIgnored is the number of findings that a release records.
const maxIgnored = 10

// ignored returns the findings that would be errors in a stable release, except for
// missing translations, which can be found in the taxonomy itself.
func ignored(found problem.List) taxonomy.Ignored {
	var all taxonomy.Ignored
	for _, p := range found {
		if p.Code != fieldUnknown.Code && p.Code != fileUnexpected.Code && p.Code != textComment.Code {
			continue
		}
		if all.Count++; all.Count <= maxIgnored {
			all.Findings = append(all.Findings, p.Pos.String()+": "+p.Message)
		}
	}
	return all
}

func (r *reader) checkRules(t *tree) {
	for _, rule := range rules {
		if rule.check != nil {
			rule.check(t, func(pos problem.Pos, format string, args ...any) *problem.Problem {
				return r.report(rule, pos, format, args...)
			})
		}
	}
	r.reportUnknownReplaced(t)
}

// Outline returns the ids, names and locales of a release that may have errors.
// Editors propose them. All other fields of the result are empty. It is nil if the
// release folder cannot be read.
func Outline(fsys fs.FS, id taxonomy.ID) *taxonomy.Taxonomy {
	r := newReader(fsys, id)
	t := r.readRelease()
	if t == nil {
		return nil
	}
	outline := &taxonomy.Taxonomy{ID: id, Locales: t.manifest.locales, Symbols: make(map[string][]byte)}
	for _, c := range t.categories {
		if isValidID(c.ID) {
			outline.Categories = append(outline.Categories, taxonomy.Category{ID: c.ID, Name: c.Name})
		}
	}
	for _, e := range t.elements {
		if isValidID(e.ID) {
			outline.Elements = append(outline.Elements, taxonomy.Element{ID: e.ID, Title: e.Title})
		}
	}
	for _, s := range t.symbols {
		if isValidID(s.id) {
			outline.Symbols[s.id] = nil
		}
	}
	return outline
}

// maxRepeated is the number of equal findings with one cause that are reported
// separately.
const maxRepeated = 3

// mergeFindings replaces equal findings with one cause by the first of them if
// there are more than [maxRepeated].
func mergeFindings(found problem.List) problem.List {
	type key struct {
		code          problem.Code
		message, hint string
	}
	keyOf := func(p problem.Problem) key { return key{p.Code, p.Message, p.FixHint} }
	oneCause := map[problem.Code]bool{}
	for _, r := range rules {
		oneCause[r.Code] = r.oneCause
	}
	count := map[key]int{}
	for _, p := range found {
		if oneCause[p.Code] {
			count[keyOf(p)]++
		}
	}
	var merged problem.List
	seen := map[key]bool{}
	for _, p := range found {
		k := keyOf(p)
		switch n := count[k]; {
		case n <= maxRepeated:
			merged = append(merged, p)
		case !seen[k]:
			seen[k] = true
			p.Message += fmt.Sprintf(" It is used in %d places.", n)
			merged = append(merged, p)
		}
	}
	return merged
}

// tree is a release as written, with the positions of its parts. It includes
// unreadable files, without content, so that references to them are not
// reported as unknown.
type tree struct {
	id         taxonomy.ID
	manifest   manifest
	datachain  datachainType
	categories []category // by file name
	elements   []element  // by file name
	symbols    []symbol   // by file name
	hints      *hints
	misspelt   map[string]bool // see [reader]
}

// taxonomy converts a tree without errors to a taxonomy without symbols.
func (t *tree) taxonomy() *taxonomy.Taxonomy {
	index := make(map[string]int) // in the type's list, by category
	for i, id := range t.datachain.Categories {
		index[id] = i
	}
	slices.SortFunc(t.categories, func(a, b category) int {
		return cmp.Compare(index[a.ID], index[b.ID])
	})
	slices.SortFunc(t.elements, func(a, b element) int {
		return cmp.Or(
			cmp.Compare(index[a.CategoryID], index[b.CategoryID]),
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
	result.Elements = make([]taxonomy.Element, len(t.elements))
	for i, e := range t.elements {
		result.Elements[i] = e.Element
	}
	result.Derive()
	return result
}

// compareOrder compares order numbers. A missing number sorts last.
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
