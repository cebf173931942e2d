package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestConcurrentChangesAllSucceed(t *testing.T) {
	store := t.TempDir()
	if p := runProcess(t, "publish", "../../docs/example", "--store", store); p.wait() != exitOK {
		t.Fatalf("publish: %s", &p.stderr)
	}
	unlock := lockStore(t, store)
	var waiting []*process
	for i, args := range [][]string{
		{"publish", filepath.Join(builtinTree, "place/2026-06-01-stable")},
		{"publish", filepath.Join(builtinTree, "place/2026-10-19-beta"), "--alias", "pilot"},
		{"promote", "library@beta"},
		{"alias", "set", "library@pilot", "library@beta"},
	} {
		p := newProcess(t, append(args, "--store", store, "--by", fmt.Sprintf("publisher-%d", i))...)
		p.start()
		waiting = append(waiting, p)
	}
	for _, p := range waiting {
		p.waitForLock()
	}
	unlock()
	for _, p := range waiting {
		if p.wait() != exitOK {
			t.Errorf("%v: %s", p.cmd.Args[1:], &p.stderr)
		}
	}
	history := runProcess(t, "history", "--store", store)
	for i := range waiting {
		if by := fmt.Sprintf("publisher-%d\n", i); strings.Count(history.stdout.String(), by) != 1 {
			t.Errorf("the history does not have one change by %s: %s", by, &history.stdout)
		}
	}
	list := runProcess(t, "list", "--store", store)
	for _, want := range []string{"library@2026-09-01-beta", "library@2026-09-01-stable", stable, beta, "library@pilot", "place@pilot"} {
		if !strings.Contains(list.stdout.String(), want) {
			t.Errorf("the store has no %s: %s", want, &list.stdout)
		}
	}
}
