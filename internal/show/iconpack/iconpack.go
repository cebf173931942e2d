// Package iconpack packs the icons of a release: its icons and symbols as SVG and
// PNG files, a page that shows all of them, and an index for programs. It knows
// nothing about HTTP or folders.
//
// The same release and options always give the same files and, as a zip archive,
// the same bytes.
package iconpack

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/show/raster"
)

// The files of a pack that describe the others.
const (
	PageFile  = "index.html"
	IndexFile = "index.json"
)

// MaxSizes is the maximum number of sizes in which a pack has PNG images.
const MaxSizes = 8

// Options selects the files of a pack.
type Options struct {
	Variants []string // default all variants
	Sizes    []int    // widths of PNG images in pixels; default no images
}

// Pack is the icons of a release. It is safe for concurrent use.
type Pack struct {
	release  *release.Release
	variants []string // in the order of the options, or of the elements
	sizes    []int    // in increasing order
	elements []element
	symbols  map[string]string // file names by symbol id
}

// element is an element with the files of its icons.
type element struct {
	number   int // in the release
	category *taxonomy.Category
	icons    []packedIcon
}

// packedIcon is an icon with the names of its files.
type packedIcon struct {
	variant string
	stem    string // the file name without folder and extension
}

func (i packedIcon) svg() string         { return "icons/" + i.stem + ".svg" }
func (i packedIcon) png(size int) string { return fmt.Sprintf("png/%d/%s.png", size, i.stem) }

// New returns the pack of a release. It returns a problem if the release does not
// have a variant, and another error if a size is not valid.
func New(r *release.Release, options Options) (*Pack, error) {
	p := &Pack{release: r, sizes: slices.Compact(slices.Sorted(slices.Values(options.Sizes)))}
	if err := p.checkSizes(); err != nil {
		return nil, err
	}
	all := Variants(r)
	for _, variant := range options.Variants {
		if !slices.Contains(all, variant) {
			return nil, problem.New(problem.NotFound, "%s has no icon variant %q.", r.Name(), problem.Clip(variant)).
				Hint("Its variants are %s.", problem.And(all))
		}
		if !slices.Contains(p.variants, variant) {
			p.variants = append(p.variants, variant)
		}
	}
	if len(p.variants) == 0 {
		p.variants = all
	}
	categories := make(map[string]*taxonomy.Category)
	for i := range r.Taxonomy.Categories {
		categories[r.Taxonomy.Categories[i].ID] = &r.Taxonomy.Categories[i]
	}
	var ids []string
	for _, e := range r.Taxonomy.Elements {
		ids = append(ids, e.ID)
	}
	elementStems, variantStems := stems(ids), stems(all)
	order := make(map[string]int, len(p.variants))
	for i, variant := range p.variants {
		order[variant] = i
	}
	for n := range r.Taxonomy.Elements {
		e := &r.Taxonomy.Elements[n]
		packed := element{number: n, category: categories[e.CategoryID]}
		for _, variant := range e.IconVariants {
			if _, selected := order[variant]; selected {
				packed.icons = append(packed.icons, packedIcon{variant, elementStems[e.ID] + "." + variantStems[variant]})
			}
		}
		slices.SortFunc(packed.icons, func(a, b packedIcon) int { return cmp.Compare(order[a.variant], order[b.variant]) })
		p.elements = append(p.elements, packed)
	}
	p.symbols = stems(slices.Collect(maps.Keys(r.Taxonomy.Symbols)))
	for id, stem := range p.symbols {
		p.symbols[id] = "symbols/" + stem + ".svg"
	}
	return p, nil
}

func (p *Pack) checkSizes() error {
	for _, size := range p.sizes {
		if size < raster.MinSize || size > raster.MaxSize {
			return problem.Failure("%d is not a width from %d to %d pixels.", size, raster.MinSize, raster.MaxSize)
		}
	}
	if len(p.sizes) > MaxSizes {
		return problem.Failure("There are %d widths.", len(p.sizes)).Hint("Use at most %d.", MaxSizes)
	}
	return nil
}

// Variants returns the icon variants of all elements of a release, default and dark
// first.
func Variants(r *release.Release) []string {
	variants := []string{taxonomy.VariantDefault, taxonomy.VariantDark}
	seen := map[string]bool{taxonomy.VariantDefault: true, taxonomy.VariantDark: true}
	for _, e := range r.Taxonomy.Elements {
		for _, v := range e.IconVariants {
			if !seen[v] {
				seen[v] = true
				variants = append(variants, v)
			}
		}
	}
	return variants
}

// stems returns a file name without extension for each id. Some file systems do not
// distinguish upper and lower case, and Windows reserves the names of devices. The
// name of such an id ends in a tilde and a number; ids have no tildes.
func stems(ids []string) map[string]string {
	names := make(map[string]string, len(ids))
	used := make(map[string]int, len(ids))
	for _, id := range slices.Sorted(slices.Values(ids)) {
		lower := strings.ToLower(id)
		if deviceNames[lower] && used[lower] == 0 {
			used[lower] = 1
		}
		used[lower]++
		names[id] = id
		if n := used[lower]; n > 1 {
			names[id] = fmt.Sprintf("%s~%d", id, n)
		}
	}
	return names
}

// deviceNames holds the names that Windows reserves, with any extension.
var deviceNames = func() map[string]bool {
	names := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}
	for i := range 10 {
		names[fmt.Sprintf("com%d", i)], names[fmt.Sprintf("lpt%d", i)] = true, true
	}
	return names
}()

// File is a file of a pack.
type File struct {
	Name string // with slashes
	// Data returns the content. It calls step, which may be nil, while it draws.
	Data func(step func() error) ([]byte, error)
}

// Files returns the files of the pack, sorted by name.
func (p *Pack) Files() []File {
	files := []File{{PageFile, p.page}, {IndexFile, p.index}}
	for i := range p.elements {
		e := &p.elements[i]
		for _, icon := range e.icons {
			files = append(files, File{icon.svg(), func(step func() error) ([]byte, error) {
				return p.icon(e, icon, step)
			}})
			for _, size := range p.sizes {
				files = append(files, File{icon.png(size), func(step func() error) ([]byte, error) {
					return p.image(e, icon, size, step)
				}})
			}
		}
	}
	for id, name := range p.symbols {
		files = append(files, File{name, func(func() error) ([]byte, error) {
			svg, _ := p.release.Symbol(id) // a release has the SVG of all its symbols
			return svg, nil
		}})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// icon returns the SVG of an icon.
func (p *Pack) icon(e *element, i packedIcon, step func() error) ([]byte, error) {
	svg, _, err := p.release.IconStep(e.number, i.variant, step)
	if err == nil && svg == nil {
		err = fmt.Errorf("icon %s cannot be drawn", i.stem)
	}
	return svg, err
}

// image returns an icon as a PNG image.
func (p *Pack) image(e *element, i packedIcon, size int, step func() error) ([]byte, error) {
	svg, err := p.icon(e, i, step)
	if err != nil {
		return nil, err
	}
	drawing, err := raster.Parse(svg)
	if err != nil {
		return nil, fmt.Errorf("icon %s: %w", i.stem, err)
	}
	return drawing.PNG(size, step)
}
