package catalog_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/catalog"
)

const demo = "demo@2026-01-31-beta"

func refresh(t testing.TB, c *catalog.Catalog) {
	t.Helper()
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// degraded returns the id, state and number of errors of each degraded release.
func degraded(c *catalog.Catalog) map[string]any {
	all := make(map[string]any)
	for _, d := range c.Degraded() {
		id := ""
		if !d.ID.IsZero() {
			id = d.ID.String()
		}
		all[id] = []any{d.State, d.Errors}
	}
	return all
}

func versionIDs(t testing.TB, c *catalog.Catalog) string {
	t.Helper()
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, v := range s.Versions() {
		ids = append(ids, v.ID.String())
	}
	return strings.Join(ids, " ")
}

func TestDegradedReleasesOfATree(t *testing.T) {
	tree := newDemoTree()
	log, logs := newLogger()
	c := catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
	for _, step := range []struct {
		name   string
		edit   func()
		want   map[string]any
		listed string
	}{
		{name: "valid tree", edit: func() {}, want: map[string]any{}, listed: demo},
		{
			name: "invalid edit",
			edit: func() { edit(tree, "elements/street.yaml", "category_id: place", "category_id: palce") },
			want: map[string]any{demo: []any{catalog.Stale, 1}}, listed: demo,
		},
		{
			name: "new release that is invalid",
			edit: func() {
				invalid := newDemoTree()
				edit(invalid, "elements/street.yaml", "symbol_id: street", "symbol_id: steet")
				for name, f := range invalid {
					tree[strings.Replace(name, "2026-01-31-beta", "2026-02-28-stable", 1)] = f
				}
			},
			want: map[string]any{demo: []any{catalog.Stale, 1}, "demo@2026-02-28-stable": []any{catalog.Unavailable, 1}}, listed: demo,
		},
		{
			name: "meta.yaml with the version of another folder",
			edit: func() { edit(tree, "meta.yaml", "locales", "version: demo@2026-03-31-beta\nlocales") },
			want: map[string]any{demo: []any{catalog.Stale, 2}, "demo@2026-02-28-stable": []any{catalog.Unavailable, 1}}, listed: demo,
		},
		{
			name: "correction",
			edit: func() {
				edit(tree, "meta.yaml", "version: demo@2026-03-31-beta\n", "")
				edit(tree, "elements/street.yaml", "category_id: palce", "category_id: place")
			},
			want: map[string]any{"demo@2026-02-28-stable": []any{catalog.Unavailable, 1}}, listed: demo,
		},
		{
			name: "deleted release",
			edit: func() {
				for name := range tree {
					if strings.HasPrefix(name, "demo/2026-01-31-beta/") {
						delete(tree, name)
					}
				}
			},
			want: map[string]any{"demo@2026-02-28-stable": []any{catalog.Unavailable, 1}},
		},
		{name: "empty tree", edit: func() { clear(tree) }, want: map[string]any{}},
	} {
		step.edit()
		refresh(t, c)
		if diff := cmp.Diff(step.want, degraded(c)); diff != "" {
			t.Errorf("%s: degraded releases (-want +got):\n%s", step.name, diff)
		}
		if got := versionIDs(t, c); got != step.listed {
			t.Errorf("%s: got versions %q, want %q", step.name, got, step.listed)
		}
		if step.listed != "" {
			serving(t, c, "demo@latest")
		}
		logged := logs.Len()
		refresh(t, c)
		if logs.Len() != logged {
			t.Errorf("%s: the second refresh logged %s", step.name, logs.String()[logged:])
		}
	}
}

func TestReleaseThatWasNeverValidIsNotFoundWithItsFirstError(t *testing.T) {
	tree := newDemoTree()
	edit(tree, "elements/street.yaml", "category_id: place", "category_id: palce")
	log, logs := newLogger()
	c := catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
	refresh(t, c)
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	if want := `msg="catalog updated" releases=0 degraded=1`; !strings.Contains(logs.String(), want) {
		t.Errorf("got logs %s, want %s", logs, want)
	}
	for _, name := range []string{demo, "demo@latest"} {
		_, err = s.Release(ref(t, name))
		p, _ := errors.AsType[problem.Problem](err)
		if p.Code != problem.NotFound || !strings.Contains(p.FixHint, "elements/street.yaml:2:14") {
			t.Errorf("%s: got %v (hint %q), want %s with the position of the error", name, err, p.FixHint, problem.NotFound)
		}
	}
}

func TestDegradedReleasesOfAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore(t)
		log, _ := newLogger()
		c := catalog.New(f, catalog.Options{Log: log})
		refresh(t, c)

		const secret = "/srv/placard: bad sector"
		next := releasetest.Release(t, beta, "added")
		f.set(func(f *fakeStore) { f.loadErr = errors.New(secret); f.releases[next.ID()] = next })
		since := time.Now().UTC().Truncate(time.Second)
		refresh(t, c)
		time.Sleep(time.Minute)
		f.set(func(f *fakeStore) { f.loadErr = errors.New(secret + " again") })
		refresh(t, c)
		all := c.Degraded()
		if len(all) != 1 || all[0].ID != next.ID() || all[0].State != catalog.Stale || !all[0].Since.Equal(since) {
			t.Fatalf("got %+v, want %s stale since %v", all, next.ID(), since)
		}
		if text := all[0].Summary(); strings.Contains(text, secret) {
			t.Errorf("the reason contains an internal error: %s", text)
		}

		f.set(func(f *fakeStore) { f.indexErr = errors.New(secret) })
		if err := c.Refresh(t.Context()); err == nil {
			t.Fatal("Refresh returned no error")
		}
		want := map[string]any{"": []any{catalog.Stale, 1}, beta: []any{catalog.Stale, 1}}
		if diff := cmp.Diff(want, degraded(c)); diff != "" {
			t.Errorf("unreadable index: degraded releases (-want +got):\n%s", diff)
		}

		f.set(func(f *fakeStore) { f.indexErr, f.loadErr = nil, nil })
		time.Sleep(time.Minute)
		refresh(t, c)
		if got := c.Degraded(); len(got) != 0 {
			t.Errorf("after the failure: got %+v, want none", got)
		}
	})
}

func TestPublishedReleaseThatWasNeverLoadedIsListedAsUnavailable(t *testing.T) {
	f := newFakeStore(t)
	f.loadErr = errors.New("bad sector")
	log, _ := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	refresh(t, c)
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Versions(); len(v) != 1 || v[0].Degraded == nil || v[0].Degraded.State != catalog.Unavailable || len(v[0].Aliases) == 0 {
		t.Errorf("got %+v, want an unavailable release with its aliases", v)
	}
}

func TestUnreadableFirstIndexIsDegraded(t *testing.T) {
	log, _ := newLogger()
	c := catalog.New(&fakeStore{indexErr: errors.New("disk failure")}, catalog.Options{Log: log})
	if got := c.Degraded(); got != nil {
		t.Errorf("before the first refresh: got %+v, want none", got)
	}
	if err := c.Refresh(t.Context()); err == nil {
		t.Fatal("Refresh returned no error")
	}
	if diff := cmp.Diff(map[string]any{"": []any{catalog.Unavailable, 1}}, degraded(c)); diff != "" {
		t.Errorf("degraded releases (-want +got):\n%s", diff)
	}
}

// unreadableFolder is a file system with a folder that cannot be read.
type unreadableFolder struct {
	fstest.MapFS
	folder string
}

func (u *unreadableFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == u.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.ReadDir(name)
}

func TestReleasesInUnreadableFoldersAreDegraded(t *testing.T) {
	for _, folder := range []string{".", "demo", "demo/2026-01-31-beta", "demo/2026-01-31-beta/elements"} {
		tree := &unreadableFolder{MapFS: newDemoTree()}
		log, _ := newLogger()
		c := catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
		refresh(t, c)
		tree.folder = folder
		edit(tree.MapFS, "elements/street.yaml", "en: Street", "en: Road")
		refresh(t, c)
		serving(t, c, demo)
		if folder == "." || folder == "demo" {
			// The files themselves are readable, so the edit is served.
			if text, _ := serving(t, c, demo).Taxonomy.Elements[0].Title.Get("en"); text != "Road" {
				t.Errorf("unreadable %s: got title %q, want Road", folder, text)
			}
			continue
		}
		if diff := cmp.Diff(map[string]any{demo: []any{catalog.Stale, 1}}, degraded(c)); diff != "" {
			t.Errorf("unreadable %s: degraded releases (-want +got):\n%s", folder, diff)
		}
		tree.folder = ""
		refresh(t, c)
		if got := c.Degraded(); len(got) != 0 {
			t.Errorf("%s is readable again: got %+v, want none", folder, got)
		}
	}
}

// permissions is a file system that denies access to files without permissions.
type permissions struct{ fstest.MapFS }

func (p permissions) Open(name string) (fs.File, error) {
	if f := p.MapFS[name]; f != nil && f.Mode.Perm() == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return p.MapFS.Open(name)
}

func (p permissions) ReadFile(name string) ([]byte, error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func TestReleaseRecoversWhenAFileBecomesReadable(t *testing.T) {
	tree := permissions{newDemoTree()}
	for _, f := range tree.MapFS {
		f.Mode = 0o644
	}
	log, _ := newLogger()
	c := catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
	refresh(t, c)
	file := tree.MapFS["demo/2026-01-31-beta/elements/street.yaml"]
	file.Mode = 0
	refresh(t, c)
	if diff := cmp.Diff(map[string]any{demo: []any{catalog.Stale, 1}}, degraded(c)); diff != "" {
		t.Errorf("unreadable file: degraded releases (-want +got):\n%s", diff)
	}
	file.Mode = 0o644
	refresh(t, c)
	if got := c.Degraded(); len(got) != 0 {
		t.Errorf("readable file: got %+v, want none", got)
	}
}

func TestFindingsInFilesWithInvalidNamesAreValidUTF8(t *testing.T) {
	tree := newDemoTree()
	tree["demo/2026-01-31-beta/categories/\xff.yaml"] = &fstest.MapFile{Data: []byte("id: [\n"), ModTime: time.Unix(1, 0)}
	log, _ := newLogger()
	c := catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
	refresh(t, c)
	all := c.Degraded()
	if len(all) != 1 || !utf8.ValidString(all[0].FirstError.Pos.File) || !utf8.ValidString(all[0].Summary()) {
		t.Errorf("got %+v, want one release with a valid position", all)
	}
}
