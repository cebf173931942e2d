package taxonomy

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// IDs is a list of ids. Its JSON is a string if there is one, and an array otherwise.
type IDs []string

// Named is a pointer to an item that others refer to by its id.
type Named[T any] interface {
	*T
	// Names returns the id, and those that it had in earlier releases.
	Names() (id string, replaced IDs)
}

// Names implements [Named].
func (s *Subchain) Names() (id string, replaced IDs) { return s.ID, nil }

// Names implements [Named].
func (v *ContextValue) Names() (id string, replaced IDs) { return v.ID, v.Replaces }

// Names implements [Named].
func (e *Element) Names() (id string, replaced IDs) { return e.ID, e.Replaces }

// Names implements [Named].
func (v *Variable) Names() (id string, replaced IDs) { return v.ID, v.Replaces }

// Names implements [Named].
func (o *Option) Names() (id string, replaced IDs) { return o.ID, o.Replaces }

// MarshalJSONTo writes a string or an array.
func (ids IDs) MarshalJSONTo(enc *jsontext.Encoder) error {
	if len(ids) == 1 {
		return enc.WriteToken(jsontext.String(ids[0]))
	}
	return json.MarshalEncode(enc, []string(ids))
}

// UnmarshalJSONFrom reads a string or an array.
func (ids *IDs) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return json.UnmarshalDecode(dec, (*[]string)(ids))
	}
	token, err := dec.ReadToken()
	if err == nil {
		*ids = IDs{token.String()}
	}
	return err
}
