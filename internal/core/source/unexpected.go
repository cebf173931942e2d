package source

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
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

// unreadHint returns the hint about an entry of a folder in which only files with the
// extension ext are read. exists has the names of all entries of the folder.
func unreadHint(file string, isFolder bool, ext string, exists map[string]bool) string {
	name := stem(file)
	switch {
	case isFolder:
		return "Move its files to " + path.Base(path.Dir(file)) + "/, because folders in it are not read."
	case contentExt(file) == ext:
		name += ext
	case !strings.HasSuffix(name, ext):
		return "Only " + ext + " files are read here. Move it to another folder, or delete it."
	}
	quoted := strconv.Quote(problem.Clip(name))
	if exists[name] {
		return quoted + " already exists. Delete one of the two files."
	}
	return "Rename it to " + quoted + ", or delete it."
}

// entryHint returns the hint about an unexpected entry of a release folder, whose
// entries are in byName.
func (r *reader) entryHint(entry fs.DirEntry, byName map[string]fs.DirEntry) string {
	folders := []string{categoryFolder, elementFolder, symbolFolder, ExampleFolder}
	known := []string{metaFile, typeFile}
	if entry.IsDir() {
		known = folders
	}
	for _, name := range r.hints.nearest(entry.Name(), known) {
		if byName[name] == nil {
			return "Rename it to " + strconv.Quote(name) + "."
		}
	}
	return "Move it to " + problem.OneOf(folders) + ", or delete it."
}

// reportMisplaced reports a document that has the given fields, which only
// documents of another folder have. It returns false if it reports nothing.
func (r *reader) reportMisplaced(d document, folder, kind string, fields ...string) bool {
	if d.broken() || slices.ContainsFunc(fields, func(name string) bool { return member(d.root, name) == nil }) {
		return false
	}
	p := r.report(fileUnexpected, problem.Pos{File: d.file}, "The file looks like %s, but it is in %s/.", kind, path.Base(path.Dir(d.file)))
	p.FixHint, p.Severity = "Move it to "+folder+"/.", problem.Error
	return true
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
	if slices.ContainsFunc(dated, func(e fs.DirEntry) bool { return isRelease(e) && strings.HasSuffix(e.Name(), "-stable") }) {
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
