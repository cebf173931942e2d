package web

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/show/view"
)

// Limits of the examples of a release.
const (
	maxExamples    = 3
	maxExampleFile = 1 << 20
)

// writtenExample is the name of the example that is written for releases without
// example documents.
const writtenExample = "example"

// exampleLink leads to a document that shows what a taxonomy is for.
type exampleLink struct {
	Path  string
	Title Text
}

// examplePath returns the path of the page that shows an example.
func examplePath(version, name string) string { return "/example/" + version + "/" + name }

// example is the page that shows a document as its readers see it.
func (q *request) example() (*page, error) {
	r, name := q.releases[0], q.PathValue("name")
	meter := q.budget(budget.Resolve).Start()
	defer meter.Stop()
	document, err := q.exampleDocument(r, name)
	if err != nil {
		return nil, err
	}
	verdict, models, err := query.RenderAll(q.snapshot, r, document, q.localeOf(r), meter.Step)
	if err != nil {
		return nil, err
	}
	switch {
	case models == nil && q.handler.Preview:
		return q.brokenExample(r, name, verdict.Errors), nil
	case models == nil:
		return nil, noExample(r, name)
	}
	text, err := view.NewPage(models, q.localeOf(r)).HTML(meter.Step)
	if err == nil && q.handler.Preview {
		return q.previewExample(text)
	}
	return &page{document: text, policy: viewPolicy}, err
}

// exampleDocument returns the document of an example of r.
func (q *request) exampleDocument(r *release.Release, name string) ([]byte, error) {
	if document := q.handler.readExample(r, name+".json"); document != nil {
		return document, nil
	}
	if name == writtenExample {
		document, err := writeExample(r, q.localeOf(r))
		if document != nil || err != nil {
			return document, err
		}
	}
	return nil, noExample(r, name)
}

// writeExample returns the example in the guide of r, or nil if there is none.
func writeExample(r *release.Release, locale string) ([]byte, error) {
	guide, err := r.Guide(locale, nil)
	if err != nil || guide.Example == nil {
		return nil, err
	}
	document := jsontext.Value(bytes.Clone(guide.Example))
	err = document.Indent(jsontext.WithIndent("  "))
	return document, err
}

func noExample(r *release.Release, name string) error {
	return problem.New(problem.NotFound, "There is no example %q of %s.", problem.Clip(name), r.Name())
}

// examples returns the examples of r that are valid and can be rendered in time.
func (q *request) examples(r *release.Release) []exampleLink {
	meter := q.budget(budget.Validate).Start()
	defer meter.Stop()
	var names []string
	if files := q.handler.Examples; files != nil {
		matches, _ := fs.Glob(files, path.Join(r.ID().Folder(), "examples", "*.json")) // fails only if the pattern is malformed
		for _, match := range matches[:min(len(matches), maxExamples)] {
			names = append(names, strings.TrimSuffix(path.Base(match), ".json"))
		}
	}
	if len(names) == 0 {
		names = []string{writtenExample}
	}
	var valid []exampleLink
	for _, name := range names {
		document, err := q.exampleDocument(r, name)
		if err != nil {
			continue // there is none
		}
		_, models, err := query.Render(q.snapshot, r, document, []string{q.localeOf(r)}, meter.Step)
		if err == nil && models != nil {
			title := models[0].Title
			valid = append(valid, exampleLink{examplePath(r.Name(), name), Text{title.Text, title.Lang, title.Dir}})
		}
	}
	return valid
}

// readExample returns a file with an example of r, or nil if there is none.
func (h *Handler) readExample(r *release.Release, file string) []byte {
	name := path.Join(r.ID().Folder(), "examples", file)
	if h.Examples == nil || strings.Contains(file, "/") || !fs.ValidPath(name) {
		return nil
	}
	f, err := h.Examples.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	document, err := io.ReadAll(io.LimitReader(f, maxExampleFile))
	if err != nil {
		return nil
	}
	return document
}

// viewPolicy is the Content-Security-Policy of documents.
var viewPolicy = []string{view.Policy + "; frame-ancestors 'none'"}
