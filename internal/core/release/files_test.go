package release_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/search"
)

// files returns the stored form of r.
func files(t testing.TB, r *release.Release) fstest.MapFS {
	t.Helper()
	seq, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	fsys := make(fstest.MapFS)
	last := ""
	for name, data := range seq {
		fsys[name] = &fstest.MapFile{Data: data}
		last = name
	}
	if last != release.HeaderFile {
		t.Fatalf("the last file is %s, want %s", last, release.HeaderFile)
	}
	return fsys
}

func decode(t testing.TB, fsys fs.FS) *release.Release {
	t.Helper()
	r, err := release.Decode(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStoredReleaseRoundTrip(t *testing.T) {
	r := releasetest.Release(t, id)
	stored := files(t, r)
	loaded := decode(t, stored)
	if diff := cmp.Diff(r.Taxonomy, loaded.Taxonomy); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(r.Manifest, loaded.Manifest); diff != "" {
		t.Error(diff)
	}
	if r.Fingerprint() != loaded.Fingerprint() {
		t.Errorf("got fingerprint %s, want %s", loaded.Fingerprint(), r.Fingerprint())
	}
	again := files(t, loaded)
	if len(again) != len(stored) {
		t.Errorf("got %d files, want %d", len(again), len(stored))
	}
	for name, f := range stored {
		if again[name] == nil || !bytes.Equal(f.Data, again[name].Data) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestDamageIsDetected(t *testing.T) {
	stored := files(t, releasetest.Release(t, id))
	for name, f := range stored {
		step := max(1, len(f.Data)/97)
		for i := 0; i < len(f.Data); i += step {
			for _, mask := range []byte{1, 0x20, 0x80} {
				f.Data[i] ^= mask
				checkRefused(t, stored, name)
				f.Data[i] ^= mask
			}
		}
		original := f.Data
		for _, size := range []int{0, 1, len(original) / 2, len(original) - 1} {
			f.Data = original[:size]
			checkRefused(t, stored, name)
		}
		f.Data = append(bytes.Clone(original), ' ')
		checkRefused(t, stored, name)
		f.Data = original
	}
	if !decode(t, stored).HasAllIcons() {
		t.Error("the undamaged release lacks icons")
	}
}

func checkRefused(t *testing.T, stored fstest.MapFS, name string) {
	t.Helper()
	_, err := release.Decode(stored)
	var damage *release.DamageError
	if !errors.As(err, &damage) || damage.File != name {
		t.Fatalf("damage to %s: got %v, want a DamageError", name, err)
	}
}

func TestOnlyIconsMayBeMissing(t *testing.T) {
	stored := files(t, releasetest.Release(t, id))
	for name, f := range stored {
		delete(stored, name)
		if name == iconsFile {
			if decode(t, stored).HasAllIcons() {
				t.Errorf("without %s: HasAllIcons() = true, want false", name)
			}
		} else {
			checkRefused(t, stored, name)
		}
		stored[name] = f
	}
}

func TestMissingIconIsComposed(t *testing.T) {
	r := releasetest.Release(t, id)
	n, _ := r.Element("sound")
	want, _, _ := r.Icon(n, "loud")
	stored := files(t, r)
	delete(stored, iconsFile)
	incomplete := decode(t, stored)
	// Stored again, the release has a blob file without icons.
	for name, got := range map[string]*release.Release{"without a blob file": incomplete, "with an empty file": decode(t, files(t, incomplete))} {
		if svg, baked, ok := got.Icon(n, "loud"); baked || !ok || !bytes.Equal(svg, want) {
			t.Errorf("%s: got baked %t, ok %t, %s; want false, true, %s", name, baked, ok, svg, want)
		}
	}
}

func TestReleaseHasAtMostEightFiles(t *testing.T) {
	tax := releasetest.Taxonomy(t, id, "more", "yet_more")
	for i := range 20 {
		tax.Locales = append(tax.Locales, fmt.Sprintf("x-%d", i))
	}
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	stored := files(t, r)
	if len(stored) > 8 {
		t.Errorf("got %d files, want at most 8", len(stored))
	}
	for name := range stored {
		if !release.IsFile(name) {
			t.Errorf("IsFile(%q) = false, want true", name)
		}
	}
}

// withOtherFormats returns stored with blob files of an unknown format.
func withOtherFormats(stored fstest.MapFS) fstest.MapFS {
	header := string(stored[release.HeaderFile].Data)
	header = header[:strings.LastIndex(header, ",\n  \"checksum\"")] + "\n}\n"
	header = strings.Replace(header, `"icon_format": 4`, `"icon_format": 99`, 1)
	header = strings.Replace(header, fmt.Sprintf(`"index_format": %d`, search.Format), `"index_format": 99`, 1)
	other := make(fstest.MapFS)
	for name, f := range stored {
		switch {
		case name == release.HeaderFile:
			f = &fstest.MapFile{Data: release.Seal([]byte(header))}
		case path.Ext(name) == ".pack":
			f = &fstest.MapFile{Data: []byte("another format")}
		}
		other[name] = f
	}
	return other
}

func TestDerivedPartsOfAnotherFormatAreRebuilt(t *testing.T) {
	r := releasetest.Release(t, id)
	rebuilt := decode(t, withOtherFormats(files(t, r)))
	want, _, _ := r.Icon(0, "dark")
	if got, baked, _ := rebuilt.Icon(0, "dark"); !baked || !bytes.Equal(got, want) {
		t.Error("the icons were not rebuilt")
	}
	index, ok := rebuilt.Search("en")
	if !ok || len(index.Search("pictures", nil)) == 0 {
		t.Error("the search index was not rebuilt")
	}
}

func TestOtherLayoutsAreRefused(t *testing.T) {
	for layout, want := range map[int]string{1: "Publish the releases again", 99: "Use a newer version of Placard"} {
		header := fmt.Sprintf("{\n  \"layout\": %d\n}\n", layout)
		_, err := release.Decode(fstest.MapFS{release.HeaderFile: {Data: release.Seal([]byte(header))}})
		var damage *release.DamageError
		if err == nil || errors.As(err, &damage) || !strings.Contains(err.Error(), want) {
			t.Errorf("layout %d: got %v, want an error with %q", layout, err, want)
		}
	}
}
