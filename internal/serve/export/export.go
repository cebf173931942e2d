// Package export writes the responses of an HTTP handler as files, so that hosts that
// only serve files can take over its reads. Of HTML pages it changes the links; of other
// responses it does not know what they are.
package export

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"placard/internal/core/problem"
)

// Resource is a GET request whose response is exported.
type Resource struct {
	Pattern string // of the route, in the syntax of [http.ServeMux]; empty for a part of a site
	Path    string
	Query   string // sorted by parameter; may be empty
	IsAlias bool   // the response may refer to resources that are not aliases, and is written after them
}

// Options configures an export.
type Options struct {
	Handler http.Handler
	// Resources are the requests. The last one lists the others and is written after
	// them.
	Resources []Resource
	DryRun    bool                  // find out what would change, and change nothing
	Progress  func(done, total int) // called after each resource; may be nil
}

// Report says what an export has done.
type Report struct {
	Files     int       `json:"files"`   // files of responses
	Bytes     int64     `json:"bytes"`   // their size
	Written   int       `json:"written"` // files that are new or changed
	Unchanged int       `json:"unchanged"`
	Removed   int       `json:"removed"`  // files of an earlier export
	LeftOut   []LeftOut `json:"left_out"` // resources without a file
	Notes     []string  `json:"notes"`    // limitations of the result, as sentences
	// Names of the files that a dry run would write and remove, sorted.
	WrittenNames []string `json:"written_names,omitzero"`
	RemovedNames []string `json:"removed_names,omitzero"`
}

// LeftOut is a resource that is not exported, because the handler refuses it.
type LeftOut struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Target is a place for an export: a folder or a bucket.
type Target interface {
	// layout returns the names that files have in the target. The earlier export is nil
	// if there is none; the target is then empty.
	layout(ctx context.Context, old *earlier) (layout, error)
	// list yields the names of the files below the given top-level names, or of all
	// files if there are none, and an error at the end.
	list(ctx context.Context, top []string) iter.Seq2[string, error]
	// read returns the content of a file, or an error that is [fs.ErrNotExist].
	read(ctx context.Context, name string) ([]byte, error)
	// has reports whether the target has a file with the same content. sameHeader says
	// that the file was last written with the same header.
	has(f object, sameHeader bool) bool
	// write writes a file in one step.
	write(ctx context.Context, f object) error
	remove(ctx context.Context, name string) error
	// parallel returns the number of files to write or remove at a time.
	parallel() int
	// rules returns the files that tell hosts which headers to send.
	rules(*plan) ([]object, error)
	// label returns the name of a file, or of the target if it is empty, for messages.
	label(name string) string
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
	// layoutFolders names a resource that other resources are below index.json, in the folder
	// of those resources.
	layoutFolders layout = iota
	// layoutKeys names every resource after its path.
	layoutKeys
)

// Export writes the responses to resources. The files of an earlier export are replaced one
// by one, the list of all resources after them, and files without a resource are removed last,
// unless a new file needs their place.
// If the export fails or is interrupted, every file is complete, the list is still the
// earlier one, and the next export continues.
func Export(ctx context.Context, target Target, opts Options) (*Report, error) {
	if opts.Progress == nil {
		opts.Progress = func(int, int) {}
	}
	dry := &dryRun{Target: target}
	if opts.DryRun {
		target = dry
	}
	x := &exporter{target: target, opts: opts}
	x.claim = sync.OnceValue(func() error {
		x.isClaimed = true
		return x.writeIndex(ctx, x.plan.claim(x.old))
	})
	if err := x.run(ctx); err != nil {
		return nil, err
	}
	x.report.WrittenNames, x.report.RemovedNames = dry.names()
	return &x.report, nil
}

// exporter is an export in progress.
type exporter struct {
	target Target
	opts   Options
	old    *earlier // nil if there is none
	plan   *plan
	report Report

	// claim records the names of all files in the index. It is called before every
	// change of the target, so that an interrupted export leaves no file whose origin is
	// unknown, and an export without changes writes nothing.
	claim     func() error
	isClaimed bool

	written, done atomic.Int64
}

func (x *exporter) run(ctx context.Context) error {
	stale, err := x.inspect(ctx)
	if err != nil {
		return err
	}
	blocking, stale := x.plan.blocking(stale)
	if err := x.remove(ctx, blocking); err != nil {
		return err
	}
	if err := x.writeResources(ctx); err != nil {
		return err
	}
	for _, name := range x.plan.refused {
		if x.old.has(name) {
			stale = append(stale, name)
		}
	}
	if err := x.remove(ctx, stale); err != nil {
		return err
	}
	if next := x.plan.index(); x.isClaimed || !x.old.hasIndex(next) {
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
	x.report.Removed = len(blocking) + len(stale)
	x.report.LeftOut = x.plan.leftOut
	x.report.Notes = x.plan.notes
	return nil
}

// inspect reads the index of the earlier export, makes the plan, and checks that the
// target has no file that was not exported. It returns the names of files that have no
// resource.
func (x *exporter) inspect(ctx context.Context) (stale []string, err error) {
	data, err := x.target.read(ctx, IndexFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if x.old, err = decodeIndex(data); err != nil {
			return nil, x.notAnExport()
		}
	}
	if x.old == nil {
		// Before makePlan, which may write to the target.
		if stale, err = x.inspectNew(ctx); err != nil {
			return nil, err
		}
		return stale, x.makePlan(ctx)
	}
	if err := x.makePlan(ctx); err != nil {
		return nil, err
	}
	for name, err := range x.target.list(ctx, x.plan.topNames()) {
		switch {
		case err != nil:
			return nil, err
		case !x.old.has(name) && !isOwnFile(name):
			return nil, problem.Failure("%q is not part of the export.", x.target.label(name)).Hint("Move it elsewhere, or choose another --out.")
		case !x.plan.names[name] && (x.old.has(name) || isLeftover(name)):
			stale = append(stale, name)
		}
	}
	return stale, nil
}

// inspectNew checks that a target without an index is empty. It returns the names of
// temporary files.
func (x *exporter) inspectNew(ctx context.Context) (stale []string, err error) {
	for name, err := range x.target.list(ctx, nil) {
		switch {
		case err != nil:
			return nil, err
		case !isTemporary(name):
			return nil, x.notAnExport()
		}
		stale = append(stale, name)
	}
	return stale, nil
}

// notAnExport returns the error for a target that has files but no index.
func (x *exporter) notAnExport() error {
	return problem.Failure("%q is not empty and is not an export.", x.target.label("")).Hint("Choose another --out.")
}

func (x *exporter) makePlan(ctx context.Context) error {
	names, err := x.target.layout(ctx, x.old)
	if err != nil {
		return err
	}
	x.plan, err = newPlan(x.opts.Resources, names)
	return err
}

// writeResources writes the files: aliases after the other resources, then the rules for hosts,
// and the last resource.
func (x *exporter) writeResources(ctx context.Context) error {
	last := len(x.plan.files) - 1
	for _, isAlias := range []bool{false, true} {
		err := x.each(ctx, last, func(ctx context.Context, i int) error {
			f := &x.plan.files[i]
			if f.resource.IsAlias != isAlias {
				return nil
			}
			body, err := x.render(ctx, f)
			if err != nil || f.leftOut != nil {
				return err
			}
			return x.writeResource(ctx, f, body)
		})
		if err != nil {
			return err
		}
	}
	body, err := x.render(ctx, &x.plan.files[last])
	if err != nil {
		return err
	}
	if err := x.plan.complete(); err != nil {
		return err
	}
	// The rules describe all resources, the last one included.
	rules, err := x.target.rules(x.plan)
	if err != nil {
		return err
	}
	for _, o := range rules {
		if _, err := x.write(ctx, o, true); err != nil {
			return err
		}
	}
	return x.writeResource(ctx, &x.plan.files[len(x.plan.files)-1], body)
}

// each calls a function with the numbers below n, as many at a time as the target
// allows. The goroutines are reused, because the handler needs a large stack.
func (x *exporter) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	g, gctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(x.target.parallel(), n) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if gctx.Err() != nil {
					return gctx.Err()
				}
				if err := do(gctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// render returns the body of a resource, and adds its description to the file.
func (x *exporter) render(ctx context.Context, f *file) ([]byte, error) {
	r, err := render(ctx, x.opts.Handler, *f.resource)
	if err != nil {
		return nil, err
	}
	return r.body, x.plan.describe(f, r)
}

func (x *exporter) writeResource(ctx context.Context, f *file, body []byte) error {
	header := x.plan.headers.header(f.Header)
	changed, err := x.write(ctx, object{name: f.Name, data: body, header: header}, x.old.hasHeader(f.Name, header))
	if err != nil {
		return err
	}
	if changed {
		x.written.Add(1)
	}
	x.opts.Progress(int(x.done.Add(1)), len(x.plan.files))
	return nil
}

// write writes a file unless the target has it.
func (x *exporter) write(ctx context.Context, o object, sameHeader bool) (changed bool, err error) {
	if x.target.has(o, sameHeader) {
		return false, nil
	}
	if err := x.claim(); err != nil {
		return false, err
	}
	return true, x.target.write(ctx, o)
}

func (x *exporter) remove(ctx context.Context, names []string) error {
	return x.each(ctx, len(names), func(ctx context.Context, i int) error {
		if err := x.claim(); err != nil {
			return err
		}
		return x.target.remove(ctx, names[i])
	})
}

func (x *exporter) writeIndex(ctx context.Context, ix *index) error {
	header := map[string]string{"Content-Type": "application/json", "Cache-Control": "no-cache"}
	return x.target.write(ctx, object{name: IndexFile, header: header, encode: ix.encode})
}
