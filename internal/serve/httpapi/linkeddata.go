package httpapi

import (
	"fmt"
	"net/http"

	"placard/internal/show/skos"
)

// linkedData returns the read of a version in a syntax of RDF.
func (a *api) linkedData(syntax skos.Syntax, contentType []string) versionRead {
	return func(_ *http.Request, v *version, step func() error) (reply, error) {
		p := reply{contentType: contentType, cache: v.jsonCache, hash: v.hash}
		p.etag = digestTag(fmt.Appendf(nil, "%d %d %s", skos.Format, syntax, v.Fingerprint()))
		var err error
		p.body, err = a.slowBody(p.etag, func() ([]byte, error) { return skos.Write(syntax, v.Taxonomy, skos.Served), nil }, step)
		return p, err
	}
}
