package mcpapi

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"placard/internal/query"
	"placard/internal/release"
)

// maxQuoted is how many bytes of quoted elements a server keeps. Those beyond
// are quoted whenever they are asked for.
const maxQuoted = 16 << 20

// quotes keeps elements of releases as they stand in the text form of answers,
// which is a JSON string: quoting one takes longer than all else about it. An
// element is quoted when it is first asked for, and forgotten with its release.
type quotes struct {
	releases sync.Map // by weak.Pointer[release.Release]: *quotedElements
	size     atomic.Int64
}

// quotedElements are those of one release.
type quotedElements struct {
	elements []atomic.Pointer[quotedElement]
	size     atomic.Int64
}

// element returns the n-th element of r, or nil where there is no room for it.
func (k *quotes) element(r *release.Release, n int) *quotedElement {
	of := k.of(r)
	if e := of.elements[n].Load(); e != nil {
		return e
	}
	if k.size.Load() >= maxQuoted {
		return nil
	}
	e := quoteElement(r.Elements[n].JSON(), r.Manifest.Locales)
	if of.elements[n].CompareAndSwap(nil, e) {
		of.size.Add(e.size())
		k.size.Add(e.size())
	}
	return e
}

// of returns what is kept of r, for as long as r itself is.
func (k *quotes) of(r *release.Release) *quotedElements {
	key := weak.Make(r)
	if of, ok := k.releases.Load(key); ok {
		return of.(*quotedElements)
	}
	of, known := k.releases.LoadOrStore(key, &quotedElements{elements: make([]atomic.Pointer[quotedElement], len(r.Elements))})
	if !known {
		runtime.AddCleanup(r, k.forget, key)
	}
	return of.(*quotedElements)
}

func (k *quotes) forget(key weak.Pointer[release.Release]) {
	if of, ok := k.releases.LoadAndDelete(key); ok {
		k.size.Add(-of.(*quotedElements).size.Load())
	}
}

// quotedElement is the JSON of an element as part of a JSON string, cut so that
// leaving out locales is leaving out pieces.
type quotedElement struct {
	whole  []byte
	pieces []quotedPiece
}

// quotedPiece is one {locale, value} object of an array of such, or what stands
// between two of them if that is more than a comma.
type quotedPiece struct {
	from, to int // in the whole
	locale   int // index into the release's locales, or [anyLocale]
}

const anyLocale = -1

// quoteElement quotes the JSON of an element of a release with these locales.
func quoteElement(json []byte, locales []string) *quotedElement {
	e := new(quotedElement)
	for {
		start := bytes.Index(json, textOpening)
		if start < 0 {
			e.add(json, anyLocale)
			break
		}
		if between := json[:start]; string(between) == "," {
			e.whole = append(e.whole, ',')
		} else {
			e.add(between, anyLocale)
		}
		json = json[start:]
		locale, end := readText(json)
		e.add(json[:end], slices.Index(locales, string(locale)))
		json = json[end:]
	}
	e.whole, e.pieces = slices.Clone(e.whole), slices.Clone(e.pieces) // without room for more
	return e
}

func (e *quotedElement) add(json []byte, locale int) {
	from := len(e.whole)
	e.whole = appendEscaped(e.whole, json)
	e.pieces = append(e.pieces, quotedPiece{from, len(e.whole), locale})
}

// size is about how many bytes of memory e takes.
func (e *quotedElement) size() int64 {
	const piece = 3 * 8
	return int64(cap(e.whole) + cap(e.pieces)*piece)
}

// append appends e, an element of r, of its texts only those in the wanted
// locales; nil keeps all.
func (e *quotedElement) append(b []byte, r *release.Release, wanted query.Locales) []byte {
	if wanted == nil {
		return append(b, e.whole...)
	}
	kept := r.Locales(wanted)
	for i := range e.pieces {
		p := &e.pieces[i]
		if p.locale != anyLocale {
			if !kept.Has(p.locale) {
				continue
			}
			if b[len(b)-1] != '[' {
				b = append(b, ',')
			}
		}
		b = append(b, e.whole[p.from:p.to]...)
	}
	return b
}
