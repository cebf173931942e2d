package web

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// library contains the documents that are shown as pages. Their files are named as in
// the repository, so that links between them can be followed.
type library struct {
	guides    []*document // in the order of the overview
	decisions []*document // by number
	byPath    map[string]*document
	sections  *sectionIndex
	images    map[string]*body // by file name
}

// document is a document with a page of its own.
type document struct {
	*markdown
	file string
	Path string // of the page

	Previous, Next *document // in the same part of the library; may be nil
}

// Title returns the title of the document.
func (d *document) Title() string { return d.title }

// Paths of pages for documents.
const (
	docsPath      = "/docs"
	decisionsPath = docsPath + "/adr"
	codesPath     = docsPath + "/codes"
	rulesPath     = docsPath + "/rules" // redirects to the codes, which it lists
	imagesPath    = docsPath + "/images/"
)

// Names of files in the repository.
const (
	docsFolder      = "docs/"
	decisionsFolder = docsFolder + "adr/"
	imagesFolder    = docsFolder + "images/"
	decisionsFile   = decisionsFolder + "README.md"
	rulesFile       = docsFolder + "rules.md"
	openAPIFile     = docsFolder + "openapi.json"
)

// readers are the groups of readers in the overview, and the documents for each.
// Documents that are not listed are for contributors.
var readers = []struct {
	Name  string
	Door  string // key of the title on the home page; may be empty
	files []string
}{
	{"place", "door.place", []string{"docs/disclosure.md"}},
	{"builder", "door.software", []string{"docs/api.md"}},
	{"agent", "door.agent", []string{"docs/mcp.md"}},
	{"steward", "door.publish", []string{"docs/authoring.md", "docs/cli.md"}},
	{"operator", "", []string{"docs/operating.md", "docs/export.md", "docs/performance.md", "SECURITY.md"}},
	{"contributor", "", nil},
}

// readLibrary reads the Markdown files in the root and in the folders docs and
// docs/adr, and the images.
func readLibrary(files fs.FS) (*library, error) {
	if files == nil {
		return nil, errNoPage
	}
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		matches, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, matches...)
	}
	l := &library{byPath: make(map[string]*document), images: make(map[string]*body)}
	for _, name := range names {
		if name == rulesFile {
			continue // the pages of the codes show more
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		d := &document{file: name, Path: pageOf(name)}
		d.markdown = parseMarkdown(source, func(destination string) target { return follow(files, name, destination) })
		if d.title == "" {
			d.title = path.Base(d.Path)
		}
		l.byPath[d.Path] = d
		if strings.HasPrefix(name, decisionsFolder) && name != decisionsFile {
			l.decisions = append(l.decisions, d)
		} else {
			l.guides = append(l.guides, d)
		}
	}
	slices.SortStableFunc(l.guides, func(a, b *document) int { return cmp.Compare(rank(a.file), rank(b.file)) })
	for _, part := range [][]*document{l.guides, l.decisions} {
		for i := range len(part) - 1 {
			part[i].Next, part[i+1].Previous = part[i+1], part[i]
		}
	}
	l.sections = newSectionIndex(l.guides, l.decisions)
	images, err := fs.Glob(files, imagesFolder+"*.png")
	if err != nil {
		return nil, err
	}
	for _, name := range images {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		l.images[path.Base(name)] = newPNG(content)
	}
	return l, nil
}

// readerOf returns the number of the group of readers that a file is for.
func readerOf(file string) int {
	for i, r := range readers {
		if slices.Contains(r.files, file) {
			return i
		}
	}
	return len(readers) - 1
}

// rank orders the guides as the overview does.
func rank(file string) int {
	reader := readerOf(file)
	return 100*reader + slices.Index(readers[reader].files, file)
}

// pageOf returns the path of the page that shows a file.
func pageOf(file string) string {
	switch {
	case file == "README.md":
		return docsPath
	case file == decisionsFile:
		return decisionsPath
	case file == rulesFile:
		return codesPath
	case strings.HasPrefix(file, decisionsFolder):
		return decisionsPath + "/" + strings.TrimSuffix(path.Base(file), ".md")
	default:
		return docsPath + "/" + strings.ToLower(strings.TrimSuffix(path.Base(file), ".md"))
	}
}

// follow returns the target of a link in a file. There is none for files that the
// server does not serve.
func follow(files fs.FS, from, destination string) target {
	if strings.Contains(destination, ":") || strings.HasPrefix(destination, "#") {
		return target{address: destination}
	}
	file, fragment, hasFragment := strings.Cut(destination, "#")
	file = path.Join(path.Dir(from), file)
	if file == "README.md" {
		return target{address: docsPath}
	}
	content, err := fs.ReadFile(files, file)
	switch {
	case err != nil:
		return target{}
	case file == openAPIFile:
		return target{address: "/api/v2/openapi.json"}
	case strings.HasPrefix(file, imagesFolder):
		return target{address: imagesPath + path.Base(file)}
	case path.Ext(file) != ".md":
		return target{}
	case hasFragment:
		return target{address: pageOf(file) + "#" + fragment}
	}
	to := target{address: pageOf(file)}
	if match := titleLine.FindSubmatch(content); match != nil {
		to.title = string(match[1])
	}
	return to
}
