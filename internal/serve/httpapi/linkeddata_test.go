package httpapi_test

import (
	"net/http"
	"testing"

	"placard/internal/core/release/releasetest"
	"placard/internal/show/skos"
)

func TestLinkedDataIsServed(t *testing.T) {
	s := published(t)
	before, after := releasetest.Taxonomy(t, stable), releasetest.Taxonomy(t, beta)
	for _, tc := range []struct {
		path, contentType string
		want              []byte
	}{
		{stable + "/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, before, skos.Served)},
		{"small@latest/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, before, skos.Served)},
		{beta + "/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, after, skos.Served)},
		{"small%40beta/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, after, skos.Served)},
		{stable + "/skos.jsonld", "application/ld+json", skos.Write(skos.JSONLD, before, skos.Served)},
		{"small@beta/skos.jsonld", "application/ld+json", skos.Write(skos.JSONLD, after, skos.Served)},
	} {
		got := s.get("/api/v2/schemas/" + tc.path)
		if got.status != http.StatusOK || got.body != string(tc.want) || got.header.Get("Content-Type") != tc.contentType {
			t.Errorf("%s: got %d %s\n%s\nwant %s\n%s", tc.path, got.status, got.header.Get("Content-Type"), got.body, tc.contentType, tc.want)
		}
	}
}
