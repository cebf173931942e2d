package catalog_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"

	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/storage/catalog"
)

// newDemoTree returns an authoring tree with one small release.
func newDemoTree() fstest.MapFS {
	tree := make(fstest.MapFS)
	for _, f := range txtar.Parse([]byte(source.Minimal)).Files {
		tree["demo/2026-01-31-beta/"+f.Name] = &fstest.MapFile{Data: f.Data, ModTime: time.Unix(1, 0)}
	}
	return tree
}

func edit(tree fstest.MapFS, file, oldText, newText string) {
	name := "demo/2026-01-31-beta/" + file
	f := *tree[name]
	f.Data = []byte(strings.Replace(string(f.Data), oldText, newText, 1))
	f.ModTime = f.ModTime.Add(time.Second)
	tree[name] = &f
}

func TestTreeIsRecompiledWhenItChanges(t *testing.T) {
	tree := newDemoTree()
	log, logs := newLogger()
	c := catalog.New(catalog.NewTree(tree, log), catalog.Options{Log: log})
	refresh := func() {
		t.Helper()
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	title := func() string {
		t.Helper()
		text, _ := serving(t, c, "demo@beta").Taxonomy.Elements[0].Title.Get("en")
		return text
	}
	refresh()
	first := serving(t, c, "demo@latest")
	refresh()
	if serving(t, c, "demo@latest") != first {
		t.Error("an unchanged tree was recompiled")
	}

	tree["demo/2026-01-31-beta/elements/street.yaml~"] = &fstest.MapFile{Data: []byte("x")}
	refresh()
	if serving(t, c, "demo@latest") != first || strings.Contains(logs.String(), "FILE_UNEXPECTED") {
		t.Errorf("the tree was recompiled after a backup, logs:\n%s", logs)
	}
	tree["demo/2026-01-31-beta/.schema/element.json"] = &fstest.MapFile{Data: []byte("{}")}
	refresh()
	if serving(t, c, "demo@latest") != first || strings.Contains(logs.String(), "FILE_UNEXPECTED") {
		t.Errorf("the tree was recompiled after a change in a hidden folder, logs:\n%s", logs)
	}
	tree["demo/2026-01-31-beta/elements/drone.yaml~"] = &fstest.MapFile{Data: []byte("x")}
	refresh()
	if !strings.Contains(logs.String(), "elements/drone.yaml~") {
		t.Errorf("a backup without its original was not reported, logs:\n%s", logs)
	}

	edit(tree, "elements/street.yaml", "en: Street", "en: Road")
	refresh()
	if title() != "Road" {
		t.Errorf("after an edit: got title %q, want Road", title())
	}

	edit(tree, "elements/street.yaml", "category_id: place", "category_id: palce")
	refresh()
	if title() != "Road" || !strings.Contains(logs.String(), "elements/street.yaml:2:14") {
		t.Errorf("after an invalid edit: got title %q, logs:\n%s", title(), logs)
	}
	logged := logs.Len()
	refresh()
	if logs.Len() != logged {
		t.Error("the same findings were logged again")
	}

	edit(tree, "elements/street.yaml", "category_id: palce", "category_id: place")
	edit(tree, "meta.yaml", "locales", "notes: Fixed.\nlocales")
	refresh()
	if got := serving(t, c, "demo@latest"); got.Manifest.Notes != "Fixed." || got.Hash() == first.Hash() {
		t.Errorf("after the fix: got manifest %+v", got.Manifest)
	}

	clear(tree)
	refresh()
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Release(ref(t, "demo@latest")); codeOf(err) != problem.NotFound {
		t.Errorf("after removing the release: got %v, want %s", err, problem.NotFound)
	}
	if !strings.Contains(logs.String(), "no release folders") {
		t.Error("the empty tree was not logged")
	}
}

func TestFingerprintOfAMissingFolderIsAnError(t *testing.T) {
	// A folder can disappear after its tree was listed.
	if _, err := catalog.Fingerprint(newDemoTree(), "demo/2026-02-28-beta"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}

func TestTreeKeepsTheFindingsOfAllReleases(t *testing.T) {
	files := newDemoTree()
	log, _ := newLogger()
	tree := catalog.NewTree(files, log)
	findings := func() string {
		t.Helper()
		if _, err := tree.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		var at []string
		for _, p := range tree.Findings() {
			at = append(at, string(p.Severity)+" "+p.Pos.String())
		}
		return strings.Join(at, ", ")
	}
	if got := tree.Findings(); got != nil {
		t.Errorf("before the tree is read: got %v, want none", got)
	}
	if got := findings(); got != "" {
		t.Errorf("a valid tree: got %s, want none", got)
	}
	files["demo/2026-01-31-beta/elements/notes.txt"] = &fstest.MapFile{Data: []byte("x")}
	unexpected := findings()
	if !strings.Contains(unexpected, "demo/2026-01-31-beta/elements/notes.txt") {
		t.Errorf("an unexpected file: got %q, want its name", unexpected)
	}
	if got := findings(); got != unexpected {
		t.Errorf("an unchanged tree: got %q, want %q", got, unexpected)
	}
	edit(files, "elements/street.yaml", "category_id: place", "category_id: palce")
	if got := findings(); !strings.Contains(got, "error demo/2026-01-31-beta/elements/street.yaml:2:14") {
		t.Errorf("an error: got %q, want its position", got)
	}
	delete(files, "demo/2026-01-31-beta/elements/notes.txt")
	edit(files, "elements/street.yaml", "category_id: palce", "category_id: place")
	if got := findings(); got != "" {
		t.Errorf("after the corrections: got %s, want none", got)
	}
}
