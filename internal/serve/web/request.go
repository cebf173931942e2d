package web

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/serve/ratelimit"
	"placard/internal/storage/catalog"
)

// request is a request for a page. All of the page is rendered from one snapshot, and
// from the releases of its index that are loaded for the page. Those are not in the
// snapshot.
type request struct {
	*http.Request
	writer  http.ResponseWriter
	handler *Handler
	route   route
	base    string // external URL of the server, without a slash at the end

	params    url.Values // the parameters of the route, without empty ones
	isDynamic bool       // the page depends on a parameter other than the language
	isPart    bool       // only the part of the page that scripts replace is requested
	isCharged bool       // the request has been charged as a read
	client    netip.Addr // set when the request is charged

	preview  previewState // read before the snapshot, so that a change in between makes the page reload
	snapshot *catalog.Snapshot
	releases []*release.Release // those named in the path, in its order

	preferred []language.Tag // the languages that the reader prefers
	requested string         // the language in the address, which may be malformed
	chosen    string         // the language of the page closest to it; empty if there is none
	ui        *texts         // of the page itself
	locale    string         // of the releases; empty if the path names none
}

// The parameter that any page with parameters may have.
const (
	partParam   = "part"
	partResults = "results" // the only value of partParam
)

func (h *Handler) newRequest(w http.ResponseWriter, r *http.Request, rt route) *request {
	q := &request{Request: r, writer: w, handler: h, route: rt, base: h.base(r), params: url.Values{}}
	if h.Preview {
		q.preview = h.previewState()
	}
	if r.URL.RawQuery != "" {
		given := r.URL.Query()
		for _, name := range rt.params {
			if value := strings.TrimSpace(given.Get(name)); value != "" {
				if name == "q" {
					value = clipSearch(value)
				}
				q.params.Set(name, value)
				q.isDynamic = true
			}
		}
		if given.Get(partParam) == partResults && len(rt.params) > 0 {
			q.isPart, q.isDynamic = true, true
		}
		q.requested = given.Get(langParam)
	}
	q.preferred = preferences(q.requested, r.Header["Accept-Language"])
	q.ui = textsFor(q.preferred)
	if language, _, _ := strings.Cut(q.requested, "-"); strings.EqualFold(language, q.ui.language) {
		q.chosen = q.ui.language
	}
	return q
}

// charge charges the request as a read, unless it has been charged already.
func (q *request) charge() error {
	if q.isCharged {
		return nil
	}
	q.isCharged = true
	var err error
	q.client, err = q.handler.Admit(q.writer, q.Request, ratelimit.Read)
	return err
}

// budget returns the time that the request has for a kind of work.
func (q *request) budget(b budget.Budget) budget.Budget {
	if q.handler.Static {
		return budget.Budget{}
	}
	return b
}

// clipSearch returns the part of a search that is not too long.
func clipSearch(text string) string {
	n := 0
	for i := range text {
		if n == query.MaxSearch {
			return strings.TrimSpace(text[:i])
		}
		n++
	}
	return text
}

// open finds the releases that the path names, and the locale of their texts.
func (q *request) open() error {
	snapshot, err := q.handler.Catalog.Current()
	if err != nil && !strings.HasPrefix(q.route.pattern, docsPath) {
		return err
	}
	if err != nil {
		snapshot = new(catalog.Snapshot) // documents help even if there are no releases
	}
	q.snapshot = snapshot
	for _, name := range versionParams {
		value := q.PathValue(name)
		if value == "" {
			continue
		}
		rel, err := q.release(value)
		if err != nil {
			return q.missing(err, name)
		}
		q.releases = append(q.releases, rel)
	}
	if len(q.releases) > 0 {
		newest := q.releases[len(q.releases)-1]
		q.locale = q.localeOf(newest)
		// Other spellings of a language must not become pages of their own.
		if locale, ok := newest.NearestLocale(q.requested); ok && q.requested != "" {
			q.chosen = locale
		}
	}
	return nil
}

// versionParams are the parameters in the patterns of routes that name a release.
var versionParams = []string{"version", "old", "new"}

// release returns the release with the given id or alias. If it must be loaded, the
// request is charged before.
func (q *request) release(name string) (*release.Release, error) {
	rel, err := q.snapshot.Find(name)
	absent, ok := errors.AsType[*catalog.AbsentError](err)
	if !ok {
		return rel, err
	}
	if err := q.charge(); err != nil {
		return nil, err
	}
	loaded, err := q.handler.Catalog.Load(q.Context(), absent)
	if err != nil {
		return nil, err
	}
	return loaded.Find(name)
}

// latestVersion returns the address of the requested page in the latest version of a
// taxonomy if the path names only its type. Otherwise it returns an empty string.
func (q *request) latestVersion() string {
	name := q.PathValue("version")
	if name == "" || q.snapshot == nil {
		return ""
	}
	prefix, _, _ := strings.Cut(q.route.pattern, "{version}")
	for _, v := range q.latestVersions() {
		if v.ID.Type == name {
			address := *q.URL
			address.Path = prefix + v.ID.String() + strings.TrimPrefix(q.URL.Path, prefix+name)
			address.RawPath = ""
			return address.RequestURI()
		}
	}
	return ""
}

// missing returns the error of a path whose parameter names no release: there is no
// such page, even if the name is malformed.
func (q *request) missing(err error, param string) error {
	p, ok := errors.AsType[problem.Problem](err)
	if !ok || p.Code != problem.BadRequest && p.Code != problem.NotFound && p.Code != problem.Gone {
		return err
	}
	if successor, ok := q.snapshot.Successor(q.PathValue(param)); ok {
		link := versionLink{ID: successor, Path: q.pathWith(param, successor.String())}
		return &unknownVersionError{p, q.PathValue(param), []versionLink{link}}
	}
	p.Code = problem.NotFound
	if versions := q.nearestVersions(param); len(versions) > 0 {
		return &unknownVersionError{p, q.PathValue(param), versions}
	}
	return p
}

// localeOf returns the locale of r that the reader prefers. On pages about several
// taxonomies it is the language of the page, with which they are cached.
func (q *request) localeOf(r *release.Release) string {
	if len(q.releases) == 0 {
		if locale, ok := r.NearestLocale(q.ui.language); ok {
			return locale
		}
		return r.DefaultLocale()
	}
	for _, tag := range q.preferred {
		if locale, ok := r.NearestLocale(tag.String()); ok {
			return locale
		}
	}
	return r.DefaultLocale()
}

// cacheKey identifies the page among those of one index.
func (q *request) cacheKey() string {
	var key strings.Builder
	add := func(part string) {
		key.WriteString(part)
		key.WriteByte(0)
	}
	for _, part := range []string{q.route.pattern, q.base, q.chosen, q.ui.language, q.locale} {
		add(part)
	}
	for _, r := range q.releases {
		add(r.Name()) // also if the path has an alias
	}
	for _, name := range pathParams(q.route.pattern) {
		if !slices.Contains(versionParams, name) {
			add(q.PathValue(name))
		}
	}
	// Menus and lists omit versions that cannot be served.
	for _, v := range q.snapshot.Versions() {
		if v.Degraded != nil {
			add(string(v.Degraded.State) + v.ID.String())
		}
	}
	return key.String()
}

// resident identifies the releases in memory. It is part of the cache keys of pages
// that depend on them.
func (q *request) resident() string {
	var ids strings.Builder
	for _, r := range q.snapshot.Releases() {
		ids.WriteString(r.Name())
		ids.WriteByte(0)
	}
	return ids.String()
}

// pathParams returns the names of the parameters in a pattern.
func pathParams(pattern string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(pattern, "{")
		if !found {
			return names
		}
		name, rest, _ := strings.Cut(rest, "}")
		if name = strings.TrimSuffix(name, "..."); name != "$" {
			names = append(names, name)
		}
		pattern = rest
	}
}

// text returns a text of a release in the locale of the page, or in another one if
// it is not translated.
func (q *request) text(r *release.Release, l taxonomy.Localized) Text {
	return localText(l, q.localeOf(r), r.DefaultLocale(), q.ui.language)
}

// textOr returns a text of a release as text does, or the id if there is none.
func (q *request) textOr(r *release.Release, l taxonomy.Localized, id string) Text {
	if t := q.text(r, l); t.Value != "" {
		return t
	}
	return Text{Value: id}
}
