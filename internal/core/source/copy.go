package source

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// maxCopiedSize is the maximum size in bytes of a file that [Copy] reads, which may
// be a document.
const maxCopiedSize = 16 << 20

// Copy passes the files of the release from, which is in the tree fsys, to write,
// for a new release that continues it. The names of files are relative to the
// release folder. Files that Placard ignores are omitted, except a README and the
// like. Copy stops at the first error of write.
//
// The files are copied byte for byte, except where they name the release: version
// and status in the manifest, the ids of the type, and the version that thin
// documents pin. If the new release has another date, it also gets a time of
// creation of its own, if from has one, and no notes.
func Copy(fsys fs.FS, from, to taxonomy.ID, now time.Time, write func(name string, data []byte) error) error {
	folder := from.Folder()
	return fs.WalkDir(fsys, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == folder {
			return err
		}
		if isOmitted(fsys, name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		data, err := readCopied(fsys, name, d)
		if err != nil {
			return err
		}
		relative := strings.TrimPrefix(name, folder+"/")
		return write(relative, replaceID(relative, data, from, to, now))
	})
}

// isOmitted reports whether [Copy] omits a file or folder.
func isOmitted(fsys fs.FS, name string) bool {
	folder, base := path.Split(name)
	return !isAboutFiles(base) && Ignored(base, func(sibling string) bool {
		_, err := fs.Stat(fsys, folder+sibling)
		return err == nil
	})
}

func readCopied(fsys fs.FS, name string, entry fs.DirEntry) ([]byte, error) {
	if !entry.Type().IsRegular() {
		return nil, problem.Failure("%s is not a regular file.", name).Hint("Replace the link with the file itself.")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCopiedSize+1))
	if err == nil && len(data) > maxCopiedSize {
		err = problem.Failure("%s is larger than %d MiB.", name, maxCopiedSize>>20).Hint("Move it out of the release.")
	}
	return data, err
}

// replaceID returns the content of a file of the release from with the id of the
// release to. A file that cannot be read is returned as it is.
func replaceID(name string, data []byte, from, to taxonomy.ID, now time.Time) []byte {
	switch {
	case name == metaFile:
		changed := setField(setField(data, "version", to.String()), "status", string(to.Status))
		if !sameDate(from, to) {
			changed = notesField.ReplaceAll(setField(changed, "created_at", now.UTC().Format(time.RFC3339)), nil)
		}
		if yaml.Unmarshal(changed, new(map[string]any)) == nil {
			return changed
		}
	case name == typeFile && from.Type != to.Type:
		return setField(data, "id", to.Type)
	case path.Dir(name) == categoryFolder && path.Ext(name) == ".yaml" && from.Type != to.Type:
		return setField(data, "datachain_type", to.Type)
	case strings.HasPrefix(name, ExampleFolder+"/") && !datachain.IsResolved(data):
		return replacePin(data, from, to)
	}
	return data
}

// notesField matches the notes of a manifest: their line, and all lines after it that
// are indented. Blank lines at the end belong to the next field.
var notesField = regexp.MustCompile(`(?m)^notes:.*(?:\n|\z)(?:(?:[ \t\r]*\n)*[ \t]+\S.*(?:\n|\z))*`)

// setField returns a YAML file in which a field has another value. All other bytes are
// kept. A file in an unusual notation, where the value is not a word on the line of
// the name, is returned as it is.
func setField(data []byte, name, value string) []byte {
	line := regexp.MustCompile(`(?m)^(\x{FEFF}?` + name + `:[ \t]+)(["']?)[\w@.:+-]+["']?((?:[ \t]+#.*|[ \t]*)\r?)$`)
	m := line.FindSubmatch(data)
	if m == nil {
		return data
	}
	text := quoteUnlessPlain(value)
	if quote := string(m[2]); quote != "" {
		text = quote + value + quote
	}
	return line.ReplaceAll(data, []byte("${1}"+text+"${3}"))
}

// replacePin replaces the version that a document pins. It returns other documents,
// and those that are not valid JSON, as they are.
func replacePin(data []byte, from, to taxonomy.ID) []byte {
	_, end := datachain.NewLocator(data).Locate(problem.Root.Field("schema_version"))
	before, ok := bytes.CutSuffix(data[:end], []byte(`"`+from.String()+`"`))
	if !ok {
		return data
	}
	return slices.Concat(before, []byte(`"`+to.String()+`"`), data[end:])
}

// sameDate reports whether two releases of a type have the same date. They are the
// same version in different stages.
func sameDate(a, b taxonomy.ID) bool { return a.Type == b.Type && a.Date == b.Date }

// Rename returns a copy of t as a new release that continues it. If it has another
// date, it gets a time of creation of its own, if t has one, and no notes. The copy
// shares all other values with t.
func Rename(t *taxonomy.Taxonomy, to taxonomy.ID, now time.Time) *taxonomy.Taxonomy {
	renamed := *t
	renamed.ID, renamed.Type.ID = to, to.Type
	if !sameDate(t.ID, to) {
		renamed.Notes = ""
		if t.CreatedAt != "" {
			renamed.CreatedAt = now.UTC().Format(time.RFC3339)
		}
	}
	return &renamed
}
