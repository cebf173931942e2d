package main

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// maxExampleSize is the maximum size of an example that is validated, in bytes. Larger
// files are probably data that belongs to an example.
const maxExampleSize = 1 << 20

// checkExamples validates the thin documents in the examples folder of a release that
// pin it. All findings are warnings, because examples are not part of the release.
// Other files are ignored. File names are relative to the root of the tree.
func (t tree) checkExamples(release *taxonomy.Taxonomy) problem.List {
	folder := path.Join(release.ID.Folder(), source.ExampleFolder)
	entries, err := fs.ReadDir(t.fsys, folder)
	if err != nil {
		return nil // Releases need no examples.
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	var schema *datachain.Schema
	var all problem.List
	for _, e := range entries {
		if path.Ext(e.Name()) != ".json" || !e.Type().IsRegular() || source.Ignored(e.Name(), func(name string) bool { return names[name] }) {
			continue
		}
		d := document{name: path.Join(folder, e.Name())}
		if d.body = t.readExample(d.name); !bytes.Contains(d.body, []byte(release.ID.String())) || datachain.IsResolved(d.body) {
			continue
		}
		if schema == nil {
			schema = datachain.NewSchema(release)
		}
		all = append(all, t.validateExample(d, schema, release.ID)...)
	}
	return all
}

// readExample returns the content of a file, or nil if it cannot be read or is too large.
func (t tree) readExample(name string) []byte {
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxExampleSize+1))
	if err != nil || len(body) > maxExampleSize {
		return nil
	}
	return body
}

// validateExample returns the findings about a document, unless it pins another release.
func (t tree) validateExample(d document, schema *datachain.Schema, id taxonomy.ID) problem.List {
	doc, report, err := datachain.Parse(d.body, nil)
	if err == nil && report.OK() {
		defer doc.Release()
		if doc.SchemaVersion != id {
			return nil
		}
		report, err = datachain.Validate(doc, schema, nil)
	}
	found, err := d.find(report, err, func(c problem.Call) string {
		if c.Operation == problem.OpFindElement {
			return ""
		}
		shown := document{name: filepath.Join(t.dir, filepath.FromSlash(d.name))}
		return (&releases{flags: releaseFlags{source: t.dir}}).command(c, shown)
	})
	if err != nil {
		return nil
	}
	for i := range found {
		found[i].Severity = problem.Warning
	}
	return found
}
