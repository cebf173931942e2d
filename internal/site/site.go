// Package site writes the responses of an HTTP handler as files, so that hosts that
// only serve files can take over its reads. It does not know what the responses are.
package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Page is a GET request whose response is exported.
type Page struct {
	Pattern string // of the route, in the syntax of [http.ServeMux]
	Path    string
	Query   string // sorted by parameter; may be empty
}

// Options configures an export.
type Options struct {
	Handler http.Handler
	// Pages are the requests. The last one lists the others and is written after
	// them.
	Pages    []Page
	Progress func(done, total int) // called after each page; may be nil
}

// Report says what an export has done.
type Report struct {
	Files     int   // files of responses
	Bytes     int64 // their size
	Written   int   // files that are new or changed
	Unchanged int
	Removed   int       // files of an earlier export
	LeftOut   []LeftOut // pages without a file
	Notes     []string  // limitations of the result, as sentences
}

// LeftOut is a page that is not exported, because the handler refuses it.
type LeftOut struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Target is a place for an export: a folder or a bucket.
type Target interface {
	// layout returns the names that files have in the target.
	layout(ctx context.Context) (layout, error)
	// list prepares the target and yields the names of its files below the given
	// top-level names, or an error at the end.
	list(ctx context.Context, top []string) iter.Seq2[string, error]
	// read returns the content of a file, or an error that is [fs.ErrNotExist].
	read(ctx context.Context, name string) ([]byte, error)
	// write writes a file in one step, unless the target has it with the same
	// content. sameHeader says that the file was last written with the same header.
	write(ctx context.Context, f object, sameHeader bool) (changed bool, err error)
	remove(ctx context.Context, name string) error
	// parallel returns the number of files to write at a time.
	parallel() int
	// rules returns the files that tell hosts which headers to send.
	rules(*plan) ([]object, error)
	notAnExport() error
	foreign(name string) error
}

// object is a file with the header of its response.
type object struct {
	name   string
	data   []byte
	header map[string]string
	// encode writes the content of a file that may be too large for the memory, instead
	// of data.
	encode func(io.Writer) error
}

// layout is a way to name files.
type layout int

const (
	// layoutFolders names a page that other pages are below index.json, in the folder
	// of those pages.
	layoutFolders layout = iota
	// layoutKeys names every page after its path.
	layoutKeys
)

// Export writes the responses to pages. It renders all of them first, so that
// nothing is written if one fails. The files of an earlier export are replaced one by
// one, the list of all pages after them, and files without a page are removed last: if
// the export is interrupted, every file is complete, and the next export continues.
func Export(ctx context.Context, target Target, opts Options) (*Report, error) {
	if opts.Progress == nil {
		opts.Progress = func(int, int) {}
	}
	names, err := target.layout(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := newPlan(ctx, opts, names)
	if err != nil {
		return nil, err
	}
	x := &export{target: target, plan: plan, opts: opts}
	if err := x.run(ctx); err != nil {
		return nil, err
	}
	return &x.report, nil
}

// export is an export in progress.
type export struct {
	target Target
	plan   *plan
	opts   Options
	old    *index // of the earlier export; nil if there is none
	report Report

	written, done atomic.Int64
}

func (x *export) run(ctx context.Context) error {
	rules, err := x.target.rules(x.plan)
	if err != nil {
		return err
	}
	stale, err := x.claim(ctx)
	if err != nil {
		return err
	}
	if err := x.writePages(ctx, rules); err != nil {
		return err
	}
	for _, name := range stale {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.target.remove(ctx, name); err != nil {
			return err
		}
	}
	if next := x.plan.index(); !x.old.equal(next) {
		if err := x.writeIndex(ctx, next); err != nil {
			return err
		}
	}
	x.report.Files = len(x.plan.files)
	for _, f := range x.plan.files {
		x.report.Bytes += f.Size
	}
	x.report.Written = int(x.written.Load())
	x.report.Unchanged = x.report.Files - x.report.Written
	x.report.Removed = len(stale)
	x.report.LeftOut = x.plan.leftOut
	x.report.Notes = x.plan.notes
	return nil
}

// claim checks that the target has no file that was not exported, and records the
// names of the new files before the first of them is written, so that an interrupted
// export never leaves a file whose origin is unknown. It returns the names of files
// that have no page.
func (x *export) claim(ctx context.Context) (stale []string, err error) {
	data, err := x.target.read(ctx, IndexFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if x.old, err = decodeIndex(data); err != nil {
			return nil, x.target.notAnExport()
		}
	}
	planned := make(map[string]bool, len(x.plan.files))
	for _, f := range x.plan.files {
		planned[f.Name] = true
	}
	for name, err := range x.target.list(ctx, x.plan.topNames()) {
		switch {
		case err != nil:
			return nil, err
		case x.old == nil && !isTemporary(name):
			return nil, x.target.notAnExport()
		case !x.old.has(name) && !isOwnFile(name):
			return nil, x.target.foreign(name)
		case !planned[name] && (x.old.has(name) || isTemporary(name)):
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	next := x.plan.index()
	if x.old.equal(next) {
		return stale, nil
	}
	next.Complete = false
	next.Previous = slices.DeleteFunc(x.old.names(), func(name string) bool { return planned[name] })
	return stale, x.writeIndex(ctx, next)
}

// writePages writes the files: those that clients keep without asking again first,
// then the others, the rules for hosts, and the last page.
func (x *export) writePages(ctx context.Context, rules []object) error {
	files := x.plan.files
	last := len(files) - 1
	var immutable, others []int
	for i, f := range files[:last] {
		if strings.Contains(x.plan.headers[f.Header]["Cache-Control"], "immutable") {
			immutable = append(immutable, i)
		} else {
			others = append(others, i)
		}
	}
	for _, stage := range [][]int{immutable, others} {
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(x.target.parallel())
		for _, i := range stage {
			if gctx.Err() != nil {
				break
			}
			g.Go(func() error { return x.writePage(gctx, &files[i]) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, f := range rules {
		if _, err := x.target.write(ctx, f, true); err != nil {
			return err
		}
	}
	return x.writePage(ctx, &files[last])
}

func (x *export) writePage(ctx context.Context, f *file) error {
	r, err := render(ctx, x.opts.Handler, *f.page)
	if err != nil {
		return err
	}
	if r.digest() != f.SHA256 {
		return fmt.Errorf("the response to %s changed during the export", f.page)
	}
	header := x.plan.headers[f.Header]
	changed, err := x.target.write(ctx, object{name: f.Name, data: r.body, header: header}, x.old.hasHeader(f.Name, header))
	if err != nil {
		return err
	}
	if changed {
		x.written.Add(1)
	}
	x.opts.Progress(int(x.done.Add(1)), len(x.plan.files))
	return nil
}

func (x *export) writeIndex(ctx context.Context, ix *index) error {
	header := map[string]string{"Content-Type": "application/json", "Cache-Control": "no-cache"}
	_, err := x.target.write(ctx, object{name: IndexFile, header: header, encode: ix.encode}, true)
	return err
}
