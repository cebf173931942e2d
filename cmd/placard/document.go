package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"placard/internal/builtin"
	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/store"
	"placard/internal/taxonomy"
)

// releaseFlags say which releases a command works with.
type releaseFlags struct {
	source string
	store  string
}

func (f *releaseFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "use the releases of this authoring tree")
	cmd.Flags().StringVar(&f.store, "store", "", "use what is published in this store")
	cmd.MarkFlagsMutuallyExclusive("source", "store")
}

// open returns the store that the flags name, the built-in one without any.
func (f releaseFlags) open(log *slog.Logger) (catalog.Store, error) {
	switch {
	case f.source != "":
		t, err := openTree(f.source)
		if err != nil {
			return nil, err
		}
		if !t.only.IsZero() {
			return nil, fmt.Errorf("%s is one release; give the root of its tree, %s", f.source, t.dir)
		}
		return catalog.NewTree(t.fsys, log), nil
	case f.store != "":
		return store.OpenFolder(f.store), nil
	}
	return builtin.Store(), nil
}

// load returns the releases as they are now.
func (f releaseFlags) load(ctx context.Context, log *slog.Logger) (*catalog.Snapshot, error) {
	s, err := f.open(log)
	if err != nil {
		return nil, err
	}
	c := catalog.New(s, catalog.Options{Log: log})
	if err := c.Refresh(ctx); err != nil {
		return nil, failure{err}
	}
	return c.Current()
}

// document is a datachain that a command was given.
type document struct {
	name string // as findings call it
	body []byte
}

// stdin is how findings call what was read from standard input.
const stdin = "<stdin>"

func readDocument(cmd *cobra.Command, name string) (document, error) {
	if name == "-" {
		body, err := io.ReadAll(cmd.InOrStdin())
		return document{stdin, body}, err
	}
	body, err := os.ReadFile(name)
	return document{name, body}, err
}

// asked returns the release that --against names, nil where it names none.
func asked(s *catalog.Snapshot, version string) (*release.Release, error) {
	if version == "" {
		return nil, nil
	}
	ref, err := taxonomy.ParseRef(version)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	r, err := s.Release(ref)
	if err != nil {
		return nil, failure{err}
	}
	return r, nil
}

// against returns the release that a document is checked against: the one
// asked for, or the one that it pins. That there is no such release is a
// problem of the document.
func against(s *catalog.Snapshot, asked *release.Release, pinned taxonomy.ID) (*release.Release, error) {
	if asked != nil {
		return asked, nil
	}
	ref, err := taxonomy.ParseRef(pinned.String())
	if err != nil {
		return nil, err
	}
	r, err := s.Release(ref)
	var p problem.Problem
	if errors.As(err, &p) {
		p.FixHint += " Other releases are found with --store or --source."
		return nil, p.In(problem.Root.Field("schema_version"))
	}
	return r, err
}

// located gives findings their place in the document. An error that is a
// problem of the document is one more finding.
func (d document) located(report datachain.Report, err error) (problem.List, error) {
	problems := append(report.Errors[:len(report.Errors):len(report.Errors)], report.Warnings...)
	var p problem.Problem
	if errors.As(err, &p) {
		p.Severity = problem.Error
		problems, err = append(problems, p), nil
	}
	locator := datachain.NewLocator(d.body)
	for i := range problems {
		start, _ := locator.Locate(problems[i].Path)
		problems[i].Pos = d.position(start)
	}
	problems.SortByPos()
	return problems, err
}

// position returns the line and column of a byte.
func (d document) position(offset int) problem.Pos {
	before := d.body[:min(offset, len(d.body))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return problem.Pos{
		File:   d.name,
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[line:]) + 1,
	}
}

// quietLog is for commands that print findings themselves and want to hear
// only of what keeps a release from being used.
func quietLog(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}))
}

// unreadable is the error of a document that is not there.
func unreadable(err error) error { return fmt.Errorf("cannot read the document: %w", err) }
