package mcpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"placard/internal/catalog"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// maxElements is the maximum number of distinct elements in one call of
// get_elements.
const maxElements = 100

func (s *Server) listSchemaVersions(_ context.Context, c *call) (toolResult, error) {
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return toolResult{}, err
	}
	versions := []catalog.Version{}
	for _, v := range snapshot.Versions() {
		if c.args.datachainType == "" || v.ID.Type == c.args.datachainType {
			versions = append(versions, v)
		}
	}
	data, err := json.Marshal(struct {
		Versions []catalog.Version `json:"versions"`
	}{versions})
	res := toolResult{data: data, isPage: true}
	if len(versions) == 0 && c.args.datachainType != "" {
		res.notice = fmt.Sprintf("No version has the type %q. list_schema_versions without datachain_type lists all versions.", problem.Clip(c.args.datachainType))
	}
	return res, err
}

func (s *Server) getSchema(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return toolResult{}, err
	}
	write := func(locales query.Locales) []byte {
		b := query.AppendInLocales(c.openData(r, `"manifest":`), r, r.ManifestJSON, locales)
		b = query.AppendInLocales(append(b, `,"datachain_type":`...), r, r.TypeJSON, locales)
		b = query.AppendCategories(append(b, `,"categories":`...), r, locales)
		b = append(append(b, `,"schema_json":`...), documentSchemas()...)
		if c.args.include == includeFull {
			b = append(b, `,"elements":[`...)
			for n := range r.Elements {
				if n%64 == 63 {
					if err = c.step(); err != nil {
						return nil
					}
				}
				b = append(query.AppendElement(b, r, n, nil, locales), ',')
			}
			b = appendClose(b, ']')
		}
		return c.closeData(b)
	}
	res := conciseResult(r, &c.args, write)
	return res, err
}

func (s *Server) listCategories(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return toolResult{}, err
	}
	res := conciseResult(r, &c.args, func(locales query.Locales) []byte {
		return c.closeData(query.AppendCategories(c.openData(r, `"categories":`), r, locales))
	})
	res.isPage = true
	return res, nil
}

func (s *Server) listElements(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return toolResult{}, err
	}
	q := query.Elements{
		CategoryID: c.args.categoryID,
		Search:     c.args.query,
		Locale:     c.args.locale,
		Fields:     c.args.requestedFields(query.DefaultFields),
		Limit:      c.args.limit,
		Cursor:     c.args.cursor,
		Step:       c.step,
	}
	var page *query.Page
	res := conciseResult(r, &c.args, func(locales query.Locales) []byte {
		q.Locales = locales
		if page, err = query.List(r, q); err != nil {
			return nil
		}
		var b []byte
		if b, err = page.AppendJSON(c.openData(r, `"elements":`), c.step); err != nil {
			return nil
		}
		b = appendInt(append(b, `,"total":`...), page.Total)
		b = appendInt(append(b, `,"returned":`...), page.Returned())
		return c.closeData(b)
	})
	if err != nil {
		return toolResult{release: r}, err
	}
	res.isPage, res.nextCursor = true, page.Next
	if id := c.args.categoryID; id != "" && !slices.Contains(r.Taxonomy.Type.Categories, id) {
		res.notice = fmt.Sprintf("Unknown category %q. The categories are %s. %s", problem.Clip(id), problem.And(r.Taxonomy.Type.Categories),
			s.sentence(c, problem.ListCategories(r.Name())))
	}
	return res, nil
}

func (s *Server) getElement(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return toolResult{}, err
	}
	n, err := elementIndex(r, c.args.elementID)
	if err != nil {
		return toolResult{release: r}, err
	}
	fields := c.args.requestedFields(nil)
	return conciseResult(r, &c.args, func(locales query.Locales) []byte {
		b := c.openData(r, `"element":`)
		return c.closeData(query.AppendElement(b, r, n, fields, locales))
	}), nil
}

func (s *Server) getElements(_ context.Context, c *call) (toolResult, error) {
	r, err := s.releaseAndLocales(&c.args)
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
	res := conciseResult(r, &c.args, func(locales query.Locales) []byte {
		b := c.openData(r, `"elements":{`)
		for i, id := range ids {
			b = append(appendString(b, id), ':')
			if indexes[i] < 0 {
				b = append(b, `null,`...)
			} else {
				b = append(query.AppendElement(b, r, indexes[i], fields, locales), ',')
			}
		}
		return c.closeData(appendClose(b, '}'))
	})
	res.problems = missing
	return res, nil
}

func (s *Server) getIconURL(_ context.Context, c *call) (toolResult, error) {
	r, err := s.release(c.args.version)
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
func (s *Server) releaseAndLocales(args *arguments) (*release.Release, error) {
	r, err := s.release(args.version)
	if err != nil {
		return nil, err
	}
	return r, args.requestedLocales().Check()
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
