package datachain

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/problem"
)

// Locator finds where the values of a document stand in its text.
type Locator struct {
	tree *tree
	err  error
}

// NewLocator reads body once, for any number of questions.
func NewLocator(body []byte) *Locator {
	t, err := readTree(body, new(meter))
	return &Locator{t, err}
}

// Locate returns where the value at path stands, its name included, or the
// nearest value around it that is there. Where the text is not the JSON that
// [Parse] reads, it returns where reading failed.
func (l *Locator) Locate(path problem.Path) (start, end int) {
	t := l.tree
	if l.err != nil {
		return t.stopped, t.stopped
	}
	n, _ := t.find(path.String())
	start, end = int(t.nodes[n].start), int(t.nodes[n].end)
	if n != 0 && t.kind(t.nodes[n].up) == '{' {
		start = int(t.nodes[n-1].start)
	}
	return start, end
}

// IsResolved reports whether body is an object with a schema_snapshot, and so
// should be read by [ParseResolved].
func IsResolved(body []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
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

// find follows path as far as it goes, and returns what is left of it there.
func (t *tree) find(path string) (n ref, rest string) {
	for path != "" {
		var next ref
		name, after := cutPath(path)
		switch t.kind(n) {
		case '{':
			next = t.member(n, name)
		case '[':
			if i, err := strconv.Atoi(name); err == nil {
				for k, item := range t.items(n) {
					if k == i {
						next = item
						break
					}
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

// cutPath returns the first name or index of path, and the rest.
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
