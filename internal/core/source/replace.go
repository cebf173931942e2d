package source

import (
	"bytes"
	"slices"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// replacements are changes to the fields of a YAML file.
type replacements struct {
	values  map[string]string // by field; fields that the file does not have are not added
	removed string            // a field to remove, or empty
}

// value returns the new value of a field. It returns false for a field that keeps
// its value.
func (r replacements) value(key, value *yaml.Node) (string, bool) {
	text, ok := r.values[key.Value]
	return text, ok && !isNull(value)
}

func (r replacements) removes(key *yaml.Node) bool { return r.removed != "" && key.Value == r.removed }

// apply returns a YAML file with the changes. All other bytes are kept. If the file
// has errors or an unusual notation, apply makes fewer changes or none.
func (r replacements) apply(data []byte) []byte {
	// YAML does not count a byte order mark as a column.
	if text, ok := bytes.CutPrefix(data, []byte("\uFEFF")); ok {
		return append([]byte("\uFEFF"), r.apply(text)...)
	}
	root := parseMapping(data)
	if root == nil {
		return data
	}
	if out := r.replace(data, root); r.verify(root, parseMapping(out)) {
		return out
	}
	if r.removed == "" {
		return data
	}
	r.removed = ""
	return r.apply(data)
}

// replace returns the file with the changes. The result is wrong for unusual
// notations.
func (r replacements) replace(data []byte, root *yaml.Node) []byte {
	var out []byte
	rest := 0 // the offset of the first byte that is not in out
	position := cursor{text: string(data), line: 1, column: 1}
	replace := func(n *yaml.Node, length func(start int) int, text string) {
		start := max(rest, len(data)-len(position.from(n.Line, n.Column)))
		out = append(append(out, data[rest:start]...), text...)
		rest = min(start+length(start), len(data))
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if r.removes(key) {
			replace(key, func(start int) int { return fieldLength(data[start:]) }, "")
		} else if text, ok := r.value(key, value); ok {
			token, text := inSameNotation(value, text)
			replace(value, func(int) int { return len(token) }, text)
		}
	}
	return append(out, data[rest:]...)
}

// verify reports whether the mapping changed is before with the changes.
func (r replacements) verify(before, changed *yaml.Node) bool {
	if changed == nil {
		return false
	}
	rest := changed.Content
	for i := 0; i < len(before.Content); i += 2 {
		key, value := before.Content[i], before.Content[i+1]
		if r.removes(key) {
			continue
		}
		if len(rest) == 0 || !equalNodes(key, rest[0]) {
			return false
		}
		if text, ok := r.value(key, value); ok {
			if rest[1].Kind != yaml.ScalarNode || rest[1].Value != text {
				return false
			}
		} else if !equalNodes(value, rest[1]) {
			return false
		}
		rest = rest[2:]
	}
	return len(rest) == 0
}

// parseMapping returns the mapping in a YAML file, or nil.
func parseMapping(data []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithUniqueKeys(false))
	var doc yaml.Node
	if err != nil || loader.Load(&doc) != nil || doc.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	return doc.Content[0]
}

// inSameNotation returns a scalar as it is written on one line, and a text in the same
// notation.
func inSameNotation(n *yaml.Node, text string) (token, replacement string) {
	quote := ""
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		quote = `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		quote = "'"
	default:
		return n.Value, quoteUnlessPlain(text)
	}
	return quote + n.Value + quote, quote + text + quote
}

// fieldLength returns the number of bytes of the field at the start of data: its
// line, and all lines after it that are indented or blank. Blank lines at the end
// belong to the next field.
func fieldLength(data []byte) int {
	length, end := 0, 0
	for line := range bytes.Lines(data) {
		blank := len(bytes.TrimSpace(line)) == 0
		if end > 0 && !blank && line[0] != ' ' {
			break
		}
		length += len(line)
		if !blank {
			end = length
		}
	}
	return end
}

// equalNodes reports whether two nodes have the same value.
func equalNodes(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value && a.Anchor == b.Anchor &&
		slices.EqualFunc(a.Content, b.Content, equalNodes)
}

// replacePin replaces the version that a document pins. It returns other documents,
// and those that are not valid JSON, as they are.
func replacePin(data []byte, from, to taxonomy.ID) []byte {
	_, end := datachain.NewLocator(data).Locate(problem.Root.Field("schema_version"))
	before, ok := bytes.CutSuffix(data[:end], []byte(`"`+from.String()+`"`))
	if !ok {
		return data
	}
	return slices.Concat(before, []byte(`"`+to.String()+`"`), data[end:])
}
