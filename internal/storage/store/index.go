// Package store keeps published releases, their index and the journal of its
// changes. [FS] reads a store from any file system; a [Store] can also be changed.
// Package storetest is the contract test for stores. The package does not know
// about requests.
package store

import (
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// IndexFile is the name of the index in every store.
const IndexFile = "index.json"

// ReleasesDir is the folder of the releases in every store.
const ReleasesDir = "releases"

// ExportFile is the file that identifies an export, which is not a store.
const ExportFile = "export.json"

// Index lists the published releases. It is replaced atomically, and the files
// of the releases it lists remain readable when others are published.
type Index struct {
	Layout   int     `json:"layout"`
	Releases []Entry `json:"releases"` // sorted by id
	// Retired are the last entries of releases that were retired, sorted by id. A
	// stable one can be published again only with the same content.
	Retired []Entry `json:"retired,omitzero"`
	// Pins are the aliases set by publishers, <type>@<name>.
	Pins map[string]taxonomy.ID `json:"pins"`
	// Pruning are the files and folders that [Store.Prune] is deleting, sorted by
	// path. Nothing is published in these folders.
	Pruning []Deletion `json:"pruning,omitzero"`
	Journal Head       `json:"journal,omitzero"`
}

// Entry is one published release.
type Entry struct {
	ID          taxonomy.ID `json:"id"`
	ContentHash string      `json:"content_hash"`
	// Path is the folder of the release's files. They never change: a beta that
	// is published again gets another folder.
	Path        string    `json:"path"`
	PublishedAt time.Time `json:"published_at"`
	// ReplacedBy is the successor of a retired release, if it has one.
	ReplacedBy taxonomy.ID `json:"replaced_by,omitzero"`
}

// DecodeIndex reads an index and verifies its checksum.
func DecodeIndex(data []byte) (*Index, error) {
	if err := release.Unseal(data); err != nil {
		return nil, &release.DamageError{File: IndexFile, Err: err}
	}
	ix := new(Index)
	if err := json.Unmarshal(data, ix); err != nil {
		return nil, &release.DamageError{File: IndexFile, Err: err}
	}
	if err := release.CheckLayout(IndexFile, ix.Layout); err != nil {
		return nil, err
	}
	return ix, nil
}

// Encode returns the sealed file that [DecodeIndex] reads.
func (ix *Index) Encode() ([]byte, error) {
	ix.Layout = release.Layout
	object, err := json.Marshal(ix, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return release.Seal(object), nil
}

// Find returns the entry of a published release.
func (ix *Index) Find(id taxonomy.ID) (Entry, bool) { return find(ix.Releases, id) }

// FindRetired returns the last entry of a retired release.
func (ix *Index) FindRetired(id taxonomy.ID) (Entry, bool) { return find(ix.Retired, id) }

func find(entries []Entry, id taxonomy.ID) (Entry, bool) {
	i, ok := search(entries, id)
	if !ok {
		return Entry{}, false
	}
	return entries[i], true
}

// mustFind is like Find, but returns an error if the release is not published.
func (ix *Index) mustFind(id taxonomy.ID) (Entry, error) {
	e, ok := ix.Find(id)
	if ok {
		return e, nil
	}
	p := problem.New(problem.NotFound, "%s is not published.", id)
	if _, retired := ix.FindRetired(id); retired {
		return e, p.Hint("It was retired.").See(problem.Restore(id.String()))
	}
	return e, p.See(problem.ListVersions())
}

func search(entries []Entry, id taxonomy.ID) (int, bool) {
	return slices.BinarySearchFunc(entries, id, func(e Entry, id taxonomy.ID) int { return e.ID.Compare(id) })
}

// Clone returns a deep copy of ix.
func (ix *Index) Clone() *Index {
	return &Index{ix.Layout, slices.Clone(ix.Releases), slices.Clone(ix.Retired), maps.Clone(ix.Pins), slices.Clone(ix.Pruning), ix.Journal}
}

// Publish adds a release to the index, or replaces the beta with the same id,
// and reports whether the index changed. A stable release is written once, even if
// it has been retired: publishing the same content again changes nothing but
// restores a retired release, and different content is refused.
func (ix *Index) Publish(e Entry) (changed bool, err error) {
	e.ReplacedBy = taxonomy.ID{}
	i, found := search(ix.Releases, e.ID)
	r, retired := search(ix.Retired, e.ID)
	var old Entry
	switch {
	case found:
		old = ix.Releases[i]
	case retired:
		old = ix.Retired[r]
	}
	switch {
	case (found || retired) && e.ID.Status == taxonomy.Stable && old.ContentHash != e.ContentHash:
		return false, stableImmutable.Found("%s was published with different content (%s), and a stable release never changes.", e.ID, old.ContentHash).
			Hint("Publish the change as a new version, and leave the folder of this one as it was published.").
			See(problem.Compare(e.ID.String(), e.ID.String())).AndSee(problem.Continue(e.ID.Type, e.ID.String()))
	case !found:
		if retired {
			ix.Retired = slices.Delete(ix.Retired, r, r+1)
		}
		ix.Releases = slices.Insert(ix.Releases, i, e)
		return true, nil
	case e.ID.Status == taxonomy.Stable || old.Path == e.Path:
		return false, nil
	}
	ix.Releases[i] = e
	return true, nil
}

// retire removes a published release from the list.
func (ix *Index) retire(e Entry) {
	ix.Releases = without(ix.Releases, e.ID)
	ix.Retired = with(ix.Retired, e)
}

// Pin makes <type>@name an alias of a published release, moving it from another
// release if necessary.
func (ix *Index) Pin(id taxonomy.ID, name string) error {
	if err := checkPin(name); err != nil {
		return err
	}
	if ix.Pins == nil {
		ix.Pins = make(map[string]taxonomy.ID)
	}
	ix.Pins[id.Type+"@"+name] = id
	return nil
}

// checkPin returns an error if name cannot be the name of a pinned alias.
func checkPin(name string) error {
	if taxonomy.IsPinnable(name) {
		return nil
	}
	return aliasInvalid.Found("%q cannot be an alias.", problem.Clip(name)).
		Hint("Write a name without the type: a-z, 0-9 and -, starting with a letter; latest, stable and beta are assigned by Placard.")
}
