package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"placard/internal/icon"
	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// MaxFileSize is the maximum size of a file of a release in bytes.
const MaxFileSize = 1 << 20

// reader reads the files of one release and collects findings about them.
type reader struct {
	fsys              fs.FS
	id                taxonomy.ID
	locales           []string          // in the manifest's order; empty if not known yet
	localeIndex       map[string]int    // index in locales, by lower-case locale
	localesUncertain  bool              // some locale in the manifest could not be read
	translated        map[string]bool   // locales with at least one text
	translatedInOrder []string          // the same locales in the order of their first texts
	untranslated      []untranslated    // texts with missing translations
	misspelt          map[string]bool   // fields that are present under a misspelt name, as "file field"
	contents          map[string][]byte // of the files that were read, for excerpts
	buffer            bytes.Buffer      // of the last file that was read
	found             problem.List
	hints             hints
	unread            unread
	// incomplete is set if a folder could not be listed. The rules are not
	// checked then, because parts that seem missing may be in that folder.
	incomplete bool
}

func newReader(fsys fs.FS, id taxonomy.ID) *reader {
	return &reader{fsys: fsys, id: id, contents: make(map[string][]byte), translated: make(map[string]bool), misspelt: make(map[string]bool)}
}

// report adds a finding. The caller may modify the result until the next call.
func (r *reader) report(rule rule, pos problem.Pos, format string, args ...any) *problem.Problem {
	p := rule.Found(format, args...).At(pos)
	if strings.HasPrefix(rule.ErrorIf, stableRelease) && r.id.Status == taxonomy.Stable {
		p.Severity = problem.Error
	}
	r.found = append(r.found, p)
	return &r.found[len(r.found)-1]
}

// readRelease reads all files of the release. It returns nil if the release is
// missing or incomplete and cannot be checked.
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
	misnamed := r.misnamedEntries(folder, entries)
	for _, name := range []string{metaFile, typeFile} {
		if byName[name] == nil && misnamed[name] == "" {
			r.report(fileMissing, problem.Pos{File: path.Join(folder, name)}, "The release has no %s.", name)
		}
	}
	t := &tree{id: r.id, hints: &r.hints, misspelt: r.misspelt, unread: &r.unread}
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
			for _, entry := range r.listFiles(file, entry, ".svg") {
				t.symbols = append(t.symbols, r.readSymbol(path.Join(file, entry.Name()), entry))
			}
		default:
			r.reportUnexpected(file, r.entryAdvice(folder, entry, byName, misnamed))
		}
	}
	t.correctCategoryIDs()
	t.findMeantSymbols()
	r.reportUntranslated(t)
	r.addMinimalFiles(t)
	if r.incomplete {
		return nil
	}
	return t
}

// addMinimalFiles sets the hints for files that are required and missing or empty
// to a line that can be copied.
func (r *reader) addMinimalFiles(t *tree) {
	locales := r.locales
	if len(locales) == 0 {
		locales = r.translatedInOrder
	}
	if len(locales) == 0 {
		locales = []string{"en"}
	}
	var names, categories []string
	for _, locale := range locales {
		names = append(names, locale+": "+r.id.Type)
	}
	for _, c := range t.categories {
		if isValidID(c.ID) {
			categories = append(categories, strconv.Quote(c.ID))
		}
	}
	for i := range r.found {
		p := &r.found[i]
		if p.Code != fileMissing.Code && p.Code != yamlEmpty.Code {
			continue
		}
		action := "Create it"
		if p.Code == yamlEmpty.Code {
			action = "Fill it in"
		}
		switch p.Pos.File {
		case path.Join(r.id.Folder(), metaFile):
			p.FixHint = action + " with this line: locales: [" + strings.Join(locales, ", ") + "]"
		case path.Join(r.id.Folder(), typeFile):
			p.FixHint = action + " with this line, and translate the name: {id: " + strconv.Quote(r.id.Type) + ", name: {" + strings.Join(names, ", ") +
				"}, categories: [" + strings.Join(categories, ", ") + "]}"
		}
	}
}

func (r *reader) reportUnexpected(file string, a advice) {
	r.report(fileUnexpected, problem.Pos{File: file}, "%q is not part of a release and is not read.", path.Base(file)).FixHint = a.hint
	r.unread.add(a, len(r.found)-1)
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
	claims := newClaims(entries)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		if path.Ext(e.Name()) == ext {
			return false
		}
		file := path.Join(folder, e.Name())
		r.reportUnexpected(file, r.renameAdvice(file, e.IsDir(), ext, claims))
		return true
	})
}

func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// readFile returns the content of a file. If the file cannot be read, it reports
// a finding and returns false.
func (r *reader) readFile(file string, entry fs.DirEntry) ([]byte, bool) {
	pos := problem.Pos{File: file}
	if !entry.Type().IsRegular() {
		r.report(fileUnreadable, pos, "%q is not a regular file.", path.Base(file)).
			FixHint = "Replace the link or folder with the file itself."
		return nil, false
	}
	f, err := r.fsys.Open(file)
	if err != nil {
		r.report(fileUnreadable, pos, "The file cannot be opened.").FixHint = "Check that you have permission to read it."
		return nil, false
	}
	defer f.Close()
	r.buffer.Reset()
	_, err = r.buffer.ReadFrom(io.LimitReader(f, MaxFileSize+1))
	data := bytes.Clone(r.buffer.Bytes())
	switch {
	case err != nil:
		r.report(fileUnreadable, pos, "The file could not be read completely.").FixHint = "Check the disk or network share that it is stored on."
	case len(data) > MaxFileSize:
		r.report(fileTooLarge, pos, "The file is larger than %d MiB.", MaxFileSize>>20).FixHint = "Remove any content that does not belong in it."
	default:
		r.contents[file] = data
		return data, true
	}
	return nil, false
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

// symbol is one file in the symbols folder.
type symbol struct {
	file   string
	id     string
	svg    []byte
	parsed *icon.Symbol // nil if it has errors
}

func (r *reader) readSymbol(file string, entry fs.DirEntry) symbol {
	s := symbol{file: file, id: stem(file)}
	svg, ok := r.readFile(file, entry)
	if !ok {
		return s
	}
	parsed, found := icon.ParseSymbol(svg)
	for _, p := range found {
		p.Pos.File = file
		r.found = append(r.found, p)
	}
	s.svg, s.parsed = svg, parsed
	return s
}
