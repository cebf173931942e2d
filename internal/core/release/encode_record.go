package release

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
)

// recordEncoder encodes records one after another and keeps the positions of
// their fields and translations.
type recordEncoder struct {
	locales []string
	lists   *lists
	records Records
	count   int          // the number of records, for the size of buffers
	buffer  bytes.Buffer // for the current record
	fields  []field      // of the current record
}

func newRecordEncoder(locales []string, count int) *recordEncoder {
	return &recordEncoder{locales: locales, lists: new(lists), count: count}
}

// sampleSize is the number of records from which the size of all is estimated, so
// that the buffers of a large release are not copied again and again.
const sampleSize = 100

// add encodes v, which must encode as an object, as the next record.
func (e *recordEncoder) add(v any) error {
	e.buffer.Reset()
	if err := json.MarshalWrite(&e.buffer, v); err != nil {
		return err
	}
	l := &e.lists.full
	if n := len(e.records); n == sampleSize {
		l.json = slices.Grow(l.json, len(l.json)/n*(e.count-n))
		l.translations = slices.Grow(l.translations, len(l.translations)/n*(e.count-n))
	}
	if len(e.records) > 0 {
		l.json = append(l.json, ',')
	}
	start := l.end()
	l.json = append(l.json, e.buffer.Bytes()...)
	if int64(len(l.json)) > math.MaxUint32 {
		return errors.New("the release has more than 4 GiB of JSON")
	}
	if err := e.scan(start.offset); err != nil {
		return err
	}
	e.records = append(e.records, Record{
		lists:  e.lists,
		full:   span{start, l.end()},
		fields: slices.Clone(e.fields),
	})
	return nil
}

// end returns the position at the end of the list.
func (l *list) end() position {
	return position{uint32(len(l.json)), uint32(len(l.translations))}
}

// scan finds the fields and translations of the record at an offset, which is the
// last one.
func (e *recordEncoder) scan(offset uint32) error {
	l := &e.lists.full
	e.fields = e.fields[:0]
	for i := offset + 1; l.json[i] == '"'; i++ {
		start := position{i, uint32(len(l.translations))}
		name := l.json[i+1 : skipValue(l.json, i)-1]
		i = skipValue(l.json, start.offset+uint32(len(name))+3)
		if err := e.scanTranslations(start.offset, i); err != nil {
			return err
		}
		e.fields = append(e.fields, field{fieldBits[string(name)], span{start, position{i, uint32(len(l.translations))}}})
		if l.json[i] == '}' {
			break
		}
	}
	return nil
}

// skipValue returns the offset of the end of the value at an offset in compact,
// valid JSON.
func skipValue(json []byte, i uint32) uint32 {
	for depth := 0; ; i++ {
		switch json[i] {
		case '"':
			for i++; json[i] != '"'; i++ {
				if json[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':':
			continue
		default: // a number or a literal
			for !isDelimiter(json[i+1]) {
				i++
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
}

func isDelimiter(c byte) bool { return c == ',' || c == '}' || c == ']' }

// scanTranslations finds the translations between two offsets.
func (e *recordEncoder) scanTranslations(start, end uint32) error {
	l := &e.lists.full
	json := l.json[:end]
	for from := int(start); ; {
		start, end, code := findTranslation(json, from)
		if start < 0 {
			return nil
		}
		locale := indexLocale(e.locales, code)
		if locale < 0 {
			return fmt.Errorf("locale %q is not a locale of the release", code)
		}
		l.translations = append(l.translations, translation{uint32(start), uint32(end), uint32(locale)})
		from = end
	}
}

// finish returns the records.
func (e *recordEncoder) finish() Records {
	e.lists.full.clip()
	return e.records
}

// finishWithBrief adds the brief list and returns the records.
func (e *recordEncoder) finishWithBrief() Records {
	full, brief := &e.lists.full, new(list)
	for i := range e.records {
		r := &e.records[i]
		if i > 0 {
			brief.json = append(brief.json, ',')
		}
		r.brief.start = brief.end()
		brief.json = append(brief.json, '{')
		for _, f := range r.fields {
			if f.bit&briefFields != 0 {
				brief.appendFrom(full, f.span)
			}
		}
		brief.json[len(brief.json)-1] = '}' // replaces the last comma
		r.brief.end = brief.end()
	}
	brief.clip()
	e.lists.brief = brief
	return e.finish()
}

// appendFrom appends part of another list, and a comma.
func (l *list) appendFrom(from *list, part span) {
	shift := uint32(len(l.json)) - part.start.offset // may wrap around; the sums below are correct modulo 2³²
	l.json = append(append(l.json, from.json[part.start.offset:part.end.offset]...), ',')
	for _, t := range from.translations[part.start.translation:part.end.translation] {
		l.translations = append(l.translations, translation{t.start + shift, t.end + shift, t.locale})
	}
}

// clip frees the unused capacity of the list.
func (l *list) clip() {
	l.json, l.translations = clip(l.json), clip(l.translations)
}

// clip returns s with little unused capacity.
func clip[T any](s []T) []T {
	if cap(s) > len(s)+len(s)/8 {
		return slices.Clone(s)
	}
	return s
}
