package catalog

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// servedRelease is the state of one release of the index.
type servedRelease struct {
	entry   store.Entry
	release *release.Release // nil if it is not in memory
	use     *Use             // nil if all releases are kept in memory

	err    error     // from the last attempt to load it
	since  time.Time // of the first failed attempt since the last successful one
	failed time.Time // of the last attempt, if it failed
}

// available reports whether the release is in memory or can probably be loaded.
func (sv *servedRelease) available() bool { return sv.release != nil || sv.err == nil }

// Snapshot is the set of releases published at a point in time. Some of them may not
// be in memory.
type Snapshot struct {
	index    *store.Index
	byID     map[string]*servedRelease // all releases of the index
	byName   map[string]*servedRelease // the listed releases by id and alias
	versions []Version
	degraded []DegradedRelease
	derived  atomic.Pointer[any]
}

// Derived returns the value of the last call of SetDerived, or nil.
func (s *Snapshot) Derived() any {
	if v := s.derived.Load(); v != nil {
		return *v
	}
	return nil
}

// SetDerived sets a value that an API has computed from the snapshot. Unlike a cache
// in the API, it does not keep releases in memory after their snapshot.
func (s *Snapshot) SetDerived(v any) { s.derived.Store(&v) }

func newSnapshot(index *store.Index, served map[taxonomy.ID]*servedRelease) *Snapshot {
	s := &Snapshot{index: index, byID: make(map[string]*servedRelease), byName: make(map[string]*servedRelease)}
	listed := &store.Index{Pins: index.Pins}
	for _, entry := range index.Releases {
		sv := served[entry.ID]
		s.byID[entry.ID.String()] = sv
		if sv.err != nil {
			s.degraded = append(s.degraded, DegradedRelease{entry.ID, *sv.degradation()})
		}
		// A release in an authoring tree that was never valid is not listed and
		// gets no aliases.
		if sv.release != nil || entry.ContentHash != "" {
			listed.Releases = append(listed.Releases, entry)
		}
	}
	aliases := Aliases(listed)
	for _, entry := range listed.Releases {
		s.list(s.find(entry.ID), aliases[entry.ID])
	}
	return s
}

// with returns a copy of s with another state of one release, which s lists.
func (s *Snapshot) with(sv *servedRelease) *Snapshot {
	next := &Snapshot{index: s.index, byID: maps.Clone(s.byID), byName: maps.Clone(s.byName), versions: s.versions, degraded: s.degraded}
	for _, names := range []map[string]*servedRelease{next.byID, next.byName} {
		for name, listed := range names {
			if listed.entry.ID == sv.entry.ID {
				names[name] = sv
			}
		}
	}
	return next
}

// Version is an entry in the list of published releases.
type Version struct {
	ID          taxonomy.ID     `json:"id"`
	Status      taxonomy.Status `json:"status"`
	ContentHash string          `json:"content_hash"`
	Aliases     []string        `json:"aliases"`
	Degraded    *Degradation    `json:"degraded,omitzero"` // nil if the release is served as published
}

func (s *Snapshot) list(sv *servedRelease, aliases []string) {
	id, hash := sv.entry.ID, sv.entry.ContentHash
	if sv.release != nil {
		hash = sv.release.Hash()
	}
	s.versions = append(s.versions, Version{id, id.Status, hash, aliases, sv.degradation()})
	s.byName[id.String()] = sv
	for _, alias := range aliases {
		s.byName[alias] = sv
	}
}

func (s *Snapshot) find(id taxonomy.ID) *servedRelease {
	if s == nil {
		return nil
	}
	return s.byID[id.String()]
}

// Index returns the index of the store. It must not be modified.
func (s *Snapshot) Index() *store.Index { return s.index }

// Versions returns the published releases in the order of the index.
func (s *Snapshot) Versions() []Version { return s.versions }

// Served returns the versions that can be served.
func (s *Snapshot) Served() []Version {
	return slices.DeleteFunc(slices.Clone(s.versions), func(v Version) bool { return !s.find(v.ID).available() })
}

// Releases returns the releases in memory, in the order of the index.
func (s *Snapshot) Releases() []*release.Release {
	var releases []*release.Release
	for _, v := range s.versions {
		if sv := s.find(v.ID); sv.release != nil {
			releases = append(releases, sv.release)
		}
	}
	return releases
}

// Lookup returns the release with the given id or alias, or nil if there is none
// or it is not in memory.
func (s *Snapshot) Lookup(name string) *release.Release {
	if s == nil || s.byName[name] == nil {
		return nil
	}
	return s.byName[name].release
}

// Resolve returns the id of the release with the given id or alias, whether or not it
// is in memory. ok is false if it cannot be served.
func (s *Snapshot) Resolve(name string) (id taxonomy.ID, ok bool) {
	if s == nil || s.byName[name] == nil || !s.byName[name].available() {
		return taxonomy.ID{}, false
	}
	return s.byName[name].entry.ID, true
}

// Use returns the record of the use of the release with the given id or alias.
// Callers that keep a release for several requests touch it for each of them.
func (s *Snapshot) Use(name string) *Use { return s.byName[name].use }

// Release returns the release that ref refers to. Its error says why there is
// none. It is an [AbsentError] if the release is published but not in memory.
func (s *Snapshot) Release(ref taxonomy.Ref) (*release.Release, error) {
	name := ref.String()
	sv := s.byName[name]
	switch {
	case sv == nil:
		return nil, s.notFound(ref)
	case sv.release != nil:
		sv.use.Touch()
		return sv.release, nil
	}
	return nil, &AbsentError{s, name, sv.entry, unavailable(name, sv.err)}
}

// Successor returns the published release that replaces the retired one with the given
// name, if there is one.
func (s *Snapshot) Successor(name string) (taxonomy.ID, bool) {
	ref, err := taxonomy.ParseRef(name)
	if err != nil {
		return taxonomy.ID{}, false
	}
	id, _ := retired(s.index, ref)
	return successorOf(s.index, id)
}

func (s *Snapshot) notFound(ref taxonomy.Ref) error {
	p := problem.New(problem.NotFound, "Schema version %q is not published.", problem.Clip(ref.String()))
	for _, d := range s.degraded {
		if d.ID.String() == ref.String() {
			return p.Hint("%s", d.Summary())
		}
	}
	id, wasRetired := retired(s.index, ref)
	if successor, ok := successorOf(s.index, id); ok {
		return problem.New(problem.Gone, "Schema version %q was retired and replaced by %s.", id, successor).
			Hint("Use %s.", successor).See(problem.ShowVersion(successor.String()))
	}
	if wasRetired {
		p.Message = fmt.Sprintf("Schema version %q was retired.", id)
	}
	if len(s.versions) == 0 && len(s.degraded) > 0 {
		return p.Hint("%s", s.degraded[0].Summary())
	}
	if len(s.versions) == 0 && len(s.index.Retired) > 0 {
		return p.Hint("Nothing is published at the moment.")
	}
	if len(s.versions) == 0 {
		return p.Hint("Nothing has been published yet.")
	}
	p = p.See(problem.ListVersions())
	if hint := problem.DidYouMean(ref.String(), slices.Collect(maps.Keys(s.byName))); hint != "" && !wasRetired {
		return p.Hint("%s", hint)
	}
	var ids []string
	for _, v := range s.versions {
		ids = append(ids, v.ID.String())
	}
	return p.Hint("Published versions: %s.", problem.Listing(ids, 5))
}
