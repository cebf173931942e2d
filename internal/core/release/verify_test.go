package release_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
)

func storedFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	files, err := releasetest.Release(t, "small@2026-01-02-stable").Files()
	if err != nil {
		t.Fatal(err)
	}
	stored := make(fstest.MapFS)
	for name, data := range files {
		stored[name] = &fstest.MapFile{Data: data}
	}
	return stored
}

// damagedFiles returns the files that Verify reports.
func damagedFiles(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var names []string
	for _, err := range release.Verify(fsys).Errors {
		damage, ok := errors.AsType[*release.DamageError](err)
		if !ok {
			t.Fatalf("got %v, want a DamageError", err)
		}
		names = append(names, damage.File)
	}
	return names
}

func TestVerifyReportsAllDamagedFiles(t *testing.T) {
	stored := storedFiles(t)
	if got := damagedFiles(t, stored); len(got) > 0 {
		t.Errorf("got damage to %v, want none", got)
	}
	for name, file := range stored {
		data := bytes.Clone(file.Data)
		data[len(data)*3/4] ^= 1
		stored[name] = &fstest.MapFile{Data: data}
	}
	want := []string{"release.json", "icons.pack", "search.pack"} // without the header, there is no checksum of content.json
	if diff := cmp.Diff(want, damagedFiles(t, stored)); diff != "" {
		t.Errorf("with a damaged header (-want +got):\n%s", diff)
	}
	stored["release.json"] = storedFiles(t)["release.json"]
	want = []string{"content.json", "icons.pack", "search.pack"}
	if diff := cmp.Diff(want, damagedFiles(t, stored)); diff != "" {
		t.Errorf("with an intact header (-want +got):\n%s", diff)
	}
	for name := range maps.Clone(stored) {
		delete(stored, name)
	}
	want = []string{"release.json", "content.json", "icons.pack", "search.pack"}
	if diff := cmp.Diff(want, damagedFiles(t, stored)); diff != "" {
		t.Errorf("without files (-want +got):\n%s", diff)
	}
}

func TestVerifyChecksPartsInAnotherFormat(t *testing.T) {
	stored := storedFiles(t)
	header := stored["release.json"].Data
	object, _, _ := bytes.Cut(header, []byte(",\n  \"checksum\""))
	object = bytes.Replace(object, []byte(`"icon_format": `), []byte(`"icon_format": 9`), 1)
	object = bytes.Replace(object, []byte(`"index_format": `), []byte(`"index_format": 9`), 1)
	stored["release.json"] = &fstest.MapFile{Data: release.Seal(append(object, "\n}"...))}
	if got := damagedFiles(t, stored); len(got) > 0 {
		t.Fatalf("got damage to %v, want none", got)
	}
	for _, name := range []string{"icons.pack", "search.pack"} {
		intact := stored[name]
		data := bytes.Clone(intact.Data)
		data[len(data)-1] ^= 1
		stored[name] = &fstest.MapFile{Data: data}
		if _, err := release.Decode(stored); err != nil {
			t.Errorf("%s: Decode: %v, want a release with rebuilt parts", name, err)
		}
		if diff := cmp.Diff([]string{name}, damagedFiles(t, stored)); diff != "" {
			t.Errorf("damage (-want +got):\n%s", diff)
		}
		stored[name] = intact
	}
}

func TestVerifyRequiresAllIcons(t *testing.T) {
	stored := storedFiles(t)
	delete(stored, "icons.pack")
	if diff := cmp.Diff([]string{"icons.pack"}, damagedFiles(t, stored)); diff != "" {
		t.Errorf("damage (-want +got):\n%s", diff)
	}
	// The icons that are missing when a release is loaded stay missing.
	r, err := release.Decode(stored)
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		stored[name] = &fstest.MapFile{Data: data}
	}
	errs := release.Verify(stored).Errors
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "it lacks pictures/coarse.svg, ") {
		t.Errorf("got %v, want an error with the names of the missing icons", errs)
	}
}
