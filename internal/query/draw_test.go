package query_test

import (
	"context"
	"strings"
	"testing"

	"placard/internal/catalog"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/release/releasetest"
	"placard/internal/store"
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
		verdict, model, err := query.Draw(snapshot, r, []byte(document), "fr", nil)
		if err != nil || model == nil || !verdict.OK() {
			t.Fatalf("%s: got %+v, model %v, error %v, want a model without errors", form, verdict, model, err)
		}
		if categories, placements := model.Counts(); model.Title.String() != "Porte" || categories != 2 || placements != 2 {
			t.Errorf("%s: got title %s, %d categories, %d placements, want Porte, 2, 2", form, model.Title, categories, placements)
		}
	}
	// A resolved document can be drawn without its release.
	if _, model, err := query.Draw(published(t), r, resolution.Document(), "", nil); err != nil || model == nil {
		t.Errorf("without the release: got model %v, error %v, want a model", model, err)
	}
	for name, document := range map[string]string{
		"shape":    `{"id":7}`,
		"rules":    strings.Replace(thin, "safety", "safty", 1),
		"snapshot": strings.Replace(string(resolution.Document()), "Sounds heard nearby.", "Sounds heard anywhere.", 1),
	} {
		verdict, model, err := query.Draw(snapshot, r, []byte(document), "", nil)
		if err != nil || model != nil || verdict.OK() || verdict.WrongShape != (name == "shape") {
			t.Errorf("%s: got %+v, model %v, error %v, want errors and no model", name, verdict, model, err)
		}
	}
	if _, _, err := query.Draw(snapshot, r, []byte(`{`), "", nil); err == nil {
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
		`"elements":[{"element_id":"safety"},{"element_id":"scent"}],"authoring_provenance":{"kind":"ai_generated"}`, 1)
	document = strings.Replace(document, `"suggested_elements":[]`,
		`"suggested_elements":[{"id":"scent","category_id":"data","title":[{"locale":"en","value":"Scent"}]}]`, 1)
	for _, test := range []struct {
		name     string
		snapshot *catalog.Snapshot
		want     string
	}{
		{"published", published(t, r), "Safety\nData: Scent (Proposed)"},
		{"unpublished", published(t), "Safety\nOther: Scent (Proposed)"},
	} {
		verdict, model, err := query.Draw(test.snapshot, r, []byte(document), "en", nil)
		if err != nil || model == nil {
			t.Fatalf("%s: got %+v, error %v, want a model", test.name, verdict, err)
		}
		if got := model.Summary(); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: got summary %q, want end %q", test.name, got, test.want)
		}
	}
}
