package mcpapi

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
)

func (s *Server) validateDatachain(_ context.Context, c *call) (toolResult, error) {
	r, err := s.release(c.args.version)
	if err != nil {
		return toolResult{}, err
	}
	verdict, err := query.Validate(r, c.args.datachain, c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	return s.reportResult(c, verdict.Report, r), nil
}

func (s *Server) validateResolved(_ context.Context, c *call) (toolResult, error) {
	r, err := s.reportedRelease(c.args)
	if err != nil {
		return toolResult{}, err
	}
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return toolResult{release: r}, err
	}
	verdict, err := query.ValidateResolved(snapshot, c.args.datachain, c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	if verdict.OK() {
		verdict.Warnings = nil // the contract allows no warnings on success
	}
	return s.reportResult(c, verdict.Report, r), nil
}

// reportedRelease returns the release to report in the meta of a result: the one
// named by the call or, if it names none, the one that the document pins. The
// release is nil if the document pins no published version.
func (s *Server) reportedRelease(args arguments) (*release.Release, error) {
	if args.version != "" {
		return s.release(args.version)
	}
	for name, value := range members(args.datachain) {
		if string(name) == "schema_version" {
			if r, err := s.release(unquote(value)); err == nil {
				return r, nil
			}
		}
	}
	return nil, nil
}

// reportResult returns the result of validating a document.
func (s *Server) reportResult(c *call, report datachain.Report, r *release.Release) toolResult {
	errs, warnings := s.findings(c, report)
	b := []byte(`{"valid":false,"warnings":`)
	if report.OK() {
		b = []byte(`{"valid":true,"warnings":`)
	}
	return toolResult{data: append(appendProblems(b, warnings), '}'), problems: errs, release: r}
}

// findings returns the errors and warnings to list in the result of c.
func (s *Server) findings(c *call, report datachain.Report) (errs, warnings problem.List) {
	report.Errors, report.Warnings = s.render(c, report.Errors), s.render(c, report.Warnings)
	return truncateReport(report, c.tool.name)
}

func (s *Server) resolveDatachain(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return toolResult{}, err
	}
	verdict, resolution, err := query.Resolve(r, c.args.datachain, c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	if resolution == nil {
		return s.reportResult(c, verdict.Report, r), nil
	}
	document := jsontext.Value(resolution.Document())
	res := conciseResult(r, &c.args, func(locales query.Locales) []byte {
		if locales == nil {
			return document
		}
		c.scratch.data = appendDocument(c.scratch.data[:0], r, document, locales)
		return c.scratch.data
	})
	res.owner = resolution
	return res, nil
}

// appendDocument appends a resolved document, keeping only the given locales in
// its snapshot.
func appendDocument(b []byte, r *release.Release, document jsontext.Value, locales query.Locales) []byte {
	b = append(b, '{')
	for name, value := range members(document) {
		b = append(appendString(b, name), ':')
		if string(name) == "schema_snapshot" {
			b = query.AppendInLocales(b, r, value, locales)
		} else {
			b = append(b, value...)
		}
		b = append(b, ',')
	}
	return appendClose(b, '}')
}
