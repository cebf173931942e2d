package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
	"placard/internal/show/iconpack"
)

// svgName returns the file name in the path without its .svg suffix.
func svgName(r *http.Request, name string) (string, error) {
	id, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	if !ok {
		return "", errNoRoute
	}
	return parseWord(name, id)
}

func (a *api) shape(r *http.Request, _ func() error) (reply, error) {
	name, err := svgName(r, "shape")
	if err != nil {
		return reply{}, err
	}
	shape := taxonomy.Shape(name)
	if !slices.Contains(taxonomy.Shapes, shape) {
		return reply{}, problem.New(problem.NotFound, "Unknown shape %q.", problem.Clip(name)).Hint("The shapes are %s.", problem.And(shapes()))
	}
	return shapeReplies()[shape], nil
}

// shapeReplies are the responses to requests for shapes.
var shapeReplies = sync.OnceValue(func() map[taxonomy.Shape]reply {
	replies := make(map[taxonomy.Shape]reply)
	for _, shape := range taxonomy.Shapes {
		svg := icon.ShapeSVG(shape)
		replies[shape] = reply{contentType: typeSVG, cache: immutableYear, etag: digestTag(svg), body: svg}
	}
	return replies
})

func shapes() []string {
	names := make([]string, len(taxonomy.Shapes))
	for i, s := range taxonomy.Shapes {
		names[i] = string(s)
	}
	return names
}

func (a *api) symbol(r *http.Request, v *version, _ func() error) (reply, error) {
	id, err := svgName(r, "symbol_id")
	if err != nil {
		return reply{}, err
	}
	svg, ok := v.Symbol(id)
	if !ok {
		p := problem.New(problem.NotFound, "Symbol %q is not in %s.", problem.Clip(id), v.ID())
		if hint := problem.DidYouMean(id, slices.Collect(maps.Keys(v.Taxonomy.Symbols))); hint != "" {
			return reply{}, p.Hint("%s", hint)
		}
		return reply{}, p.Hint("Use the symbol_id of an element. GET /api/v2/schemas/%s/elements?fields=symbol_id&limit=%d lists them.", r.PathValue("version"), query.MaxLimit)
	}
	return v.svg(svg, v.svgCache), nil
}

func (a *api) icon(r *http.Request, v *version, step func() error) (reply, error) {
	variant, err := iconVariant(r)
	if err != nil {
		return reply{}, err
	}
	id, err := parseWord("element_id", r.PathValue("element_id"))
	if err != nil {
		return reply{}, err
	}
	n, err := query.Element(v.Release, id)
	if err != nil {
		return reply{}, err
	}
	svg, stored, err := v.IconStep(n, variant, step)
	if err != nil {
		return reply{}, err
	}
	if svg == nil {
		return reply{}, problem.New(problem.NotFound, "Element %q has no icon variant %q.", id, problem.Clip(variant)).
			Hint("Its variants are %s.", problem.And(v.Taxonomy.Elements[n].IconVariants)).See(problem.ShowElement(v.Name(), id))
	}
	if stored {
		return v.svg(svg, v.svgCache), nil
	}
	a.IconMissed()
	a.Log.Warn("icon_miss_fallback", "release", v.ID().String(), "element", id, "variant", variant,
		"request_id", r.Header.Get("X-Request-Id"))
	return v.svg(svg, v.missCache), nil
}

// icons returns the pack of icons of a version.
func (a *api) icons(r *http.Request, v *version, step func() error) (reply, error) {
	var err error
	p := reply{contentType: typeZip, isCompressed: true, cache: v.jsonCache, etag: v.packETag, hash: v.hash}
	if isCached(r, p.etag) {
		return p, nil // without writing the pack
	}
	p.body, err = a.slowBody(p.etag, func() ([]byte, error) { return iconpack.ZipAll(v.Release) }, step)
	return p, err
}

// iconVariant returns the variant in a path that ends in icon.svg or
// icon.<variant>.svg.
func iconVariant(r *http.Request) (string, error) {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".svg")
	if !ok {
		return "", errNoRoute
	}
	if name == "icon" {
		return taxonomy.VariantDefault, nil
	}
	variant, ok := strings.CutPrefix(name, "icon.")
	if !ok {
		return "", errNoRoute
	}
	return parseWord("icon variant", variant)
}
