package iconpack_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/show/iconpack"
)

const stable = "small@2026-01-02-stable"

func newPack(t *testing.T, r *release.Release, options iconpack.Options) *iconpack.Pack {
	t.Helper()
	p, err := iconpack.New(r, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func names(p *iconpack.Pack) []string {
	var all []string
	for _, f := range p.Files() {
		all = append(all, f.Name)
	}
	return all
}

// content returns the content of a file.
func content(t *testing.T, p *iconpack.Pack, name string) string {
	t.Helper()
	for _, f := range p.Files() {
		if f.Name == name {
			data, err := f.Data(nil)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
	}
	t.Fatalf("%s does not exist", name)
	return ""
}

func TestPackHasEveryIconInEveryVariant(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{})
	want := []string{
		"icons/pictures.coarse.svg", "icons/pictures.dark.svg", "icons/pictures.default.svg", "icons/pictures.fine.svg",
		"icons/safety.dark.svg", "icons/safety.default.svg",
		"icons/sound.dark.svg", "icons/sound.default.svg", "icons/sound.loud.svg",
		"index.html", "index.json", "symbols/box.svg", "symbols/ring.svg",
	}
	if diff := cmp.Diff(want, names(p)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestPackHasOnlyTheSelectedVariantsAndSizes(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{Variants: []string{"dark", "loud", "dark"}, Sizes: []int{48, 16, 48}})
	want := []string{
		"icons/pictures.dark.svg", "icons/safety.dark.svg", "icons/sound.dark.svg", "icons/sound.loud.svg",
		"index.html", "index.json",
		"png/16/pictures.dark.png", "png/16/safety.dark.png", "png/16/sound.dark.png", "png/16/sound.loud.png",
		"png/48/pictures.dark.png", "png/48/safety.dark.png", "png/48/sound.dark.png", "png/48/sound.loud.png",
		"symbols/box.svg", "symbols/ring.svg",
	}
	if diff := cmp.Diff(want, names(p)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	img, err := png.Decode(strings.NewReader(content(t, p, "png/48/sound.loud.png")))
	if err != nil || img.Bounds().Dx() != 48 {
		t.Errorf("got an image of %v (%v), want 48 by 48", img.Bounds(), err)
	}
}

func TestInvalidOptionsAreErrors(t *testing.T) {
	r := releasetest.Release(t, stable)
	_, err := iconpack.New(r, iconpack.Options{Variants: []string{"dark", "quiet"}})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.NotFound || !strings.Contains(p.FixHint, `"default", "dark", "coarse", "fine" and "loud"`) {
		t.Errorf("unknown variant: got %v, want a problem that lists the variants", err)
	}
	for _, sizes := range [][]int{{7}, {2049}, {-1}, {0}, {8, 9, 10, 11, 12, 13, 14, 15, 16}} {
		if _, err := iconpack.New(r, iconpack.Options{Sizes: sizes}); err == nil {
			t.Errorf("sizes %v: got no error", sizes)
		}
	}
}

func TestFileNamesDifferOnEveryFileSystem(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable, "Sound", "SOUND", "con", "LPT1", "aux-1"), iconpack.Options{Variants: []string{"default"}})
	want := []string{
		"icons/LPT1~2.default.svg", "icons/SOUND.default.svg", "icons/Sound~2.default.svg", "icons/aux-1.default.svg", "icons/con~2.default.svg",
		"icons/pictures.default.svg", "icons/safety.default.svg", "icons/sound~3.default.svg",
		"index.html", "index.json", "symbols/box.svg", "symbols/ring.svg",
	}
	if diff := cmp.Diff(want, names(p)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestArchiveIsReproducible fails if the bytes of an archive change. If the change
// is intended, increment iconpack.Format, on which entity tags depend.
func TestArchiveIsReproducible(t *testing.T) {
	const format, want = 3, "fa65c3db658d4d02044e4b33768bc585f341fb46f7bb173fc1291ac4c9f9b47f"
	var b bytes.Buffer
	if err := newPack(t, releasetest.Release(t, stable), iconpack.Options{}).Zip(&b, nil); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(b.Bytes())); got != want || iconpack.Format != format {
		t.Errorf("format %d: got an archive with the digest %s, want %s in format %d", iconpack.Format, got, want, format)
	}
}

func TestCompleteArchiveIsKeptWithoutUnusedCapacity(t *testing.T) {
	r := releasetest.Release(t, stable)
	got, err := iconpack.ZipAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := newPack(t, r, iconpack.Options{}).Zip(&want, nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("got %d bytes, want the %d bytes of the pack with all variants", len(got), want.Len())
	}
	if cap(got) > len(got)+len(got)/4 {
		t.Errorf("the archive has %d bytes and a capacity of %d", len(got), cap(got))
	}
}

func TestArchiveHasTheFilesOfThePack(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{Sizes: []int{24}})
	var b bytes.Buffer
	if err := p.Zip(&b, nil); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != len(p.Files()) {
		t.Fatalf("got %d files, want %d", len(archive.File), len(p.Files()))
	}
	for i, f := range p.Files() {
		entry := archive.File[i]
		if entry.Name != f.Name || !fs.ValidPath(entry.Name) || strings.Contains(entry.Name, `\`) || entry.Flags != 0x800 || entry.ReaderVersion != 20 {
			t.Errorf("got the header %+v, want a portable one for %s", entry.FileHeader, f.Name)
		}
		if got := entry.Modified.UTC().Format("2006-01-02 15:04:05"); got != "1980-01-01 00:00:00" {
			t.Errorf("%s: got the time %s, want a constant", entry.Name, got)
		}
		if isImage := path.Ext(entry.Name) == ".png"; isImage && entry.Method != zip.Store || entry.CompressedSize64 > entry.UncompressedSize64 {
			t.Errorf("%s: got method %d and %d bytes, want at most %d", entry.Name, entry.Method, entry.CompressedSize64, entry.UncompressedSize64)
		}
		r, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != content(t, p, f.Name) {
			t.Errorf("%s: got %d bytes (%v), want the content of the file", entry.Name, len(got), err)
		}
	}
}

func TestArchiveStopsWithTheErrorOfStep(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{Sizes: []int{24}})
	stop := errors.New("stop")
	calls := 0
	err := p.Zip(io.Discard, func() error {
		if calls++; calls > 20 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || calls != 21 {
		t.Errorf("got %v after %d calls, want the error of step after 21", err, calls)
	}
}

func TestIndexListsAllFiles(t *testing.T) {
	for _, options := range []iconpack.Options{{}, {Sizes: []int{24, 48}}, {Variants: []string{"dark"}}} {
		p := newPack(t, releasetest.Release(t, stable), options)
		listed, ok := iconpack.FilesOf([]byte(content(t, p, iconpack.IndexFile)))
		if !ok {
			t.Fatal("the index is not recognized")
		}
		for _, name := range names(p) {
			if !listed[name] {
				t.Errorf("%s is not listed", name)
			}
			delete(listed, name)
		}
		if len(listed) > 0 {
			t.Errorf("the index lists missing files %v", listed)
		}
	}
	for _, other := range []string{"", "{}", "[]", `{"version":"small@2026-01-02-stable"}`, `{"format":1}`, `{"name":"package"`} {
		if _, ok := iconpack.FilesOf([]byte(other)); ok {
			t.Errorf("%s is recognized as an index", other)
		}
	}
}

func TestIndexDescribesIcons(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{Sizes: []int{24}})
	var index struct {
		Version     string           `json:"version"`
		ContentHash string           `json:"content_hash"`
		Notes       string           `json:"notes"`
		Elements    []map[string]any `json:"elements"`
	}
	if err := json.Unmarshal([]byte(content(t, p, iconpack.IndexFile)), &index); err != nil {
		t.Fatal(err)
	}
	if index.Version != stable || !strings.HasPrefix(index.ContentHash, "sha256-") || index.Notes != "For tests." {
		t.Errorf("got version %s, content hash %s and notes %q", index.Version, index.ContentHash, index.Notes)
	}
	text := func(en, fr string) []any {
		return []any{map[string]any{"locale": "en", "value": en}, map[string]any{"locale": "fr", "value": fr}}
	}
	want := map[string]any{
		"id": "sound", "title": text("Sound", "Son"), "category_id": "data", "shape": "circle", "symbol_id": "ring",
		"icons": []any{
			map[string]any{"variant": "default", "svg": "icons/sound.default.svg", "png": map[string]any{"24": "png/24/sound.default.png"}, "ink": "#000000", "outline": "#000000"},
			map[string]any{"variant": "dark", "svg": "icons/sound.dark.svg", "png": map[string]any{"24": "png/24/sound.dark.png"}, "ink": "#FFFFFF", "outline": "#FFFFFF", "background": "#000000"},
			map[string]any{
				"variant": "loud", "label": text("Loud", "Fort"), "svg": "icons/sound.loud.svg", "png": map[string]any{"24": "png/24/sound.loud.png"},
				"ink": "#FFFFFF", "outline": "#A85A00", "background": "#A85A00",
			},
		},
	}
	if diff := cmp.Diff(want, index.Elements[2]); diff != "" {
		t.Errorf("element (-want +got):\n%s", diff)
	}
}

func TestPageShowsAllIcons(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{})
	page := content(t, p, iconpack.PageFile)
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	var links []string
	for n := range document.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		counts[n.Data]++
		for _, a := range n.Attr {
			if n.Data == "a" && a.Key == "href" {
				links = append(links, a.Val)
			}
			if a.Key == "src" && !strings.HasPrefix(a.Val, "icons/") || n.Data == "link" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s=%q> loads a file or runs a script", n.Data, a.Key, a.Val)
			}
		}
	}
	if counts["img"] != 9 || counts["svg"] != 2 || counts["h2"] != 2 || counts["h3"] != 3 || counts["script"] != 0 {
		t.Errorf("got %v, want 9 icons, 2 shapes, 2 categories, 3 elements and no script", counts)
	}
	for _, name := range names(p) {
		if strings.HasPrefix(name, "icons/") && !slices.Contains(links, name) {
			t.Errorf("no link to %s", name)
		}
	}
	for _, text := range []string{"Why is it here?", "Pictures", "Coarse", stable} {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not on the page", text)
		}
	}
}

func TestPackOfManyVariantsTakesLinearTime(t *testing.T) {
	r, err := release.Compile(releasetest.Taxonomy(t, stable))
	if err != nil {
		t.Fatal(err)
	}
	// Compiling so many elements would take much longer than packing them.
	tax := *r.Taxonomy
	tax.Elements = nil
	for i := range 10_000 {
		e := r.Taxonomy.Elements[0]
		e.ID = fmt.Sprintf("element_%d", i)
		e.IconVariants = []string{"default", "dark"}
		for j := range 4 {
			e.IconVariants = append(e.IconVariants, fmt.Sprintf("value_%d_%d", i, j))
		}
		tax.Elements = append(tax.Elements, e)
	}
	r.Taxonomy = &tax
	const limit = 3 * time.Second // it takes about 50 ms
	start := time.Now()
	p := newPack(t, r, iconpack.Options{})
	if took := time.Since(start); took > limit {
		t.Errorf("took %v, want at most %v", took, limit)
	}
	if got, want := len(p.Files()), 6*10_000+4; got != want {
		t.Errorf("got %d files, want %d", got, want)
	}
}

func TestIconsAreInTheOrderOfTheOptions(t *testing.T) {
	p := newPack(t, releasetest.Release(t, stable), iconpack.Options{Variants: []string{"loud", "dark", "default"}})
	var index struct {
		Elements []struct {
			Icons []struct {
				Variant string `json:"variant"`
			} `json:"icons"`
		} `json:"elements"`
	}
	if err := json.Unmarshal([]byte(content(t, p, iconpack.IndexFile)), &index); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range index.Elements[2].Icons {
		got = append(got, i.Variant)
	}
	if diff := cmp.Diff([]string{"loud", "dark", "default"}, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
}
