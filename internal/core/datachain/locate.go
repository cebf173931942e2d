package datachain

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/core/problem"
)

// Locator finds the positions of values in the text of a document.
type Locator struct {
	tree *tree
	err  error
}

// NewLocator parses body for any number of calls to [Locator.Locate].
func NewLocator(body []byte) *Locator {
	t, err := readTree(body, new(meter))
	return &Locator{t, err}
}

// Locate returns the offsets of the start and end of the value at path, including
// its name, or of its nearest ancestor that is present. If the text is not strict
// JSON, both are the offset of the error.
func (l *Locator) Locate(path problem.Path) (start, end int) {
	t := l.tree
	if l.err != nil {
		return t.failedAt, t.failedAt
	}
	n, _ := t.find(path.String())
	start, end = int(t.nodes[n].start), int(t.nodes[n].end)
	if n != 0 && t.kind(t.nodes[n].parent) == '{' {
		start = int(t.nodes[n-1].start)
	}
	return start, end
}

// IsResolved reports whether body is an object with a schema_snapshot. Such a
// document is parsed by [ParseResolved].
func IsResolved(body []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(body, []byte(byteOrderMark))))
	for first := true; ; first = false {
		token, err := dec.ReadToken()
		switch {
		case err != nil || first && token.Kind() != '{' || token.Kind() == '}':
			return false
		case first:
		case token.String() == "schema_snapshot":
			return true
		case dec.SkipValue() != nil:
			return false
		}
	}
}

// find follows path as far as possible and returns the rest of the path.
func (t *tree) find(path string) (n ref, rest string) {
	for path != "" {
		var next ref
		name, after := cutPath(path)
		switch t.kind(n) {
		case '{':
			next = t.member(n, name)
		case '[':
			if i, err := strconv.Atoi(name); err == nil {
				if items := t.list(n); 0 <= i && i < len(items) {
					next = items[i]
				}
			}
		}
		if next == 0 {
			break
		}
		n, path = next, after
	}
	return n, path
}

// cutPath splits path after its first name or index.
func cutPath(path string) (name, rest string) {
	if strings.HasPrefix(path, `["`) {
		quoted, err := strconv.QuotedPrefix(path[1:])
		if err == nil && strings.HasPrefix(path[1+len(quoted):], "]") {
			name, _ = strconv.Unquote(quoted)
			return name, strings.TrimPrefix(path[2+len(quoted):], ".")
		}
	}
	if strings.HasPrefix(path, "[") {
		name, rest, _ = strings.Cut(path[1:], "]")
		return name, strings.TrimPrefix(rest, ".")
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}
