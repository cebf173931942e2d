package source

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// MaxFileSize is the maximum size of a file of a release in bytes.
const MaxFileSize = 1 << 20

// reader reads the files of one release and collects findings about them.
type reader struct {
	fileReader
	locales          []string        // in the manifest's order; empty if not known yet
	localeIndex      map[string]int  // index in locales, by lower-case locale
	localesUncertain bool            // some locale in the manifest could not be read
	translated       map[string]bool // locales with at least one text
	untranslated     []untranslated  // texts with missing translations
	misspelt         map[string]bool // fields that are present under a misspelt name, as "file field"
	hints            hints
	symbolFiles      []fs.DirEntry
	// incomplete is set if a folder could not be listed. The rules are not
	// checked then, because parts that seem missing may be in that folder.
	incomplete bool
}

func newReader(fsys fs.FS, id taxonomy.ID) *reader {
	return &reader{fileReader: newFileReader(fsys, id), translated: make(map[string]bool), misspelt: make(map[string]bool)}
}

// readRelease reads all files of the release except the symbols, which it only
// lists. It returns nil if the release is missing or incomplete and cannot be
// checked.
func (r *reader) readRelease() *tree {
	folder := r.id.Folder()
	entries := r.readDir(folder)
	byName := map[string]fs.DirEntry{}
	for _, entry := range entries {
		byName[entry.Name()] = entry
	}
	if r.incomplete {
		return nil
	}
	if _, err := fs.Stat(r.fsys, folder); err != nil {
		r.report(fileMissing, problem.Pos{File: folder}, "The tree has no release %s.", r.id).
			FixHint = "Create the folder and add " + metaFile + " and " + typeFile + "."
		return nil
	}
	for _, name := range []string{metaFile, typeFile} {
		if byName[name] == nil {
			r.report(fileMissing, problem.Pos{File: path.Join(folder, name)}, "The release has no %s.", name).
				FixHint = `Create it. The files that "placard new" writes are an example.`
		}
	}
	t := &tree{id: r.id, hints: &r.hints, misspelt: r.misspelt}
	meta := r.readDocument(path.Join(folder, metaFile), byName[metaFile])
	typ := r.readDocument(path.Join(folder, typeFile), byName[typeFile])
	r.readManifestAndType(t, meta, typ)
	for _, entry := range entries {
		file := path.Join(folder, entry.Name())
		switch entry.Name() {
		case metaFile, typeFile, ExampleFolder:
		case categoryFolder:
			for _, doc := range r.readDocuments(file, entry) {
				if !r.reportMisplaced(doc, elementFolder, "an element", "category_id", "symbol_id") {
					t.categories = append(t.categories, r.readCategory(doc))
				}
			}
		case elementFolder:
			docs := r.readDocuments(file, entry)
			t.elements = make([]element, 0, len(docs))
			for _, doc := range docs {
				if !r.reportMisplaced(doc, categoryFolder, "a category", "name", "shape") {
					t.elements = append(t.elements, r.readElement(doc))
				}
			}
		case symbolFolder:
			r.symbolFiles = r.listFiles(file, entry, ".svg")
			for _, f := range r.symbolFiles {
				t.symbols = append(t.symbols, symbol{path.Join(file, f.Name()), stem(f.Name())})
			}
		default:
			r.reportUnexpected(file, r.entryHint(entry, byName))
		}
	}
	r.reportUntranslated(t)
	if r.incomplete {
		return nil
	}
	return t
}

func (r *reader) reportUnexpected(file, hint string) {
	r.report(fileUnexpected, problem.Pos{File: file}, "%q is not part of a release and is not read.", path.Base(file)).FixHint = hint
}

// readDir returns the entries of a folder, sorted by name and without ignored
// files. A missing folder has no entries.
func (r *reader) readDir(folder string) []fs.DirEntry {
	entries, err := fs.ReadDir(r.fsys, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.incomplete = true
		r.report(fileUnreadable, problem.Pos{File: folder}, "The folder cannot be read.").
			FixHint = "Check that it is a folder and that you have permission to read it."
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return Ignored(e.Name(), func(sibling string) bool { return names[sibling] })
	})
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// listFiles returns the entries of a folder that have the extension ext. It
// reports all other entries as unexpected.
func (r *reader) listFiles(folder string, entry fs.DirEntry, ext string) []fs.DirEntry {
	if !entry.IsDir() {
		r.incomplete = true
		r.report(fileUnreadable, problem.Pos{File: folder}, "%q is not a folder.", path.Base(folder)).
			FixHint = "Replace it with a folder of " + ext + " files."
		return nil
	}
	entries := r.readDir(folder)
	exists := make(map[string]bool, len(entries))
	for _, e := range entries {
		exists[e.Name()] = true
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		if path.Ext(e.Name()) == ext {
			return false
		}
		file := path.Join(folder, e.Name())
		r.reportUnexpected(file, unreadHint(file, e.IsDir(), ext, exists))
		return true
	})
}

func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// addLineTexts sets the LineText of all findings about files that were read.
func (r *reader) addLineTexts() {
	lines := make(map[string][]string)
	for i := range r.found {
		p := &r.found[i]
		text, ok := lines[p.Pos.File]
		if !ok {
			text = strings.Split(string(r.contents[p.Pos.File]), "\n")
			lines[p.Pos.File] = text
		}
		if 1 <= p.Pos.Line && p.Pos.Line <= len(text) {
			p.LineText = text[p.Pos.Line-1]
		}
	}
}
