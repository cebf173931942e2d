package source

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// Ignored reports whether a file or folder with the given base name is silently
// ignored everywhere in a tree. These are hidden files, files of operating systems,
// files named README, LICENSE or CHANGELOG, and backups and temporary files of
// editors. A backup is ignored only if its original exists in the same folder:
// otherwise it may be the only copy.
func Ignored(name string, exists func(sibling string) bool) bool {
	if strings.HasPrefix(name, ".") {
		return true
	}
	switch base, ext, _ := strings.Cut(strings.ToLower(name), "."); base {
	case "readme", "license", "licence", "changelog":
		if ext == "" || ext == "md" || ext == "txt" {
			return true
		}
	case "thumbs":
		if ext == "db" {
			return true
		}
	case "desktop":
		if ext == "ini" {
			return true
		}
	}
	original := originalName(name)
	return original != "" &&
		(exists(original) || exists(original+".yaml") || exists(original+".svg") || Ignored(original, exists))
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

// renameHint returns the hint for an entry of a folder in which only files with
// the extension ext are read.
func renameHint(file string, isFolder bool, ext string) string {
	folder, name := path.Split(file)
	stem, original := stem(name), originalName(name)
	switch actual := contentExt(name); {
	case isFolder:
		return "Move its files to " + path.Base(folder) + "/, because folders in it are not read."
	case actual == ext:
		return "Rename it to " + strconv.Quote(problem.Clip(stem)+ext) + "."
	case strings.HasSuffix(original, ext):
		return "Rename it to " + strconv.Quote(problem.Clip(original)) + ", or delete it."
	case strings.HasSuffix(stem, ext):
		return "Rename it to " + strconv.Quote(problem.Clip(stem)) + "."
	case actual == "":
		return "Only " + ext + " files are read here. Delete it, or move it out of the release folder."
	}
	return moveHint(file)
}

// moveHint returns the hint for a file in the wrong folder.
func moveHint(file string) string {
	switch contentExt(file) {
	case ".yaml":
		return "Move it to " + categoryFolder + "/ or " + elementFolder + "/."
	case ".svg":
		return "Move it to " + symbolFolder + "/."
	}
	return "Delete it, or move it out of the release folder."
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
