package mcpapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
)

func (s *Server) validateDatachain(_ context.Context, c *call) (toolResult, error) {
	r, err := s.release(c, c.args.version)
	if err != nil {
		return toolResult{}, err
	}
	verdict, err := query.Validate(r, c.document.given, c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	return s.reportResult(c, verdict.Report, r), nil
}

func (s *Server) validateResolved(_ context.Context, c *call) (toolResult, error) {
	document, err := c.resolvedForm()
	if err != nil {
		return toolResult{}, err
	}
	r, err := s.reportedRelease(c, document)
	if err != nil {
		return toolResult{}, err
	}
	snapshot, err := s.snapshot(c)
	if err != nil {
		return toolResult{release: r}, err
	}
	verdict, err := query.ValidateResolved(snapshot, document, c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	return s.reportResult(c, verdict.Report, r), nil
}

// resolvedForm returns the resolved form of the document of c. A document that is
// not given by its handle is returned unchanged.
func (c *call) resolvedForm() (jsontext.Value, error) {
	d := &c.document
	switch {
	case d.resolved != nil:
		return d.resolved, nil
	case c.args.handle != "" && !datachain.IsResolved(d.given):
		return nil, argumentProblem(query.InvalidArguments, datachainName, "The document of this handle has not been resolved.").
			Hint("Call resolve_datachain with this handle first, or call validate_datachain instead.")
	}
	return d.given, nil
}

// reportedRelease returns the release to report in the meta of a result: the one
// named by the call or, if it names none, the one that the document pins. The
// release is nil if the document pins no published version.
func (s *Server) reportedRelease(c *call, document jsontext.Value) (*release.Release, error) {
	if c.args.version != "" {
		return s.release(c, c.args.version)
	}
	var pin struct {
		Version string `json:"schema_version"`
	}
	_ = json.Unmarshal(document, &pin) // the document may be anything
	r, err := s.release(c, pin.Version)
	if _, absent := errors.AsType[*catalog.AbsentError](err); absent {
		return nil, err
	}
	return r, nil
}

// reportResult returns the result of validating a document.
func (s *Server) reportResult(c *call, report datachain.Report, r *release.Release) toolResult {
	errs, warnings := s.findings(c, report)
	b := strconv.AppendBool(append(c.scratch.data[:0], `{"valid":`...), report.OK())
	b = append(appendProblems(append(b, `,"warnings":`...), warnings), '}')
	c.scratch.data = b
	return toolResult{data: b, problems: errs, release: r}
}

// findings returns the errors and warnings to list in the result of c.
func (s *Server) findings(c *call, report datachain.Report) (errs, warnings problem.List) {
	return s.render(c, report.Errors), s.render(c, report.Warnings)
}

func (s *Server) resolveDatachain(ctx context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(c)
	if err != nil {
		return toolResult{}, err
	}
	verdict, resolution, err := query.Resolve(r, c.document.given, c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	if resolution == nil {
		return s.reportResult(c, verdict.Report, r), nil
	}
	resolved := jsontext.Value(resolution.Document())
	c.document.resolved = resolved
	s.storeDocument(ctx, c)
	res := toolResult{data: resolved, release: r, owner: resolution}
	if c.args.returns == returnOutline {
		if res.data, err = outline(resolved); err != nil {
			return toolResult{release: r}, err
		}
	}
	if c.args.requestedLocales() != nil {
		res.note("The snapshot has texts in all locales: validate_resolved accepts no other copy.")
	}
	res.note(warningsNotice(c, verdict.Warnings))
	return res, nil
}

// warningsNotice returns a notice if a resolved document has warnings, which are not
// part of it.
func warningsNotice(c *call, warnings problem.List) string {
	if len(warnings) == 0 {
		return ""
	}
	how := "the document"
	if c.document.handle != "" {
		how = "meta.handle"
	}
	return fmt.Sprintf("The document has warnings. Call validate_datachain with %s for the details.", how)
}

// outline returns the outline of a resolved document: its id, its title, the number of
// categories and placements, and its size.
func outline(document jsontext.Value) ([]byte, error) {
	var d struct {
		ID    string `json:"id"`
		Title []struct {
			Value string `json:"value"`
		} `json:"title"`
		Version  string     `json:"schema_version"`
		Elements []struct{} `json:"elements"`
		Snapshot struct {
			Categories []struct{} `json:"categories"`
		} `json:"schema_snapshot"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	title := ""
	if len(d.Title) > 0 {
		title = d.Title[0].Value
	}
	return json.Marshal(object{
		{"id", problem.ClipTo(d.ID, maxOutlineText)},
		{"title", problem.ClipTo(title, maxOutlineText)},
		{"schema_version", d.Version},
		{"category_count", len(d.Snapshot.Categories)},
		{"element_count", len(d.Elements)},
		{"byte_count", len(document)},
	})
}

// maxOutlineText is the maximum size of each text in an outline, in bytes.
const maxOutlineText = 200
