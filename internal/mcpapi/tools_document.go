package mcpapi

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/datachain"
	"placard/internal/query"
	"placard/internal/release"
)

func (s *Server) validateDatachain(_ context.Context, c *call) (answer, error) {
	r, err := s.release(c.args.version)
	if err != nil {
		return answer{}, err
	}
	verdict, err := query.Validate(r, c.args.datachain, c.step)
	if err != nil {
		return answer{about: r}, err
	}
	return found(verdict.Report, r), nil
}

func (s *Server) validateResolved(_ context.Context, c *call) (answer, error) {
	about, err := s.checkedAgainst(c.args)
	if err != nil {
		return answer{}, err
	}
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return answer{about: about}, err
	}
	verdict, err := query.ValidateResolved(snapshot, c.args.datachain, c.step)
	if err != nil {
		return answer{about: about}, err
	}
	if verdict.OK() {
		verdict.Warnings = nil // the contract's success has none, ever
	}
	return found(verdict.Report, about), nil
}

// checkedAgainst returns the release that a call names; where it names none,
// the one that its document pins, if that is published.
func (s *Server) checkedAgainst(args arguments) (*release.Release, error) {
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

// found answers with what was found in a document.
func found(report datachain.Report, about *release.Release) answer {
	errors, warnings := listed(report)
	b := []byte(`{"valid":false,"warnings":`)
	if report.OK() {
		b = []byte(`{"valid":true,"warnings":`)
	}
	return answer{data: append(appendProblems(b, warnings), '}'), errors: errors, about: about}
}

func (s *Server) resolveDatachain(_ context.Context, c *call) (answer, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return answer{}, err
	}
	verdict, resolution, err := query.Resolve(r, c.args.datachain, c.step)
	if err != nil {
		return answer{about: r}, err
	}
	if resolution == nil {
		return found(verdict.Report, r), nil
	}
	document := jsontext.Value(resolution.Document())
	a := concise(r, &c.args, func(locales query.Locales) []byte {
		if locales == nil {
			return document
		}
		c.desk.data = appendDocument(c.desk.data[:0], document, locales)
		return c.desk.data
	})
	a.lender = resolution
	return a, nil
}

// appendDocument appends a resolved document, of the texts of its snapshot only
// those in the locales.
func appendDocument(b []byte, document jsontext.Value, locales query.Locales) []byte {
	b = append(b, '{')
	for name, value := range members(document) {
		b = append(appendString(b, name), ':')
		if string(name) == "schema_snapshot" {
			b = appendInLocales(b, value, locales)
		} else {
			b = append(b, value...)
		}
		b = append(b, ',')
	}
	return closing(b, '}')
}

func (s *Server) renderDatachain(ctx context.Context, c *call) (answer, error) {
	r, err := s.release(c.args.version)
	if err != nil {
		return answer{}, err
	}
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return answer{about: r}, err
	}
	verdict, model, err := query.Draw(snapshot, r, c.args.datachain, c.args.locale, c.step)
	if err != nil {
		return answer{about: r}, err
	}
	if model == nil {
		return found(verdict.Report, r), nil
	}
	html, err := model.HTML()
	if err != nil {
		return answer{about: r}, err
	}
	drawn, err := model.JSON()
	if err != nil {
		return answer{about: r}, err
	}
	if err := c.step(); err != nil {
		return answer{about: r}, err
	}
	if err := s.Views.Put(ctx, c.session, html); err != nil {
		return answer{about: r}, err
	}

	sections, elements := model.Counts()
	words := summary(model)
	_, warnings := listed(verdict.Report)
	b := []byte(`{"resource_uri":"` + viewURI + `","section_count":`)
	b = appendInt(b, sections)
	b = appendInt(append(b, `,"element_count":`...), elements)
	b = appendProblems(append(b, `,"warnings":`...), warnings)
	b = appendString(append(b, `,"summary":`...), words)
	return answer{
		data:    append(b, '}'),
		about:   r,
		summary: rendered(sections, elements, words),
		meta:    viewMeta(drawn),
	}, nil
}
