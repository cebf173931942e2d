package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Content is a content that a release has or had, and the time in which it was
// published. A release that was retired and restored has several.
type Content struct {
	Entry
	From  time.Time // when it was published or restored
	Until time.Time // when it was replaced or retired; zero if it is published
	By    string    // the author of the change that published it; may be empty
	Note  string    // the reason for that change; may be empty
	Gone  bool      // whether its files have been pruned
}

// Contents returns the contents of a release, newest first. If a record of the
// journal is damaged, Contents returns the contents that the records after it mention
// and a [release.DamageError].
func (s *Store) Contents(ctx context.Context, id taxonomy.ID) ([]Content, error) {
	files := s.files(ctx)
	ix, err := files.Index(ctx)
	if err != nil {
		return nil, err
	}
	records, err := files.history(ctx, ix)
	if err != nil && len(records) == 0 {
		return nil, err
	}
	var contents []Content
	for _, record := range slices.Backward(records) {
		for _, c := range record.Releases {
			if c.ID != id {
				continue
			}
			if contents == nil && c.Old != nil {
				// Its publication is not in the journal.
				contents = append(contents, Content{Entry: *c.Old, From: c.Old.PublishedAt})
			}
			if n := len(contents); n > 0 && contents[n-1].Until.IsZero() {
				contents[n-1].Until = record.At
			}
			if c.New != nil {
				contents = append(contents, Content{Entry: *c.New, From: record.At, By: record.By, Note: record.Note})
			}
		}
	}
	statErr := forEach(ctx, len(contents), func(i int) error {
		_, err := fs.Stat(files.FS, path.Join(contents[i].Path, release.HeaderFile))
		if isUnavailable(err) {
			return err
		}
		contents[i].Gone = errors.Is(err, fs.ErrNotExist) || ix.isPruning(contents[i].Path)
		return nil
	})
	if statErr != nil {
		return nil, statErr
	}
	slices.Reverse(contents)
	return contents, err
}

// AsOf selects one of the contents of a release, by a time at which it was published
// or by the start of its content hash. The zero AsOf makes no selection.
type AsOf struct {
	time time.Time // or zero
	hash string    // the start of the content hash, or empty
}

// timeLayouts are the forms of a time. A time without an offset is in UTC.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05", "2006-01-02T15:04",
	time.DateTime, "2006-01-02 15:04",
}

const hashPrefix = "sha256-"

var hashStart = regexp.MustCompile(`^[0-9a-f]{6,64}$`)

// ParseAsOf parses a time, a date, which means the end of that day in UTC, or the
// first digits of a content hash, at least six.
func ParseAsOf(s string) (AsOf, error) {
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return AsOf{time: day.AddDate(0, 0, 1).Add(-1)}, nil
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return AsOf{time: t}, nil
		}
	}
	if hash := strings.TrimPrefix(strings.ToLower(s), hashPrefix); hashStart.MatchString(hash) {
		return AsOf{hash: hashPrefix + hash}, nil
	}
	return AsOf{}, problem.Failure("%q is neither a time, such as 2026-11-15 or 2026-11-15T10:30:00Z, nor the first six or more digits of a content hash.", problem.Clip(s))
}

// IsZero reports whether a makes no selection.
func (a AsOf) IsZero() bool { return a.time.IsZero() && a.hash == "" }

// Select returns the entry of a release for [Store.Restore]: the one that asOf selects
// or, if asOf is zero, the one with which the release was retired. A published stable
// release needs no selection, because it has only one content. If the selection is not
// clear, the error may be a [ChoiceError].
func (s *Store) Select(ctx context.Context, id taxonomy.ID, asOf AsOf) (Entry, error) {
	ix, err := s.Index(ctx)
	if err != nil {
		return Entry{}, err
	}
	current, published := ix.Find(id)
	retired, isRetired := ix.FindRetired(id)
	if !published && !isRetired {
		var known []string
		for _, e := range slices.Concat(ix.Releases, ix.Retired) {
			known = append(known, e.ID.String())
		}
		return Entry{}, problem.New(problem.NotFound, "%s was never published in this store.", id).
			Hint("%s", problem.DidYouMean(id.String(), known)).See(problem.ListVersions())
	}
	if published && id.Status == taxonomy.Stable && asOf.IsZero() {
		return current, nil
	}
	contents, err := s.Contents(ctx, id)
	if isRetired && asOf.IsZero() {
		isGone := func(c Content) bool { return c.Path == retired.Path && c.Gone }
		if slices.ContainsFunc(contents, isGone) {
			return Entry{}, newChoice(pruned(retired), contents)
		}
		return retired, nil
	}
	chosen, chooseErr := choose(id, contents, asOf, s.now())
	if chooseErr != nil && err != nil {
		return Entry{}, err // the content may be in the part of the journal that cannot be read
	}
	return chosen.Entry, chooseErr
}

func pruned(e Entry) problem.Problem {
	return contentGone.Found("The files of %s with content %s have been pruned.", e.ID, e.ContentHash)
}

// choose returns the content that asOf selects from the contents of a release.
func choose(id taxonomy.ID, contents []Content, asOf AsOf, now time.Time) (Content, error) {
	var found []Content
	for _, c := range contents {
		if asOf.selects(c) {
			found = append(found, c)
		}
	}
	// Contents with the same hash differ at most in their notes and dates. The
	// newest of them is the first.
	isOther := func(c Content) bool { return c.ContentHash != found[0].ContentHash }
	refuse := func(p problem.Problem, contents []Content) (Content, error) {
		return Content{}, newChoice(p, contents)
	}
	switch {
	case asOf.IsZero() && (len(found) == 0 || slices.ContainsFunc(found, isOther)):
		return refuse(contentAmbiguous.Found("%s is published, and it is not clear which of its earlier contents to restore.", id), contents)
	case asOf.time.After(now):
		return refuse(contentUnknown.Found("The content of %s at %s is not known yet. A date means the end of that day in UTC.", id, asOf), contents)
	case len(found) == 0:
		return refuse(contentUnknown.Found("%s had no content as of %s.", id, asOf), contents)
	case slices.ContainsFunc(found, isOther):
		return refuse(contentAmbiguous.Found("%s had several contents as of %s.", id, asOf), found)
	}
	for _, c := range found {
		if !c.Gone {
			return c, nil
		}
	}
	return refuse(pruned(found[0].Entry), contents)
}

// String returns the time or the start of the hash.
func (a AsOf) String() string {
	if a.hash != "" {
		return a.hash
	}
	return a.time.UTC().Format(time.RFC3339)
}

// selects reports whether c is the content at the time, or has the hash. Times in the
// journal are in seconds: of several contents published in the same second, it is not
// known which one is meant.
func (a AsOf) selects(c Content) bool {
	switch {
	case a.hash != "":
		return strings.HasPrefix(c.ContentHash, a.hash)
	case a.time.IsZero():
		return true
	}
	return !a.time.Before(c.From) && (c.Until.IsZero() || a.time.Before(c.Until) || a.time.Truncate(time.Second).Equal(c.From))
}

// ChoiceError is a problem that is solved by choosing one of the contents of a
// release.
type ChoiceError struct {
	Problem  problem.Problem
	Contents []Content // newest first, one for each content hash
}

func (e *ChoiceError) Error() string { return e.Problem.Error() }
func (e *ChoiceError) Unwrap() error { return e.Problem }

// newChoice returns the error for a choice among the contents. If the files of all of
// them are gone, there is no choice.
func newChoice(p problem.Problem, contents []Content) error {
	seen := make(map[string]int) // the indexes in distinct
	var distinct []Content
	for _, c := range contents {
		i, ok := seen[c.ContentHash]
		switch {
		case !ok:
			seen[c.ContentHash] = len(distinct)
			distinct = append(distinct, c)
		case distinct[i].Gone && !c.Gone:
			distinct[i] = c
		}
	}
	if !slices.ContainsFunc(distinct, func(c Content) bool { return !c.Gone }) {
		return p.Hint("Publish the release again from its folder in the authoring tree.")
	}
	return &ChoiceError{p.Hint("Choose one of its contents with --as-of and its hash, or a time."), distinct}
}
