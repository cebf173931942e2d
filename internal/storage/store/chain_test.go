package store_test

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"placard/internal/storage/store"
)

// hookedFS calls a function before it opens a file, and fails with its error.
type hookedFS struct {
	fs.FS
	hook func(name string) error
}

func (f hookedFS) Open(name string) (fs.File, error) {
	if err := f.hook(name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.FS.Open(name)
}

// withUnreadable returns the store, on a disk that cannot read one of its files.
func (s *usedStore) withUnreadable(file string) store.FS {
	return store.FS{FS: hookedFS{os.DirFS(s.dir), func(name string) error {
		if name == file {
			return syscall.EIO
		}
		return nil
	}}}
}

func TestHistoryEndsBeforeAnUnreadableRecord(t *testing.T) {
	s := newUsedStore(t)
	if records, err := s.withUnreadable(s.records[1]).History(t.Context()); len(records) != 3 || !errors.Is(err, syscall.EIO) {
		t.Errorf("got %d records (%v), want three and %v", len(records), err, syscall.EIO)
	}
}

func TestJournalWithManyGapsIsReadInLinearTime(t *testing.T) {
	s := newUsedStore(t)
	for range 20 {
		if _, err := s.SetAlias(t.Context(), steward, "trial", s.published.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RemoveAlias(t.Context(), steward, "small@trial"); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(s.path(store.JournalDir))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if i%2 == 0 {
			if err := os.Truncate(s.path(store.JournalDir+"/"+e.Name()), 10); err != nil {
				t.Fatal(err)
			}
		}
	}
	var opened atomic.Int64
	counting := store.FS{FS: hookedFS{os.DirFS(s.dir), func(string) error { opened.Add(1); return nil }}}
	if _, err := counting.History(t.Context()); err == nil {
		t.Error("got no error, want damage")
	}
	if limit := 3 * len(entries); opened.Load() > int64(limit) {
		t.Errorf("opened %d files for %d records, want at most %d", opened.Load(), len(entries), limit)
	}
}
