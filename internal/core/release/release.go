// Package release compiles a checked taxonomy into a release: one immutable
// schema version with its content hash, icons, search indexes and the encoded
// JSON that responses are built from. It encodes releases as files and decodes
// them, and does not know where the files are kept.
package release

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"placard/internal/core/datachain"
	"placard/internal/core/icon"
	"placard/internal/core/search"
	"placard/internal/core/taxonomy"
)

// Release is one compiled schema version. [Compile] and [Decode] return
// releases. A release is immutable and safe for concurrent use.
type Release struct {
	Manifest taxonomy.Manifest
	Taxonomy *taxonomy.Taxonomy

	// Categories and Elements are the JSON of the taxonomy's categories and
	// elements, in the same order.
	Categories Records
	Elements   Records
	// ManifestJSON and TypeJSON are the JSON of the manifest and the type.
	ManifestJSON []byte
	TypeJSON     []byte

	content     []byte // as returned by encodeContent; nil in a decoded release
	name        string
	fingerprint string
	elements    map[string]int
	runs        map[string]run // by category; the elements of a category are consecutive
	icons       [][][]byte     // by element, then by icon variant; nil if the baked icon is missing
	symbols     map[string][]byte
	search      []localeIndex
	schema      *datachain.Schema
	guides      guides // by locale, as in the manifest

	datachainSchema atomic.Pointer[[]byte] // nil until it is requested
}

// run is a range of elements.
type run struct{ first, count int }

type localeIndex struct {
	locale string
	index  *search.Index
}

// ID returns the canonical id.
func (r *Release) ID() taxonomy.ID { return r.Manifest.ID }

// Name returns the canonical id as a string.
func (r *Release) Name() string { return r.name }

// Hash returns the content hash, sha256-<hex>.
func (r *Release) Hash() string { return r.Manifest.ContentHash }

// Element returns the index of the element with the given id.
func (r *Release) Element(id string) (n int, ok bool) {
	n, ok = r.elements[id]
	return n, ok
}

// Successor returns the id of the element that replaces the one with the given id, which
// r does not have.
func (r *Release) Successor(id string) (now string, ok bool) {
	for i := range r.Taxonomy.Elements {
		if e := &r.Taxonomy.Elements[i]; slices.Contains(e.Replaces, id) {
			return e.ID, true
		}
	}
	return "", false
}

// CategoryRun returns the index of the first element of a category and the
// number of its elements, which are consecutive.
func (r *Release) CategoryRun(id string) (first, count int) {
	run := r.runs[id]
	return run.first, run.count
}

// Schema returns the schema that documents are validated against.
func (r *Release) Schema() *datachain.Schema { return r.schema }

// Symbol returns the SVG document of a symbol as written by [icon.Symbol.SVG]. The
// file of the author, in Taxonomy, must not be served: it is safe to parse as XML
// but not as HTML.
func (r *Release) Symbol(id string) (svg []byte, ok bool) {
	svg, ok = r.symbols[id]
	return svg, ok
}

// Icon returns the icon of the n-th element in one of its variants. If the
// stored release lacks the icon, Icon composes it, with the same bytes, and baked
// is false.
func (r *Release) Icon(n int, variant string) (svg []byte, baked, ok bool) {
	svg, baked, err := r.IconStep(n, variant, nil)
	return svg, baked, err == nil && svg != nil
}

// IconStep is [Release.Icon] with a step function, which may be nil. It calls
// step while composing an icon and stops with its error. The icon is nil if the
// element does not have it.
func (r *Release) IconStep(n int, variant string, step func() error) (svg []byte, baked bool, err error) {
	e := &r.Taxonomy.Elements[n]
	for i, v := range e.IconVariants {
		if v != variant {
			continue
		}
		if svg := r.icons[n][i]; svg != nil {
			return svg, true, nil
		}
		symbol, _, err := icon.ParseSymbolStep(r.Taxonomy.Symbols[e.SymbolID], step)
		if symbol == nil || err != nil {
			return nil, false, err
		}
		svg, _ := r.paint(e, symbol, variant)
		return svg, false, nil
	}
	return nil, false, nil
}

// HasAllIcons reports whether every icon is baked.
func (r *Release) HasAllIcons() bool {
	for _, variants := range r.icons {
		for _, svg := range variants {
			if svg == nil {
				return false
			}
		}
	}
	return true
}

// Search returns the index for a locale, or for the closest less specific one
// (en for en-GB, zh-Hant for zh-Hant-TW).
func (r *Release) Search(locale string) (index *search.Index, ok bool) {
	i := r.localeIndex(locale)
	if i < 0 {
		return nil, false
	}
	for _, l := range r.search {
		if l.locale == r.Manifest.Locales[i] {
			return l.index, true
		}
	}
	return nil, false
}

// NearestLocale returns the locale of r that is code, ignoring case, or else the
// closest less specific one, as RFC 4647 looks it up: fr for fr-CA.
func (r *Release) NearestLocale(code string) (locale string, ok bool) {
	i := r.localeIndex(code)
	if i < 0 {
		return "", false
	}
	return r.Manifest.Locales[i], true
}

// localeIndex returns the index of the nearest locale of r, or -1.
func (r *Release) localeIndex(code string) int {
	for code != "" {
		if i := slices.IndexFunc(r.Manifest.Locales, func(have string) bool { return strings.EqualFold(have, code) }); i >= 0 {
			return i
		}
		code = code[:max(0, strings.LastIndexByte(code, '-'))]
	}
	return -1
}

// DefaultLocale returns the locale to search if none is requested.
func (r *Release) DefaultLocale() string { return r.Taxonomy.DefaultLocale() }

// ParseSymbol parses the file of a symbol, to compose an icon that the release
// does not have.
func (r *Release) ParseSymbol(id string) (*icon.Symbol, error) {
	svg, ok := r.Taxonomy.Symbols[id]
	if !ok {
		return nil, fmt.Errorf("symbol %q does not exist", id)
	}
	return parseSymbol(id, svg)
}

func parseSymbol(id string, svg []byte) (*icon.Symbol, error) {
	symbol, problems := icon.ParseSymbol(svg)
	if symbol == nil {
		return nil, fmt.Errorf("symbol %q: %w", id, problems)
	}
	return symbol, nil
}

func (r *Release) paint(e *taxonomy.Element, symbol *icon.Symbol, variant string) ([]byte, error) {
	paint, ok := icon.PaintFor(variant, e.EffectiveContext(r.categoryOf(e)))
	if !ok {
		return nil, fmt.Errorf("element %q has no icon variant %q", e.ID, variant)
	}
	return icon.Compose(e.Shape, symbol, paint), nil
}

// categoryOf returns the category of e, or nil.
func (r *Release) categoryOf(e *taxonomy.Element) *taxonomy.Category {
	for i := range r.Taxonomy.Categories {
		if c := &r.Taxonomy.Categories[i]; c.ID == e.CategoryID {
			return c
		}
	}
	return nil
}

// Fingerprint identifies everything that is served from the release. Unlike
// the content hash, it changes with the id, the notes and the format of derived
// parts.
func (r *Release) Fingerprint() string { return r.fingerprint }
