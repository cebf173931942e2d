package httpapi_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/httpapi"
	"placard/internal/show/skos"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// publish publishes releases of the small taxonomy.
func (s *service) publish(ids ...string) {
	s.t.Helper()
	for _, id := range ids {
		if _, err := storetest.Publish(s.t.Context(), s.store, releasetest.Release(s.t, id)); err != nil {
			s.t.Fatal(err)
		}
	}
	s.refresh()
}

func TestLinkedDataIsServed(t *testing.T) {
	s := published(t)
	before, after := releasetest.Taxonomy(t, stable), releasetest.Taxonomy(t, beta)
	for _, tc := range []struct {
		path, contentType string
		want              []byte
	}{
		{stable + "/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, before, nil)},
		{"small@latest/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, before, nil)},
		{beta + "/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, after, before)},
		{"small%40beta/skos.ttl", "text/turtle; charset=utf-8", skos.Write(skos.Turtle, after, before)},
		{stable + "/skos.jsonld", "application/ld+json", skos.Write(skos.JSONLD, before, nil)},
		{"small@beta/skos.jsonld", "application/ld+json", skos.Write(skos.JSONLD, after, before)},
	} {
		got := s.get("/api/v2/schemas/" + tc.path)
		if got.status != http.StatusOK || got.body != string(tc.want) || got.header.Get("Content-Type") != tc.contentType {
			t.Errorf("%s: got %d %s\n%s\nwant %s\n%s", tc.path, got.status, got.header.Get("Content-Type"), got.body, tc.contentType, tc.want)
		}
	}
}

// TestLinkedDataRefersToTheAPI requests the address of every resource in a document.
func TestLinkedDataRefersToTheAPI(t *testing.T) {
	s := published(t)
	const path = "/api/v2/schemas/small@beta/skos.jsonld"
	var document struct {
		Graph []struct {
			ID       string   `json:"@id"`
			InScheme string   `json:"inScheme"`
			Replaces []string `json:"replaces"`
			Members  []string `json:"memberList"`
		} `json:"@graph"`
	}
	if err := json.Unmarshal([]byte(s.get(path).body), &document); err != nil {
		t.Fatal(err)
	}
	requested := make(map[string]bool)
	for _, node := range document.Graph {
		for _, reference := range slices.Concat([]string{node.ID, node.InScheme}, node.Replaces, node.Members) {
			resolved, err := (&url.URL{Path: path}).Parse(reference)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(resolved.Path, "/api/v2/schemas/"+beta+"/") && !strings.HasPrefix(resolved.Path, "/api/v2/schemas/"+stable+"/") {
				continue
			}
			if requested[resolved.Path] {
				continue
			}
			requested[resolved.Path] = true
			if got := s.get(resolved.Path); got.status != http.StatusOK {
				t.Errorf("%s: got status %d, want 200", reference, got.status)
			}
		}
	}
	// A manifest and three elements of each version, and the categories of one.
	if len(requested) != 9 {
		t.Errorf("got %d addresses, want 9: %v", len(requested), requested)
	}
}

func TestLinkedDataChangesWithTheVersionBeforeIt(t *testing.T) {
	const first, second, third = "small@2026-01-01-stable", "small@2026-02-01-stable", "small@2026-03-01-stable"
	s := newService(t)
	s.publish(third)
	path := "/api/v2/schemas/" + third + "/skos.ttl"
	etags := make(map[string]bool)
	check := func(want string) {
		t.Helper()
		got := s.get(path)
		etags[got.header.Get("ETag")] = true
		if cache := got.header.Get("Cache-Control"); cache != "public, max-age=300" {
			t.Errorf("got Cache-Control %q of a document that changes, want five minutes", cache)
		}
		if want == "" && strings.Contains(got.body, "dcterms:replaces") || !strings.Contains(got.body, want) {
			t.Errorf("got %s\nwant a reference to %q", got.body, want)
		}
	}
	check("")
	s.publish(first)
	check("<../" + first + "/elements/sound>")
	s.publish(second)
	check("<../" + second + "/elements/sound>")
	if len(etags) != 3 {
		t.Errorf("got the ETags %v, want 3 different ones", etags)
	}
	id, err := taxonomy.ParseID(second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Retire(t.Context(), store.Intent{}, id); err != nil {
		t.Fatal(err)
	}
	s.refresh()
	check("<../" + first + "/manifest>")
	if len(etags) != 3 {
		t.Errorf("got the ETags %v, want an earlier one", etags)
	}
	// A partial export has the same bytes.
	want := s.get(path)
	only := s.with(httpapi.Options{IsListed: func(id taxonomy.ID) bool { return id.String() == third }})
	if got := only.get(path); got.body != want.body {
		t.Errorf("with other versions unlisted: got %s\nwant %s", got.body, want.body)
	}
}

func TestLinkedDataNeedsTheVersionBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c, s := newHandler(t, 1)
		path := "/api/v2/schemas/" + beta + "/skos.ttl"
		if w := serve(t.Context(), h, "GET", path, ""); w.Code != http.StatusOK || c.Stats().Resident != 1 {
			t.Fatalf("got %d %s, want 200", w.Code, w.Body)
		}
		// Only the beta is in memory.
		time.Sleep(time.Second)
		serve(t.Context(), h, "GET", "/api/v2/schemas/"+beta+"/manifest", "")
		s.failure = errors.New("connection refused")
		w := serve(t.Context(), h, "GET", path, "")
		if p := (response{w.Code, w.Header(), w.Body.String()}).failure(t); w.Code != http.StatusBadGateway || !strings.Contains(p.Message, stable) {
			t.Errorf("got %d %v, want 502 that names %s", w.Code, p, stable)
		}
	})
}
