package query_test

import (
	"context"
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// memoryStore is a store of releases in memory.
type memoryStore []*release.Release

func (s memoryStore) Index(context.Context) (*store.Index, error) {
	index := new(store.Index)
	for _, r := range s {
		index.Releases = append(index.Releases, store.Entry{ID: r.ID(), ContentHash: r.Hash()})
	}
	return index, nil
}

func (s memoryStore) Load(_ context.Context, e store.Entry) (*release.Release, error) {
	for _, r := range s {
		if r.ID() == e.ID {
			return r, nil
		}
	}
	panic("not in the index")
}

func published(t *testing.T, releases ...*release.Release) *catalog.Snapshot {
	t.Helper()
	c := catalog.New(memoryStore(releases), catalog.Options{})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDraw(t *testing.T) {
	r := releasetest.Release(t, id)
	const thin = `{"id":"d","title":[{"locale":"en","value":"Gate"},{"locale":"fr","value":"Porte"}],"schema_version":"` + id + `","created_at":"2026-01-05T10:00:00Z",
		"elements":[{"element_id":"safety"},{"element_id":"sound","context_type_id":"loud","variables":[{"id":"note","value":[{"locale":"en","value":"Loud."}]}]}]}`
	_, resolution, err := query.Resolve(r, []byte(thin), nil)
	if err != nil || resolution == nil {
		t.Fatal(err)
	}
	snapshot := published(t, r)
	for form, document := range map[string]string{"thin": thin, "resolved": string(resolution.Document())} {
		verdict, models, err := query.Render(snapshot, r, []byte(document), []string{"fr", "en"}, nil)
		if err != nil || len(models) != 2 || !verdict.OK() {
			t.Fatalf("%s: got %+v, models %v, error %v, want two models without errors", form, verdict, models, err)
		}
		for i, title := range []string{"Porte", "Gate"} {
			if categories, placements := models[i].Counts(); models[i].Title.String() != title || categories != 2 || placements != 2 {
				t.Errorf("%s: got title %s, %d categories, %d placements, want %s, 2, 2", form, models[i].Title, categories, placements, title)
			}
		}
	}
	// A resolved document can be rendered without its release.
	if _, models, err := query.Render(published(t), r, resolution.Document(), []string{""}, nil); err != nil || models == nil {
		t.Errorf("without the release: got models %v, error %v, want a model", models, err)
	}
	for name, document := range map[string]string{
		"shape":    `{"id":7}`,
		"rules":    strings.Replace(thin, "safety", "safty", 1),
		"snapshot": strings.Replace(string(resolution.Document()), "Sounds heard nearby.", "Sounds heard anywhere.", 1),
	} {
		verdict, models, err := query.Render(snapshot, r, []byte(document), []string{""}, nil)
		if err != nil || models != nil || verdict.OK() || verdict.WrongShape != (name == "shape") {
			t.Errorf("%s: got %+v, models %v, error %v, want errors and no models", name, verdict, models, err)
		}
	}
	if _, _, err := query.Render(snapshot, r, []byte(`{`), []string{""}, nil); err == nil {
		t.Error("invalid JSON: got no error, want one")
	}
}

func TestSuggestedElementsHaveTheCategoryOfTheirRelease(t *testing.T) {
	r := releasetest.Release(t, id)
	const thin = `{"id":"d","schema_version":"` + id + `","created_at":"2026-01-05T10:00:00Z","elements":[{"element_id":"safety"}]}`
	_, resolution, err := query.Resolve(r, []byte(thin), nil)
	if err != nil || resolution == nil {
		t.Fatal(err)
	}
	// The snapshot has no category "data".
	document := strings.Replace(string(resolution.Document()), `"elements":[{"element_id":"safety"}]`,
		`"elements":[{"element_id":"safety"},{"element_id":"scent","variables":[{"id":"note","value":[{"locale":"en","value":"Of bread"}]}]}],"authoring_provenance":{"kind":"ai_generated"}`, 1)
	document = strings.Replace(document, `"suggested_elements":[]`,
		`"suggested_elements":[{"id":"scent","category_id":"data","title":[{"locale":"en","value":"Scent"}],"variables":[{"id":"note"}]}]`, 1)
	for _, test := range []struct {
		name     string
		snapshot *catalog.Snapshot
		want     string
	}{
		{"published", published(t, r), "Safety\nData: Scent (Proposed) – note: Of bread"},
		{"unpublished", published(t), "Safety\nOther: Scent (Proposed) – note: Of bread"},
	} {
		verdict, models, err := query.Render(test.snapshot, r, []byte(document), []string{"en"}, nil)
		if err != nil || models == nil {
			t.Fatalf("%s: got %+v, error %v, want a model", test.name, verdict, err)
		}
		if got := models[0].Summary(); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: got summary %q, want end %q", test.name, got, test.want)
		}
	}
}
