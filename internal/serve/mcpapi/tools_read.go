package mcpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

// maxElements is the maximum number of distinct elements in one call of
// get_elements.
const maxElements = 100

func (s *Server) listSchemaVersions(_ context.Context, c *call) (toolResult, error) {
	snapshot, err := s.snapshot(c)
	if err != nil {
		return toolResult{}, err
	}
	res := toolResult{isPart: true}
	b := append(c.scratch.data[:0], `{"versions":[`...)
	empty := true
	for _, v := range snapshot.Versions() {
		if c.args.datachainType != "" && v.ID.Type != c.args.datachainType {
			continue
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			return toolResult{}, err
		}
		b = append(append(b, encoded...), ',')
		empty = false
	}
	res.data = c.closeData(appendClose(b, ']'))
	if empty && c.args.datachainType != "" {
		res.note(fmt.Sprintf("No version has the type %q. list_schema_versions without datachain_type lists all versions.", problem.Clip(c.args.datachainType)))
	}
	return res, nil
}

func (s *Server) getSchema(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(c)
	if err != nil {
		return toolResult{}, err
	}
	if c.args.include == includeAuthoring {
		return authoringGuide(c, r)
	}
	if n := len(r.Elements); c.args.include == includeFull && n > maxFull {
		return toolResult{release: r}, argumentProblem(query.InvalidArguments, "include", "The version has %d elements; include %q returns at most %d.", n, includeFull, maxFull).
			Hint(`Use include "authoring", or call list_elements with fields "all".`)
	}
	res, err := c.recordsResult(r, `"schema_json":`, func(b []byte, locales query.Locales) ([]byte, error) {
		b = append(b, documentSchemas()...)
		b = query.AppendInLocales(append(b, `,"manifest":`...), r, r.ManifestJSON, locales)
		b = query.AppendInLocales(append(b, `,"datachain_type":`...), r, r.TypeJSON, locales)
		categories := query.SelectCategories(r, locales)
		b, err := categories.AppendJSON(append(b, `,"categories":`...), c.step)
		if err != nil || c.args.include != includeFull {
			return b, err
		}
		elements := query.SelectElements(r, locales)
		return elements.AppendJSON(append(b, `,"elements":`...), c.step)
	})
	if c.args.categoryID != "" || c.args.cursor != "" {
		res.note(`category_id and cursor are ignored: they are for include "authoring".`)
	}
	return res, err
}

// maxFull is the maximum number of elements in a result of get_schema.
const maxFull = 1000

// authoringGuide returns a part of the guide of r.
func authoringGuide(c *call, r *release.Release) (toolResult, error) {
	q := query.Guide{CategoryID: c.args.categoryID, Cursor: c.args.cursor, Step: c.step}
	locales := c.args.requestedLocales()
	if len(locales) > 0 {
		q.Locale = locales[0]
	}
	b, part, err := query.AppendGuide(c.openData(r, ""), r, q)
	if err != nil {
		return toolResult{release: r}, err
	}
	res := toolResult{release: r, data: c.closeData(b), isPart: true, nextCursor: part.Next}
	switch {
	case q.Locale != "" && !strings.EqualFold(q.Locale, part.Locale):
		res.note(fmt.Sprintf("This version has no texts in locale %q; the guide is in %q. The version has %s.",
			problem.Clip(q.Locale), part.Locale, problem.Listing(r.Manifest.Locales, 20)))
	case len(c.args.locales) > 1 || locales == nil && c.args.locales != nil:
		res.note(fmt.Sprintf("A guide is in one locale; this one is in %q.", part.Locale))
	}
	if part.Next != "" {
		res.note("The guide has more pages. Call again with meta.next_cursor as cursor, or with the category_id that you need.")
	}
	if part.Shortened {
		res.note("Long lists are omitted from the parts marked as shortened: list_categories and get_element return those of categories and elements, get_schema without include the subchains.")
	}
	if part.Example == nil {
		res.note("There is no example, because Placard cannot write a short valid document for this version.")
	}
	res.note(unknownCategoryNotice(r, q.CategoryID))
	return res, nil
}

func (s *Server) listCategories(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(c)
	if err != nil {
		return toolResult{}, err
	}
	res, err := c.recordsResult(r, `"categories":`, func(b []byte, locales query.Locales) ([]byte, error) {
		categories := query.SelectCategories(r, locales)
		return categories.AppendJSON(b, c.step)
	})
	res.isPart = true
	return res, err
}

func (s *Server) listElements(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(c)
	if err != nil {
		return toolResult{}, err
	}
	q := query.Elements{
		CategoryID: c.args.categoryID,
		Search:     c.args.query,
		Locale:     c.args.searchLocale(r),
		Fields:     c.args.requestedFields(query.DefaultFields),
		Limit:      c.args.limit,
		Cursor:     c.args.cursor,
		Step:       c.step,
	}
	q.Locales = c.args.requestedLocales()
	part, err := query.List(r, q)
	if err != nil {
		return toolResult{release: r}, err
	}
	res, err := c.recordsResult(r, `"elements":`, func(b []byte, _ query.Locales) ([]byte, error) {
		b, err := part.AppendJSON(b, c.step)
		b = appendInt(append(b, `,"total":`...), part.Total)
		return appendInt(append(b, `,"returned":`...), part.Returned()), err
	})
	if err != nil {
		return res, err
	}
	res.isPart, res.nextCursor = true, part.Next
	notice, err := elementsNotice(r, q, part.Total, c.args.locale)
	res.note(notice)
	return res, err
}

func (s *Server) getElement(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(c)
	if err != nil {
		return toolResult{}, err
	}
	n, err := elementIndex(r, c.args.elementID)
	if err != nil {
		return toolResult{release: r}, err
	}
	fields := c.args.requestedFields(nil)
	return c.recordsResult(r, `"element":`, func(b []byte, locales query.Locales) ([]byte, error) {
		return query.AppendElement(b, r, n, fields, locales), nil
	})
}

func (s *Server) getElements(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(c)
	if err != nil {
		return toolResult{}, err
	}
	first := make(map[string]int, len(c.args.elementIDs)) // index of the first occurrence
	var ids []string
	for i, id := range c.args.elementIDs {
		if _, seen := first[id]; !seen {
			first[id] = i
			ids = append(ids, id)
		}
	}
	at := problem.Root.Field("element_ids")
	if len(ids) > maxElements {
		return toolResult{release: r}, problem.New(query.ElementIDsTooMany, "The call requests %d distinct elements; the maximum is %d.", len(ids), maxElements).
			In(at).Hint("Request them in several calls of get_elements.")
	}
	var missing problem.List
	indexes := make([]int, len(ids))
	for i, id := range ids {
		if indexes[i], err = elementIndex(r, id); err != nil {
			p, _ := errors.AsType[problem.Problem](err)
			missing = append(missing, p.In(at.Index(first[id])))
			indexes[i] = -1
		}
	}
	fields := c.args.requestedFields(nil)
	res, err := c.recordsResult(r, `"elements":{`, func(b []byte, locales query.Locales) ([]byte, error) {
		for i, id := range ids {
			b = append(appendString(b, id), ':')
			if indexes[i] < 0 {
				b = append(b, `null,`...)
				continue
			}
			b = append(query.AppendElement(b, r, indexes[i], fields, locales), ',')
		}
		return appendClose(b, '}'), nil
	})
	res.problems = missing
	return res, err
}

func (s *Server) getIconURL(_ context.Context, c *call) (toolResult, error) {
	r, err := s.release(c, c.args.version)
	if err != nil {
		return toolResult{}, err
	}
	n, err := elementIndex(r, c.args.elementID)
	if err != nil {
		return toolResult{release: r}, err
	}
	variant := c.args.variant
	if variant == "" {
		variant = taxonomy.VariantDefault
	}
	variants := r.Taxonomy.Elements[n].IconVariants
	svg, _, ok := r.Icon(n, variant)
	if !ok {
		return toolResult{release: r}, problem.New(query.UnknownVariant, "Element %q has no icon variant %q.", c.args.elementID, problem.Clip(variant)).
			In(problem.Root.Field("variant")).Hint("The element's variants are %s.", problem.And(variants)).
			See(problem.ShowElement(r.Name(), c.args.elementID))
	}
	data, err := json.Marshal(struct {
		URL         string   `json:"url"`
		ContentType string   `json:"content_type"`
		Variant     string   `json:"variant"`
		Variants    []string `json:"valid_variants"`
	}{iconURL(s.baseURL(c.http), r, c.args.elementID, variant, svg), "image/svg+xml", variant, variants})
	return toolResult{data: data, release: r}, err
}

// iconURL returns the URL of an icon in the REST API, or a data: URL if base is
// empty.
func iconURL(base string, r *release.Release, element, variant string, svg []byte) string {
	if base == "" {
		return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
	}
	file := "icon.svg"
	if variant != taxonomy.VariantDefault {
		file = "icon." + variant + ".svg"
	}
	return schemaURL(base, r, "/elements/"+element+"/"+file)
}

// schemaURL returns the URL of a path below r in the REST API.
func schemaURL(base string, r *release.Release, path string) string {
	return strings.TrimSuffix(base, "/") + "/api/v2/schemas/" + r.ID().String() + path
}

// releaseAndLocales returns the release named by a call and checks the locales it
// requests.
func (s *Server) releaseAndLocales(c *call) (*release.Release, error) {
	r, err := s.release(c, c.args.version)
	if err != nil {
		return nil, err
	}
	return r, c.args.requestedLocales().Check(r)
}

// openData starts the data of a result about r in scratch memory, up to and
// including the text of member. It overwrites earlier data of the call.
func (c *call) openData(r *release.Release, member string) []byte {
	b := append(c.scratch.data[:0], `{"version":"`...)
	b = append(b, r.ID().String()...) // needs no escaping
	b = append(b, `",`...)
	return append(b, member...)
}

// closeData completes the data started by openData.
func (c *call) closeData(b []byte) []byte {
	c.scratch.data = append(b, '}')
	return c.scratch.data
}

// elementIndex returns the index of the element called id.
func elementIndex(r *release.Release, id string) (int, error) {
	n, err := query.Element(r, id)
	if p, ok := errors.AsType[problem.Problem](err); ok {
		p.Code = query.ElementNotFound
		return 0, p.In(problem.Root.Field("element_id"))
	}
	return n, err
}
