package mcpapi

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/release"
	"placard/internal/serve/query"
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
		for _, r := range s.candidateReleases(ctx, snapshot, params.Context.Arguments["version"]) {
			candidates = append(candidates, query.ElementIDs(r)...)
		}
		slices.Sort(candidates)
	case "locale":
		for _, r := range s.candidateReleases(ctx, snapshot, params.Context.Arguments["version"]) {
			candidates = append(candidates, r.Manifest.Locales...)
		}
	}
	values := suggest(params.Argument.Value, candidates)
	total := len(values)
	b = appendStrings(append(b, `"completion":{"values":`...), values[:min(total, maxCompletions)])
	b = appendInt(append(b, `,"total":`...), total)
	b = strconv.AppendBool(append(b, `,"hasMore":`...), total > maxCompletions)
	return append(b, `},`...), extras{}, nil
}

// suggest returns the candidates that contain input, ignoring case, without duplicates.
// Candidates that start with input come before the others.
func suggest(input string, candidates []string) []string {
	input = strings.ToLower(strings.TrimSpace(input))
	var prefixed, others []string
	seen := make(map[string]bool)
	for _, candidate := range candidates {
		folded := strings.ToLower(candidate)
		switch {
		case seen[candidate] || !strings.Contains(folded, input):
		case strings.HasPrefix(folded, input):
			prefixed = append(prefixed, candidate)
		default:
			others = append(others, candidate)
		}
		seen[candidate] = true
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
