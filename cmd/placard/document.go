package main

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// releaseFlags are the flags that select the releases a command uses.
type releaseFlags struct {
	source string
	store  string
}

func (f *releaseFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "use the releases in the authoring tree in `DIR`")
	cmd.Flags().StringVar(&f.store, "store", "", "use the releases published in "+storeMeta)
	cmd.MarkFlagsMutuallyExclusive("source", "store")
}

// isBuiltin reports whether the flags select the built-in releases.
func (f releaseFlags) isBuiltin() bool { return f.source == "" && f.store == "" }

// open returns the store selected by the flags, by default the built-in one.
func (f releaseFlags) open(log *slog.Logger) (catalog.Store, error) {
	switch {
	case f.source != "":
		t, err := openTree(f.source)
		if err != nil {
			return nil, err
		}
		if !t.only.IsZero() {
			return nil, problem.Failure("%q is a single release.", f.source).Hint("Use the root of its tree, %s.", shellWord(t.dir))
		}
		ids, problems := source.Releases(t.fsys)
		switch {
		case len(ids) > 0:
			return describedStore{f.source, catalog.NewTree(t.fsys, log)}, nil
		case len(problems) > 0:
			p := problems[0]
			return nil, problem.Failure("%q contains no valid release. %s: %s", f.source, filepath.Join(f.source, p.Pos.File), p.Message).Hint("%s", p.FixHint)
		}
		return nil, noRelease(f.source)
	case f.store != "":
		s, err := openStore(f.store, store.Options{FailFast: true})
		if err != nil {
			return nil, err
		}
		return describedStore{f.store, s}, nil
	}
	return builtin.Store(), nil
}

const (
	localPoll    = 500 * time.Millisecond // time between reads of the index of a folder
	bucketPoll   = 10 * time.Second       // time between reads of the index of a bucket
	indexTimeout = 10 * time.Second       // time limit for one read of the index of a store
	treeLoad     = 0.05                   // share of a processor for looking for changes in a tree
)

// catalogOptions returns the options of a catalog that follows the releases.
func (f releaseFlags) catalogOptions(log *slog.Logger) catalog.Options {
	opts := catalog.Options{Poll: localPoll, Log: log}
	switch {
	case f.source != "":
		opts.MaxLoad = treeLoad
	case f.store != "":
		opts.IndexTimeout = indexTimeout
	}
	if store.IsAddress(f.store) {
		opts.Poll = bucketPoll
	}
	return opts
}

// openExisting is like open, but returns an error if the store does not exist.
// Servers start without one and retry.
func (f releaseFlags) openExisting(log *slog.Logger) (catalog.Store, error) {
	if f.store != "" {
		if err := checkExists(f.store); err != nil {
			return nil, err
		}
	}
	return f.open(log)
}

// releases are the releases that a command uses.
type releases struct {
	*catalog.Snapshot
	catalog   *catalog.Catalog // contains the snapshot
	flags     releaseFlags
	against   string           // the value of --against, if any
	requested *release.Release // the release named by --against, or nil
}

// load loads the releases selected by the flags. against is the value of
// --against.
func (f releaseFlags) load(cmd *cobra.Command, against string) (*releases, error) {
	ctx, log := cmd.Context(), errorLogger(cmd)
	s, err := f.openExisting(log)
	if err != nil {
		return nil, err
	}
	if f.store != "" {
		// The catalog would also log the error, and those of releases that the command
		// does not use.
		if _, err := s.Index(ctx); err != nil {
			return nil, failure{err}
		}
		log = slog.New(slog.DiscardHandler)
	}
	progressFrom(ctx).show("Loading the releases")
	c := catalog.New(s, catalog.Options{Log: log})
	if err := c.Refresh(ctx); err != nil {
		return nil, failure{err}
	}
	snapshot, err := c.Current()
	if err != nil {
		return nil, failure{err}
	}
	rs := &releases{Snapshot: snapshot, catalog: c, flags: f, against: against}
	if against == "" {
		return rs, nil
	}
	rs.requested, err = rs.lookup("--against", against)
	return rs, err
}

// loadRelease loads the releases selected by the flags, and returns the one called name,
// as lookup does.
func (f releaseFlags) loadRelease(cmd *cobra.Command, flag, name string) (*releases, *release.Release, error) {
	rs, err := f.load(cmd, "")
	if err != nil {
		return nil, nil, err
	}
	r, err := rs.lookup(flag, name)
	return rs, r, err
}

// lookup returns the release called name, an id or an alias. flag is the flag that
// has the name as its value, or empty for an argument.
func (rs *releases) lookup(flag, name string) (*release.Release, error) {
	ref, err := taxonomy.ParseRef(name)
	if err != nil {
		return nil, notAVersion(flag, name, rs.Malformed(name).Render(rs.sentences(document{})))
	}
	return rs.find(ref)
}

// notAVersion returns the error for a name that is neither an id nor an alias. p is
// the problem of the name, rendered.
func notAVersion(flag, name string, p problem.Problem) error {
	quoted := strconv.Quote(problem.Clip(name))
	if flag != "" {
		quoted = flag + ": " + quoted
	}
	return problem.Failure("%s", quoted+" is not a version.").Hint("%s", p.FixHint)
}

// find returns the release that ref refers to.
func (rs *releases) find(ref taxonomy.Ref) (*release.Release, error) {
	r, err := rs.Release(ref)
	if err != nil {
		return nil, rs.failure(rs.explain(ref, err))
	}
	return r, nil
}

// failure returns err as a failure of the command. A problem is rendered.
func (rs *releases) failure(err error) failure {
	if p, ok := errors.AsType[problem.Problem](err); ok {
		err = p.Render(rs.sentences(document{}))
	}
	return failure{err}
}

// document is a datachain named on the command line.
type document struct {
	name string // the file name in findings
	body []byte
}

// stdin is the file name of standard input in findings.
const stdin = "<stdin>"

// maxDocumentSize is the maximum size of a document in bytes. Processing a
// document takes about 14 times its size in memory.
const maxDocumentSize = 16 << 20

// readDocument reads a document from a file, or from standard input if name is
// "-". The file may be a pipe or a device.
func readDocument(cmd *cobra.Command, name string) (document, error) {
	if name == "-" {
		body, err := readBody(stdin, cmd.InOrStdin())
		return document{stdin, body}, err
	}
	if _, err := os.Stat(name); err != nil {
		return document{}, err
	}
	f, err := os.Open(name)
	if err != nil {
		return document{}, err
	}
	defer f.Close()
	body, err := readBody(name, f)
	return document{name, body}, err
}

// unreadableFile returns the problem of a document that cannot be read.
func unreadableFile(name string, err error) problem.Problem {
	p := problemOf(err).At(problem.Pos{File: name})
	p.Code, p.Severity = problem.BadRequest, problem.Error
	if errors.Is(err, fs.ErrNotExist) {
		p.Code = problem.NotFound
	}
	return p
}

func readBody(name string, r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxDocumentSize+1))
	if err == nil && len(body) > maxDocumentSize {
		err = problem.Failure("%q is larger than %d MiB.", name, maxDocumentSize>>20).Hint("Split the document.")
	}
	return body, err
}

// writeOutput writes the output of a command to a file, or to standard output if name
// is empty. An existing file keeps its content if writing fails.
func writeOutput(cmd *cobra.Command, name string, data []byte) error {
	var err error
	switch info, statErr := os.Stat(name); {
	case name == "":
		_, err = cmd.OutOrStdout().Write(data)
	case statErr == nil && info.Mode().IsRegular():
		err = replaceContent(name, data)
	default:
		err = os.WriteFile(name, data, 0o666)
	}
	return failureOf(err)
}

// forDocument returns the release to use for a document: the requested one or,
// if there is none, the pinned one. A missing release is a problem of the
// document.
func (rs *releases) forDocument(pinned taxonomy.ID) (*release.Release, error) {
	if rs.requested != nil {
		return rs.requested, nil
	}
	ref, err := taxonomy.ParseRef(pinned.String())
	if err != nil {
		return nil, err
	}
	r, err := rs.Release(ref)
	if p, ok := errors.AsType[problem.Problem](rs.explain(ref, err)); ok {
		return nil, p.In(problem.Root.Field("schema_version"))
	}
	return r, err
}

// parse parses a thin document and finds the release to use for it. If either fails, the
// document is nil.
func (d document) parse(rs *releases) (*datachain.Document, *release.Release, problem.List, error) {
	doc, report, err := datachain.Parse(d.body, nil)
	if err == nil && report.OK() {
		r, findErr := rs.forDocument(doc.SchemaVersion)
		if findErr == nil {
			return doc, r, nil, nil
		}
		report, err = datachain.Report{}, findErr
	}
	found, err := d.locate(rs, report, err)
	return nil, nil, found, err
}

// locate returns the findings of a report with their positions in the document.
// If err is a problem of the document, it is added to the findings.
func (d document) locate(rs *releases, report datachain.Report, err error) (problem.List, error) {
	return d.find(report, err, rs.sentences(d))
}

// find is like locate and renders the calls in hints with the given function.
func (d document) find(report datachain.Report, err error, sentence func(problem.Call) string) (problem.List, error) {
	problems := append(report.Errors[:len(report.Errors):len(report.Errors)], report.Warnings...)
	var p problem.Problem
	if errors.As(err, &p) && p.Code != "" {
		p.Severity = problem.Error
		problems, err = append(problems, p), nil
	}
	locator := datachain.NewLocator(d.body)
	text := string(d.body)
	for i := range problems {
		start, _ := locator.Locate(problems[i].Path)
		problems[i].Pos, problems[i].LineText = d.position(text, start)
	}
	problems.SortByPos()
	problems.Render(sentence)
	return problems, err
}

// position returns the line and column at a byte offset in the text of the
// document, and the text of the line.
func (d document) position(text string, offset int) (problem.Pos, string) {
	before := text[:min(offset, len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return problem.Pos{
		File:   d.name,
		Line:   strings.Count(before, "\n") + 1,
		Column: utf8.RuneCountInString(before[start:]) + 1,
	}, line
}

// errorLogger returns a logger for commands that print findings themselves. It
// logs only errors, such as a release that cannot be loaded.
func errorLogger(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}))
}
