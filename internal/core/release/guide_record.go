package release

import (
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// part returns a category or an element in a guide. If it is very long, its lists are
// omitted.
func (w guideWriter) part(record any) ([]byte, error) {
	b, err := json.Marshal(w.record(record, false))
	if len(b) > maxGuidePart {
		b, err = json.Marshal(append(w.record(record, true), guideMember{"shortened", true}))
	}
	return b, err
}

// guideRecord has the members of a record that authors of documents need to know.
type guideRecord []guideMember

type guideMember struct {
	name  string
	value any
}

// MarshalJSONTo writes the members in order.
func (r guideRecord) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range r {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, m.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// record returns the members of a record, a pointer to a struct: its id and texts
// first. Empty members that are not mandatory are omitted, as are contexts and lists
// if brief is set.
func (w guideWriter) record(from any, brief bool) guideRecord {
	members := guideRecord{}
	add := func(name string, value any, mandatory bool) {
		if v := reflect.ValueOf(value); mandatory || !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			members = append(members, guideMember{name, value})
		}
	}
	for _, isText := range []bool{true, false} {
		for _, f := range taxonomy.RecordOf(from).Fields {
			if f.Guide == "" || isText != (f.Name == "id" || f.Type == "Localized") {
				continue
			}
			value, isPart := w.value(f.In(from))
			if isPart && brief {
				continue
			}
			if e, ok := from.(*taxonomy.Element); ok && f.Type == "Context" {
				add("shows", shownVariables(e), false)
			}
			add(f.Guide, value, f.Mandatory)
		}
	}
	return members
}

// value returns the value of a field, given a pointer to it, and whether it is a
// context or a list.
func (w guideWriter) value(field any) (value any, isPart bool) {
	switch v := field.(type) {
	case *taxonomy.Localized:
		return w.short(*v), false
	case *taxonomy.Kind:
		if *v == taxonomy.DefaultKind {
			return "", false
		}
		return *v, false
	case *[]string:
		return *v, true
	case *taxonomy.IDs:
		return *v, true
	case **taxonomy.Context:
		if *v == nil {
			return guideRecord(nil), true
		}
		return w.record(*v, false), true
	}
	v := reflect.ValueOf(field).Elem()
	if v.Kind() != reflect.Slice {
		return v.Interface(), false
	}
	list := make([]guideRecord, v.Len())
	for i := range list {
		list[i] = w.record(v.Index(i).Addr().Interface(), false)
	}
	return list, true
}
