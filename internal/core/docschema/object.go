package docschema

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object whose members keep their order.
type Object []struct {
	Name  string
	Value any
}

// With returns o with a member appended.
func (o Object) With(name string, value any) Object {
	return append(o[:len(o):len(o)], Object{{name, value}}...)
}

// Set returns o with the member called name set to value.
func (o Object) Set(name string, value any) Object {
	for i := range o {
		if o[i].Name == name {
			o = slices.Clone(o)
			o[i].Value = value
			return o
		}
	}
	return o.With(name, value)
}

// Get returns the value of the first member called name, or nil.
func (o Object) Get(name string) any {
	for _, member := range o {
		if member.Name == name {
			return member.Value
		}
	}
	return nil
}

// MarshalJSONTo writes the members in order.
func (o Object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, member := range o {
		if err := enc.WriteToken(jsontext.String(member.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, member.Value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}
