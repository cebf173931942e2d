package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"weak"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
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

func (a *api) listSchemas(*http.Request, func() error) (reply, error) {
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
	list := &schemaList{weak.Make(snapshot), jsonReply(body)}
	a.schemaList.Store(list)
	return list.reply, nil
}

func (a *api) manifest(_ *http.Request, v *version, _ func() error) (reply, error) {
	return reply{contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash, body: v.manifest}, nil
}

func (a *api) categories(r *http.Request, v *version, step func() error) (reply, error) {
	locales, err := query.ParseLocales(v.Release, r.URL.Query().Get("locales"))
	if err != nil {
		return reply{}, err
	}
	return v.records(r, `"categories":`, func(b []byte) ([]byte, error) {
		all := query.SelectCategories(v.Release, locales)
		b, err := all.AppendJSON(b, step)
		return appendNotice(b, locales.Notice(v.Release)), err
	})
}

func (a *api) elements(r *http.Request, v *version, step func() error) (reply, error) {
	var err error
	params := r.URL.Query()
	q := query.Elements{
		CategoryID: params.Get("category_id"),
		Search:     params.Get("query"),
		Locale:     params.Get("locale"),
		Fields:     query.ParseFields(params.Get("fields"), query.DefaultFields),
		Cursor:     params.Get("cursor"),
		Step:       step,
	}
	if q.Limit, err = parseLimit(params.Get("limit")); err != nil {
		return reply{}, err
	}
	if q.Locales, err = query.ParseLocales(v.Release, params.Get("locales")); err != nil {
		return reply{}, err
	}
	part, err := query.List(v.Release, q)
	if err != nil {
		return reply{}, err
	}
	return v.records(r, `"elements":`, func(b []byte) ([]byte, error) {
		b, err := part.AppendJSON(b, step)
		return appendMeta(b, part, q.Locales.Notice(v.Release)), err
	})
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

func (a *api) element(r *http.Request, v *version, _ func() error) (reply, error) {
	id, err := parseWord("element_id", r.PathValue("element_id"))
	if err != nil {
		return reply{}, err
	}
	params := r.URL.Query()
	locales, err := query.ParseLocales(v.Release, params.Get("locales"))
	if err != nil {
		return reply{}, err
	}
	n, err := query.Element(v.Release, id)
	if err != nil {
		return reply{}, err
	}
	fields := query.ParseFields(params.Get("fields"), nil)
	return v.records(r, `"element":`, func(b []byte) ([]byte, error) {
		return appendNotice(query.AppendElement(b, v.Release, n, fields, locales), locales.Notice(v.Release)), nil
	})
}

// buffers are the buffers of bodies with records. Without them, the garbage collector
// uses more CPU time than such a read.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooledBuffer is the capacity in bytes of the largest buffer that is pooled.
const maxPooledBuffer = 1 << 20

// records returns the reply with a member that contains records of v. It does not
// append them if the client has cached the response.
func (v *version) records(r *http.Request, member string, appendTo func([]byte) ([]byte, error)) (reply, error) {
	p := reply{contentType: typeJSON, cache: v.jsonCache, etag: v.etag, hash: v.hash}
	if isCached(r, v.etag) {
		return p, nil
	}
	buffer := buffers.Get().(*[]byte)
	b, err := appendTo(append(append((*buffer)[:0], v.opening...), member...))
	p.body = append(b, '}')
	*buffer = p.body
	p.release = func() {
		if cap(*buffer) <= maxPooledBuffer {
			buffers.Put(buffer)
		}
	}
	return p, err
}

// appendMeta appends the metadata of a part of the elements, with a notice unless it is empty.
func appendMeta(b []byte, part *query.Selection, notice string) []byte {
	b = fmt.Appendf(b, `,"meta":{"total":%d,"returned":%d,"next_cursor":`, part.Total, part.Returned())
	if part.Next == "" {
		b = append(b, `null`...)
	} else {
		b = fmt.Appendf(b, `"%s"`, part.Next) // cursors need no escaping
	}
	if notice != "" {
		b, _ = jsontext.AppendQuote(append(b, `,"notice":`...), notice)
	}
	return append(b, '}')
}

// appendNotice appends metadata with a notice, unless it is empty.
func appendNotice(b []byte, notice string) []byte {
	if notice == "" {
		return b
	}
	b, _ = jsontext.AppendQuote(append(b, `,"meta":{"notice":`...), notice)
	return append(b, '}')
}

// parseWord returns value, the path parameter called name, if it is a valid id.
func parseWord(name, value string) (string, error) {
	if !taxonomy.IsWord(value) {
		return "", problem.New(problem.BadRequest, "%q is not a valid %s.", problem.Clip(value), name).
			Hint("Only a-z, A-Z, 0-9, _ and - are allowed.")
	}
	return value, nil
}
