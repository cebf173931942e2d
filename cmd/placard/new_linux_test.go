package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestInterruptedCommandLeavesNoPartOfARelease(t *testing.T) {
	from := filepath.Join(largeTree(t), "place", "2026-10-19-beta")
	for _, test := range []struct {
		signal     syscall.Signal
		wantStatus int
		wantStaged int // number of staging folders left behind
	}{
		{syscall.SIGTERM, exitSIGTERM, 0},
		{syscall.SIGKILL, -1, 1},
	} {
		dir := t.TempDir()
		p := newProcess(t, "new", "place@2027-01-01", filepath.Join(dir, "tree"), "--from", from)
		p.start()
		p.until("the first elements", func() bool {
			names, err := filepath.Glob(filepath.Join(dir, ".placard-new-*", "tree", "place", "2027-01-01-beta", "elements", "*"))
			return err == nil && len(names) > 10
		})
		p.interrupt(test.signal, test.wantStatus)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name()[0] != '.' {
				t.Errorf("%v: %s was created", test.signal, e.Name())
			}
		}
		if len(entries) != test.wantStaged {
			t.Errorf("%v: got %d entries, want %d", test.signal, len(entries), test.wantStaged)
		}
	}
}
