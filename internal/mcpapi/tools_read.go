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

// maxElements is how many different elements get_elements answers with.
const maxElements = 100

func (s *Server) listSchemaVersions(_ context.Context, c *call) (answer, error) {
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return answer{}, err
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
	a := answer{data: data, list: true}
	if len(versions) == 0 && c.args.datachainType != "" {
		a.notice = fmt.Sprintf("No version has the type %q. Omit datachain_type to see all versions.", problem.Clip(c.args.datachainType))
	}
	return a, err
}

func (s *Server) getSchema(_ context.Context, c *call) (answer, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return answer{}, err
	}
	write := func(locales query.Locales) []byte {
		b := appendInLocales(c.openData(r, `"manifest":`), r.ManifestJSON, locales)
		b = appendInLocales(append(b, `,"datachain_type":`...), r.TypeJSON, locales)
		b = query.AppendCategories(append(b, `,"categories":`...), r, locales)
		b = append(append(b, `,"schema_json":`...), documentSchemas()...)
		if c.args.include == includeFull {
			b = append(b, `,"elements":[`...)
			for n := range r.Elements {
				b = append(query.AppendElement(b, r, n, nil, locales), ',')
			}
			b = closing(b, ']')
		}
		return c.closeData(b)
	}
	return concise(r, &c.args, write), nil
}

func (s *Server) listCategories(_ context.Context, c *call) (answer, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return answer{}, err
	}
	a := concise(r, &c.args, func(locales query.Locales) []byte {
		return c.closeData(query.AppendCategories(c.openData(r, `"categories":`), r, locales))
	})
	a.list = true
	return a, nil
}

func (s *Server) listElements(_ context.Context, c *call) (answer, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return answer{}, err
	}
	q := query.Elements{
		CategoryID: c.args.categoryID,
		Search:     c.args.query,
		Locale:     c.args.locale,
		Fields:     c.args.wantedFields(query.DefaultFields),
		Limit:      c.args.limit,
		Cursor:     c.args.cursor,
	}
	var page *query.Page
	a := concise(r, &c.args, func(locales query.Locales) []byte {
		q.Locales = locales
		if page, err = query.List(r, q); err != nil {
			return nil
		}
		b := page.AppendJSON(c.openData(r, `"elements":`))
		b = appendInt(append(b, `,"total":`...), page.Total)
		b = appendInt(append(b, `,"returned":`...), page.Returned())
		return c.closeData(b)
	})
	if err != nil {
		return answer{about: r}, err
	}
	a.list, a.cursor = true, page.Next
	if id := c.args.categoryID; id != "" && !slices.Contains(r.Taxonomy.Type.Categories, id) {
		a.notice = fmt.Sprintf("Unknown category %q. The categories are %s.", problem.Clip(id), problem.And(r.Taxonomy.Type.Categories))
	}
	return a, nil
}

func (s *Server) getElement(_ context.Context, c *call) (answer, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return answer{}, err
	}
	n, err := element(r, c.args.elementID)
	if err != nil {
		return answer{about: r}, err
	}
	fields := c.args.wantedFields(nil)
	return concise(r, &c.args, func(locales query.Locales) []byte {
		b := c.openData(r, `"element":`)
		return c.closeData(query.AppendElement(b, r, n, fields, locales))
	}), nil
}

func (s *Server) getElements(_ context.Context, c *call) (answer, error) {
	r, err := s.releaseAndLocales(&c.args)
	if err != nil {
		return answer{}, err
	}
	first := make(map[string]int, len(c.args.elementIDs)) // places in the argument
	var ids []string
	for i, id := range c.args.elementIDs {
		if _, again := first[id]; !again {
			first[id] = i
			ids = append(ids, id)
		}
	}
	at := problem.Root.Field("element_ids")
	if len(ids) > maxElements {
		return answer{about: r}, problem.New(query.ElementIDsTooMany, "The call requests %d distinct elements; the maximum is %d.", len(ids), maxElements).
			In(at).Hint("Request them in several calls.")
	}
	var missing problem.List
	numbers := make([]int, len(ids))
	for i, id := range ids {
		if numbers[i], err = element(r, id); err != nil {
			p, _ := errors.AsType[problem.Problem](err)
			missing = append(missing, p.In(at.Index(first[id])))
			numbers[i] = -1
		}
	}
	fields := c.args.wantedFields(nil)
	a := concise(r, &c.args, func(locales query.Locales) []byte {
		b := c.openData(r, `"elements":{`)
		for i, id := range ids {
			b = append(appendString(b, id), ':')
			if numbers[i] < 0 {
				b = append(b, `null,`...)
			} else {
				b = append(query.AppendElement(b, r, numbers[i], fields, locales), ',')
			}
		}
		return c.closeData(closing(b, '}'))
	})
	a.errors = missing
	return a, nil
}

func (s *Server) getIconURL(_ context.Context, c *call) (answer, error) {
	r, err := s.release(c.args.version)
	if err != nil {
		return answer{}, err
	}
	n, err := element(r, c.args.elementID)
	if err != nil {
		return answer{about: r}, err
	}
	variant := c.args.variant
	if variant == "" {
		variant = taxonomy.VariantDefault
	}
	variants := r.Taxonomy.Elements[n].IconVariants
	svg, _, ok := r.Icon(n, variant)
	if !ok {
		return answer{about: r}, problem.New(query.UnknownVariant, "Element %q has no icon variant %q.", c.args.elementID, problem.Clip(variant)).
			In(problem.Root.Field("variant")).Hint("The element's variants are %s.", problem.And(variants))
	}
	data, err := json.Marshal(struct {
		URL         string   `json:"url"`
		ContentType string   `json:"content_type"`
		Variant     string   `json:"variant"`
		Variants    []string `json:"valid_variants"`
	}{iconURL(s.baseURL(c.http), r, c.args.elementID, variant, svg), "image/svg+xml", variant, variants})
	return answer{data: data, about: r}, err
}

// iconURL returns an address of an icon that its reader can use: of the REST
// API, or, where that is out of reach, one that holds the icon itself.
func iconURL(base string, r *release.Release, element, variant string, svg []byte) string {
	if base == "" {
		return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
	}
	file := "icon.svg"
	if variant != taxonomy.VariantDefault {
		file = "icon." + variant + ".svg"
	}
	return strings.TrimSuffix(base, "/") + "/api/v2/schemas/" + r.ID().String() + "/elements/" + element + "/" + file
}

// releaseAndLocales returns the release that a call names, and checks the
// locales it names.
func (s *Server) releaseAndLocales(args *arguments) (*release.Release, error) {
	r, err := s.release(args.version)
	if err != nil {
		return nil, err
	}
	return r, args.wantedLocales().Check()
}

// openData begins the JSON of an answer about r with its next member's name, on
// the call's desk. What was opened before is lost.
func (c *call) openData(r *release.Release, member string) []byte {
	b := append(c.desk.data[:0], `{"version":"`...)
	b = append(b, r.ID().String()...) // its characters need no escaping
	b = append(b, `",`...)
	return append(b, member...)
}

// closeData ends what openData began.
func (c *call) closeData(b []byte) []byte {
	c.desk.data = append(b, '}')
	return c.desk.data
}

// element returns the number of the element called id.
func element(r *release.Release, id string) (int, error) {
	n, err := query.Element(r, id)
	if p, ok := errors.AsType[problem.Problem](err); ok {
		p.Code = query.ElementNotFound
		return 0, p.In(problem.Root.Field("element_id"))
	}
	return n, err
}
