package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/show/iconpack"
	"placard/internal/storage/catalog"
)

// version is a release under one of its names, with the values that responses
// about it share.
type version struct {
	*release.Release
	snapshot *catalog.Snapshot         // contains the release; each request uses one snapshot
	use      *catalog.Use              // of the release
	sentence func(problem.Call) string // renders calls in hints

	etag, hash []string
	packETag   []string // of the pack of icons
	jsonCache  []string // Cache-Control of JSON
	svgCache   []string // Cache-Control of SVG
	missCache  []string // Cache-Control of an icon that is not stored
	opening    string   // the start of JSON bodies
	manifest   []byte   // the body of the manifest response
}

func newVersion(name string, r *release.Release, s *catalog.Snapshot) *version {
	v := &version{
		Release:  r,
		snapshot: s,
		use:      s.Use(name),
		sentence: sentences(s, name),
		// Responses about a release change only with its fingerprint.
		etag:      []string{`"` + r.Fingerprint() + `"`},
		packETag:  []string{`"` + r.Fingerprint() + "-" + strconv.Itoa(iconpack.Format) + `"`},
		hash:      []string{r.Hash()},
		jsonCache: noStore,
		svgCache:  oneHour,
		missCache: oneMinute,
		opening:   `{"ok":true,"version":"` + r.Name() + `",`, // names need no escaping
	}
	v.manifest = slices.Concat([]byte(v.opening+`"manifest":`), r.ManifestJSON, []byte("}"))
	if r.Manifest.Status == taxonomy.Stable {
		v.jsonCache, v.svgCache, v.missCache = immutableDay, immutableYear, immutableYear
		if name != r.Name() {
			// Only exact ids are immutable: an alias may move at any publish.
			v.jsonCache, v.svgCache, v.missCache = fiveMinutes, fiveMinutes, fiveMinutes
		}
	}
	return v
}

// svg returns a reply with an SVG image.
func (v *version) svg(body []byte, cache []string) reply {
	return reply{contentType: typeSVG, cache: cache, etag: v.etag, hash: v.hash, body: body}
}

// in returns v with another snapshot.
func (v *version) in(s *catalog.Snapshot, name string) *version {
	moved := *v
	moved.snapshot, moved.sentence = s, sentences(s, name)
	return &moved
}

// versions are the versions of one snapshot that are in memory, by id and alias.
type versions map[string]*version

// version returns the version named in the path.
func (a *api) version(r *http.Request) (*version, error) {
	snapshot, err := a.Catalog.Current()
	if err != nil {
		snapshot = nil // a malformed name is reported first
	}
	name := r.PathValue("version")
	if v, ok := versionsOf(snapshot)[name]; ok {
		v.use.Touch()
		return v, nil
	}
	if v, ok := r.Context().Value(loadedVersion{}).(*version); ok {
		return v, nil
	}
	ref, malformed := taxonomy.ParseRef(name)
	switch {
	case malformed != nil:
		return nil, snapshot.Malformed(name)
	case err != nil:
		return nil, err
	}
	// The snapshot explains why the version is not available.
	rel, err := snapshot.Release(ref)
	if err != nil {
		return nil, err
	}
	return newVersion(name, rel, snapshot), nil
}

// loadedVersion is the context key of the version that was loaded for a request. It
// may not be in the current snapshot any more.
type loadedVersion struct{}

// load loads the version named in the path, which is absent, and returns the request
// with it in its context.
func (a *api) load(r *http.Request, absent *catalog.AbsentError) (*http.Request, error) {
	snapshot, err := a.Catalog.Load(r.Context(), absent)
	if err != nil {
		return nil, err
	}
	name := r.PathValue("version")
	rel, err := snapshot.Find(name)
	if err != nil {
		return nil, err
	}
	return r.WithContext(context.WithValue(r.Context(), loadedVersion{}, newVersion(name, rel, snapshot))), nil
}

// versionsOf returns the versions of a snapshot, which may be nil. They are built when
// the snapshot is first used.
func versionsOf(s *catalog.Snapshot) versions {
	if s == nil {
		return nil
	}
	if all, ok := s.Derived().(versions); ok {
		return all
	}
	all := make(versions)
	for _, listed := range s.Versions() {
		for _, name := range append(slices.Clip(listed.Aliases), listed.ID.String()) {
			if rel := s.Lookup(name); rel != nil {
				all[name] = newVersion(name, rel, s)
			}
		}
	}
	s.SetDerived(all)
	return all
}
