package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
	"placard/scripts/envtest"
)

const (
	// killedStores is the number of stores that they change, at the same time.
	killedStores = 4
	// killedActions is the number of different actions.
	killedActions = 7
)

// kills returns the number of commands that the test kills.
func kills() int {
	if envtest.Long {
		return 300
	}
	return 32
}

// TestKilledCommandsLeaveTheStoreWhole kills commands that change a store, at random
// moments. Afterwards, the store must be in the old or the new state.
func TestKilledCommandsLeaveTheStoreWhole(t *testing.T) {
	landed, byAction := make(map[string]int), make(map[store.Action]int)
	var mu sync.Mutex
	t.Run("stores", func(t *testing.T) {
		for i := range killedStores {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				s := newKilledStore(t)
				killed := 0
				for runs := 0; killed < kills()/killedStores; runs++ {
					if runs > kills() {
						t.Fatalf("only %d of %d commands were still running when they were killed", killed, runs)
					}
					a, moment := s.killOne(runs%2 == 0)
					if moment == "" {
						continue
					}
					killed++
					mu.Lock()
					landed[moment]++
					byAction[a.name]++
					mu.Unlock()
				}
				if !s.runOne(store.Publish) {
					t.Error("publish is not possible after the kills")
				}
			})
		}
	})
	t.Logf("commands killed: %v, %v", landed, byAction)
	if !envtest.Long {
		return // too few kills for every moment
	}
	for _, moment := range []string{beforeChange, whileStaging, beforeIndex, whileDeleting, afterChange} {
		if landed[moment] == 0 {
			t.Errorf("no command was killed %s", moment)
		}
	}
	if len(byAction) != killedActions {
		t.Errorf("got kills of %d actions, want %d: %v", len(byAction), killedActions, byAction)
	}
}

// The moments at which commands are killed.
const (
	beforeChange  = "before the change"
	whileStaging  = "while staging"
	beforeIndex   = "between record and index"
	whileDeleting = "while deleting"
	afterChange   = "after the change"
)

// killedStore is a store whose publishers are killed.
type killedStore struct {
	t     *testing.T
	dir   string
	tree  string
	index *store.Index
	days  int                            // number of betas that were created
	took  map[store.Action]time.Duration // how long an action takes if it is not killed
}

func newKilledStore(t *testing.T) *killedStore {
	s := &killedStore{t: t, dir: t.TempDir(), tree: t.TempDir(), took: make(map[store.Action]time.Duration)}
	s.newBeta()
	s.newBeta()
	if p := runProcess(t, "publish", s.tree, "--store", s.dir); p.wait() != exitOK {
		t.Fatal(&p.stderr)
	}
	s.check("")
	for _, name := range []store.Action{store.Publish, store.Promote, store.Retire, store.Restore, store.SetAlias, store.RemoveAlias, store.Retire, store.Prune} {
		start := time.Now()
		if !s.runOne(name) {
			t.Fatalf("%s is not possible", name)
		}
		s.took[name] = time.Since(start)
	}
	return s
}

// runOne runs an action to its end and reports whether it is possible.
func (s *killedStore) runOne(name store.Action) bool {
	s.t.Helper()
	actions := s.actions()
	i := slices.IndexFunc(actions, func(a action) bool { return a.name == name })
	if i < 0 {
		return false
	}
	if p := runProcess(s.t, actions[i].args...); p.wait() != exitOK {
		s.t.Fatalf("%v: exit status %d\n%s", actions[i].args, p.wait(), &p.stderr)
	}
	s.check(name)
	return true
}

// newBeta adds a beta to the authoring tree.
func (s *killedStore) newBeta() string {
	s.t.Helper()
	s.days++
	date := time.Date(2026, 1, s.days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	dir := filepath.Join(s.tree, "library", date+"-beta")
	if err := os.CopyFS(dir, os.DirFS("../../docs/example/library/2026-09-01-beta")); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

// revise changes the content of a beta in the authoring tree.
func (s *killedStore) revise(dir string) {
	s.t.Helper()
	name := filepath.Join(dir, "meta.yaml")
	meta, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	text := string(meta)
	start := strings.Index(text, "  en: Technology")
	end := start + strings.IndexByte(text[start:], '\n')
	text = text[:start] + fmt.Sprintf("  en: Technology %d", rand.Int()) + text[end:]
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// action is a command that changes the store.
type action struct {
	name store.Action
	args []string
}

// actions returns one command for each action that is possible, with random
// arguments.
func (s *killedStore) actions() []action {
	var all []action
	add := func(name store.Action, args ...string) {
		all = append(all, action{name, append(args, "--store", s.dir)})
	}
	ids := func(entries []store.Entry) []string {
		var names []string
		for _, e := range entries {
			names = append(names, e.ID.String())
		}
		return names
	}
	pick := func(names []string) string { return names[rand.IntN(len(names))] }
	dir := filepath.Join(s.tree, "library", pick(folders(s.t, filepath.Join(s.tree, "library"))))
	if rand.IntN(4) == 0 {
		dir = s.newBeta()
	}
	s.revise(dir)
	add(store.Publish, "publish", dir)
	published := ids(s.index.Releases)
	promotable := slices.DeleteFunc(slices.Clone(published), func(id string) bool {
		stable := strings.TrimSuffix(id, "-beta") + "-stable"
		return !strings.HasSuffix(id, "-beta") || slices.Contains(published, stable) || slices.Contains(ids(s.index.Retired), stable)
	})
	if len(promotable) > 0 {
		add(store.Promote, "promote", pick(promotable))
	}
	if len(published) > 1 {
		add(store.Retire, "retire", pick(published))
	}
	if restorable := slices.DeleteFunc(slices.Clone(s.index.Retired), func(e store.Entry) bool {
		_, err := os.Stat(filepath.Join(s.dir, e.Path))
		return err != nil || slices.ContainsFunc(s.index.Pruning, func(d store.Deletion) bool { return d.Path == e.Path })
	}); len(restorable) > 0 {
		add(store.Restore, "restore", pick(ids(restorable)))
	}
	add(store.SetAlias, "alias", "set", fmt.Sprintf("library@pilot-%d", rand.IntN(1000)), pick(published))
	for alias := range s.index.Pins {
		add(store.RemoveAlias, "alias", "remove", alias)
		break
	}
	if garbage, err := store.OpenFolder(s.dir).Prunable(s.t.Context(), time.Now()); err != nil {
		s.t.Fatal(err)
	} else if len(garbage) > 0 {
		add(store.Prune, "prune", "--older-than", "0d", "--yes")
	}
	return all
}

func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// killOne runs a random action and kills it at a random moment, or shortly after it
// has started to write or to delete. It returns the moment, which is empty if the
// action ended before.
func (s *killedStore) killOne(writing bool) (a action, moment string) {
	s.t.Helper()
	actions := s.actions()
	a = actions[rand.IntN(len(actions))]
	p := newProcess(s.t, a.args...)
	p.start()
	delay := rand.N(s.took[a.name] * 5 / 4)
	if writing {
		started := func() bool { return len(s.staged()) > 0 }
		if a.name == store.Prune {
			// It deletes after it has replaced the index.
			before := s.indexInfo()
			started = func() bool { return !os.SameFile(before, s.indexInfo()) }
		}
		for !p.ended() && !started() {
			time.Sleep(100 * time.Microsecond)
		}
		delay = rand.N(s.took[a.name] / 8)
	}
	select {
	case <-time.After(delay):
	case <-p.done:
	}
	_ = p.cmd.Process.Kill() // fails if the process has ended
	switch status := p.wait(); {
	case status > exitOK:
		s.t.Fatalf("%v: exit status %d\n%s", a.args, status, &p.stderr)
	case status < 0:
		moment = s.moment(a)
	}
	s.check(a.name)
	return a, moment
}

func (s *killedStore) indexInfo() os.FileInfo {
	s.t.Helper()
	info, err := os.Stat(filepath.Join(s.dir, store.IndexFile))
	if err != nil {
		s.t.Fatal(err)
	}
	return info
}

func (s *killedStore) staged() []os.DirEntry {
	entries, _ := os.ReadDir(filepath.Join(s.dir, ".work", "staging"))
	return entries
}

// moment says when the last command was killed.
func (s *killedStore) moment(a action) string {
	ix, err := store.OpenFolder(s.dir).Index(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	orphans, err := filepath.Glob(filepath.Join(s.dir, "journal", fmt.Sprintf("%08d-*.json", ix.Journal.Revision+1)))
	if err != nil {
		s.t.Fatal(err)
	}
	changed := ix.Journal != s.index.Journal
	garbage, err := store.OpenFolder(s.dir).Prunable(s.t.Context(), time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	switch {
	case len(orphans) > 0:
		return beforeIndex
	case changed && a.name == store.Prune && len(garbage) > 0:
		return whileDeleting
	case changed:
		return afterChange
	case len(s.staged()) > 0:
		return whileStaging
	}
	return beforeChange
}

// check verifies the store. Its index must be the previous one, or differ from it by
// one change of the given kind.
func (s *killedStore) check(action store.Action) {
	s.t.Helper()
	opened := store.OpenFolder(s.dir)
	report, err := opened.Verify(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if report.Problems.HasErrors() {
		s.t.Fatalf("after %s: %v", action, report.Problems)
	}
	for _, p := range report.Problems {
		if p.Code != store.FileUnused {
			s.t.Errorf("after %s: %v", action, p)
		}
	}
	ix, err := opened.Index(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	records, err := opened.History(s.t.Context())
	if err != nil || len(records) != ix.Journal.Revision {
		s.t.Fatalf("after %s: got %d records (%v), want %d", action, len(records), err, ix.Journal.Revision)
	}
	if diff := cmp.Diff(replay(records), ix, cmpopts.IgnoreFields(store.Index{}, "Layout", "Pruning", "Journal"), cmpopts.EquateEmpty()); diff != "" {
		s.t.Fatalf("after %s, the journal does not result in the index (-want +got):\n%s", action, diff)
	}
	for _, d := range ix.Pruning {
		if !slices.ContainsFunc(records, func(r store.Record) bool { return slices.Contains(r.Removed, d.Path) }) {
			s.t.Errorf("after %s: %s is being deleted, but no record lists it", action, d.Path)
		}
		if slices.ContainsFunc(ix.Releases, func(e store.Entry) bool { return e.Path == d.Path }) {
			s.t.Errorf("after %s: %s is being deleted, but published", action, d.Path)
		}
	}
	switch {
	case s.index == nil:
	case ix.Journal == s.index.Journal:
		if diff := cmp.Diff(s.index, ix); diff != "" {
			s.t.Fatalf("after %s, the index changed without a record (-want +got):\n%s", action, diff)
		}
	case ix.Journal.Revision != s.index.Journal.Revision+1 || records[0].Previous != s.index.Journal.Record || records[0].Action != action:
		s.t.Fatalf("after %s: got %+v, want one change", action, records[0])
	}
	s.index = ix
}

// replay returns the index that results from a journal, newest record first. It does
// not use the code that it is compared with.
func replay(records []store.Record) *store.Index {
	type state struct {
		entry   store.Entry
		retired bool
	}
	releases, pins := make(map[taxonomy.ID]state), make(map[string]taxonomy.ID)
	for _, record := range slices.Backward(records) {
		for _, c := range record.Releases {
			if c.New != nil {
				releases[c.ID] = state{*c.New, false}
			} else {
				releases[c.ID] = state{*c.Old, true}
			}
		}
		for _, c := range record.Aliases {
			pins[c.Alias] = c.New
			if c.New.IsZero() {
				delete(pins, c.Alias)
			}
		}
	}
	ix := &store.Index{Pins: pins}
	for _, s := range releases {
		if s.retired {
			ix.Retired = append(ix.Retired, s.entry)
		} else {
			ix.Releases = append(ix.Releases, s.entry)
		}
	}
	for _, entries := range [][]store.Entry{ix.Releases, ix.Retired} {
		slices.SortFunc(entries, func(a, b store.Entry) int { return a.ID.Compare(b.ID) })
	}
	return ix
}
