package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"weak"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
)

// schemaList is the response to GET /schemas for one snapshot, which it does not keep
// in memory.
type schemaList struct {
	snapshot weak.Pointer[catalog.Snapshot]
	reply    reply
}

func (a *api) listSchemas(*http.Request) (reply, error) {
	snapshot, err := a.Catalog.Current()
	if err != nil {
		return reply{}, err
	}
	if cached := a.schemaList.Load(); cached != nil && cached.snapshot.Value() == snapshot {
		return cached.reply, nil
	}
	versions := snapshot.Versions()
	if a.IsListed != nil {
		versions = slices.DeleteFunc(slices.Clone(versions), func(v catalog.Version) bool { return !a.IsListed(v.ID) })
	}
	body, err := json.Marshal(struct {
		OK       bool              `json:"ok"`
		Versions []catalog.Version `json:"versions"`
	}{true, versions})
	if err != nil {
		return reply{}, err
	}
	list := &schemaList{weak.Make(snapshot), reply{
		contentType: typeJSON,
		cache:       noCache,
		etag:        []string{`"` + release.Digest(body)[:32] + `"`},
		body:        body,
	}}
	a.schemaList.Store(list)
	return list.reply, nil
}

func (a *api) manifest(r *http.Request) (reply, error) {
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	return reply{contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash, body: v.manifest}, nil
}

func (a *api) categories(r *http.Request) (reply, error) {
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	locales, err := query.ParseLocales(v.Release, paramsOf(r).get("locales"))
	if err != nil {
		return reply{}, err
	}
	return v.records(layoutList, query.SelectCategories(v.Release, locales)), nil
}

func (a *api) elements(r *http.Request, step func() error) (reply, error) {
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	params := paramsOf(r)
	q := query.Elements{
		CategoryID: params.get("category_id"),
		Search:     params.get("query"),
		Locale:     params.get("locale"),
		Fields:     query.ParseFields(params.get("fields"), query.DefaultFields),
		Cursor:     params.get("cursor"),
		Step:       step,
	}
	if q.Limit, err = parseLimit(params.get("limit")); err != nil {
		return reply{}, err
	}
	if q.Locales, err = query.ParseLocales(v.Release, params.get("locales")); err != nil {
		return reply{}, err
	}
	page, err := query.Select(v.Release, q)
	if err != nil {
		return reply{}, err
	}
	return v.records(layoutPage, page), nil
}

func parseLimit(s string) (int, error) {
	if s == "" {
		return query.DefaultLimit, nil
	}
	for _, c := range s {
		if c < '0' || '9' < c {
			return 0, query.InvalidLimit()
		}
	}
	limit, err := strconv.Atoi(s)
	if err != nil || limit < 1 || limit > query.MaxLimit {
		return 0, query.InvalidLimit()
	}
	return limit, nil
}

func (a *api) element(r *http.Request) (reply, error) {
	id, err := parseWord("element_id", r.PathValue("element_id"))
	if err != nil {
		return reply{}, err
	}
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	params := paramsOf(r)
	locales, err := query.ParseLocales(v.Release, params.get("locales"))
	if err != nil {
		return reply{}, err
	}
	found, err := query.SelectElement(v.Release, id, query.ParseFields(params.get("fields"), nil), locales)
	if err != nil {
		return reply{}, err
	}
	return v.records(layoutOne, found), nil
}

// selection is the selected records and their layout in the body.
type selection struct {
	query.Selection
	layout layout
}

// layout is the way records are encoded in a body.
type layout int

const (
	layoutNone layout = iota // no records
	layoutList               // all categories
	layoutPage               // a page of elements with its metadata
	layoutOne                // one element
)

// memberNames are the encoded names of the members that hold the records.
var memberNames = [...]string{layoutList: `"categories":`, layoutPage: `"elements":`, layoutOne: `"element":`}

// records returns the reply with a selection of v's records.
func (v *version) records(l layout, found query.Selection) reply {
	return reply{
		contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash,
		opening: v.opening, member: memberNames[l], selection: selection{found, l},
	}
}

// append appends the records and their metadata.
func (s *selection) append(b []byte, step func() error) ([]byte, error) {
	switch s.layout {
	case layoutOne:
		return s.Append(b, step)
	case layoutPage:
		b, err := s.AppendJSON(b, step)
		return s.appendMeta(b), err
	default:
		return s.AppendJSON(b, step)
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
	b = s.AppendNext(append(b, '"')) // cursors need no escaping
	return append(b, `"}`...)
}

// parseWord returns value, the path parameter called name, if it is a valid id.
func parseWord(name, value string) (string, error) {
	if !taxonomy.IsWord(value) {
		return "", problem.New(problem.BadRequest, "%q is not a valid %s.", problem.Clip(value), name).
			Hint("Only a-z, A-Z, 0-9, _ and - are allowed.")
	}
	return value, nil
}
