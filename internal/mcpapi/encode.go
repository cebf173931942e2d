package mcpapi

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
)

// appendString appends s as a JSON string. What is not UTF-8 in it is replaced.
func appendString[T string | []byte](b []byte, s T) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// appendEscaped appends JSON without white space as part of a JSON string. All
// that can need an escape in it are quotes and what is escaped already.
func appendEscaped(b, text []byte) []byte {
	n := len(b)
	b = slices.Grow(b, 2*len(text))
	b = b[:cap(b)]
	// There are so many quotes in JSON that it takes less time to write a
	// backslash before every byte, and most of them over again, than to
	// foresee where one stays.
	for _, c := range text {
		b[n] = '\\'
		n += escapes[c]
		b[n] = c
		n++
	}
	return b[:n]
}

// escapes are the bytes that are put before one in a JSON string.
var escapes = [256]int{'"': 1, '\\': 1}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// appendID appends the id of a request as it was sent, or null.
func appendID(b []byte, id jsontext.Value) []byte {
	if id == nil {
		return append(b, `null`...)
	}
	return append(b, id...)
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// closing ends an object or array whose members each have a comma after them.
func closing(b []byte, bracket byte) []byte {
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, bracket)
}

// appendProblems appends findings as an array.
func appendProblems(b []byte, list problem.List) []byte {
	if len(list) == 0 {
		return append(b, `[]`...)
	}
	// Problems are strings, and with this option every string has a JSON form.
	encoded, _ := json.Marshal(list, jsontext.AllowInvalidUTF8(true))
	return append(b, encoded...)
}
