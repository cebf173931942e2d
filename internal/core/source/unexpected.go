package source

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Ignored reports whether a file or folder with the given base name is silently
// ignored everywhere in a tree. These are hidden files, files of operating systems,
// files named README, LICENSE or CHANGELOG, and backups and temporary files of
// editors. A backup is ignored only if its original exists in the same folder:
// otherwise it may be the only copy.
func Ignored(name string, exists func(sibling string) bool) bool {
	if strings.HasPrefix(name, ".") || isAboutFiles(name) || slices.Contains(systemFiles, strings.ToLower(name)) {
		return true
	}
	original := originalName(name)
	return original != "" &&
		(exists(original) || exists(original+".yaml") || exists(original+".svg") || Ignored(original, exists))
}

// systemFiles are the files that operating systems add to folders.
var systemFiles = []string{"thumbs.db", "desktop.ini"}

// isAboutFiles reports whether a file is about the others in its folder.
func isAboutFiles(name string) bool {
	base, ext, _ := strings.Cut(strings.ToLower(name), ".")
	return slices.Contains([]string{"readme", "license", "licence", "changelog"}, base) && (ext == "" || ext == "md" || ext == "txt")
}

// backupName matches the names of backups and temporary files of editors.
var backupName = regexp.MustCompile(`^(?:#(.+?)#?|(.+?)(?:\.~\d+~|~|\.(?i:bak|orig|swp|tmp)))$`)

// originalName returns the name of the file that a backup is a copy of, or the
// empty string for a file that is not a backup. Some programs replace the extension
// of the original instead of appending their own; it is missing from the result.
func originalName(backup string) string {
	m := backupName.FindStringSubmatch(backup)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// advice is the hint about an entry of a release that is not read.
type advice struct {
	hint string
	// parts are the parts of the release that the entry probably contains, as
	// folder/id, or as folder/* for a whole folder.
	parts []string
	// needed is set if the release cannot be read without the entry.
	needed bool
}

// renameAdvice returns the advice about an entry of a folder in which only files
// with the extension ext are read.
func (r *reader) renameAdvice(file string, isFolder bool, ext string) advice {
	folder, name := path.Base(path.Dir(file)), path.Base(file)
	stem := stem(name)
	part := func(file string) []string { return []string{path.Join(folder, strings.TrimSuffix(file, ext))} }
	switch actual := contentExt(name); {
	case isFolder:
		a := advice{hint: "Move its files to " + folder + "/, because folders in it are not read."}
		inner, _ := fs.ReadDir(r.fsys, file) // the parts of an unreadable folder are unknown
		for _, e := range inner {
			a.parts = append(a.parts, part(e.Name())...)
		}
		return a
	case actual == ext:
		return advice{hint: renameHint(stem + ext), parts: part(stem)}
	case strings.HasSuffix(stem, ext):
		return advice{hint: renameHint(stem), parts: part(stem)}
	case actual == "":
		return advice{hint: "Only " + ext + " files are read here. Delete it, or move it out of the release folder."}
	}
	return moveAdvice(file)
}

// renameHint returns the hint for a file that should have another name. If another file
// has it already, one of the two can be deleted.
func renameHint(name string) string {
	return "Rename it to " + strconv.Quote(problem.Clip(name)) + ", or delete it."
}

// moveAdvice returns the advice about a file in the wrong folder.
func moveAdvice(file string) advice {
	switch contentExt(file) {
	case ".yaml":
		return advice{
			hint:  "Move it to " + categoryFolder + "/ or " + elementFolder + "/, or delete it.",
			parts: []string{path.Join(categoryFolder, stem(file)), path.Join(elementFolder, stem(file))},
		}
	case ".svg":
		return advice{hint: "Move it to " + symbolFolder + "/, or delete it.", parts: []string{path.Join(symbolFolder, stem(file))}}
	}
	return advice{hint: "Delete it, or move it out of the release folder."}
}

// meantEntry returns the file or folder of a release that an entry of its folder is
// probably meant to be, or the empty string.
func (r *reader) meantEntry(entry fs.DirEntry) string {
	known := []string{metaFile, typeFile}
	if entry.IsDir() {
		known = []string{categoryFolder, elementFolder, symbolFolder, ExampleFolder}
	}
	if nearest := r.hints.nearest(entry.Name(), known); len(nearest) > 0 {
		return nearest[0]
	}
	return ""
}

// entryAdvice returns the advice about an unexpected entry of a release folder, whose
// entries are in byName.
func (r *reader) entryAdvice(entry fs.DirEntry, byName map[string]fs.DirEntry) advice {
	meant := r.meantEntry(entry)
	switch isMissing := byName[meant] == nil; {
	case meant == "":
		return moveAdvice(entry.Name())
	case isMissing && entry.IsDir():
		return advice{hint: "Rename it to " + strconv.Quote(meant) + ".", parts: []string{meant + "/*"}}
	case isMissing:
		return advice{hint: "Rename it to " + strconv.Quote(meant) + ".", needed: true}
	case entry.IsDir():
		return advice{hint: "Move its files to " + meant + "/."}
	}
	return advice{hint: renameHint(meant)}
}

// reportMisplaced reports a document that has the given fields, which only
// documents of another folder have. It returns false if it reports nothing.
func (r *reader) reportMisplaced(d document, folder, kind string, fields ...string) bool {
	if d.broken() || slices.ContainsFunc(fields, func(name string) bool { return member(d.root, name) == nil }) {
		return false
	}
	a := advice{hint: "Move it to " + folder + "/.", parts: []string{path.Join(folder, d.id())}, needed: true}
	r.report(fileUnexpected, problem.Pos{File: d.file}, "The file looks like %s, but it is in %s/.", kind, path.Base(path.Dir(d.file))).FixHint = a.hint
	r.unread.add(a, len(r.found)-1)
	return true
}

// unread records the parts of a release that are probably in entries that are not
// read. References to them are not reported as unknown: the finding about the
// entry, which is given by its index, becomes an error instead.
type unread struct {
	findings map[string]int // by part, as in [advice]
	needed   map[int]bool   // findings that are errors
}

func (u *unread) add(a advice, finding int) {
	if u.findings == nil {
		u.findings, u.needed = map[string]int{}, map[int]bool{}
	}
	for _, part := range a.parts {
		u.findings[part] = finding
	}
	if a.needed {
		u.needed[finding] = true
	}
}

// has reports whether a part is unread. The release needs the part.
func (u *unread) has(folder, id string) bool {
	for _, part := range []string{folder + "/" + id, folder + "/*"} {
		if finding, ok := u.findings[part]; ok {
			u.needed[finding] = true
			return true
		}
	}
	return false
}

// hasAny reports whether any part of a folder is unread. If the release needs one,
// it needs all of them.
func (u *unread) hasAny(folder string, needed bool) bool {
	found := false
	for part, finding := range u.findings {
		if path.Dir(part) == folder {
			found = true
			u.needed[finding] = u.needed[finding] || needed
		}
	}
	return found
}

// contentExt returns the extension that a file of its kind has in a release, or
// the empty string if no such file is read.
func contentExt(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".yaml", ".yml":
		return ".yaml"
	case ".svg":
		return ".svg"
	}
	return ""
}

// reportLink reports an entry at the root of a tree if it is a link to the folder of
// a type.
func (r *reader) reportLink(entry fs.DirEntry) {
	if entry.Type()&fs.ModeSymlink == 0 {
		return
	}
	link := entry.Name()
	dated, err := fs.ReadDir(r.fsys, link)
	if err != nil {
		return // a broken link or a link to a file
	}
	isRelease := func(e fs.DirEntry) bool { return e.IsDir() && r.looksLikeRelease(path.Join(link, e.Name())) }
	if !slices.ContainsFunc(dated, isRelease) {
		return
	}
	p := r.report(fileUnexpected, problem.Pos{File: link}, "%q is a link to a folder with releases, which are not read.", link)
	p.FixHint = "Replace the link with the folder itself, or delete it."
	if slices.ContainsFunc(dated, func(e fs.DirEntry) bool {
		return isRelease(e) && strings.HasSuffix(e.Name(), "-"+string(taxonomy.Stable))
	}) {
		p.Severity = problem.Error
	}
}

// reportOutside reports the entries of a type's folder that would be read in a
// release, and releases that are not folders.
func (r *reader) reportOutside(file string, isRelease bool) {
	switch name := path.Base(file); {
	case isRelease:
		r.report(fileUnreadable, problem.Pos{File: file}, "%q is named like a release, but is not a folder.", name).
			FixHint = "Replace the link or file with the folder itself."
	case contentExt(name) != "", name == categoryFolder, name == elementFolder, name == symbolFolder:
		r.report(fileUnexpected, problem.Pos{File: file}, "%q is not in a release and is not read.", name).
			FixHint = "Move it to the folder of a release."
	}
}
