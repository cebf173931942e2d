package source

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"placard/internal/icon"
	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// maxFile is how many bytes a file may have.
const maxFile = 1 << 20

// reader reads the files of one release and collects what is wrong with them.
type reader struct {
	fsys    fs.FS
	id      taxonomy.ID
	locales []string       // as the manifest lists them; empty while not known
	places  map[string]int // of locales in that list, by their lower case
	unsure  bool           // a locale of that list could not be read; any other may be it
	found   problem.List
	hints   hints
	// partial is set once a folder could not be listed. No rule is checked
	// then: what seems to be missing may be in there.
	partial bool
}

// report adds a finding. The result may be completed until the next one.
func (r *reader) report(rule Rule, at problem.Pos, format string, args ...any) *problem.Problem {
	r.found = append(r.found, rule.Found(format, args...).At(at))
	return &r.found[len(r.found)-1]
}

// release reads every file of the release; it returns nil where there is too
// little of it to check.
func (r *reader) release() *tree {
	folder := r.id.Folder()
	listed := r.list(folder)
	entries := map[string]fs.DirEntry{}
	for _, entry := range listed {
		entries[entry.Name()] = entry
	}
	if r.partial {
		return nil
	}
	if _, err := fs.Stat(r.fsys, folder); err != nil {
		r.report(fileMissing, problem.Pos{File: folder}, "The tree has no release %s.", r.id).
			FixHint = "Create the folder and add " + metaFile + " and " + typeFile + "."
		return nil
	}
	for _, name := range []string{metaFile, typeFile} {
		if entries[name] == nil {
			r.report(fileMissing, problem.Pos{File: path.Join(folder, name)}, "The release has no %s.", name).
				FixHint = "Add the file to the release folder."
		}
	}
	t := &tree{id: r.id, hints: &r.hints}
	meta := r.document(path.Join(folder, metaFile), entries[metaFile])
	typ := r.document(path.Join(folder, typeFile), entries[typeFile])
	r.manifestAndType(t, meta, typ)
	for _, entry := range listed {
		file := path.Join(folder, entry.Name())
		switch entry.Name() {
		case metaFile, typeFile, exampleFolder:
		case categoryFolder:
			for _, doc := range r.documents(file, entry) {
				t.categories = append(t.categories, r.category(doc))
			}
		case elementFolder:
			for _, doc := range r.documents(file, entry) {
				t.elements = append(t.elements, r.element(doc))
			}
		case symbolFolder:
			for _, entry := range r.files(file, entry, ".svg") {
				t.symbols = append(t.symbols, r.symbol(path.Join(file, entry.Name()), entry))
			}
		default:
			r.unexpected(file, []string{metaFile, typeFile, categoryFolder, elementFolder, symbolFolder, exampleFolder})
		}
	}
	if r.partial {
		return nil
	}
	return t
}

func (r *reader) unexpected(file string, known []string) {
	name := path.Base(file)
	r.report(fileUnexpected, problem.Pos{File: file}, "%q is not part of a release and is ignored.", name).
		FixHint = r.hints.offer(name, known, "Delete it, or move it out of the release folder.")
}

// list returns what is in a folder, by name and without what editors and
// systems leave behind; a folder that is not there is empty.
func (r *reader) list(folder string) []fs.DirEntry {
	entries, err := fs.ReadDir(r.fsys, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.partial = true
		r.report(fileUnreadable, problem.Pos{File: folder}, "The folder cannot be read.").
			FixHint = "Check that it is a folder and that you have permission to read it."
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return Ignored(e.Name()) })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// Ignored reports whether a file or folder of this name, given without its
// path, is no part of a tree wherever it lies, and is passed over without a
// word: what editors and systems leave behind, and notes to read first.
func Ignored(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasSuffix(name, "~") {
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".bak", ".orig", ".swp", ".tmp":
		return true
	}
	switch strings.ToLower(name) {
	case "readme", "readme.md", "readme.txt", "thumbs.db", "desktop.ini":
		return true
	}
	return false
}

// files returns the files of a folder that end in ext; whatever else is there
// is unexpected.
func (r *reader) files(folder string, entry fs.DirEntry, ext string) []fs.DirEntry {
	if !entry.IsDir() {
		r.partial = true
		r.report(fileUnreadable, problem.Pos{File: folder}, "%q is not a folder.", path.Base(folder)).
			FixHint = "Replace it with a folder of " + ext + " files."
		return nil
	}
	entries := r.list(folder)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		if path.Ext(e.Name()) == ext {
			return false
		}
		r.unexpected(path.Join(folder, e.Name()), []string{stem(e.Name()) + ext})
		return true
	})
}

func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// read returns the content of a file, or reports why it cannot be had.
func (r *reader) read(file string, entry fs.DirEntry) ([]byte, bool) {
	at := problem.Pos{File: file}
	if !entry.Type().IsRegular() {
		r.report(fileUnreadable, at, "%q is not a regular file.", path.Base(file)).
			FixHint = "Replace the link or folder with the file itself."
		return nil, false
	}
	f, err := r.fsys.Open(file)
	if err != nil {
		r.report(fileUnreadable, at, "The file cannot be opened.").FixHint = "Check that you have permission to read it."
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		r.report(fileUnreadable, at, "The file could not be read completely.").FixHint = "Check the disk or network share that it is stored on."
	case len(data) > maxFile:
		r.report(fileTooLarge, at, "The file is larger than %d bytes.", maxFile).FixHint = "Remove any content that does not belong in it."
	default:
		return data, true
	}
	return nil, false
}

// symbol is one drawing.
type symbol struct {
	file string
	id   string
	svg  []byte
}

func (r *reader) symbol(file string, entry fs.DirEntry) symbol {
	s := symbol{file: file, id: stem(file)}
	svg, ok := r.read(file, entry)
	if !ok {
		return s
	}
	_, found := icon.ParseSymbol(svg)
	for _, p := range found {
		p.Pos.File = file
		r.found = append(r.found, p)
	}
	s.svg = svg
	return s
}
