package release

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// recordEncoder encodes records one after another and keeps the positions of
// their fields and translations.
type recordEncoder struct {
	locales []string
	lists   *lists
	records Records
	fields  []field // of the current record

	dec  *jsontext.Decoder // reads the current record
	base int               // offset of the current record
}

func newRecordEncoder(locales []string) *recordEncoder {
	return &recordEncoder{locales: locales, lists: new(lists), dec: new(jsontext.Decoder)}
}

// add encodes v, which must encode as an object, as the next record.
func (e *recordEncoder) add(v any) error {
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l := &e.lists.full
	if len(e.records) > 0 {
		l.json = append(l.json, ',')
	}
	e.base = len(l.json)
	l.json = append(l.json, record...)
	if int64(len(l.json)) > math.MaxUint32 {
		return errors.New("the release has more than 4 GiB of JSON")
	}
	start := position{uint32(e.base), uint32(len(l.translations))}
	if err := e.scan(record); err != nil {
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

// scan finds the fields and translations of the current record.
func (e *recordEncoder) scan(record []byte) error {
	e.dec.Reset(bytes.NewReader(record))
	e.fields = e.fields[:0]
	if _, err := e.dec.ReadToken(); err != nil { // the opening brace
		return err
	}
	for e.dec.PeekKind() != '}' {
		start := e.next()
		name, err := e.dec.ReadToken()
		if err != nil {
			return err
		}
		bit := fieldBits[name.String()]
		if err := e.dec.SkipValue(); err != nil {
			return err
		}
		if err := e.scanTranslations(start.offset); err != nil {
			return err
		}
		e.fields = append(e.fields, field{bit, span{start, e.current()}})
	}
	return nil
}

// current returns the position of the decoder.
func (e *recordEncoder) current() position {
	return position{uint32(e.base) + uint32(e.dec.InputOffset()), uint32(len(e.lists.full.translations))}
}

// next returns the position of the next member, after the comma.
func (e *recordEncoder) next() position {
	p := e.current()
	if e.lists.full.json[p.offset] == ',' {
		p.offset++
	}
	return p
}

// scanTranslations finds the translations between start and the position of the
// decoder.
func (e *recordEncoder) scanTranslations(start uint32) error {
	l := &e.lists.full
	json := l.json[:e.current().offset]
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
	l.json, l.translations = slices.Clone(l.json), slices.Clone(l.translations)
}
