package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"placard/internal/docschema"
	"placard/internal/source"
	"placard/internal/taxonomy"
)

// writeSchemaFiles writes the schema files of a release to its folder. It leaves
// files alone that have not changed, and returns the number of files written.
func writeSchemaFiles(folder string, outline *taxonomy.Taxonomy) (int, error) {
	if err := os.MkdirAll(filepath.Join(folder, docschema.SchemaFolder), 0o755); err != nil {
		return 0, err
	}
	written := 0
	for name, content := range docschema.SchemaFiles(outline) {
		changed, err := editFile(filepath.Join(folder, filepath.FromSlash(name)), func([]byte) []byte { return content })
		if err != nil {
			return written, err
		}
		if changed {
			written++
		}
	}
	return written, nil
}

// refreshSchemas writes the schema files of a release again, if it has any and can
// be read.
func (t tree) refreshSchemas(id taxonomy.ID) error {
	folder := filepath.Join(t.dir, filepath.FromSlash(id.Folder()))
	if _, err := os.Stat(filepath.Join(folder, docschema.SchemaFolder)); err != nil {
		return nil
	}
	outline := source.Outline(t.fsys, id)
	if outline == nil {
		return nil
	}
	_, err := writeSchemaFiles(folder, outline)
	return err
}

// addSchemaComments adds the comment that names the schema to the YAML files of a
// release that lack one, and returns their number. It skips files that cannot be
// parts of a release.
func addSchemaComments(folder string) (int, error) {
	added := 0
	for _, below := range []string{".", "categories", "elements"} {
		entries, err := os.ReadDir(filepath.Join(folder, below))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return added, err
		}
		names := make(map[string]bool)
		for _, e := range entries {
			names[e.Name()] = true
		}
		for _, e := range entries {
			name := path.Join(below, e.Name())
			if !e.Type().IsRegular() || source.Ignored(e.Name(), func(sibling string) bool { return names[sibling] }) || docschema.SchemaComment(name) == "" {
				continue
			}
			changed, err := editFile(filepath.Join(folder, filepath.FromSlash(name)), func(content []byte) []byte {
				if !utf8.Valid(content) {
					return content
				}
				return docschema.AddSchemaComment(name, content)
			})
			if err != nil {
				return added, err
			}
			if changed {
				added++
			}
		}
	}
	return added, nil
}

// editFile atomically replaces the content of a file, which need not exist, with
// the result of edit. It reports whether the content changed.
func editFile(name string, edit func(content []byte) []byte) (changed bool, err error) {
	old, err := os.ReadFile(name)
	mode := fs.FileMode(0o644)
	switch {
	case err == nil:
		info, err := os.Stat(name)
		if err != nil {
			return false, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	content := edit(old)
	if err == nil && bytes.Equal(content, old) {
		return false, nil
	}
	err = writeAtomically(name, content, mode)
	return err == nil, err
}
