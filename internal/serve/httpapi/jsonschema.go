package httpapi

import (
	"net/http"
	"sync"

	"placard/internal/core/docschema"
)

// authoringSchema returns the handler for the JSON Schema of an authoring file.
func authoringSchema(file docschema.AuthoringFile) read {
	schema := sync.OnceValue(func() reply {
		body := docschema.Authoring(file, nil)
		return reply{contentType: typeJSON, cache: oneDay, etag: digestTag(body), body: body}
	})
	return func(*http.Request, func() error) (reply, error) { return schema(), nil }
}

func (a *api) datachainSchema(_ *http.Request, v *version, step func() error) (reply, error) {
	schema, err := v.DatachainSchema(step)
	if err != nil {
		return reply{}, err
	}
	return reply{contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash, body: schema}, nil
}
