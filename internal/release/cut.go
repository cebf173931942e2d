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

// cutter encodes records one after the other into one text, and notes where
// their fields and translations begin and end.
type cutter struct {
	locales []string
	texts   *texts
	records Records
	fields  []field // of the record at hand

	dec  *jsontext.Decoder // reads the record at hand
	base int               // where it begins in the text
}

func newCutter(locales []string) *cutter {
	return &cutter{locales: locales, texts: new(texts), dec: new(jsontext.Decoder)}
}

// add encodes v, which must encode as an object, as the next record.
func (c *cutter) add(v any) error {
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	t := &c.texts.whole
	if len(c.records) > 0 {
		t.json = append(t.json, ',')
	}
	c.base = len(t.json)
	t.json = append(t.json, record...)
	if int64(len(t.json)) > math.MaxUint32 {
		return errors.New("the release has more than 4 GiB of JSON")
	}
	from := position{uint32(c.base), uint32(len(t.translations))}
	if err := c.object(record); err != nil {
		return err
	}
	c.records = append(c.records, Record{
		of:     c.texts,
		whole:  span{from, t.end()},
		fields: slices.Clone(c.fields),
	})
	return nil
}

// end returns the position after all of the text.
func (t *text) end() position {
	return position{uint32(len(t.json)), uint32(len(t.translations))}
}

// object notes the fields of the record at hand.
func (c *cutter) object(record []byte) error {
	c.dec.Reset(bytes.NewReader(record))
	c.fields = c.fields[:0]
	if _, err := c.dec.ReadToken(); err != nil { // the opening brace
		return err
	}
	for c.dec.PeekKind() != '}' {
		from := c.next()
		name, err := c.dec.ReadToken()
		if err != nil {
			return err
		}
		bit := fieldBits[name.String()]
		if err := c.value(); err != nil {
			return err
		}
		c.fields = append(c.fields, field{bit, span{from, c.here()}})
	}
	return nil
}

// here returns the position that the record at hand is read up to.
func (c *cutter) here() position {
	return position{uint32(c.base) + uint32(c.dec.InputOffset()), uint32(len(c.texts.whole.translations))}
}

// next returns the position of the next member or item, behind its comma.
func (c *cutter) next() position {
	p := c.here()
	if c.texts.whole.json[p.json] == ',' {
		p.json++
	}
	return p
}

// value reads one value, noting the translations inside it.
func (c *cutter) value() error {
	if kind := c.dec.PeekKind(); kind != '{' && kind != '[' {
		return c.dec.SkipValue()
	}
	start := c.next()
	if bytes.HasPrefix(c.texts.whole.json[start.json:], translationOpen) {
		return c.translation(start.json)
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return err
	}
	for c.dec.PeekKind() != '}' && c.dec.PeekKind() != ']' {
		if err := c.value(); err != nil {
			return err
		}
	}
	_, err := c.dec.ReadToken()
	return err
}

// translationOpen begins the JSON of a taxonomy.Text and of nothing else.
var translationOpen = []byte(`{"locale":"`)

// translation reads the translation that begins at start.
func (c *cutter) translation(start uint32) error {
	// The characters of locales need no escaping.
	code, _, _ := bytes.Cut(c.texts.whole.json[int(start)+len(translationOpen):], []byte(`"`))
	locale := slices.Index(c.locales, string(code))
	if locale < 0 {
		return fmt.Errorf("locale %q is not one of the release's", code)
	}
	if err := c.dec.SkipValue(); err != nil {
		return err
	}
	t := &c.texts.whole
	t.translations = append(t.translations, translation{start, c.here().json, uint32(locale)})
	return nil
}

// done returns all records that were added.
func (c *cutter) done() Records {
	t := &c.texts.whole
	t.json, t.translations = slices.Clone(t.json), slices.Clone(t.translations)
	return c.records
}

// doneWithBrief returns all records that were added, with their brief form.
func (c *cutter) doneWithBrief() Records {
	whole, short := &c.texts.whole, new(text)
	for i := range c.records {
		r := &c.records[i]
		if i > 0 {
			short.json = append(short.json, ',')
		}
		r.brief.from = short.end()
		short.json = append(short.json, '{')
		for _, f := range r.fields {
			if f.bit&brief != 0 {
				short.take(whole, f.span)
			}
		}
		short.json[len(short.json)-1] = '}' // for the last comma
		r.brief.to = short.end()
	}
	short.json, short.translations = slices.Clone(short.json), slices.Clone(short.translations)
	c.texts.brief = short
	return c.done()
}

// take appends a part of another text, and a comma.
func (t *text) take(from *text, part span) {
	shift := uint32(len(t.json)) - part.from.json // modulo 2³², and so is adding it
	t.json = append(append(t.json, from.json[part.from.json:part.to.json]...), ',')
	for _, tr := range from.translations[part.from.translation:part.to.translation] {
		t.translations = append(t.translations, translation{tr.start + shift, tr.end + shift, tr.locale})
	}
}
