package release

import (
	"reflect"
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

// Record is the encoded JSON of a category or an element. It includes the
// positions of its fields and translations, so that selecting fields and locales
// only copies bytes.
type Record struct {
	lists  *lists
	full   span // in lists.full
	brief  span // in lists.brief
	fields []field
}

// Records are consecutive categories or elements of a release.
type Records []Record

// lists are the encoded lists of all categories or all elements.
type lists struct {
	full  list
	brief *list // with only BriefFields; nil for categories
}

// list is the JSON of all records, separated by commas, so that consecutive
// records are consecutive bytes.
type list struct {
	json         []byte
	translations []translation
}

// translation is a {locale, value} object in an array of such objects. The value is
// a text or a list of words.
type translation struct {
	start, end uint32 // offsets in the list
	locale     uint32 // index in the release's locales
}

// span is part of a list.
type span struct{ start, end position }

// position is a position in a list: an offset in the JSON and the index of the
// first translation after it.
type position struct{ offset, translation uint32 }

// field is a member of a record, including its name.
type field struct {
	bit FieldSet
	span
}

// FieldSet is a set of field names of records, one bit for each name.
type FieldSet uint64

// AllFields contains every field.
const AllFields = ^FieldSet(0)

// BriefFields are the default fields of elements in lists. Their encoding is
// precomputed.
var BriefFields = []string{"id", "title", "category_id"}

var briefFields = Fields(BriefFields)

// Fields returns the set of the named fields and the id. Unknown names are
// ignored.
func Fields(names []string) FieldSet {
	set := fieldBits["id"]
	for _, name := range names {
		set |= fieldBits[name]
	}
	return set
}

// ElementFields are the names of all fields of elements.
var ElementFields = fieldNames(reflect.TypeFor[taxonomy.Element]())

// fieldBits are the bits of the fields of categories and elements.
var fieldBits = func() map[string]FieldSet {
	bits := make(map[string]FieldSet)
	for _, name := range slices.Concat(fieldNames(reflect.TypeFor[taxonomy.Category]()), ElementFields) {
		if bits[name] == 0 {
			bits[name] = 1 << len(bits)
		}
	}
	return bits
}()

func fieldNames(record reflect.Type) []string {
	names := make([]string, record.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(record.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// LocaleSet is a set of a release's locales. The zero value contains all of
// them.
type LocaleSet struct {
	restricted bool   // whether locales are excluded
	low        uint64 // a bit for each of the first 64 locales
	high       []bool // the remaining locales, if there are more than 64
}

// Locales returns the set of the release's locales that are in codes, ignoring
// case.
func (r *Release) Locales(codes []string) LocaleSet {
	set := LocaleSet{restricted: true}
	if n := len(r.Manifest.Locales); n > 64 {
		set.high = make([]bool, n-64)
	}
	for _, code := range codes {
		i := r.localeIndex(code)
		if i < 0 {
			continue
		}
		if i < 64 {
			set.low |= 1 << i
		} else {
			set.high[i-64] = true
		}
	}
	return set
}

// has reports whether a restricted set contains the locale.
func (s *LocaleSet) has(locale uint32) bool {
	if locale < 64 {
		return s.low&(1<<locale) != 0
	}
	return s.high[locale-64]
}

// JSON returns the full record. It must not be modified.
func (r *Record) JSON() []byte {
	start, end := r.full.start.offset, r.full.end.offset
	return r.lists.full.json[start:end:end]
}

// Append appends the JSON object with the given fields and, in localized
// strings, the given locales.
func (r *Record) Append(b []byte, fields FieldSet, locales LocaleSet) []byte {
	if l, part := r.precomputed(fields); l != nil {
		return l.append(b, part, &locales)
	}
	b = append(b, '{')
	for rest := r.fields; ; {
		// Consecutive fields are copied together.
		n := fields.prefix(rest, false)
		rest = rest[n:]
		if len(rest) == 0 {
			return append(b, '}')
		}
		n = fields.prefix(rest, true)
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = r.lists.full.append(b, span{rest[0].start, rest[n-1].end}, &locales)
		rest = rest[n:]
	}
}

// precomputed returns the list with exactly these fields and the record's span
// in it, or nil if there is none.
func (r *Record) precomputed(fields FieldSet) (*list, span) {
	switch fields {
	case AllFields:
		return &r.lists.full, r.full
	case briefFields:
		return r.lists.brief, r.brief
	}
	return nil, span{}
}

// prefix returns the length of the longest prefix of fields whose members are
// all in the set, or all not in it.
func (s FieldSet) prefix(fields []field, in bool) int {
	for i := range fields {
		if (s&fields[i].bit != 0) != in {
			return i
		}
	}
	return len(fields)
}

// Append appends the JSON objects of the records as [Record.Append] does,
// separated by commas.
func (rs Records) Append(b []byte, fields FieldSet, locales LocaleSet) []byte {
	if len(rs) == 0 {
		return b
	}
	first, last := &rs[0], &rs[len(rs)-1]
	if l, from := first.precomputed(fields); l != nil {
		_, to := last.precomputed(fields)
		return l.append(b, span{from.start, to.end}, &locales)
	}
	b = first.Append(b, fields, locales)
	for i := range rs[1:] {
		b = rs[1+i].Append(append(b, ','), fields, locales)
	}
	return b
}

// append appends part of the list, omitting translations into other locales.
func (l *list) append(b []byte, part span, locales *LocaleSet) []byte {
	if !locales.restricted {
		return append(b, l.json[part.start.offset:part.end.offset]...)
	}
	var o omitter
	start := part.start.offset // of the bytes not yet appended
	translations := l.translations[part.start.translation:part.end.translation]
	for i := range translations {
		t := &translations[i]
		if from, to, omit := o.next(l.json, t.start, t.end, locales.has(t.locale)); omit {
			b = append(b, l.json[start:from]...)
			start = to
		}
	}
	return append(b, l.json[start:part.end.offset]...)
}
