package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"placard/internal/core/docschema"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// writeSchemaFiles writes the schema files of a release, which has a folder for
// them. It leaves files alone that have not changed, and returns the number of
// files written.
func writeSchemaFiles(folder string, outline *taxonomy.Taxonomy) (int, error) {
	written := 0
	for name, content := range docschema.SchemaFiles(outline) {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if hasContent(file, content) {
			continue
		}
		if err := replaceContent(file, content); err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}

// hasContent reports whether a file has the given content.
func hasContent(file string, content []byte) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) {
		return false
	}
	current, err := os.ReadFile(file)
	return err == nil && bytes.Equal(current, content)
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
	if errors.Is(err, fs.ErrNotExist) {
		return nil // The folder was deleted in the meantime.
	}
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
			changed, err := addSchemaComment(folder, name)
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

// addSchemaComment adds the comment to one file, given its path below the release
// folder, and reports whether the file lacked it.
func addSchemaComment(folder, name string) (bool, error) {
	file := filepath.Join(folder, filepath.FromSlash(name))
	if info, err := os.Stat(file); err != nil || info.Size() > source.MaxFileSize {
		return false, err
	}
	content, err := os.ReadFile(file)
	if err != nil || !utf8.Valid(content) {
		return false, err
	}
	commented := docschema.AddSchemaComment(name, content)
	if bytes.Equal(commented, content) || len(commented) > source.MaxFileSize {
		return false, nil
	}
	return true, replaceContent(file, commented)
}
