package web

import (
	"fmt"
	"hash/fnv"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// previewPath is the path of the state of a preview. Only previews have it.
const previewPath = "/preview"

// maxFindings is the maximum number of findings in the banner of a preview.
const maxFindings = 50

// openFindings is the number of findings that the banner shows without unfolding it.
const openFindings = 3

// previewState is the state of an authoring tree. Open pages poll it.
type previewState struct {
	Revision string `json:"revision"` // changes whenever a release or a finding does
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`

	// Findings are the first ones, errors first.
	Findings problem.List `json:"findings"`

	findings problem.List // all
}

// problems returns the number of errors and warnings.
func (s previewState) problems() int { return s.Errors + s.Warnings }

// previewState returns the state of the authoring tree. The revision is that of the
// releases being served: pages that reload because of it show them.
func (h *Handler) previewState() previewState {
	var state previewState
	digest := fnv.New64a()
	if snapshot, err := h.Catalog.Current(); err == nil {
		for _, entry := range snapshot.Index().Releases {
			fmt.Fprintf(digest, "%s %s %s\n", entry.ID, entry.Path, entry.ContentHash)
		}
	}
	for _, d := range h.Catalog.Degraded() {
		fmt.Fprintf(digest, "%s %s %d %d\n", d.ID, d.State, d.Errors, d.Warnings)
	}
	errs, warnings := h.findings().Split()
	for _, p := range append(errs, warnings...) {
		fmt.Fprintf(digest, "%s %s %s %s\n", p.Pos, p.Code, p.Message, p.FixHint)
		state.findings = append(state.findings, p)
	}
	state.Errors, state.Warnings = len(errs), len(warnings)
	state.Findings = state.findings[:min(len(state.findings), maxFindings)]
	state.Revision = strconv.FormatUint(digest.Sum64(), 16)
	return state
}

func (h *Handler) findings() problem.List {
	if h.Findings == nil {
		return nil
	}
	return h.Findings()
}

// previewFile returns the state of the preview.
func (q *request) previewFile() (file, error) {
	text, err := json.Marshal(q.preview)
	return file{newBody(text), typeJSON, noStore}, err
}

// Problems returns the number of findings in a preview.
func (f frame) Problems() int { return f.request.preview.problems() }

// previewExample returns the page of an example with the banner of the preview. Its own
// policy, which allows no other files, is replaced.
func (q *request) previewExample(document []byte) (*page, error) {
	banner, err := q.executePart("preview", frame{page: new(page), request: q})
	if err != nil {
		return nil, err
	}
	head := `<link rel="stylesheet" href="` + assetURL("preview.css") + `"><script type="module" src="` + assetURL("preview-page.js") + `"></script>`
	start, end, _ := strings.Cut(metaPolicy.ReplaceAllLiteralString(string(document), head), "<body")
	tag, end, _ := strings.Cut(end, ">")
	return &page{document: []byte(start + "<body" + tag + ">" + string(banner) + end), policy: previewPolicy}, nil
}

var (
	metaPolicy    = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	previewPolicy = []string{strings.NewReplacer("script-src ", "connect-src 'self'; script-src 'self' ", "style-src ", "style-src 'self' ").Replace(viewPolicy[0])}
)

// brokenExample returns the page of an example with errors in a preview. Findings of the
// tree have a position, and those of documents that it does not check a path.
func (q *request) brokenExample(r *release.Release, name string, errs problem.List) *page {
	file := path.Join(r.ID().Folder(), "examples", name+".json")
	if found := slices.DeleteFunc(slices.Clone(q.preview.findings), func(p problem.Problem) bool { return p.Pos.File != file }); len(found) > 0 {
		errs = found
	}
	for i, p := range errs {
		if p.Pos.IsZero() {
			errs[i].Pos.File = file
		}
	}
	return &page{
		template: "example.html", Title: q.ui.get("preview.example", "file", name+".json"), Crumbs: q.crumbs(q.releaseCrumb(r)),
		Path: examplePath(r.Name(), name), Release: r, Locales: pageLanguages(), NoIndex: true, Data: errs,
	}
}

// previewBanner is the data of the banner of a preview.
type previewBanner struct {
	previewState
	First, Rest problem.List
	Omitted     int // findings that are not shown
}

// PreviewBanner returns the banner of a preview.
func (f frame) PreviewBanner() previewBanner {
	b := previewBanner{previewState: f.request.preview}
	shown := b.Findings
	b.Omitted = len(b.findings) - len(shown)
	first := min(len(shown), openFindings)
	b.First, b.Rest = shown[:first], shown[first:]
	return b
}
