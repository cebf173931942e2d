package release

import (
	"reflect"
	"slices"
	"strings"

	"placard/internal/taxonomy"
)

// Record is the JSON of a category or an element, with notes of where its
// fields and translations are, so that a request for some of its fields in some
// of the locales only joins bytes.
type Record struct {
	of     *texts
	whole  span // in of.whole
	brief  span // in of.brief
	fields []field
}

// Records are neighbours among the categories or elements of a release, in
// their order.
type Records []Record

// texts are what the records of one kind are parts of.
type texts struct {
	whole text
	brief *text // only the fields in brief; nil of categories
}

// text is the JSON of records with commas between them, so that neighbours are
// one run of bytes.
type text struct {
	json         []byte
	translations []translation
}

// translation is one {locale, value} object inside an array of such.
type translation struct {
	start, end uint32 // in the text
	locale     uint32 // index into the release's locales
}

// span is part of a text.
type span struct{ from, to position }

// position is a place in a text: before a byte, and before a translation.
type position struct{ json, translation uint32 }

// field is a member of a record, its name included.
type field struct {
	bit FieldSet
	span
}

// FieldSet says which fields of records are kept, a bit for each name there is.
type FieldSet uint64

// AllFields keeps every field.
const AllFields = ^FieldSet(0)

// BriefFields are the fields of an element that are kept ready as a text of
// their own: those that lists have unless others are asked for.
var BriefFields = []string{"id", "title", "category_id"}

var brief = Fields(BriefFields)

// Fields returns the set of the fields called names. Names that no record has
// are ignored, and the id is always kept.
func Fields(names []string) FieldSet {
	set := fieldBits["id"]
	for _, name := range names {
		set |= fieldBits[name]
	}
	return set
}

// fieldBits numbers the fields of categories and elements.
var fieldBits = func() map[string]FieldSet {
	bits := make(map[string]FieldSet)
	for _, noun := range []reflect.Type{reflect.TypeFor[taxonomy.Category](), reflect.TypeFor[taxonomy.Element]()} {
		for i := range noun.NumField() {
			name, _, _ := strings.Cut(noun.Field(i).Tag.Get("json"), ",")
			if bits[name] == 0 {
				bits[name] = 1 << len(bits)
			}
		}
	}
	return bits
}()

// LocaleSet says which of a release's locales are kept. The zero set keeps all.
type LocaleSet struct {
	some  bool   // whether locales are left out that are not in the set
	first uint64 // a bit for each of the first 64 locales
	more  []bool // of the others, which hardly any release has
}

// Locales returns the set of those of the release's locales that are in codes,
// compared without regard to case.
func (r *Release) Locales(codes []string) LocaleSet {
	set := LocaleSet{some: true}
	if n := len(r.Manifest.Locales); n > 64 {
		set.more = make([]bool, n-64)
	}
	for i, locale := range r.Manifest.Locales {
		if !slices.ContainsFunc(codes, func(code string) bool { return strings.EqualFold(locale, code) }) {
			continue
		}
		if i < 64 {
			set.first |= 1 << i
		} else {
			set.more[i-64] = true
		}
	}
	return set
}

func (s *LocaleSet) has(locale uint32) bool {
	if locale < 64 {
		return s.first&(1<<locale) != 0
	}
	return s.more[locale-64]
}

// Has reports whether a locale, by its index among the release's, is kept.
func (s *LocaleSet) Has(locale int) bool { return !s.some || s.has(uint32(locale)) }

// JSON returns the whole record. It must not be changed.
func (r *Record) JSON() []byte {
	start, end := r.whole.from.json, r.whole.to.json
	return r.of.whole.json[start:end:end]
}

// Append appends the JSON object with the fields in one set and, in localized
// strings, the locales in the other.
func (r *Record) Append(b []byte, fields FieldSet, locales LocaleSet) []byte {
	if t, part := r.ready(fields); t != nil {
		return t.append(b, part, &locales)
	}
	b = append(b, '{')
	for rest := r.fields; ; {
		// Fields that stand together in the record do so here.
		n := fields.leading(rest, false)
		rest = rest[n:]
		if len(rest) == 0 {
			return append(b, '}')
		}
		n = fields.leading(rest, true)
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = r.of.whole.append(b, span{rest[0].from, rest[n-1].to}, &locales)
		rest = rest[n:]
	}
}

// ready returns the text that has just these fields, nil if there is none, and
// which part of it the record is.
func (r *Record) ready(fields FieldSet) (*text, span) {
	switch {
	case fields == AllFields:
		return &r.of.whole, r.whole
	case fields == brief:
		return r.of.brief, r.brief
	}
	return nil, span{}
}

// leading returns how many of the first of fields are in the set, or are not.
func (s FieldSet) leading(fields []field, in bool) int {
	for i := range fields {
		if (s&fields[i].bit != 0) != in {
			return i
		}
	}
	return len(fields)
}

// Append appends the JSON objects of all the records as [Record.Append] does,
// with commas between them.
func (rs Records) Append(b []byte, fields FieldSet, locales LocaleSet) []byte {
	if len(rs) == 0 {
		return b
	}
	first, last := &rs[0], &rs[len(rs)-1]
	if t, begin := first.ready(fields); t != nil {
		_, end := last.ready(fields)
		return t.append(b, span{begin.from, end.to}, &locales)
	}
	b = first.Append(b, fields, locales)
	for i := range rs[1:] {
		b = rs[1+i].Append(append(b, ','), fields, locales)
	}
	return b
}

// append appends part of the text without translations in other locales.
func (t *text) append(b []byte, part span, locales *LocaleSet) []byte {
	if !locales.some {
		return append(b, t.json[part.from.json:part.to.json]...)
	}
	start := part.from.json // of what is yet to be appended
	kept := false           // a translation before, in the same array
	inside := t.translations[part.from.translation:part.to.translation]
	for i := range inside {
		tr := &inside[i]
		if t.json[tr.start-1] == '[' {
			kept = false
		}
		if locales.has(tr.locale) {
			kept = true
			continue
		}
		// A comma goes with it: the one before, or the one after where there is
		// none before.
		from, to := tr.start, tr.end
		if kept {
			from--
		} else if t.json[to] == ',' {
			to++
		}
		b = append(b, t.json[start:from]...)
		start = to
	}
	return append(b, t.json[start:part.to.json]...)
}
