package source

import (
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/problem"
)

// fields reads the members of one mapping. A member that was not asked for by
// the time of [fields.end] is unknown.
type fields struct {
	*reader
	file  string
	node  *yaml.Node
	asked []string
}

func (r *reader) fields(file string, mapping *yaml.Node) *fields {
	return &fields{reader: r, file: file, node: mapping}
}

// take returns a member, or nil where it is absent or null. It may be written
// under any one of its names.
func (f *fields) take(names ...string) *yaml.Node {
	f.asked = append(f.asked, names...)
	var found *yaml.Node
	var foundAs string
	for _, name := range names {
		n := member(f.node, name)
		switch {
		case n == nil:
		case found == nil:
			found, foundAs = n, name
		default:
			f.report(fieldTwoNames, at(f.file, n), "%q and %q are two names for the same field.", foundAs, name).
				FixHint = "Keep " + foundAs + " and remove " + name + "."
		}
	}
	if found == nil || isNull(found) {
		return nil
	}
	return found
}

// need is take for a member that must be there.
func (f *fields) need(names ...string) *yaml.Node {
	n := f.take(names...)
	switch {
	case n == nil:
		f.missing(member(f.node, names...), names[0])
	case n.Kind != yaml.ScalarNode && len(n.Content) == 0:
		f.missing(n, names[0])
		return nil
	}
	return n
}

// missing reports a field at its empty value, if it has one, or else at the
// mapping that lacks it.
func (f *fields) missing(value *yaml.Node, name string) {
	switch {
	case value == nil && hides(f.node):
		return
	case value == nil:
		value = f.node
	}
	f.report(fieldMissing, at(f.file, value), "The field %q is missing or empty.", name).FixHint = "Fill in " + name + "."
}

// end reports the members that nothing asked for.
func (f *fields) end() {
	for key := range members(f.node) {
		if slices.Contains(f.asked, key.Value) {
			continue
		}
		f.report(fieldUnknown, at(f.file, key), "The field %q is unknown here and is ignored.", problem.Clip(key.Value)).
			FixHint = f.hints.offer(key.Value, f.asked, "Remove it. The known fields are "+strings.Join(f.asked, ", ")+".")
	}
}

// wrongKind reports a value that is not what a field wants.
func (r *reader) wrongKind(file string, n *yaml.Node, want string) {
	kind := "text"
	switch {
	case n.Kind == yaml.MappingNode:
		kind = "a group of fields"
	case n.Kind == yaml.SequenceNode:
		kind = "a list"
	case isNull(n):
		kind = "nothing"
	case n.Value != "":
		kind = strconv.Quote(problem.Clip(n.Value))
	}
	r.report(fieldKind, at(file, n), "Expected %s, but found %s.", want, kind).FixHint = "Write " + want + "."
}

// text reads plain text. A number or a date is taken as it is written.
func (f *fields) text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		f.wrongKind(f.file, n, "text")
		return ""
	}
	text := strings.TrimSpace(n.Value)
	if text == "" {
		f.report(textBlank, at(f.file, n), "The text is blank.").FixHint = "Write the text, or remove the field."
	}
	return text
}

func (f *fields) flag(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		f.wrongKind(f.file, n, "true or false")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// count reads a number from 0 up.
func (f *fields) count(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	number, err := strconv.ParseInt(n.Value, 10, 32)
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil:
		f.wrongKind(f.file, n, "a whole number")
		return 0
	case number < 0:
		f.report(numberNegative, at(f.file, n), "%d is negative.", number).FixHint = "Write 0 or a positive number, or remove the field."
		return 0
	}
	return int(number)
}

// order reads a place in a sequence; nil where there is none.
func (f *fields) order(n *yaml.Node) *int {
	if n == nil {
		return nil
	}
	order := f.count(n)
	return &order
}

// items returns the members of a list.
func (f *fields) items(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		f.wrongKind(f.file, n, "a list")
		return nil
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = follow(item)
	}
	return items
}

// texts reads a list of plain texts.
func (f *fields) texts(n *yaml.Node) []string {
	var texts []string
	for _, item := range f.items(n) {
		texts = append(texts, f.text(item))
	}
	return texts
}

// each reads a list of mappings. An item that is no mapping keeps its place,
// so that the items stand in the result where they stand in the file.
func each[T any](f *fields, n *yaml.Node, read func(*fields) T) []T {
	var list []T
	for _, item := range f.items(n) {
		var value T
		if inner := f.inner(item); inner != nil {
			value = read(inner)
			inner.end()
		}
		list = append(list, value)
	}
	return list
}

// inner returns the fields of a mapping inside this one, or nil.
func (f *fields) inner(n *yaml.Node) *fields {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		f.wrongKind(f.file, n, "a group of fields (name: value)")
		return nil
	}
	return f.fields(f.file, n)
}
