package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/source"
	"placard/internal/taxonomy"
)

// releaseFlags are the flags that select the releases a command uses.
type releaseFlags struct {
	source string
	store  string
}

func (f *releaseFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "use the releases in the authoring tree in `DIR`")
	cmd.Flags().StringVar(&f.store, "store", "", "use the releases published in the store in `DIR`")
	cmd.MarkFlagsMutuallyExclusive("source", "store")
}

// open returns the store selected by the flags, by default the built-in one.
func (f releaseFlags) open(log *slog.Logger) (catalog.Store, error) {
	switch {
	case f.source != "":
		t, err := openTree(f.source)
		if err != nil {
			return nil, err
		}
		if !t.only.IsZero() {
			return nil, fmt.Errorf("%s is a single release; use the root of its tree, %s", f.source, t.dir)
		}
		ids, problems := source.Releases(t.fsys)
		switch {
		case len(ids) > 0:
			return describedStore{f.source, catalog.NewTree(t.fsys, log)}, nil
		case len(problems) > 0:
			p := problems[0]
			return nil, fmt.Errorf("%s contains no valid release. %s: %s %s", f.source, filepath.Join(f.source, p.Pos.File), p.Message, p.FixHint)
		}
		return nil, noRelease(f.source)
	case f.store != "":
		s, err := openStore(f.store)
		if err != nil {
			return nil, err
		}
		return describedStore{f.store, s}, nil
	}
	return builtin.Store(), nil
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
	flags     releaseFlags
	against   string           // the value of --against, if any
	requested *release.Release // the release named by --against, or nil
}

// load loads the releases selected by the flags. against is the value of
// --against.
func (f releaseFlags) load(ctx context.Context, log *slog.Logger, against string) (*releases, error) {
	s, err := f.openExisting(log)
	if err != nil {
		return nil, err
	}
	if f.store != "" {
		// The catalog would also log the error.
		if _, err := s.Index(ctx); err != nil {
			return nil, failure{err}
		}
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
	rs := &releases{Snapshot: snapshot, flags: f, against: against}
	if against == "" {
		return rs, nil
	}
	ref, err := parseVersion(against)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	rs.requested, err = rs.find(ref)
	return rs, err
}

// find returns the release that ref refers to.
func (rs *releases) find(ref taxonomy.Ref) (*release.Release, error) {
	r, err := rs.Release(ref)
	if err != nil {
		return nil, rs.failure(rs.suggestFlags(err))
	}
	return r, nil
}

// suggestFlags adds the flags for other releases to the hint about a release that
// is not published.
func (rs *releases) suggestFlags(err error) error {
	p, ok := errors.AsType[problem.Problem](err)
	if !ok || p.Code != problem.NotFound || rs.flags != (releaseFlags{}) {
		return err
	}
	p.FixHint += " Use --store or --source for other releases."
	return p
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
	f, err := os.Open(name)
	if err != nil {
		return document{}, err
	}
	defer f.Close()
	body, err := readBody(name, f)
	return document{name, body}, err
}

func readBody(name string, r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxDocumentSize+1))
	if err == nil && len(body) > maxDocumentSize {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxDocumentSize>>20)
	}
	return body, err
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
	if p, ok := errors.AsType[problem.Problem](rs.suggestFlags(err)); ok {
		return nil, p.In(problem.Root.Field("schema_version"))
	}
	return r, err
}

// SchemaOf returns the schema of the release to use for a document that pins the
// release id. If there is none, it returns another schema, for examples.
func (rs *releases) SchemaOf(id taxonomy.ID) *datachain.Schema {
	if rs.requested != nil {
		return rs.requested.Schema()
	}
	return query.Schemas{Snapshot: rs.Snapshot}.SchemaOf(id)
}

// locate returns the findings of a report with their positions in the document.
// If err is a problem of the document, it is added to the findings.
func (d document) locate(rs *releases, report datachain.Report, err error) (problem.List, error) {
	problems := append(report.Errors[:len(report.Errors):len(report.Errors)], report.Warnings...)
	var p problem.Problem
	if errors.As(err, &p) {
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
	problems.Render(rs.sentences(d))
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
