package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

const beta = "small@2026-01-02-beta"

func TestFolderContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() storetest.Store {
		dir := t.TempDir()
		return func() storetest.Store { return store.OpenFolder(dir) }
	})
}

func TestOnlyPublishCreatesTheFolder(t *testing.T) {
	s := store.OpenFolder(filepath.Join(t.TempDir(), "deep", "store"))
	if _, err := s.Index(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Index: got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); err != nil {
		t.Errorf("Publish: %v", err)
	}
	if ix, err := s.Index(t.Context()); err != nil || len(ix.Releases) != 1 {
		t.Errorf("Index after Publish: got %v (%v), want one release", ix, err)
	}
}

func TestDamageToAnyFileIsDetected(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	read := func() error {
		ix, err := s.Index(t.Context())
		if err != nil {
			return err
		}
		if _, err := s.History(t.Context()); err != nil {
			return err
		}
		r, err := s.Load(t.Context(), ix.Releases[0])
		if err == nil && !r.HasAllIcons() {
			return &release.DamageError{File: "icons.pack", Err: errors.New("an icon is missing")}
		}
		return err
	}
	files := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(name, ".work") {
			return err
		}
		files++
		original, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for range 8 {
			damaged := bytes.Clone(original)
			i := rand.IntN(len(damaged))
			damaged[i] ^= 1 << rand.IntN(8)
			if err := os.WriteFile(name, damaged, 0o644); err != nil {
				return err
			}
			var damage *release.DamageError
			if err := read(); !errors.As(err, &damage) || !strings.HasSuffix(name, filepath.FromSlash(damage.File)) {
				t.Errorf("byte %d of %s: got %v, want a DamageError", i, name, err)
			}
		}
		return os.WriteFile(name, original, 0o644)
	})
	if err != nil || files != 6 {
		t.Fatalf("got %d files (%v), want 6", files, err)
	}
	if err := read(); err != nil {
		t.Error(err)
	}
}

func TestPublishingAgainRestoresADamagedRelease(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	r := releasetest.Release(t, "small@2026-01-02-stable")
	entry, err := storetest.Publish(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, entry.Path, "content.json"), 10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), entry.Entry); err == nil {
		t.Fatal("the damage is not detected")
	}
	if _, err := storetest.Publish(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), entry.Entry); err != nil {
		t.Error(err)
	}
}

func TestPublishingAgainRestoresReplacedFiles(t *testing.T) {
	replacements := map[string]func(name string) error{
		"a folder":            func(name string) error { return os.Mkdir(name, 0o755) },
		"a folder with files": func(name string) error { return os.MkdirAll(filepath.Join(name, "deep"), 0o755) },
		"a link to itself":    func(name string) error { return os.Symlink(filepath.Base(name), name) },
		"a broken link":       func(name string) error { return os.Symlink("missing", name) },
		"a link to a folder":  func(name string) error { return os.Symlink(os.TempDir(), name) },
		"a link to a device":  func(name string) error { return os.Symlink(os.DevNull, name) },
		"a sparse file": func(name string) error {
			return errors.Join(os.WriteFile(name, nil, 0o644), os.Truncate(name, 30<<30))
		},
	}
	for _, file := range []string{"release.json", "content.json", "icons.pack", "search.pack", "."} {
		for replacement, create := range replacements {
			t.Run(file+" replaced by "+replacement, func(t *testing.T) {
				dir := t.TempDir()
				s := store.OpenFolder(dir)
				r := releasetest.Release(t, "small@2026-01-02-stable")
				entry, err := storetest.Publish(t.Context(), s, r)
				if err != nil {
					t.Fatal(err)
				}
				name := filepath.Join(dir, entry.Path, file)
				if err := errors.Join(os.RemoveAll(name), create(name)); err != nil {
					t.Fatal(err)
				}
				if _, err := storetest.Publish(t.Context(), s, r); err != nil {
					t.Fatal(err)
				}
				if r, err := s.Load(t.Context(), entry.Entry); err != nil || !r.HasAllIcons() {
					t.Errorf("Load: %v, want the complete release", err)
				}
			})
		}
	}
}

func TestCanceledPublishChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	ctx, cancel := context.WithCancel(t.Context())
	s.Now = func() time.Time { cancel(); return time.Now() } // after the lock is taken
	if _, err := storetest.Publish(ctx, s, releasetest.Release(t, beta)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if ix, err := s.Index(t.Context()); err != nil || len(ix.Releases) != 0 {
		t.Errorf("got %+v, %v, want an empty index", ix, err)
	}
}

func TestPublishingAgainRestoresADamagedIcon(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	r := releasetest.Release(t, "small@2026-01-02-stable")
	first, err := storetest.Publish(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	pack := filepath.Join(dir, first.Path, "icons.pack")
	original, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(original)
	damaged[len(damaged)-1] ^= 1 // in the last icon
	if err := os.WriteFile(pack, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Now = func() time.Time { return first.PublishedAt } // in the same second
	again, err := storetest.Publish(t.Context(), s, r)
	if err != nil || !again.Published || again.PublishedAt == first.PublishedAt {
		t.Errorf("got %+v (%v), want a new entry", again, err)
	}
	if got, err := os.ReadFile(pack); err != nil || !bytes.Equal(got, original) {
		t.Errorf("the pack is not restored: %v", err)
	}
	if third, err := storetest.Publish(t.Context(), s, r); err != nil || third.Published {
		t.Errorf("third publish: got %+v (%v), want no change", third, err)
	}
}

func TestIndexOfAnotherLayoutIsRefused(t *testing.T) {
	for layout, want := range map[int]string{1: "Publish the releases again", 99: "Use a newer version of Placard"} {
		dir := t.TempDir()
		index := fmt.Sprintf("{\n  \"layout\": %d,\n  \"releases\": [],\n  \"pins\": {}\n}\n", layout)
		if err := os.WriteFile(filepath.Join(dir, store.IndexFile), release.Seal([]byte(index)), 0o644); err != nil {
			t.Fatal(err)
		}
		s := store.OpenFolder(dir)
		if _, err := s.Index(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Index, layout %d: got %v, want an error with %q", layout, err, want)
		}
		if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Publish, layout %d: got %v, want an error with %q", layout, err, want)
		}
	}
}

func TestMissingIndexIsDamage(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	var damage *release.DamageError
	if _, err := s.Index(t.Context()); !errors.As(err, &damage) {
		t.Errorf("Index: got %v, want a DamageError", err)
	}
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); !errors.As(err, &damage) {
		t.Errorf("Publish: got %v, want a DamageError", err)
	}
}

func TestPublishStopsWaitingForTheLockWhenItsContextIsDone(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(dir, ".work", "lock")).Lock()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := storetest.Publish(ctx, s, releasetest.Release(t, beta, "added")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	unlock()
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta, "added")); err != nil {
		t.Errorf("after unlocking: %v", err)
	}
}

func TestDamagedIndexIsNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, store.IndexFile)
	if err := os.Truncate(name, 40); err != nil {
		t.Fatal(err)
	}
	_, err := storetest.Publish(t.Context(), s, releasetest.Release(t, "small@2026-02-02-beta"))
	var damage *release.DamageError
	if !errors.As(err, &damage) || damage.File != store.IndexFile {
		t.Errorf("got %v, want a DamageError for %s", err, store.IndexFile)
	}
	if data, _ := os.ReadFile(name); len(data) != 40 {
		t.Error("the damaged index was overwritten")
	}
}

func TestMaintenanceOfAnEmptyFolderWritesNothing(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if repairs, err := s.Repair(t.Context(), steward); err != nil || repairs.Record != nil {
		t.Errorf("repair: got %+v (%v), want nothing", repairs, err)
	}
	if deleted, err := s.Prune(t.Context(), steward, time.Now(), nil); err != nil || len(deleted) > 0 {
		t.Errorf("prune: got %v (%v), want nothing", deleted, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("got %v (%v) in the folder, want nothing", entries, err)
	}
}
