package taxonomy

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// IDs is a list of ids. Its JSON is a string if there is one, and an array otherwise.
type IDs []string

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
