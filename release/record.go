package release

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard.dev/taxonomy"
)

// Record is the JSON of a category or an element, cut into pieces when the
// release is made, so that a request for some of its fields in some of the
// locales only joins bytes.
type Record struct {
	whole  []byte
	fields []field
}

type field struct {
	bit    FieldSet
	json   []byte  // the member, its name included
	pieces []piece // the same, cut up
}

// piece is either a run of JSON that stays as it is, or one {locale, value}
// object inside an array of such.
type piece struct {
	locale int // index into the release's locales; literal for a run
	json   []byte
}

const literal = -1

// FieldSet says which fields of records are kept, a bit for each name there is.
type FieldSet uint64

// AllFields keeps every field.
const AllFields = ^FieldSet(0)

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

// LocaleSet says of each of a release's locales, by index, whether it is kept.
// A nil set keeps all.
type LocaleSet []bool

// Locales returns the set of those of the release's locales that are in codes,
// compared without regard to case.
func (r *Release) Locales(codes []string) LocaleSet {
	set := make(LocaleSet, len(r.Manifest.Locales))
	for i, locale := range r.Manifest.Locales {
		for _, code := range codes {
			if strings.EqualFold(locale, code) {
				set[i] = true
			}
		}
	}
	return set
}

// JSON returns the whole record. It must not be changed.
func (r *Record) JSON() []byte { return r.whole }

// Append appends the JSON object with the fields in one set and, in localized
// strings, the locales in the other.
func (r *Record) Append(b []byte, fields FieldSet, locales LocaleSet) []byte {
	if fields == AllFields && locales == nil {
		return append(b, r.whole...)
	}
	b = append(b, '{')
	for i := range r.fields {
		f := &r.fields[i]
		if fields&f.bit == 0 {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		if locales == nil {
			b = append(b, f.json...)
		} else {
			b = f.append(b, locales)
		}
	}
	return append(b, '}')
}

// append appends a member with the locales in the set.
func (f *field) append(b []byte, locales LocaleSet) []byte {
	for i := range f.pieces {
		p := &f.pieces[i]
		if p.locale != literal {
			if !locales[p.locale] {
				continue
			}
			if b[len(b)-1] != '[' {
				b = append(b, ',')
			}
		}
		b = append(b, p.json...)
	}
	return b
}

// newRecord encodes v, which must encode as an object, and cuts it up.
func newRecord(v any, locales []string) (Record, error) {
	whole, err := json.Marshal(v)
	if err != nil {
		return Record{}, err
	}
	c := cutter{dec: jsontext.NewDecoder(bytes.NewReader(whole)), whole: whole, locales: locales}
	return c.cut()
}

// cutter walks over a record's JSON, noting where fields and translations
// begin and end.
type cutter struct {
	dec     *jsontext.Decoder
	whole   []byte
	locales []string
	record  Record
	start   int // of the run being collected
}

func (c *cutter) cut() (Record, error) {
	c.record.whole = c.whole
	if _, err := c.dec.ReadToken(); err != nil { // the opening brace
		return Record{}, err
	}
	for c.dec.PeekKind() != '}' {
		// Between members the offset stands before the comma.
		c.start = skipComma(c.whole, c.dec.InputOffset())
		name, err := c.dec.ReadToken()
		if err != nil {
			return Record{}, err
		}
		begin := c.start
		c.record.fields = append(c.record.fields, field{bit: fieldBits[name.String()]})
		if err := c.value(); err != nil {
			return Record{}, err
		}
		end := int(c.dec.InputOffset())
		c.flush(end)
		c.record.fields[len(c.record.fields)-1].json = c.whole[begin:end]
	}
	return c.record, nil
}

func skipComma(b []byte, offset int64) int {
	if b[offset] == ',' {
		offset++
	}
	return int(offset)
}

// flush ends the run being collected at end.
func (c *cutter) flush(end int) {
	if end > c.start {
		c.add(piece{literal, c.whole[c.start:end]})
	}
	c.start = end
}

func (c *cutter) add(p piece) {
	f := &c.record.fields[len(c.record.fields)-1]
	f.pieces = append(f.pieces, p)
}

// translationOpen begins the JSON of a taxonomy.Text and of nothing else.
var translationOpen = []byte(`{"locale":`)

// translation reads one translation as a piece of its own.
func (c *cutter) translation() error {
	end := int(c.dec.InputOffset())
	raw, err := c.dec.ReadValue()
	if err != nil {
		return err
	}
	var text taxonomy.Text
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	locale := slices.Index(c.locales, text.Locale)
	if locale < 0 {
		return fmt.Errorf("locale %q is not one of the release's", text.Locale)
	}
	c.flush(end)
	c.start = int(c.dec.InputOffset())
	c.add(piece{locale, c.whole[c.start-len(raw) : c.start]})
	return nil
}

// value reads one value, cutting out the translations inside it.
func (c *cutter) value() error {
	kind := c.dec.PeekKind()
	if kind != '{' && kind != '[' {
		return c.dec.SkipValue()
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return err
	}
	for c.dec.PeekKind() != '}' && c.dec.PeekKind() != ']' {
		begin := skipComma(c.whole, c.dec.InputOffset())
		read := c.value
		if bytes.HasPrefix(c.whole[begin:], translationOpen) {
			read = c.translation
		}
		if err := read(); err != nil {
			return err
		}
	}
	_, err := c.dec.ReadToken()
	return err
}
