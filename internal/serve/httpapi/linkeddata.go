package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/show/skos"
	"placard/internal/storage/catalog"
)

// linkedData handles requests for a version in a syntax of RDF.
type linkedData skos.Syntax

func (syntax linkedData) handle(a *api, r *http.Request, client netip.Addr, b budget.Budget) (reply, error) {
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	before, err := v.predecessor()
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		// As for the version itself, loading is not part of the budget.
		var snapshot *catalog.Snapshot
		if snapshot, err = a.Catalog.Load(r.Context(), absent); err == nil {
			before, err = v.in(snapshot, r.PathValue("version")).predecessor()
		}
	}
	if err != nil {
		return reply{}, err
	}
	return read(func(_ *http.Request, step func() error) (reply, error) {
		return a.skos(skos.Syntax(syntax), v, before, step)
	}).handle(a, r, client, b)
}

// predecessor returns the release that v replaces, or nil. It may not be listed, so that
// a partial export has the same bytes as a server.
func (v *version) predecessor() (*release.Release, error) {
	id, ok := skos.Predecessor(v.ID(), func(yield func(taxonomy.ID) bool) {
		for _, published := range v.snapshot.Versions() {
			if !yield(published.ID) {
				return
			}
		}
	})
	if !ok {
		return nil, nil
	}
	return v.snapshot.Find(id.String())
}

// skos returns the linked data of a version and its predecessor, which may be nil.
func (a *api) skos(syntax skos.Syntax, v *version, before *release.Release, step func() error) (reply, error) {
	var replaced *taxonomy.Taxonomy
	key := fmt.Sprintf("%d %d %s", skos.Format, syntax, v.Fingerprint())
	if before != nil {
		replaced = before.Taxonomy
		key += " " + before.Fingerprint()
	}
	// The ETag is not that of the version: the document changes if another one is
	// published or retired.
	etag := digestTag([]byte(key))
	body, err := a.slowBody(etag, func() ([]byte, error) { return skos.Write(syntax, v.Taxonomy, replaced), nil }, step)
	p := reply{contentType: typeTurtle, cache: v.jsonCache, etag: etag, hash: v.hash, body: body}
	if v.Manifest.Status == taxonomy.Stable {
		p.cache = fiveMinutes // for the same reason it is not immutable, even by its id
	}
	if syntax == skos.JSONLD {
		p.contentType = typeJSONLD
	}
	return p, err
}
