package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

// editedTree is the built-in tree in memory. A test changes it while it is watched.
type editedTree struct {
	mu       sync.Mutex
	files    fstest.MapFS
	opened   map[string]int // the number of YAML files opened, by release folder
	onOpen   func()         // called once, when a YAML file is opened
	unlisted string         // a folder that cannot be read
}

const (
	betaFolder = "place/2026-10-19-beta"
	radarFile  = betaFolder + "/elements/radar.yaml"
)

func newEditedTree(t *testing.T) *editedTree {
	t.Helper()
	files := make(fstest.MapFS)
	tree := envtest.BuiltinTree()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return &editedTree{files: files, opened: make(map[string]int)}
}

func (e *editedTree) Open(name string) (fs.File, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if name == "." && len(e.files) == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if name == e.unlisted {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	f, err := e.files.Open(name)
	if path.Ext(name) == ".yaml" {
		e.opened[path.Join(strings.Split(name, "/")[:2]...)]++
		if edit := e.onOpen; edit != nil {
			e.onOpen = nil
			edit()
		}
	}
	return f, err
}

// Stat keeps the file from being opened.
func (e *editedTree) Stat(name string) (fs.FileInfo, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.files) == 0 {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return e.files.Stat(name)
}

// edit changes files.
func (e *editedTree) edit(f func(fstest.MapFS)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(e.files)
}

func write(files fstest.MapFS, name, text string) {
	files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: time.Now()}
}

// edited replaces text in a file.
func edited(before, after string) func(fstest.MapFS) {
	return func(files fstest.MapFS) {
		write(files, radarFile, strings.Replace(string(files[radarFile].Data), before, after, 1))
	}
}

var (
	misspelt  = edited("category_id: sensing", "category_id: sensnig")
	corrected = edited("category_id: sensnig", "category_id: sensing")
)

// watched is a tree that is watched.
type watched struct {
	*editedTree
	t       *testing.T
	reports chan treeReport
}

// watch calls f in a bubble in which a tree is watched and has been reported once.
func watch(t *testing.T, f func(w *watched)) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{newEditedTree(t), t, make(chan treeReport)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		watcher := treeWatcher{tree: tree{dir: "tree", fsys: w.editedTree}}
		go watcher.run(ctx, sendTo(ctx, w.reports))
		if r := w.next(); r.releases != 2 || len(r.problems) > 0 || r.err != nil {
			t.Errorf("got %d releases, %v and %v at first, want 2 releases without findings", r.releases, r.problems, r.err)
		}
		f(w)
	})
}

// sendTo returns a function that sends a report to a channel.
func sendTo(ctx context.Context, reports chan<- treeReport) func(treeReport) error {
	return func(r treeReport) error {
		select {
		case reports <- r:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next returns the next report.
func (w *watched) next() treeReport {
	w.t.Helper()
	select {
	case r := <-w.reports:
		return r
	case <-time.After(time.Minute):
		w.t.Fatal("there is no report")
		return treeReport{}
	}
}

// soon returns the next report, which must arrive within half a second.
func (w *watched) soon() treeReport {
	w.t.Helper()
	start := time.Now()
	r := w.next()
	if took := time.Since(start); took > 500*time.Millisecond {
		w.t.Errorf("the report took %v, want half a second", took)
	}
	return r
}

// quiet checks that there are no further reports.
func (w *watched) quiet() {
	w.t.Helper()
	select {
	case r := <-w.reports:
		w.t.Errorf("got another report with the findings %v, want none", r.problems)
	case <-time.After(3 * time.Second):
	}
}

func TestWatchReportsEachChangeOnce(t *testing.T) {
	watch(t, func(w *watched) {
		w.quiet()
		w.edit(misspelt)
		r := w.soon()
		if len(r.problems) != 1 || r.problems[0].Code != "ELEMENT_CATEGORY_UNKNOWN" || r.problems[0].Pos.File != "tree/"+radarFile {
			t.Errorf("got %v, want one finding about the category", r.problems)
		}
		w.quiet()
		w.edit(corrected)
		if r := w.soon(); len(r.problems) > 0 {
			t.Errorf("got %v after the correction, want no findings", r.problems)
		}
		w.quiet()
	})
}

func TestWatchReadsOnlyChangedReleases(t *testing.T) {
	watch(t, func(w *watched) {
		w.edit(func(fstest.MapFS) { clear(w.opened) })
		w.edit(misspelt)
		r := w.next()
		if want := []taxonomy.ID{mustParseID(t, beta)}; !slices.Equal(r.changed, want) {
			t.Errorf("got the changed releases %v, want %v", r.changed, want)
		}
		if got := slices.Collect(maps.Keys(w.opened)); !slices.Equal(got, []string{betaFolder}) {
			t.Errorf("read files of %v, want only %s", got, betaFolder)
		}
	})
}

func mustParseID(t *testing.T, s string) taxonomy.ID {
	t.Helper()
	id, err := taxonomy.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestWatchWaitsUntilFilesAreComplete(t *testing.T) {
	const step = 60 * time.Millisecond
	for name, change := range map[string]func(w *watched){
		"truncated and written": func(w *watched) {
			text := string(w.files[radarFile].Data)
			w.edit(func(files fstest.MapFS) { write(files, radarFile, "") })
			time.Sleep(step)
			w.edit(func(files fstest.MapFS) { write(files, radarFile, text[:100]) })
			time.Sleep(step)
			w.edit(func(files fstest.MapFS) { write(files, radarFile, text+"# end\n") })
		},
		"renamed away and replaced": func(w *watched) {
			text := string(w.files[radarFile].Data)
			w.edit(func(files fstest.MapFS) { files[radarFile+"~"] = files[radarFile]; delete(files, radarFile) })
			time.Sleep(step)
			w.edit(func(files fstest.MapFS) { write(files, radarFile, text+"# end\n") })
			time.Sleep(step)
			w.edit(func(files fstest.MapFS) { delete(files, radarFile+"~") })
		},
		"removed and checked out": func(w *watched) {
			names := slices.Sorted(maps.Keys(w.files))
			for i, name := range names {
				text := string(w.files[name].Data)
				w.edit(func(files fstest.MapFS) { delete(files, name) })
				if i%20 == 0 {
					time.Sleep(step)
				}
				w.edit(func(files fstest.MapFS) { write(files, name, text) })
				time.Sleep(time.Millisecond)
			}
		},
		"changed while it is read": func(w *watched) {
			w.edit(func(files fstest.MapFS) {
				w.onOpen = func() { corrected(w.files) }
				misspelt(files)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			watch(t, func(w *watched) {
				change(w)
				if r := w.soon(); len(r.problems) > 0 || r.err != nil {
					t.Errorf("got %v and %v, want no transient findings", r.problems, r.err)
				}
				w.quiet()
			})
		})
	}
}

func TestWatchReportsATreeThatNeverSettles(t *testing.T) {
	watch(t, func(w *watched) {
		w.edit(misspelt)
		ctx, cancel := context.WithCancel(w.t.Context())
		defer cancel()
		go func() {
			for sleep(ctx, settleTime/2) == nil {
				w.edit(edited("\n", "\n# more\n"))
			}
		}()
		start := time.Now()
		for range 3 {
			if r := w.next(); len(r.problems) != 1 {
				t.Errorf("got %v, want one finding", r.problems)
			}
		}
		if took := time.Since(start); took > 4*maxSettleTime {
			t.Errorf("three reports took %v, want about %v each", took, maxSettleTime)
		}
	})
}

func TestWatchFollowsFolders(t *testing.T) {
	watch(t, func(w *watched) {
		all := maps.Clone(w.files)
		w.edit(func(files fstest.MapFS) { clear(files) })
		if r := w.soon(); !errors.Is(r.err, fs.ErrNotExist) || len(r.changed) != 2 {
			t.Errorf("after the tree was deleted, got %v and the changes %v, want that it does not exist and 2 changes", r.err, r.changed)
		}
		w.quiet()
		w.edit(func(files fstest.MapFS) { write(files, "README.md", "Nothing yet.") })
		if r := w.soon(); r.err == nil || !strings.Contains(r.err.Error(), "contains no release") {
			t.Errorf("in an empty tree, got %v, want that it contains no release", r.err)
		}
		w.edit(func(files fstest.MapFS) { maps.Copy(files, all) })
		if r := w.soon(); r.err != nil || r.releases != 2 {
			t.Errorf("after the tree was restored, got %d releases and %v, want 2", r.releases, r.err)
		}
		w.edit(func(files fstest.MapFS) {
			for name, file := range all {
				if rest, ok := strings.CutPrefix(name, betaFolder); ok {
					files["place/2026-11-15-beta"+rest] = file
				}
			}
		})
		r := w.soon()
		if want := []taxonomy.ID{mustParseID(t, "place@2026-11-15-beta")}; r.releases != 3 || !slices.Equal(r.changed, want) {
			t.Errorf("got %d releases and the changes %v, want 3 and %v", r.releases, r.changed, want)
		}
		for _, folder := range []string{"place", betaFolder, betaFolder + "/elements"} {
			w.edit(func(fstest.MapFS) { w.unlisted = folder })
			r = w.soon()
			if !slices.Contains(codes(r), "FILE_UNREADABLE") {
				t.Errorf("%s cannot be read: got %v and %v, want FILE_UNREADABLE", folder, codes(r), r.err)
			}
			w.edit(func(fstest.MapFS) { w.unlisted = "" })
			if r = w.soon(); len(r.problems) > 0 || r.releases != 3 {
				t.Errorf("%s can be read again: got %v and %d releases, want 3 without findings", folder, codes(r), r.releases)
			}
		}
	})
}

func TestWatchFollowsASingleRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{newEditedTree(t), t, make(chan treeReport)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		watcher := treeWatcher{tree: tree{dir: "tree", fsys: w.editedTree, only: mustParseID(t, beta)}}
		go watcher.run(ctx, sendTo(ctx, w.reports))
		if r := w.next(); r.releases != 1 || len(r.problems) > 0 {
			t.Errorf("got %d releases and %v at first, want 1 without findings", r.releases, r.problems)
		}
		all := maps.Clone(w.files)
		w.edit(func(files fstest.MapFS) {
			maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, betaFolder) })
		})
		if r := w.soon(); !slices.Equal(codes(r), []string{"FILE_MISSING"}) {
			t.Errorf("after the release was deleted, got %v, want FILE_MISSING", codes(r))
		}
		w.edit(func(files fstest.MapFS) { maps.Copy(files, all) })
		if r := w.soon(); len(r.problems) > 0 {
			t.Errorf("after the release was restored, got %v, want no findings", r.problems)
		}
	})
}

func codes(r treeReport) []string {
	var codes []string
	for _, p := range r.problems {
		codes = append(codes, string(p.Code))
	}
	return codes
}

func TestWatchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := treeWatcher{tree: tree{dir: "tree", fsys: newEditedTree(t)}}
		ctx, cancel := context.WithCancel(t.Context())
		reports := make(chan treeReport)
		go w.run(ctx, sendTo(ctx, reports))
		<-reports
		cancel()
		// The bubble fails if the goroutine remains.
	})
}
