package mcpapi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"placard/internal/catalog"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// maxCompletions is how many suggestions the protocol lets one answer have.
const maxCompletions = 100

// complete answers completion/complete: what a user may mean to write as an
// argument of a prompt. What nothing is known about has no suggestions.
func (s *Server) complete(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	var params struct {
		Argument struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"argument"`
		Context struct {
			Arguments map[string]string `json:"arguments"`
		} `json:"context"`
	}
	if err := q.decode(&params); err != nil {
		return b, extras{}, err
	}
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return b, extras{}, err
	}
	var known []string
	switch params.Argument.Name {
	case "version":
		known = versions(snapshot)
	case "element_id":
		known = elementIDsOf(chosen(snapshot, params.Context.Arguments["version"]))
	case "locale":
		known = localesOf(chosen(snapshot, params.Context.Arguments["version"]))
	}
	values := suggest(params.Argument.Value, known)
	total := len(values)
	b = appendStrings(append(b, `"completion":{"values":`...), values[:min(total, maxCompletions)])
	b = appendInt(append(b, `,"total":`...), total)
	b = strconv.AppendBool(append(b, `,"hasMore":`...), total > maxCompletions)
	return append(b, `},`...), extras{}, nil
}

// suggest returns those of known that contain what was typed, and first those
// that begin with it.
func suggest(typed string, known []string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begin, contain []string
	for _, word := range known {
		switch folded := strings.ToLower(word); {
		case strings.HasPrefix(folded, typed):
			begin = append(begin, word)
		case strings.Contains(folded, typed):
			contain = append(contain, word)
		}
	}
	return append(begin, contain...)
}

// versions are all names of releases: aliases, which are what people want most
// of the time, before ids.
func versions(s *catalog.Snapshot) []string {
	var aliases, ids []string
	for _, v := range s.Versions() {
		aliases = append(aliases, v.Aliases...)
		ids = append(ids, v.ID.String())
	}
	slices.Sort(aliases)
	return append(aliases, ids...)
}

// chosen returns the releases that a user may be speaking of: the one named, or
// all.
func chosen(s *catalog.Snapshot, version string) []*release.Release {
	if ref, err := taxonomy.ParseRef(version); err == nil {
		if r, err := s.Release(ref); err == nil {
			return []*release.Release{r}
		}
	}
	return s.Releases()
}

func elementIDsOf(releases []*release.Release) []string {
	var ids []string
	for _, r := range releases {
		for i := range r.Taxonomy.Elements {
			ids = append(ids, r.Taxonomy.Elements[i].ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func localesOf(releases []*release.Release) []string {
	var locales []string
	for _, r := range releases {
		for _, l := range r.Manifest.Locales {
			if !slices.Contains(locales, l) {
				locales = append(locales, l)
			}
		}
	}
	return locales
}
