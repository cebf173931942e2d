package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/httpapi"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store/storetest"
)

// resources returns the resources of the releases for which isListed returns true.
func (s *service) resources(isListed func(taxonomy.ID) bool) []httpapi.Resource {
	s.t.Helper()
	snapshot, err := s.catalog.Current()
	if err != nil {
		s.t.Fatal(err)
	}
	var resources []httpapi.Resource
	for resource := range httpapi.Resources(snapshot, isListed) {
		resources = append(resources, resource)
	}
	return resources
}

func everyRelease(taxonomy.ID) bool { return true }

func TestResourcesIncludeEveryReadRoute(t *testing.T) {
	s := published(t)
	resources := s.resources(everyRelease)
	for _, resource := range resources {
		path := resource.Path
		if resource.Query != "" {
			path += "?" + resource.Query
		}
		if got := s.get(path); got.status != http.StatusOK {
			t.Errorf("GET %s: got status %d, want 200", path, got.status)
		}
	}
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(s.get("/api/v2/openapi.json").body), &document); err != nil {
		t.Fatal(err)
	}
	for pattern, methods := range document.Paths {
		if methods["get"] == nil {
			continue
		}
		expression := regexp.MustCompile("^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(pattern), "[^/.]+") + "$")
		found := false
		for _, resource := range resources {
			found = found || expression.MatchString(resource.Path)
		}
		if !found {
			t.Errorf("no resource has the pattern %s", pattern)
		}
	}
	if last := resources[len(resources)-1].Path; last != "/api/v2/schemas" {
		t.Errorf("the last resource is %s, want the list of versions", last)
	}
}

func TestResourcesIncludeEveryPageOfTheLists(t *testing.T) {
	s := newService(t)
	var extra []string
	for i := range 450 {
		extra = append(extra, fmt.Sprintf("extra_%d", i))
	}
	if _, err := storetest.Publish(t.Context(), s.store, releasetest.Release(t, stable, extra...)); err != nil {
		t.Fatal(err)
	}
	s.refresh()
	known := make(map[string]bool)
	for _, resource := range s.resources(everyRelease) {
		if known[resource.Path+"?"+resource.Query] {
			t.Errorf("%v is listed twice", resource)
		}
		known[resource.Path+"?"+resource.Query] = true
	}
	for _, version := range []string{stable, "small@latest"} {
		for list, want := range map[string]int{"": 10, "category_id=purpose": 1, "category_id=data": 10, "fields=all&limit=200": 3} {
			params, err := url.ParseQuery(list)
			if err != nil {
				t.Fatal(err)
			}
			path, count := "/api/v2/schemas/"+version+"/elements?", 0
			for {
				if !known[path+params.Encode()] {
					t.Errorf("%s%s is not a resource", path, params.Encode())
				}
				count++
				var body struct {
					Meta struct {
						Next string `json:"next_cursor"`
					} `json:"meta"`
				}
				if err := json.Unmarshal([]byte(s.get(path+params.Encode()).body), &body); err != nil {
					t.Fatal(err)
				}
				if body.Meta.Next == "" {
					break
				}
				params.Set("cursor", body.Meta.Next)
			}
			if count != want {
				t.Errorf("%s%s: got %d pages, want %d", path, list, count, want)
			}
		}
	}
}

func TestResourcesOfSomeReleasesHaveTheAliasesOfAll(t *testing.T) {
	s := published(t)
	isListed := func(id taxonomy.ID) bool { return id.String() == beta }
	for _, resource := range s.resources(isListed) {
		rest, ok := strings.CutPrefix(resource.Path, "/api/v2/schemas/")
		name, _, _ := strings.Cut(rest, "/")
		if ok && name != beta && name != "small@beta" && name != "small@2026-03-01" {
			t.Fatalf("got the resource %s, want none of another release", resource.Path)
		}
	}
	h := httpapi.New(httpapi.Options{Catalog: s.catalog, IsListed: isListed})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/api/v2/schemas", nil))
	var got, all struct {
		Versions []catalog.Version `json:"versions"`
	}
	for body, value := range map[string]any{w.Body.String(): &got, s.get("/api/v2/schemas").body: &all} {
		if err := json.Unmarshal([]byte(body), value); err != nil {
			t.Fatal(err)
		}
	}
	if len(got.Versions) != 1 || len(all.Versions) != 2 || fmt.Sprint(got.Versions[0]) != fmt.Sprint(all.Versions[1]) {
		t.Errorf("got versions %v, want only the second of %v", got.Versions, all.Versions)
	}
}
