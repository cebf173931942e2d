package catalog

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// Find returns the release called name, an id or an alias. Its error says why
// there is none.
func (s *Snapshot) Find(name string) (*release.Release, error) {
	ref, err := taxonomy.ParseRef(name)
	if err != nil {
		return nil, s.Malformed(name)
	}
	return s.Release(ref)
}

// Malformed returns the problem of a name that is neither an id nor an alias. s
// may be nil.
func (s *Snapshot) Malformed(name string) problem.Problem { return malformed(name, s.Nearest(name)) }

// Malformed returns the problem of a name that is neither an id nor an alias. Its hint
// suggests a published release.
func Malformed(index *store.Index, name string) problem.Problem {
	var names []string
	for _, e := range index.Releases {
		names = append(names, e.ID.String())
	}
	return malformed(name, nearest(name, slices.AppendSeq(names, maps.Keys(Targets(index)))))
}

// malformed returns the problem of a name that was probably meant to be near, which
// may be empty.
func malformed(name, near string) problem.Problem {
	typ, question := "<type>", ""
	if near != "" {
		typ, _, _ = strings.Cut(near, "@")
		question = "Did you mean " + strconv.Quote(near) + "? "
	}
	return problem.New(problem.BadRequest, "Schema version %q is malformed.", problem.Clip(name)).
		Hint("%sWrite %s@<YYYY-MM-DD>-<status> with a real date and the status beta or stable, or an alias such as %[2]s@latest.", question, typ).
		See(problem.ListVersions())
}

// Nearest returns the id or alias that name was probably meant to be, or the empty
// string. The release can be served. If name is empty, it is the latest release of
// the only type. s may be nil.
func (s *Snapshot) Nearest(name string) string {
	if s == nil {
		return ""
	}
	var names []string
	for name, sv := range s.byName {
		if sv.available() {
			names = append(names, name)
		}
	}
	return nearest(name, names)
}

// nearest returns the one of the known ids and aliases that name was probably meant
// to be, or the empty string.
func nearest(name string, known []string) string {
	names := make(map[string][]string) // the part after the @, by type
	for _, k := range known {
		typ, rest, _ := strings.Cut(k, "@")
		names[typ] = append(names[typ], rest)
	}
	types := slices.Collect(maps.Keys(names))
	if len(types) == 0 {
		return ""
	}
	typ, rest, hasType := strings.Cut(name, "@")
	typ = problem.Closest(typ, types)
	if !hasType {
		rest = taxonomy.AliasLatest
		if typ == "" && len(types) == 1 {
			typ = types[0]
			if name != "" {
				rest = name
			}
		}
	}
	if rest = problem.Closest(rest, names[typ]); rest == "" {
		return ""
	}
	return typ + "@" + rest
}
