package taxonomy

import (
	"encoding/binary"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Keywords are search words in several locales, each locale at most once.
type Keywords []KeywordList

// KeywordList is a list of search words in one locale.
type KeywordList struct {
	Locale string `json:"locale"`
	Value  Words  `json:"value"`
}

// Get returns the words in locale, which is compared case-insensitively.
func (k Keywords) Get(locale string) Words {
	for _, list := range k {
		if strings.EqualFold(list.Locale, locale) {
			return list.Value
		}
	}
	return ""
}

// Words is a list of words: each word after its length as a varint. Its JSON is an
// array of strings.
//
// A slice of strings takes three times the memory. With 10,000 keywords in a
// release, as in the built-in taxonomy, that would be a tenth of its memory.
type Words string

// NewWords returns a list of the given words.
func NewWords(words ...string) Words {
	var b []byte
	for _, word := range words {
		b = appendWord(b, word)
	}
	return Words(b)
}

func appendWord[T string | []byte](b []byte, word T) []byte {
	b = binary.AppendUvarint(b, uint64(len(word)))
	return append(b, word...)
}

// All yields the words.
func (w Words) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := string(w); rest != ""; {
			var prefix [binary.MaxVarintLen64]byte
			length, n := binary.Uvarint(prefix[:copy(prefix[:], rest)])
			end := n + int(length)
			if !yield(rest[n:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// List returns the words, or nil if there are none.
func (w Words) List() []string { return slices.Collect(w.All()) }

func (w Words) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for word := range w.All() {
		if err := e.WriteToken(jsontext.String(word)); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndArray)
}

func (w *Words) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if kind := d.PeekKind(); kind != '[' {
		return &json.SemanticError{JSONKind: kind, GoType: reflect.TypeFor[Words]()}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var encoded, word []byte
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		// An error means that it is not a string.
		if word, err = jsontext.AppendUnquote(word[:0], value); err != nil {
			return &json.SemanticError{JSONKind: value.Kind(), GoType: reflect.TypeFor[string]()}
		}
		encoded = appendWord(encoded, word)
	}
	*w = Words(encoded)
	_, err := d.ReadToken()
	return err
}
