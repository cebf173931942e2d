// Package release makes a checked taxonomy into a release: one published
// schema version, immutable, with its content hash, icons, search indexes and
// the JSON fragments that answers are joined from. It turns releases into
// files and back, and knows nothing of where those files are kept.
package release

import (
	"fmt"
	"strings"

	"placard/internal/datachain"
	"placard/internal/icon"
	"placard/internal/search"
	"placard/internal/taxonomy"
)

// Release is one schema version, compiled. It is made by [Compile] or [Decode]
// and never changes afterwards, so any number of requests may share it.
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

	name        string
	fingerprint string
	elements    map[string]int
	runs        map[string]run // by category; elements of one stand together
	icons       [][][]byte     // by element, then by icon variant; nil where a baked icon is missing
	search      []localeIndex
	schema      *datachain.Schema
}

type run struct{ first, count int }

type localeIndex struct {
	locale string
	index  *search.Index
}

// ID returns the canonical id.
func (r *Release) ID() taxonomy.ID { return r.Manifest.ID }

// Name returns the canonical id as it is written.
func (r *Release) Name() string { return r.name }

// Hash returns the content hash, sha256-<hex>.
func (r *Release) Hash() string { return r.Manifest.ContentHash }

// Element returns the number of the element called id.
func (r *Release) Element(id string) (n int, ok bool) {
	n, ok = r.elements[id]
	return n, ok
}

// CategoryRun returns the run of elements that are of a category: the number
// of the first and how many there are.
func (r *Release) CategoryRun(id string) (first, count int) {
	run := r.runs[id]
	return run.first, run.count
}

// Schema returns the release as documents are checked against it.
func (r *Release) Schema() *datachain.Schema { return r.schema }

// Symbol returns the SVG document of a symbol.
func (r *Release) Symbol(id string) (svg []byte, ok bool) {
	svg, ok = r.Taxonomy.Symbols[id]
	return svg, ok
}

// Icon returns the icon of the n-th element in one of its variants. baked is
// false where the stored release lacked it and it had to be composed now; the
// bytes are the same.
func (r *Release) Icon(n int, variant string) (svg []byte, baked, ok bool) {
	e := &r.Taxonomy.Elements[n]
	for i, v := range e.IconVariants {
		if v != variant {
			continue
		}
		if svg := r.icons[n][i]; svg != nil {
			return svg, true, true
		}
		svg, err := r.compose(e, variant)
		return svg, false, err == nil
	}
	return nil, false, false
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

// Search returns the index for locale: its own, or that of the nearest locale
// it is a variety of (en for en-GB, zh-Hant for zh-Hant-TW).
func (r *Release) Search(locale string) (index *search.Index, ok bool) {
	for {
		for _, l := range r.search {
			if strings.EqualFold(l.locale, locale) {
				return l.index, true
			}
		}
		cut := strings.LastIndexByte(locale, '-')
		if cut < 0 {
			return nil, false
		}
		locale = locale[:cut]
	}
}

// DefaultLocale is the locale searched when a caller names none.
func (r *Release) DefaultLocale() string {
	for _, l := range r.Manifest.Locales {
		if strings.EqualFold(l, "en") {
			return l
		}
	}
	return r.Manifest.Locales[0]
}

// compose draws an icon that is not baked.
func (r *Release) compose(e *taxonomy.Element, variant string) ([]byte, error) {
	symbol, err := r.parseSymbol(e.SymbolID)
	if err != nil {
		return nil, err
	}
	return r.paint(e, symbol, variant)
}

func (r *Release) parseSymbol(id string) (*icon.Symbol, error) {
	svg, ok := r.Taxonomy.Symbols[id]
	if !ok {
		return nil, fmt.Errorf("there is no symbol %q", id)
	}
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

// Fingerprint identifies all that is served of the release, in this form:
// unlike the content hash it changes with the id, the notes, and with what
// Placard makes of the same content.
func (r *Release) Fingerprint() string { return r.fingerprint }
