package main

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
)

const (
	// pollInterval is the time between two walks over a small tree.
	pollInterval = 100 * time.Millisecond
	// pollFactor is the minimum ratio of that time to the duration of a walk. It
	// limits the CPU time for large trees to a tenth of one processor.
	pollFactor = 10
	// settleTime is how long a tree must remain unchanged before it is read. Editors
	// and version control change a file in several steps.
	settleTime = 80 * time.Millisecond
	// maxSettleTime limits the wait for a tree that never settles.
	maxSettleTime = 2 * time.Second
)

// treeWatcher checks a tree whenever it changes. It compares the metadata of all
// files with that of the previous walk, which works on every file system.
type treeWatcher struct {
	tree     tree
	progress *progress
	last     treeState                     // at the last report
	checked  map[taxonomy.ID]checkedFolder // the releases of the tree
}

// treeState is the metadata of all files of a tree.
type treeState struct {
	ids          []taxonomy.ID
	fingerprints map[taxonomy.ID]string
	problems     problem.List // about the folders of the tree
	err          error        // the root cannot be read
	took         time.Duration
	key          string // equal for equal states
}

// checkedFolder is a release folder that has been read.
type checkedFolder struct {
	fingerprint string
	found       problem.List
}

// treeReport is the result of checking a tree.
type treeReport struct {
	time     time.Time
	changed  []taxonomy.ID // the releases that were added, changed or removed
	releases int
	problems problem.List
	err      error // nothing could be checked
}

// run calls print with a report of the tree and with another one after each change,
// until ctx is done or print fails.
func (w *treeWatcher) run(ctx context.Context, print func(treeReport) error) error {
	for {
		report, err := w.next(ctx)
		if err != nil {
			return nil
		}
		if err := print(report); err != nil {
			return err
		}
	}
}

// next waits until the tree differs from the last report and has settled, and
// returns a new report.
func (w *treeWatcher) next(ctx context.Context) (treeReport, error) {
	changed := time.Now() // or a little earlier
	settled := func(before, after treeState) bool {
		return before.key == after.key || time.Since(changed) > maxSettleTime
	}
	state := w.walk()
	for {
		if state.key == w.last.key {
			if err := sleep(ctx, max(pollInterval, pollFactor*state.took)); err != nil {
				return treeReport{}, err
			}
			state, changed = w.walk(), time.Now()
			continue
		}
		if err := sleep(ctx, settleTime); err != nil {
			return treeReport{}, err
		}
		before := state
		if state = w.walk(); !settled(before, state) {
			continue
		}
		report := w.read(state)
		before = state
		if state = w.walk(); !settled(before, state) {
			continue
		}
		report.changed = w.last.difference(before)
		w.last = before
		return report, nil
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// walk returns the current state of the tree.
func (w *treeWatcher) walk() treeState {
	start := time.Now()
	s := treeState{fingerprints: make(map[taxonomy.ID]string)}
	if _, err := fs.Stat(w.tree.fsys, "."); err != nil {
		s.err = problemIn(w.tree.dir, err)
	} else {
		s.ids, s.problems = w.tree.releases()
	}
	for _, id := range s.ids {
		fingerprint, err := catalog.Fingerprint(w.tree.fsys, id.Folder())
		if err != nil {
			fingerprint = err.Error()
		}
		s.fingerprints[id] = fingerprint
	}
	s.key = fmt.Sprintf("%q %v %v", s.fingerprints, s.problems, s.err)
	s.took = time.Since(start)
	return s
}

// difference returns the releases that differ between two states.
func (s treeState) difference(after treeState) []taxonomy.ID {
	ids := slices.DeleteFunc(slices.Concat(s.ids, after.ids), func(id taxonomy.ID) bool {
		return s.fingerprints[id] == after.fingerprints[id]
	})
	slices.SortFunc(ids, taxonomy.ID.Compare)
	return slices.Compact(ids)
}

// read checks the releases that changed since they were last read.
func (w *treeWatcher) read(s treeState) treeReport {
	defer w.progress.stop()
	report := treeReport{releases: len(s.ids), problems: slices.Clone(s.problems), err: s.err}
	checked := make(map[taxonomy.ID]checkedFolder, len(s.ids))
	for i, id := range s.ids {
		c, ok := w.checked[id]
		if !ok || c.fingerprint != s.fingerprints[id] {
			w.progress.show("Checking %s: %d of %d", id, i+1, len(s.ids))
			c.fingerprint = s.fingerprints[id]
			_, c.found = w.tree.load(id)
		}
		checked[id] = c
		report.problems = append(report.problems, c.found...)
	}
	w.checked = checked
	w.tree.locate(report.problems)
	if report.err == nil && len(s.ids) == 0 && len(s.problems) == 0 {
		report.err = noRelease(w.tree.dir)
	}
	report.time = time.Now()
	return report
}
