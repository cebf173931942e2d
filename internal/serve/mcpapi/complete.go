package mcpapi

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/release"
	"placard/internal/storage/catalog"
)

// maxCompletions is the maximum number of values in a completion result, as
// defined by the protocol.
const maxCompletions = 100

// complete handles completion/complete, for the arguments of prompts. Unknown
// arguments have no completions.
func (s *Server) complete(ctx context.Context, req *request, b []byte) ([]byte, extras, error) {
	var params struct {
		Argument struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"argument"`
		Context struct {
			Arguments map[string]string `json:"arguments"`
		} `json:"context"`
	}
	if err := req.decode(&params); err != nil {
		return b, extras{}, err
	}
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return b, extras{}, err
	}
	var candidates []string
	switch params.Argument.Name {
	case "version":
		candidates = versionNames(snapshot)
	case "element_id":
		candidates = elementIDsOf(s.candidateReleases(ctx, snapshot, params.Context.Arguments["version"]))
	case "locale":
		candidates = localesOf(s.candidateReleases(ctx, snapshot, params.Context.Arguments["version"]))
	}
	values := suggest(params.Argument.Value, candidates)
	total := len(values)
	b = appendStrings(append(b, `"completion":{"values":`...), values[:min(total, maxCompletions)])
	b = appendInt(append(b, `,"total":`...), total)
	b = strconv.AppendBool(append(b, `,"hasMore":`...), total > maxCompletions)
	return append(b, `},`...), extras{}, nil
}

// suggest returns the candidates that contain input, ignoring case. Candidates
// that start with input come before the others.
func suggest(input string, candidates []string) []string {
	input = strings.ToLower(strings.TrimSpace(input))
	var prefixed, others []string
	for _, candidate := range candidates {
		switch folded := strings.ToLower(candidate); {
		case strings.HasPrefix(folded, input):
			prefixed = append(prefixed, candidate)
		case strings.Contains(folded, input):
			others = append(others, candidate)
		}
	}
	return append(prefixed, others...)
}

// versionNames returns the aliases of all releases, then the ids: users usually
// want an alias.
func versionNames(s *catalog.Snapshot) []string {
	var aliases, ids []string
	for _, v := range s.Versions() {
		aliases = append(aliases, v.Aliases...)
		ids = append(ids, v.ID.String())
	}
	slices.Sort(aliases)
	return append(aliases, ids...)
}

// candidateReleases returns the release called version, or all releases in memory if
// there is no such release.
func (s *Server) candidateReleases(ctx context.Context, snapshot *catalog.Snapshot, version string) []*release.Release {
	r, err := snapshot.Find(version)
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		var loaded *catalog.Snapshot
		if loaded, err = s.Catalog.Load(ctx, absent); err == nil {
			r, err = loaded.Find(version)
		}
	}
	if err == nil {
		return []*release.Release{r}
	}
	return snapshot.Releases()
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
