package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPruneAsksOnATerminal(t *testing.T) {
	store := newChangeableStore(t)
	for answer, deletes := range map[string]bool{"\n": false, "n\n": false, "nyet\n": false, "\x04": false, "y\n": true, "YES\n": true} {
		dir := copyStore(t, store)
		retired := filepath.Join(dir, "releases/place/2026-06-01-stable")
		terminal := newTerminal(t)
		terminal.resize(200, 50)
		p := newProcess(t, "prune", "--older-than", "0d", "--store", dir)
		terminal.connect(p)
		p.cmd.Stdin = terminal.device
		p.start()
		if shown := terminal.until("Delete them? [y/N] "); !strings.Contains(shown, "retired") || !strings.Contains(shown, "1 item, ") {
			t.Errorf("got %q before the question, want the retired release", shown)
		}
		if _, err := os.Stat(retired); err != nil {
			t.Errorf("the release was deleted before the answer: %v", err)
		}
		if _, err := terminal.display.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		want := "Nothing was deleted."
		if deletes {
			want = "Deleted 1 item, "
		}
		terminal.until(want)
		if p.wait() != exitOK {
			t.Errorf("answer %q: exit status %d, want %d", answer, p.wait(), exitOK)
		}
		if _, err := os.Stat(retired); (err != nil) != deletes {
			t.Errorf("answer %q: the release is deleted: %t, want %t", answer, err != nil, deletes)
		}
	}
}
