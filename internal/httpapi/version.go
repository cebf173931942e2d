package httpapi

import (
	"net/http"
	"slices"

	"placard/internal/catalog"
	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// version is a release under one of its names, with all that answers about it
// have in common.
type version struct {
	*release.Release
	// snapshot is what the release was found in: a request answers from one.
	snapshot *catalog.Snapshot

	etag, hash []string
	jsonCache  []string // Cache-Control of JSON
	svgCache   []string // of SVG
	missCache  []string // of an icon that had to be composed
	opening    string   // how JSON answers begin
	manifest   []byte   // the whole answer
}

func newVersion(name string, r *release.Release, s *catalog.Snapshot) *version {
	v := &version{
		Release:  r,
		snapshot: s,
		// All that can be read below one address changes with the release's
		// fingerprint, and with nothing else.
		etag:      []string{`"` + r.Fingerprint() + `"`},
		hash:      []string{r.Hash()},
		jsonCache: noStore,
		svgCache:  oneHour,
		missCache: oneMinute,
		opening:   `{"ok":true,"version":"` + r.Name() + `",`, // its characters need no escaping
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

// svg returns a reply with a drawing of v.
func (v *version) svg(body []byte, cache []string) reply {
	return reply{contentType: typeSVG, cache: cache, etag: v.etag, hash: v.hash, body: body}
}

// shelf holds the versions of one snapshot, by every name they have.
type shelf struct {
	of     *catalog.Snapshot
	byName map[string]*version
}

// release returns the release that the path names.
func (a *api) release(r *http.Request) (*version, error) {
	snapshot, err := a.Catalog.Current()
	if err != nil {
		snapshot = nil // what is malformed is so whatever is published
	}
	name := r.PathValue("version")
	if v, ok := a.shelved(snapshot).byName[name]; ok {
		return v, nil
	}
	ref, malformed := taxonomy.ParseRef(name)
	switch {
	case malformed != nil:
		return nil, problem.New(problem.BadRequest, "Schema version %q is malformed.", problem.Clip(name)).
			Hint("Write <type>@<YYYY-MM-DD>-<status> with a real date and the status beta or stable, or an alias such as <type>@latest.")
	case err != nil:
		return nil, err
	}
	// Not on the shelf: the snapshot knows why.
	rel, err := snapshot.Release(ref)
	if err != nil {
		return nil, err
	}
	return newVersion(name, rel, snapshot), nil
}

// shelved returns the shelf of a snapshot, which is made when the snapshot is
// first met.
func (a *api) shelved(s *catalog.Snapshot) *shelf {
	if made := a.shelf.Load(); made != nil && made.of == s {
		return made
	}
	made := &shelf{of: s, byName: make(map[string]*version)}
	if s != nil {
		for _, listed := range s.Versions() {
			for _, name := range append(listed.Aliases[:len(listed.Aliases):len(listed.Aliases)], listed.ID.String()) {
				ref, err := taxonomy.ParseRef(name)
				if err != nil {
					continue
				}
				if rel, err := s.Release(ref); err == nil {
					made.byName[name] = newVersion(name, rel, s)
				}
			}
		}
	}
	a.shelf.Store(made)
	return made
}
