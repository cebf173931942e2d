package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Action is the kind of a change to a store.
type Action string

// The actions.
const (
	Publish     Action = "publish"
	Promote     Action = "promote"
	Retire      Action = "retire"
	Restore     Action = "restore"
	SetAlias    Action = "alias set"
	RemoveAlias Action = "alias remove"
	Prune       Action = "prune"
	Repair      Action = "repair"
)

// Record is one change of the index. Records are never modified. Each names the one
// before it, and the index names the newest, so that the records form a chain
// that is complete whenever the index can be read. A record that a crashed writer
// left behind is not part of the chain.
type Record struct {
	Revision int             `json:"revision"` // 1 for the first change
	At       time.Time       `json:"at"`
	By       string          `json:"by,omitzero"`
	Action   Action          `json:"action"`
	Note     string          `json:"note,omitzero"`
	Releases []ReleaseChange `json:"releases,omitzero"` // sorted by id
	Aliases  []AliasChange   `json:"aliases,omitzero"`  // of pinned aliases, sorted by alias
	// Removed are the files and folders that were deleted after the change.
	Removed []string `json:"removed,omitzero"`
	// Lost are the files of earlier records that are missing or damaged for good.
	Lost     []string `json:"lost,omitzero"`
	Previous string   `json:"previous,omitzero"` // file of the previous record, if any
}

// isEmpty reports whether nothing was changed, deleted or lost.
func (r *Record) isEmpty() bool {
	return len(r.Releases) == 0 && len(r.Aliases) == 0 && len(r.Removed) == 0 && len(r.Lost) == 0
}

// ReleaseChange is a change to one release.
type ReleaseChange struct {
	ID  taxonomy.ID `json:"id"`
	Old *Entry      `json:"old,omitzero"` // nil if it was not published
	New *Entry      `json:"new,omitzero"` // nil if it was retired
	// ReplacedBy is the successor of a release that was retired, if it has one.
	ReplacedBy taxonomy.ID `json:"replaced_by,omitzero"`
}

// AliasChange is a change to a pinned alias.
type AliasChange struct {
	Alias string      `json:"alias"`
	Old   taxonomy.ID `json:"old,omitzero"`
	New   taxonomy.ID `json:"new,omitzero"`
}

// Head refers to the newest record.
type Head struct {
	Revision int    `json:"revision"`
	Record   string `json:"record"` // its file
}

// JournalDir is the folder of the journal in every store.
const JournalDir = "journal"

// recordName returns the file of a record. It contains the digest of the data, so
// that two writers never write the same file, and a damaged record is detected.
func recordName(revision int, data []byte) string {
	return path.Join(JournalDir, fmt.Sprintf("%08d-%s.json", revision, release.Digest(data)[:16]))
}

// newRecord returns the record of the change from one index to another.
func newRecord(before, after *Index) *Record {
	r := &Record{Revision: before.Journal.Revision + 1, Previous: before.Journal.Record}
	ids := make(map[taxonomy.ID]bool)
	for _, e := range slices.Concat(before.Releases, after.Releases) {
		ids[e.ID] = true
	}
	for _, id := range slices.SortedFunc(maps.Keys(ids), taxonomy.ID.Compare) {
		c := ReleaseChange{ID: id}
		if e, ok := before.Find(id); ok {
			c.Old = &e
		}
		if e, ok := after.Find(id); ok {
			c.New = &e
		} else if e, ok := after.FindRetired(id); ok {
			c.ReplacedBy = e.ReplacedBy
		}
		if c.Old == nil || c.New == nil || *c.Old != *c.New {
			r.Releases = append(r.Releases, c)
		}
	}
	aliases := make(map[string]bool)
	for _, pins := range []map[string]taxonomy.ID{before.Pins, after.Pins} {
		for alias := range pins {
			aliases[alias] = true
		}
	}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		if c := (AliasChange{alias, before.Pins[alias], after.Pins[alias]}); c.Old != c.New {
			r.Aliases = append(r.Aliases, c)
		}
	}
	return r
}

// encode returns the sealed file of a record.
func (r *Record) encode() ([]byte, error) {
	object, err := json.Marshal(r, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return release.Seal(object), nil
}

// History returns the journal, newest record first, without records that were
// recorded as lost. If another record is missing or damaged, History returns the
// records after it and a [release.DamageError]; if one is unreadable, the records
// after it and the error of the file system.
func (s FS) History(ctx context.Context) ([]Record, error) {
	ix, err := s.Index(ctx)
	if err != nil {
		return nil, err
	}
	return s.history(ctx, ix)
}

func (s FS) history(ctx context.Context, ix *Index) ([]Record, error) {
	c, err := s.chain(ctx, ix.Journal)
	if err != nil {
		return nil, err
	}
	if gap, ok := c.unknownGap(); ok {
		return c.records[:gap.newer], s.damaged(gap.err)
	}
	return c.records, nil
}

// Includes reports whether the record head is part of the journal that ends with the
// record newest.
func (s FS) Includes(newest, head Head) (bool, error) {
	for newest.Revision > head.Revision {
		record := s.readRecord(newest.Record, newest.Revision)
		if record.err != nil {
			return false, record.err
		}
		newest = Head{newest.Revision - 1, record.Previous}
	}
	return newest == head, nil
}

var errRecordMissing = errors.New("it is missing")

// recordData reads the file of a record.
func (s FS) recordData(name string) ([]byte, error) {
	data, err := release.ReadFile(s.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &release.DamageError{File: name, Err: errRecordMissing}
	}
	return data, err
}

// decodeRecord verifies the record with the given file and revision.
func decodeRecord(name string, revision int, data []byte) (Record, error) {
	var r Record
	var err error
	switch {
	case recordName(revision, data) != name:
		err = errors.New("its digest is not the one in its name")
	default:
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.Revision != revision {
		err = fmt.Errorf("it has revision %d, want %d", r.Revision, revision)
	}
	if err != nil {
		return Record{}, &release.DamageError{File: name, Err: err}
	}
	return r, nil
}
