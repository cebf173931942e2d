package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// chain is the journal, from the newest record to the oldest.
type chain struct {
	records []Record
	files   map[string]bool // the files of the records and of unknown gaps
	gaps    []gap
	newest  int // revision of the newest intact record in the folder, even if it has no effect
}

// indexOutdated returns an error if the index is older than the journal. The record of
// the next revision may have been left by a writer that was interrupted before it replaced
// the index, but later ones were written when the index named that record.
func (c *chain) indexOutdated(ix *Index) error {
	if c.newest <= ix.Journal.Revision+1 {
		return nil
	}
	return journalDamaged.Found("The index has revision %d, but the journal has changes up to revision %d.", ix.Journal.Revision, c.newest).
		Hint("It may come from an older backup. Restore the newest index.json, or move it out of the store, so that it is rebuilt from the journal.").
		See(problem.Repair())
}

// gap is a record that is missing, damaged or unreadable. The chain continues with the newest
// record before it that is left.
type gap struct {
	file  string
	err   error
	newer int  // number of newer records in the chain
	known bool // whether a newer record lists it as lost
}

// chain reads the journal from the given record to the first one.
func (s FS) chain(ctx context.Context, head Head) (*chain, error) {
	if head.Record == "" {
		return new(chain), nil
	}
	// All records are read in advance, in parallel. Without the list of files, only
	// the chain itself can be read, one record after the other.
	all, scanErr := s.scan(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if isUnavailable(scanErr) {
		return nil, scanErr
	}
	return s.follow(ctx, head, all, scanErr)
}

// follow returns the chain that ends with the given record. scanErr is the error of
// reading all records, if any.
func (s FS) follow(ctx context.Context, head Head, all scannedRecords, scanErr error) (*chain, error) {
	scanned := make(map[string]scannedRecord, len(all))
	for _, r := range all {
		scanned[r.file] = r
	}
	c := &chain{files: make(map[string]bool)}
	if i := slices.IndexFunc(all, func(r scannedRecord) bool { return r.err == nil }); i >= 0 {
		c.newest = all[i].revision
	}
	lost := make(map[string]bool)
	for name, revision := head.Record, head.Revision; name != ""; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, ok := scanned[name]
		if !ok || r.revision != revision {
			r = s.readRecord(name, revision)
		}
		record, err := r.Record, r.err
		if err != nil {
			addGap := func(file string, err error) {
				c.gaps = append(c.gaps, gap{file, err, len(c.records), lost[file]})
				c.files[file] = !lost[file]
			}
			addGap(name, err)
			if scanErr != nil {
				return nil, scanErr
			}
			var rivals scannedRecords
			if name, revision, rivals = all.newestBefore(r); len(rivals) > 0 {
				for _, rival := range rivals {
					addGap(rival.file, &release.DamageError{File: rival.file, Err: errRivals})
				}
			}
			continue
		}
		c.records = append(c.records, record)
		c.files[name] = true
		for _, file := range record.Lost {
			lost[file] = true
		}
		name, revision = record.Previous, revision-1
	}
	return c, nil
}

// unknownGap returns the first gap that is not recorded as lost.
func (c *chain) unknownGap() (gap, bool) {
	i := slices.IndexFunc(c.gaps, func(g gap) bool { return !g.known })
	if i < 0 {
		return gap{}, false
	}
	return c.gaps[i], true
}

// replay returns the index that the records result in.
func (c *chain) replay() *Index {
	ix := &Index{Pins: make(map[string]taxonomy.ID)}
	for _, record := range slices.Backward(c.records) {
		for _, change := range record.Releases {
			switch {
			case change.New != nil:
				ix.Retired = without(ix.Retired, change.ID)
				ix.Releases = with(ix.Releases, *change.New)
			case change.Old != nil:
				ix.Releases = without(ix.Releases, change.ID)
				old := *change.Old
				old.ReplacedBy = change.ReplacedBy
				ix.Retired = with(ix.Retired, old)
			}
		}
		for _, change := range record.Aliases {
			if change.New.IsZero() {
				delete(ix.Pins, change.Alias)
			} else {
				ix.Pins[change.Alias] = change.New
			}
		}
	}
	return ix
}

// differences returns the releases and aliases whose last recorded change does not
// result in ix. Records before a gap are not compared.
func (c *chain) differences(ix *Index) []string {
	complete := c
	if len(c.gaps) > 0 {
		complete = &chain{records: c.records[:c.gaps[0].newer]}
	}
	want := complete.replay()
	releases, aliases := make(map[taxonomy.ID]bool), make(map[string]bool)
	var names []string
	for _, record := range complete.records {
		for _, change := range record.Releases {
			if releases[change.ID] {
				continue
			}
			releases[change.ID] = true
			wantPublished, _ := want.Find(change.ID)
			wantRetired, _ := want.FindRetired(change.ID)
			isPublished, _ := ix.Find(change.ID)
			isRetired, _ := ix.FindRetired(change.ID)
			if isPublished != wantPublished || isRetired != wantRetired {
				names = append(names, change.ID.String())
			}
		}
		for _, change := range record.Aliases {
			if !aliases[change.Alias] && want.Pins[change.Alias] != ix.Pins[change.Alias] {
				names = append(names, change.Alias)
			}
			aliases[change.Alias] = true
		}
	}
	slices.Sort(names)
	return names
}

// with adds an entry, or replaces the one of the same release.
func with(entries []Entry, e Entry) []Entry {
	i, ok := search(entries, e.ID)
	if ok {
		entries[i] = e
		return entries
	}
	return slices.Insert(entries, i, e)
}

// without removes the entry of a release, if there is one.
func without(entries []Entry, id taxonomy.ID) []Entry {
	i, ok := search(entries, id)
	if !ok {
		return entries
	}
	return slices.Delete(entries, i, i+1)
}

// use is the use of a release folder by an index and its journal.
type use struct {
	Entry
	state    useState
	until    time.Time // when it was last known to be published
	removed  bool      // whether it was pruned and not published since
	promoted bool      // whether it is a promoted beta, and not from an authoring tree
}

type useState string

const (
	published useState = "published"
	retired   useState = "retired"
	replaced  useState = "replaced" // an earlier content of a beta
)

// uses returns the release folders that ix and the journal refer to, by path.
func (c *chain) uses(ix *Index, now time.Time) map[string]*use {
	all := make(map[string]*use)
	get := func(e Entry) *use {
		u := all[e.Path]
		if u == nil {
			u = &use{state: replaced}
			all[e.Path] = u
		}
		u.Entry = e
		return u
	}
	var latest, lost time.Time
	removed := make(map[string]bool)
	for _, record := range slices.Backward(c.records) {
		at := record.At
		// A record is not older than the one before it, whatever the clock of its
		// writer was.
		if !at.After(now) {
			at = laterOf(at, latest)
			latest = at
		}
		for _, change := range record.Releases {
			if change.Old != nil {
				u := get(*change.Old)
				u.until = laterOf(u.until, at)
			}
			if change.New != nil {
				u := get(*change.New)
				u.until = laterOf(u.until, at)
				if record.Action == Publish || record.Action == Promote {
					u.promoted = record.Action == Promote
				}
				delete(removed, u.Path)
			}
		}
		for _, name := range record.Removed {
			removed[name] = true
		}
		if len(record.Lost) > 0 {
			// The lost record may have published or retired anything.
			lost = at
			for _, u := range all {
				u.until = laterOf(u.until, at)
			}
		}
	}
	for _, e := range ix.Retired {
		u := get(e)
		u.state = retired
		u.until = laterOf(u.until, lost) // only lost records may refer to it
	}
	for _, e := range ix.Releases {
		get(e).state = published
	}
	for name, u := range all {
		u.removed = removed[name]
	}
	return all
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// lostAt returns the time of the last record that lists lost ones.
func (c *chain) lostAt() time.Time {
	for _, record := range c.records {
		if len(record.Lost) > 0 {
			return record.At
		}
	}
	return time.Time{}
}

// recordFile matches the file names of records. The group is the revision.
var recordFile = regexp.MustCompile(`^([0-9]{8,})-[0-9a-f]{16}\.json$`)

// recordRevision returns the revision in the file name of a record.
func recordRevision(name string) (revision int, ok bool) {
	match := recordFile.FindStringSubmatch(path.Base(name))
	if match == nil {
		return 0, false
	}
	revision, err := strconv.Atoi(match[1])
	return revision, err == nil
}

// scannedRecord is a file in the folder of the journal that has the name of a
// record.
type scannedRecord struct {
	file     string
	revision int
	Record
	err     error  // if it is damaged or unreadable
	damaged []byte // the content of a damaged file
}

// names reports whether the content of a damaged record still names another one.
func (r scannedRecord) names(file string) bool {
	return bytes.Contains(r.damaged, []byte(path.Base(file)))
}

func (s FS) readRecord(file string, revision int) scannedRecord {
	data, err := s.recordData(file)
	if err != nil {
		return scannedRecord{file: file, revision: revision, err: err}
	}
	record, err := decodeRecord(file, revision, data)
	if err != nil {
		return scannedRecord{file: file, revision: revision, err: err, damaged: data}
	}
	return scannedRecord{file: file, revision: revision, Record: record}
}

type scannedRecords []scannedRecord

// scan reads all records in the folder of the journal, newest first, including
// records that crashed writers left behind.
func (s FS) scan(ctx context.Context) (scannedRecords, error) {
	entries, err := fs.ReadDir(s.FS, JournalDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all scannedRecords
	for _, e := range entries {
		file := path.Join(JournalDir, e.Name())
		if revision, ok := recordRevision(file); ok {
			all = append(all, scannedRecord{file: file, revision: revision})
		}
	}
	err = forEach(ctx, len(all), func(i int) error {
		all[i] = s.readRecord(all[i].file, all[i].revision)
		if isUnavailable(all[i].err) {
			return all[i].err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b scannedRecord) int {
		return cmp.Or(cmp.Compare(b.revision, a.revision), b.At.Compare(a.At), cmp.Compare(a.file, b.file))
	})
	return all, nil
}

// errRivals is the damage of a record if it is not known whether it took effect.
var errRivals = errors.New("another record has the same revision, and the record after them, which names one of them, is missing or damaged")

// newestBefore returns the file and the revision of the newest record before a gap
// that can be read, if any. Writers that lost a race or crashed leave records behind,
// and only the next record names the one that took effect. If the gap was that
// record, and its content is lost, the rivals are returned, too, and the record is the
// one before them.
func (all scannedRecords) newestBefore(gap scannedRecord) (file string, revision int, rivals scannedRecords) {
	before, _ := slices.BinarySearchFunc(all, gap.revision-1, func(r scannedRecord, revision int) int { return cmp.Compare(revision, r.revision) })
	var newest scannedRecords
	for _, r := range all[before:] {
		if r.err != nil {
			continue
		}
		if len(newest) > 0 && r.revision < newest[0].revision {
			break
		}
		newest = append(newest, r)
	}
	switch len(newest) {
	case 0:
		return "", 0, nil
	case 1:
		return newest[0].file, newest[0].revision, nil
	}
	for _, r := range newest {
		if gap.names(r.file) {
			return r.file, r.revision, nil
		}
	}
	// All of them were written when the index named the same record.
	return newest[0].Previous, newest[0].revision - 1, newest
}
