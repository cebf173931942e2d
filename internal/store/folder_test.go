package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"placard/internal/release"
	"placard/internal/release/releasetest"
	"placard/internal/store"
	"placard/internal/store/storetest"
)

const beta = "small@2026-01-02-beta"

// publishInto makes the test binary publish without end, for the crash test.
const publishInto = "PLACARD_TEST_PUBLISH_INTO"

func TestMain(m *testing.M) {
	if dir := os.Getenv(publishInto); dir != "" {
		publishForever(dir)
	}
	os.Exit(m.Run())
}

func TestFolderKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() storetest.Store {
		dir := t.TempDir()
		return func() storetest.Store { return store.OpenFolder(dir) }
	})
}

func TestAFolderThatIsNotThereIsAnErrorToReadersAndMadeByPublishers(t *testing.T) {
	s := store.OpenFolder(filepath.Join(t.TempDir(), "deep", "store"))
	if _, err := s.Index(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading: %v", err)
	}
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); err != nil {
		t.Errorf("publishing: %v", err)
	}
	if ix, err := s.Index(t.Context()); err != nil || len(ix.Releases) != 1 {
		t.Errorf("after publishing: %v, %v", ix, err)
	}
}

func TestAnyFlippedByteInTheFolderIsNoticed(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	read := func() error {
		ix, err := s.Index(t.Context())
		if err != nil {
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
		whole, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for range 8 {
			damaged := append([]byte(nil), whole...)
			at := rand.IntN(len(damaged))
			damaged[at] ^= 1 << rand.IntN(8)
			if err := os.WriteFile(name, damaged, 0o644); err != nil {
				return err
			}
			var damage *release.DamageError
			if err := read(); !errors.As(err, &damage) || !strings.HasSuffix(name, filepath.FromSlash(damage.File)) {
				t.Errorf("byte %d of %s: %v", at, name, err)
			}
		}
		return os.WriteFile(name, whole, 0o644)
	})
	if err != nil || files != 5 {
		t.Fatalf("%d files: %v", files, err)
	}
	if err := read(); err != nil {
		t.Error(err)
	}
}

func TestPublishingAgainMendsADamagedRelease(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	r := releasetest.Release(t, "small@2026-01-02-stable")
	entry, err := s.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, entry.Path, "content.json"), 10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), entry.Entry); err == nil {
		t.Fatal("the damage is not noticed")
	}
	if _, err := s.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), entry.Entry); err != nil {
		t.Error(err)
	}
}

func TestPublishingAgainBringsBackIconsThatGotLost(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	r := releasetest.Release(t, "small@2026-01-02-stable")
	first, err := s.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	pack := filepath.Join(dir, first.Path, "icons.pack")
	whole, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-1] ^= 1 // in the last icon
	if err := os.WriteFile(pack, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Now = func() time.Time { return first.PublishedAt.Add(time.Hour) }
	again, err := s.Publish(t.Context(), r)
	if err != nil || !again.Changed || again.PublishedAt == first.PublishedAt {
		t.Errorf("%+v, %v: the index does not announce the new files", again, err)
	}
	if got, err := os.ReadFile(pack); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("the pack is not restored (%v)", err)
	}
	if third, err := s.Publish(t.Context(), r); err != nil || third.Changed {
		t.Errorf("%+v, %v", third, err)
	}
}

func TestAnIndexOfAnotherLayoutIsRefused(t *testing.T) {
	for layout, want := range map[int]string{1: "publish the releases again", 99: "use a newer version of Placard"} {
		dir := t.TempDir()
		index := fmt.Sprintf("{\n  \"layout\": %d,\n  \"releases\": [],\n  \"pins\": {}\n}\n", layout)
		if err := os.WriteFile(filepath.Join(dir, store.IndexFile), release.Seal([]byte(index)), 0o644); err != nil {
			t.Fatal(err)
		}
		s := store.OpenFolder(dir)
		if _, err := s.Index(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("read layout %d: got %v, want an error with %q", layout, err, want)
		}
		if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("publish into layout %d: got %v, want an error with %q", layout, err, want)
		}
	}
}

func TestALostIndexIsNotAnEmptyStore(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	var damage *release.DamageError
	if _, err := s.Index(t.Context()); !errors.As(err, &damage) {
		t.Errorf("reading: %v", err)
	}
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); !errors.As(err, &damage) {
		t.Errorf("publishing: %v", err)
	}
}

func TestWaitingForAnotherPublisherCanBeEnded(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(dir, ".work", "lock")).Lock()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Publish(ctx, releasetest.Release(t, beta, "added")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	unlock()
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta, "added")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestADamagedIndexIsNeverWrittenOver(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	if _, err := s.Publish(t.Context(), releasetest.Release(t, beta)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, store.IndexFile)
	if err := os.Truncate(name, 40); err != nil {
		t.Fatal(err)
	}
	_, err := s.Publish(t.Context(), releasetest.Release(t, "small@2026-02-02-beta"))
	var damage *release.DamageError
	if !errors.As(err, &damage) || damage.File != store.IndexFile {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(name); len(data) != 40 {
		t.Error("the damaged index was replaced, and what it said is lost")
	}
}

func TestAPublisherKilledAtAnyMomentLeavesASoundStore(t *testing.T) {
	dir := t.TempDir()
	s := store.OpenFolder(dir)
	first := releasetest.Release(t, "small@2020-01-01-stable")
	if _, err := s.Publish(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), publishInto+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Its first byte says that it is publishing.
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(30 * time.Millisecond))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed, as it should be
		ix, err := s.Index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range ix.Releases {
			if _, err := s.Load(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := ix.Find(first.ID()); !ok {
			t.Fatal("a release got lost")
		}
	}
	if _, err := s.Publish(t.Context(), releasetest.Release(t, "small@2030-01-01-beta")); err != nil {
		t.Errorf("the store cannot be published into any more: %v", err)
	}
}

func publishForever(dir string) {
	s := store.OpenFolder(dir)
	var tb testing.T
	fmt.Print(".")
	for i := 0; ; i++ {
		id := fmt.Sprintf("small@2026-%02d-%02d-beta", rand.IntN(12)+1, rand.IntN(28)+1)
		r := releasetest.Release(&tb, id, fmt.Sprintf("extra-%d", i))
		if _, err := s.Publish(context.Background(), r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
