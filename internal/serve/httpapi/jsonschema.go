package httpapi

import (
	"net/http"
	"sync"

	"placard/internal/core/docschema"
	"placard/internal/core/release"
)

// authoringSchema returns the handler for the JSON Schema of an authoring file.
func authoringSchema(file docschema.AuthoringFile) read {
	schema := sync.OnceValue(func() reply {
		body := docschema.Authoring(file, nil)
		return reply{
			contentType: typeJSON,
			cache:       oneDay,
			etag:        []string{`"` + release.Digest(body)[:32] + `"`},
			body:        body,
		}
	})
	return func(*http.Request, func() error) (reply, error) { return schema(), nil }
}

func (a *api) datachainSchema(r *http.Request, step func() error) (reply, error) {
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	schema, err := v.DatachainSchema(step)
	if err != nil {
		return reply{}, err
	}
	return reply{contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash, body: schema}, nil
}
