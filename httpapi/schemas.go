package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard.dev/catalog"
	"placard.dev/problem"
	"placard.dev/query"
	"placard.dev/release"
	"placard.dev/taxonomy"
)

// schemaList is the answer to GET /schemas, kept as long as the catalog is the
// same.
type schemaList struct {
	of    *catalog.Snapshot
	reply reply
}

func (a *api) listSchemas(*http.Request) (reply, error) {
	snapshot, err := a.Catalog.Current()
	if err != nil {
		return reply{}, err
	}
	if made := a.schemas.Load(); made != nil && made.of == snapshot {
		return made.reply, nil
	}
	body, err := json.Marshal(struct {
		OK       bool              `json:"ok"`
		Versions []catalog.Version `json:"versions"`
	}{true, snapshot.Versions()})
	if err != nil {
		return reply{}, err
	}
	made := &schemaList{snapshot, reply{
		contentType: typeJSON,
		cache:       noCache,
		etag:        `"` + release.Digest(body)[:32] + `"`,
		body:        body,
	}}
	a.schemas.Store(made)
	return made.reply, nil
}

// release returns the release that the path names.
func (a *api) release(r *http.Request) (version, error) {
	ref, err := taxonomy.ParseRef(r.PathValue("version"))
	if err != nil {
		return version{}, problem.New(problem.BadRequest, "Schema version %q is malformed.", shorten(r.PathValue("version"))).
			Hint("Write <type>@<YYYY-MM-DD>-<status> with a real date and the status beta or stable, or an alias such as <type>@latest.")
	}
	snapshot, err := a.Catalog.Current()
	if err != nil {
		return version{}, err
	}
	rel, err := snapshot.Release(ref)
	if err != nil {
		return version{}, err
	}
	_, canonical := ref.ID()
	return version{rel, !canonical, snapshot}, nil
}

func (a *api) manifest(r *http.Request) (reply, error) {
	v, err := a.release(r)
	if err != nil {
		return reply{}, err
	}
	body := append(v.open(`"manifest":`), v.ManifestJSON...)
	return v.json(append(body, '}')), nil
}

// open begins the JSON of an answer about v with its next member's name.
func (v version) open(member string) []byte {
	b := append(make([]byte, 0, 4096), `{"ok":true,"version":"`...)
	b = append(b, v.ID().String()...) // its characters need no escaping
	b = append(b, `",`...)
	return append(b, member...)
}

func (a *api) categories(r *http.Request) (reply, error) {
	v, params, err := a.releaseAndParams(r)
	if err != nil {
		return reply{}, err
	}
	locales, err := query.ParseLocales(params.Get("locales"))
	if err != nil {
		return reply{}, err
	}
	body := query.AppendCategories(v.open(`"categories":`), v.Release, locales)
	return v.json(append(body, '}')), nil
}

func (a *api) elements(r *http.Request) (reply, error) {
	v, params, err := a.releaseAndParams(r)
	if err != nil {
		return reply{}, err
	}
	q := query.Elements{
		CategoryID: params.Get("category_id"),
		Search:     params.Get("query"),
		Locale:     params.Get("locale"),
		Fields:     query.ParseFields(params.Get("fields"), query.DefaultFields),
		Cursor:     params.Get("cursor"),
	}
	if q.Limit, err = parseLimit(params.Get("limit")); err != nil {
		return reply{}, err
	}
	if q.Locales, err = query.ParseLocales(params.Get("locales")); err != nil {
		return reply{}, err
	}
	page, err := query.List(v.Release, q)
	if err != nil {
		return reply{}, err
	}
	b := page.AppendJSON(v.open(`"elements":`))
	b = append(b, `,"meta":{"total":`...)
	b = strconv.AppendInt(b, int64(page.Total), 10)
	b = append(b, `,"returned":`...)
	b = strconv.AppendInt(b, int64(page.Returned()), 10)
	b = append(b, `,"next_cursor":`...)
	if page.Next == "" {
		b = append(b, `null`...)
	} else if b, err = jsontext.AppendQuote(b, page.Next); err != nil {
		return reply{}, err
	}
	return v.json(append(b, `}}`...)), nil
}

func parseLimit(s string) (int, error) {
	if s == "" {
		return query.DefaultLimit, nil
	}
	for _, c := range s {
		if c < '0' || '9' < c {
			return 0, query.BadLimit()
		}
	}
	limit, err := strconv.Atoi(s)
	if err != nil || limit < 1 || limit > query.MaxLimit {
		return 0, query.BadLimit()
	}
	return limit, nil
}

func (a *api) element(r *http.Request) (reply, error) {
	id, err := word("element_id", r.PathValue("element_id"))
	if err != nil {
		return reply{}, err
	}
	v, params, err := a.releaseAndParams(r)
	if err != nil {
		return reply{}, err
	}
	locales, err := query.ParseLocales(params.Get("locales"))
	if err != nil {
		return reply{}, err
	}
	n, err := query.Element(v.Release, id)
	if err != nil {
		return reply{}, err
	}
	fields := query.ParseFields(params.Get("fields"), nil)
	body := query.AppendElement(v.open(`"element":`), v.Release, n, fields, locales)
	return v.json(append(body, '}')), nil
}

func (a *api) releaseAndParams(r *http.Request) (version, url.Values, error) {
	v, err := a.release(r)
	if err != nil {
		return version{}, nil, err
	}
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return version{}, nil, problem.New(problem.BadRequest, "The query string is malformed.").
			Hint("Percent-encode reserved characters in parameter values, and separate parameters with &.")
	}
	return v, params, nil
}

// word returns a part of the path that may only have the characters of ids.
func word(name, value string) (string, error) {
	if !taxonomy.IsWord(value) {
		return "", problem.New(problem.BadRequest, "%q is not a possible %s.", shorten(value), name).
			Hint("Only a-z, A-Z, 0-9, _ and - are allowed.")
	}
	return value, nil
}
