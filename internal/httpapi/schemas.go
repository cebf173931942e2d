package httpapi

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"placard/internal/catalog"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/taxonomy"
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
		etag:        []string{`"` + release.Digest(body)[:32] + `"`},
		body:        body,
	}}
	a.schemas.Store(made)
	return made.reply, nil
}

func (a *api) manifest(r *http.Request) (reply, error) {
	v, err := a.release(r)
	if err != nil {
		return reply{}, err
	}
	return reply{contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash, body: v.manifest}, nil
}

func (a *api) categories(r *http.Request) (reply, error) {
	v, params, err := a.releaseAndParams(r)
	if err != nil {
		return reply{}, err
	}
	locales, err := query.ParseLocales(params.get("locales"))
	if err != nil {
		return reply{}, err
	}
	return v.records(asList, query.SelectCategories(v.Release, locales)), nil
}

func (a *api) elements(r *http.Request) (reply, error) {
	v, params, err := a.releaseAndParams(r)
	if err != nil {
		return reply{}, err
	}
	q := query.Elements{
		CategoryID: params.get("category_id"),
		Search:     params.get("query"),
		Locale:     params.get("locale"),
		Fields:     query.ParseFields(params.get("fields"), query.DefaultFields),
		Cursor:     params.get("cursor"),
	}
	if q.Limit, err = parseLimit(params.get("limit")); err != nil {
		return reply{}, err
	}
	if q.Locales, err = query.ParseLocales(params.get("locales")); err != nil {
		return reply{}, err
	}
	page, err := query.Select(v.Release, q)
	if err != nil {
		return reply{}, err
	}
	return v.records(asPage, page), nil
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
	locales, err := query.ParseLocales(params.get("locales"))
	if err != nil {
		return reply{}, err
	}
	found, err := query.SelectElement(v.Release, id, query.ParseFields(params.get("fields"), nil), locales)
	if err != nil {
		return reply{}, err
	}
	return v.records(asOne, found), nil
}

// selection is what a body is joined from, once it is known that the caller
// does not have it.
type selection struct {
	query.Selection
	form form
}

// form is how records are put into a body.
type form int

const (
	asNone form = iota // there are none
	asList             // all categories
	asPage             // elements, and where they are among all that match
	asOne              // one element
)

// members begin what bodies of a form have besides what all have.
var members = [...]string{asList: `"categories":`, asPage: `"elements":`, asOne: `"element":`}

// records returns the reply with a selection of v's records.
func (v *version) records(f form, found query.Selection) reply {
	return reply{
		contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash,
		opening: v.opening, member: members[f], selection: selection{found, f},
	}
}

// append appends the value of the member, and members that go with it.
func (s *selection) append(b []byte) []byte {
	switch s.form {
	case asOne:
		return s.Append(b)
	case asPage:
		return s.appendMeta(s.AppendJSON(b))
	default:
		return s.AppendJSON(b)
	}
}

func (s *selection) appendMeta(b []byte) []byte {
	b = append(b, `,"meta":{"total":`...)
	b = strconv.AppendInt(b, int64(s.Total), 10)
	b = append(b, `,"returned":`...)
	b = strconv.AppendInt(b, int64(s.Returned()), 10)
	b = append(b, `,"next_cursor":`...)
	if s.Last() {
		return append(b, `null}`...)
	}
	b = s.AppendNext(append(b, '"')) // its characters need no escaping
	return append(b, `"}`...)
}

func (a *api) releaseAndParams(r *http.Request) (*version, params, error) {
	v, err := a.release(r)
	if err != nil {
		return nil, params{}, err
	}
	params, err := parseParams(r.URL.RawQuery)
	return v, params, err
}

// word returns a part of the path that may only have the characters of ids.
func word(name, value string) (string, error) {
	if !taxonomy.IsWord(value) {
		return "", problem.New(problem.BadRequest, "%q is not a possible %s.", problem.Clip(value), name).
			Hint("Only a-z, A-Z, 0-9, _ and - are allowed.")
	}
	return value, nil
}
