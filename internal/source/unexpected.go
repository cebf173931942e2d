package source

import (
	"path"
	"strconv"
	"strings"

	"placard/internal/problem"
)

// renameHint returns the hint for an entry of a folder in which only files with
// the extension ext are read.
func renameHint(file string, isFolder bool, ext string) string {
	folder, name := path.Split(file)
	stem := stem(name)
	switch actual := contentExt(name); {
	case isFolder:
		return "Move its files to " + path.Base(folder) + "/, because folders in it are not read."
	case actual == ext:
		return "Rename it to " + strconv.Quote(problem.Clip(stem)+ext) + "."
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
