package mcpapi

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
)

// appendString appends s as a JSON string. Invalid UTF-8 is replaced.
func appendString[T string | []byte](b []byte, s T) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// appendEscaped appends JSON without white space as part of a JSON string. Only
// quotes and backslashes need escaping in such JSON.
func appendEscaped(b, text []byte) []byte {
	n := len(b)
	b = slices.Grow(b, 2*len(text))
	b = b[:cap(b)]
	// JSON has so many quotes that writing a backslash before every byte, and
	// overwriting the unneeded ones, is faster than a branch.
	for _, c := range text {
		b[n] = '\\'
		n += escapes[c]
		b[n] = c
		n++
	}
	return b[:n]
}

// escapes holds the number of backslashes to write before each byte.
var escapes = [256]int{'"': 1, '\\': 1}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// appendID appends the id of a request as sent by the client, or null if id is
// nil.
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

// appendClose closes an object or array, removing the trailing comma.
func appendClose(b []byte, bracket byte) []byte {
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, bracket)
}

// appendProblems appends list as a JSON array.
func appendProblems(b []byte, list problem.List) []byte {
	if len(list) == 0 {
		return append(b, `[]`...)
	}
	// Once rendered, and with this option, every problem has a JSON encoding.
	encoded, _ := json.Marshal(list.Render(sentence), jsontext.AllowInvalidUTF8(true))
	return append(b, encoded...)
}
