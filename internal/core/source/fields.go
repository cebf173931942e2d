package source

import (
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
)

// fields reads the members of one mapping. [fields.reportUnknown] reports the
// members that were not read.
type fields struct {
	*reader
	file  string
	node  *yaml.Node
	known []string
	// absent has the names of fields that should be present and are not.
	absent []absentField
}

// absentField is a field that should be present and is not.
type absentField struct {
	name     string
	required bool // report it even if no unknown field has a similar name
}

func (r *reader) fields(file string, mapping *yaml.Node) *fields {
	return &fields{reader: r, file: file, node: mapping}
}

// optional returns the value of a field, or nil if it is absent or null. The field
// may be written under any one of its names.
func (f *fields) optional(names ...string) *yaml.Node {
	n := f.lookup(names...)
	if n == nil {
		for key, value := range members(f.node) {
			if slices.Contains(names, key.Value) {
				f.checkComment(nodePos(f.file, key), emptyComment(f.node, key, value))
			}
		}
	}
	return n
}

// expected is like optional, but reports a field that is probably meant by an
// unknown one. Other findings about its absence are left to the rules.
func (f *fields) expected(names ...string) *yaml.Node {
	if member(f.node, names...) == nil {
		f.absent = append(f.absent, absentField{name: names[0]})
	}
	return f.optional(names...)
}

// lookup is like optional, but does not report comments that may have been meant
// as the value.
func (f *fields) lookup(names ...string) *yaml.Node {
	f.known = append(f.known, names...)
	var found *yaml.Node
	var foundAs string
	for _, name := range names {
		n := member(f.node, name)
		switch {
		case n == nil:
		case found == nil:
			found, foundAs = n, name
		default:
			f.report(fieldTwoNames, nodePos(f.file, n), "%q and %q are two names for the same field.", foundAs, name).
				FixHint = "Keep " + foundAs + " and remove " + name + "."
		}
	}
	if found == nil || isNull(found) {
		return nil
	}
	return found
}

// required is like optional, but reports a missing or empty field.
func (f *fields) required(names ...string) *yaml.Node {
	n := f.lookup(names...)
	switch {
	case n == nil:
		f.reportMissing(member(f.node, names...), names[0])
	case n.Kind != yaml.ScalarNode && len(n.Content) == 0:
		f.reportMissing(n, names[0])
		return nil
	}
	return n
}

// reportMissing reports a field with an empty value. If there is no value, it
// leaves the field to [fields.reportUnknown].
func (f *fields) reportMissing(value *yaml.Node, name string) {
	if value == nil {
		f.absent = append(f.absent, absentField{name, true})
		return
	}
	for key, v := range members(f.node) {
		if comment := unspacedComment.FindString(emptyComment(f.node, key, v)); comment != "" && key.Value == name {
			f.report(fieldMissing, nodePos(f.file, key), "The field %q is empty. Without quotes, YAML reads %q as a comment.", name, problem.Clip(strings.Map(printable, comment))).
				FixHint = quoteHint
			return
		}
	}
	f.report(fieldMissing, nodePos(f.file, value), "The field %q is missing or empty.", name).FixHint = "Fill in " + name + "."
}

// reportUnknown reports the fields that were not read and those that are absent.
// An unknown field that is probably meant to be an absent one is reported once.
func (f *fields) reportUnknown() {
	var unknown []*yaml.Node
	for key := range members(f.node) {
		if !slices.Contains(f.known, key.Value) {
			unknown = append(unknown, key)
		}
	}
	for _, field := range f.absent {
		i := slices.IndexFunc(unknown, func(key *yaml.Node) bool { return f.isMeant(key.Value, field.name) })
		switch {
		case i >= 0:
			if !field.required { // A rule reports its absence otherwise.
				f.misspelt[f.file+" "+field.name] = true
			}
			f.report(fieldMissing, nodePos(f.file, unknown[i]), "The field %q is unknown here, and the field %q is missing.", problem.Clip(unknown[i].Value), field.name).
				FixHint = "Did you mean " + strconv.Quote(field.name) + "?"
			unknown = slices.Delete(unknown, i, i+1)
		case field.required && !hasUnreadKeys(f.node):
			f.report(fieldMissing, nodePos(f.file, f.node), "The field %q is missing or empty.", field.name).FixHint = "Fill in " + field.name + "."
		}
	}
	for _, key := range unknown {
		f.report(fieldUnknown, nodePos(f.file, key), "The field %q is unknown here and is not read.", problem.Clip(key.Value)).
			FixHint = f.hints.suggest(key.Value, f.known, "Remove it. The known fields are "+strings.Join(f.known, ", ")+".")
	}
}

// titles are names of fields that are easily confused, because each of them names
// something.
var titles = []string{"title", "name", "label"}

// isMeant reports whether an unknown field is probably meant to be an absent one.
func (f *fields) isMeant(unknown, absent string) bool {
	if slices.Contains(titles, unknown) && slices.Contains(titles, absent) {
		return true
	}
	nearest := f.hints.nearest(unknown, f.known)
	return len(nearest) > 0 && nearest[0] == absent
}

// reportWrongKind reports a value of the wrong kind.
func (r *fileReader) reportWrongKind(file string, n *yaml.Node, want string) {
	kind := "empty text"
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
	hint := "Replace it with " + want + "."
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		kind = "the text " + kind
		hint = "Replace it with " + want + ", without quotes."
	}
	r.report(fieldKind, nodePos(file, n), "Expected %s, but found %s.", want, kind).FixHint = hint
}

// text reads text. Numbers and dates are read as written.
func (f *fields) text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		f.reportWrongKind(f.file, n, "text")
		return ""
	}
	text := strings.TrimSpace(n.Value)
	if n.Style == 0 {
		f.checkComment(nodePos(f.file, n), n.LineComment)
	}
	if text == "" {
		f.report(textBlank, nodePos(f.file, n), "The text is blank.").FixHint = "Write the text, or remove the field."
	}
	return text
}

func (f *fields) boolean(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		f.reportWrongKind(f.file, n, "true or false")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// count reads a non-negative number.
func (f *fields) count(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	number, err := strconv.ParseInt(n.Value, 10, 32)
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil:
		f.reportWrongKind(f.file, n, "a whole number")
		return 0
	case number < 0:
		f.report(numberNegative, nodePos(f.file, n), "%d is negative.", number).FixHint = "Write 0 or a positive number, or remove the field."
		return 0
	}
	return int(number)
}

// order reads an order number, or returns nil if there is none.
func (f *fields) order(n *yaml.Node) *int {
	if n == nil {
		return nil
	}
	order := f.count(n)
	return &order
}

// items returns the items of a list.
func (f *fields) items(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		f.reportWrongKind(f.file, n, "a list such as [a, b]")
		return nil
	}
	items := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		items[i] = resolveAlias(item)
	}
	return items
}

// texts reads a list of texts.
func (f *fields) texts(n *yaml.Node) []string {
	var texts []string
	for _, item := range f.items(n) {
		texts = append(texts, f.text(item))
	}
	return texts
}

// mapping returns the fields of a nested mapping, or nil.
func (f *fields) mapping(n *yaml.Node) *fields {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		f.reportWrongKind(f.file, n, "a group of fields, each written as name: value")
		return nil
	}
	return f.fields(f.file, n)
}
