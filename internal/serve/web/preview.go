package web

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
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

	findings problem.List // errors first
}

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

// previewBanner is the data of the banner of a preview.
type previewBanner struct {
	previewState
	First, Rest problem.List
	Omitted     int // findings that are not shown
}

// PreviewBanner returns the banner of a preview.
func (f frame) PreviewBanner() previewBanner {
	b := previewBanner{previewState: f.request.preview}
	shown := b.findings[:min(len(b.findings), maxFindings)]
	b.Omitted = len(b.findings) - len(shown)
	first := min(len(shown), openFindings)
	b.First, b.Rest = shown[:first], shown[first:]
	return b
}
