package web

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"placard/internal/core/datachain"
	"placard/internal/core/icon"
	"placard/internal/core/problem"
	authoring "placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

// findInExample checks the example of a code and returns the finding with that code,
// and its line in the example, counted from 1. It returns no finding for examples that
// are not of a document, a tree or a symbol, and line 0 if the finding concerns a file
// that the example does not contain.
func findInExample(c query.Code) (found problem.Problem, line int, ok bool) {
	if c.Example == "" {
		return problem.Problem{}, 0, false
	}
	var all problem.List
	switch {
	case c.Group == query.Documents:
		all = checkDocument(c)
	case c.Group == query.Trees && strings.HasPrefix(c.Example, "-- "):
		all = checkTree(c.Example)
	case c.Group == query.Trees:
		_, all = icon.ParseSymbol([]byte(c.Example))
	}
	i := slices.IndexFunc(all, func(p problem.Problem) bool { return p.Code == c.Code })
	if i < 0 {
		return problem.Problem{}, 0, false
	}
	return all[i], lineIn(c, all[i]), true
}

// checkDocument returns the findings about a document of the example taxonomy.
func checkDocument(c query.Code) problem.List {
	schema, body := datachain.NewSchema(datachain.ExampleTaxonomy()), []byte(c.Example)
	var report datachain.Report
	// Without a step, checks cannot fail.
	if c.RaisedBy[0] == string(datachain.OpValidateResolved) {
		var d *datachain.Resolved
		if d, report, _ = datachain.ParseResolved(body, nil); report.OK() {
			report, _ = datachain.ValidateResolved(d, schema, nil)
		}
	} else {
		var d *datachain.Document
		if d, report, _ = datachain.Parse(body, nil); report.OK() {
			report, _ = datachain.Validate(d, schema, nil)
		}
	}
	return slices.Concat(report.Errors, report.Warnings)
}

// checkTree returns the findings about the minimal release with the files of an
// archive. An empty file deletes the one of that name.
func checkTree(archive string) problem.List {
	id := exampleRelease
	files := make(map[string][]byte)
	var names []string
	for _, f := range slices.Concat(txtar.Parse([]byte(authoring.Minimal)).Files, txtar.Parse([]byte(archive)).Files) {
		name := path.Join(id.Folder(), f.Name)
		if _, ok := files[name]; !ok {
			names = append(names, name)
		}
		files[name] = f.Data
	}
	tree := new(txtar.Archive)
	for _, name := range names {
		if len(files[name]) > 0 {
			tree.Files = append(tree.Files, txtar.File{Name: name, Data: files[name]})
		}
	}
	fsys, err := txtar.FS(tree)
	if err != nil {
		return nil
	}
	_, inFolders := authoring.Releases(fsys)
	_, inRelease := authoring.Load(fsys, id)
	all := slices.Concat(inFolders, inRelease)
	for i := range all {
		all[i].Pos.File = strings.TrimPrefix(all[i].Pos.File, id.Folder()+"/")
	}
	return all
}

// exampleRelease is the release of authoring.Minimal.
var exampleRelease = func() taxonomy.ID {
	id, err := taxonomy.ParseID("demo@2026-01-31-beta")
	if err != nil {
		panic(err)
	}
	return id
}()

// lineIn returns the line of a finding in the example of a code, or 0.
func lineIn(c query.Code, p problem.Problem) int {
	if c.Group == query.Documents {
		start, _ := datachain.NewLocator([]byte(c.Example)).Locate(p.Path)
		return 1 + strings.Count(c.Example[:min(start, len(c.Example))], "\n")
	}
	if p.Pos.File == "" {
		return p.Pos.Line
	}
	before, _, ok := strings.Cut("\n"+c.Example, "\n-- "+p.Pos.File+" --\n")
	if !ok {
		return 0
	}
	return strings.Count(before, "\n") + 1 + p.Pos.Line
}
