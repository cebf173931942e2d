package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// hourly is a store whose clock advances by an hour with every change.
type hourly struct {
	*store.Store
	t   *testing.T
	dir string
	now time.Time
}

func newHourly(t *testing.T) *hourly {
	h := &hourly{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	h.Store = store.OpenFolder(h.dir)
	h.Now = func() time.Time { return h.now }
	return h
}

func (h *hourly) publish(id string, extra ...string) store.Entry {
	h.t.Helper()
	outcome, err := storetest.Publish(h.t.Context(), h, releasetest.Release(h.t, id, extra...))
	if err != nil {
		h.t.Fatal(err)
	}
	h.now = h.now.Add(time.Hour)
	return outcome.Entry
}

func (h *hourly) retire(id taxonomy.ID) {
	h.t.Helper()
	if _, err := h.Retire(h.t.Context(), store.Intent{}, id); err != nil {
		h.t.Fatal(err)
	}
	h.now = h.now.Add(time.Hour)
}

func (h *hourly) selected(id taxonomy.ID, asOf string) (store.Entry, error) {
	h.t.Helper()
	var parsed store.AsOf
	if asOf != "" {
		var err error
		if parsed, err = store.ParseAsOf(asOf); err != nil {
			h.t.Fatal(err)
		}
	}
	return h.Select(h.t.Context(), id, parsed)
}

// wantProblem fails the test unless err is a problem with the given code whose
// message or hint contains every text.
func wantProblem(t *testing.T, err error, code problem.Code, texts ...string) {
	t.Helper()
	p, ok := errors.AsType[problem.Problem](err)
	if !ok || p.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	for _, text := range texts {
		if !strings.Contains(p.Message+"\n"+p.FixHint, text) {
			t.Errorf("got %q and the hint %q, want %q", p.Message, p.FixHint, text)
		}
	}
}

func TestContentIsSelectedByTimeOrHash(t *testing.T) {
	h := newHourly(t)
	first := h.publish(beta)         // 10:00
	second := h.publish(beta, "one") // 11:00
	h.retire(first.ID)               // 12:00
	third := h.publish(beta, "two")  // 13:00
	for asOf, want := range map[string]store.Entry{
		"2026-11-15T10:00:00Z":      first,
		"2026-11-15 10:59":          first,
		"2026-11-15T10:59Z":         first,
		"2026-11-15T11:00:00":       second,
		"2026-11-15T12:59:59+01:00": second,
		"2026-11-15 13:00:00":       third,
		first.ContentHash:           first,
		first.ContentHash[:15]:      first,
		strings.ToUpper(strings.TrimPrefix(second.ContentHash, "sha256-")[:10]): second,
	} {
		if got, err := h.selected(first.ID, asOf); err != nil || got != want {
			t.Errorf("%s: got %+v (%v), want %+v", asOf, got, err, want)
		}
	}
	for asOf, code := range map[string]problem.Code{
		"":                     store.ContentAmbiguous,
		"2026-11-15T09:59:59Z": store.ContentUnknown,
		"2026-11-15T12:30":     store.ContentUnknown,
		"2026-11-14":           store.ContentUnknown,
		"sha256-000000":        store.ContentUnknown,
		"2026-11-15":           store.ContentUnknown, // the end of the day is in the future
		"2030-01-01T00:00":     store.ContentUnknown,
	} {
		_, err := h.selected(first.ID, asOf)
		wantProblem(t, err, code, "--as-of")
		wantContents(t, err, third, second, first)
	}
	h.now = h.now.AddDate(0, 0, 1)
	if got, err := h.selected(first.ID, "2026-11-15"); err != nil || got != third {
		t.Errorf("a day that is over: got %+v (%v), want %+v", got, err, third)
	}
}

// wantContents fails the test unless err lists the contents.
func wantContents(t *testing.T, err error, want ...store.Entry) {
	t.Helper()
	choice, ok := errors.AsType[*store.ChoiceError](err)
	if !ok {
		t.Errorf("got %v, want a choice", err)
		return
	}
	var got []store.Entry
	for _, c := range choice.Contents {
		got = append(got, c.Entry)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got contents %+v, want %+v", got, want)
	}
}

func TestContentsOfTheSameSecondAreAmbiguous(t *testing.T) {
	h := newHourly(t)
	at := h.now
	first := h.publish(beta)
	h.now = at
	second := h.publish(beta, "one")
	h.now = at
	h.publish(beta) // the first content again
	contents, err := h.Contents(t.Context(), first.ID)
	if err != nil || len(contents) != 3 {
		t.Fatalf("got contents %v (%v), want three", contents, err)
	}
	_, err = h.selected(first.ID, at.Format(time.RFC3339))
	wantProblem(t, err, store.ContentAmbiguous, "had several contents as of 2026-11-15T10:00:00Z")
	wantContents(t, err, contents[0].Entry, second)
	_, err = h.selected(first.ID, "")
	wantContents(t, err, contents[0].Entry, second)
	if got, err := h.selected(first.ID, "2026-11-15T10:00:01Z"); err != nil || got != contents[0].Entry {
		t.Errorf("a second later: got %+v (%v), want %+v", got, err, contents[0].Entry)
	}
}

func TestContentsHaveAuthorsAndNotes(t *testing.T) {
	h := newHourly(t)
	intent := store.Intent{By: "Ann", Note: "First draft."}
	if _, err := h.Publish(t.Context(), intent, store.Publication{Release: releasetest.Release(t, beta)}); err != nil {
		t.Fatal(err)
	}
	id := h.publish(beta, "one").ID
	contents, err := h.Contents(t.Context(), id)
	if err != nil || len(contents) != 2 || contents[1].By != intent.By || contents[1].Note != intent.Note {
		t.Errorf("got contents %+v (%v), want the author and the note of the first", contents, err)
	}
}

func TestSelectionWithoutATime(t *testing.T) {
	h := newHourly(t)
	stable := h.publish("small@2026-01-02-stable")
	if got, err := h.selected(stable.ID, ""); err != nil || got != stable {
		t.Errorf("a published stable release: got %+v (%v), want %+v", got, err, stable)
	}
	old, current := h.publish(beta), h.publish(beta, "one")
	h.retire(current.ID)
	if got, err := h.selected(current.ID, ""); err != nil || got != current {
		t.Errorf("a retired beta: got %+v (%v), want %+v", got, err, current)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, filepath.FromSlash(current.Path))); err != nil {
		t.Fatal(err)
	}
	for _, asOf := range []string{"", current.ContentHash} {
		_, err := h.selected(current.ID, asOf)
		wantProblem(t, err, store.ContentGone, current.ContentHash)
		wantContents(t, err, current, old)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, filepath.FromSlash(old.Path))); err != nil {
		t.Fatal(err)
	}
	_, err := h.selected(current.ID, "")
	wantProblem(t, err, store.ContentGone, "from its folder in the authoring tree")
	unknown, err := taxonomy.ParseID("small@2026-01-03-beta")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.selected(unknown, "2026-11-15")
	wantProblem(t, err, problem.NotFound, "was never published")
}

func TestMalformedSelectionsAreRefused(t *testing.T) {
	for _, s := range []string{"", "yesterday", "2026-02-30", "12345", "sha256-", "sha256-12345", "abcdefg", "2026-11-15T25:00", strings.Repeat("a", 65)} {
		if asOf, err := store.ParseAsOf(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, asOf)
		}
	}
}

func TestContentsBeforeADamagedRecordAreNotLost(t *testing.T) {
	h := newHourly(t)
	first := h.publish(beta)
	h.publish("small@2026-03-01-beta")
	second := h.publish(beta, "one")
	records, err := filepath.Glob(filepath.Join(h.dir, "journal", "00000002-*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("got records %v (%v), want one", records, err)
	}
	if err := os.WriteFile(records[0], []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range []store.Entry{first, second} {
		if got, err := h.selected(first.ID, want.ContentHash); err != nil || got != want {
			t.Errorf("got %+v (%v), want %+v", got, err, want)
		}
	}
	var damage *release.DamageError
	if _, err := h.selected(first.ID, "sha256-000000"); !errors.As(err, &damage) {
		t.Errorf("a content that may be in the damaged part: got %v, want a damage error", err)
	}
}

func TestIntentsThatManipulateTerminalsAreRefused(t *testing.T) {
	for _, intent := range []store.Intent{
		{By: "a\nb"},
		{By: "\x1b[2J"},
		{By: strings.Repeat("x", 201)},
		{By: "a\xff"},
		{Note: "a\x1b]0;b\x07"},
		{Note: "a\rb"},
		{Note: "\u009b31m"},
		{Note: strings.Repeat("x", 4001)},
	} {
		if err := intent.Check(); err == nil {
			t.Errorf("%+v: got no error", intent)
		}
	}
	h := newHourly(t)
	if _, err := h.Publish(t.Context(), store.Intent{By: "\x1b"}, store.Publication{Release: releasetest.Release(t, beta)}); err == nil {
		t.Error("a control character is recorded")
	}
	good := store.Intent{By: "Zoë <zoe@例え>", Note: "Two lines,\n\tone of them indented: " + strings.Repeat("é", 3000)}
	if err := good.Check(); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestStableReleaseIsNotComparedWithADamagedOne(t *testing.T) {
	h := newHourly(t)
	old := h.publish("small@2026-01-02-stable")
	if err := os.WriteFile(filepath.Join(h.dir, filepath.FromSlash(old.Path), "content.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	next := releasetest.Release(t, "small@2026-02-02-stable")
	_, err := storetest.Publish(t.Context(), h, next)
	wantProblem(t, err, store.StableBreaking, "is damaged", "--allow-breaking")
	if _, err := h.Publish(t.Context(), store.Intent{AllowBreaking: true}, store.Publication{Release: next}); err != nil {
		t.Error(err)
	}
}
