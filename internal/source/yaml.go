package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/problem"
)

// maxAliased is how many values the aliases of one file may repeat.
const maxAliased = 10_000

// document is one YAML file. One that could not be read has no root.
type document struct {
	file string
	root *yaml.Node // a mapping
}

// id is what the file is called after, and what it is taken to be called
// where it does not say.
func (d document) id() string { return stem(d.file) }

func (d document) broken() bool { return d.root == nil }

// guessed reports whether the file does not say its id, so that its name
// stands in.
func (d document) guessed() bool {
	if d.broken() {
		return true
	}
	id := member(d.root, "id")
	return id == nil || id.Kind != yaml.ScalarNode || isNull(id) || strings.TrimSpace(id.Value) == ""
}

func (r *reader) documents(folder string, entry fs.DirEntry) []document {
	var docs []document
	for _, e := range r.files(folder, entry, ".yaml") {
		docs = append(docs, r.document(path.Join(folder, e.Name()), e))
	}
	return docs
}

// document reads one YAML file; entry is nil for one that is not there.
func (r *reader) document(file string, entry fs.DirEntry) document {
	d := document{file: file}
	if entry == nil {
		return d
	}
	data, ok := r.read(file, entry)
	if !ok {
		return d
	}
	if at, ok := firstInvalid(data); ok {
		r.report(fileNotUTF8, position(file, data, at), "The file is not encoded in UTF-8.").FixHint = "Save the file as UTF-8."
		return d
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithUniqueKeys(false))
	var doc, next yaml.Node
	if err == nil {
		err = loader.Load(&doc)
	}
	if err == io.EOF || err == nil && isNull(doc.Content[0]) {
		r.report(yamlEmpty, problem.Pos{File: file, Line: 1, Column: 1}, "The file is empty.").FixHint = "Fill it in or delete it."
		return d
	}
	if err != nil {
		r.syntax(file, data, err)
		return d
	}
	switch err := loader.Load(&next); {
	case err == nil:
		r.report(yamlMultipleDocuments, at(file, &next), "A second YAML document starts here; only the first is read.").
			FixHint = "Remove the --- line, or move the second document to its own file."
	case err != io.EOF:
		r.syntax(file, data, err)
		return d
	}
	root := doc.Content[0]
	if !r.plain(file, root) {
		return d
	}
	if root.Kind != yaml.MappingNode {
		r.wrongKind(file, root, "a group of fields (name: value)")
		return d
	}
	d.root = root
	return d
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(data []byte) (offset int, ok bool) {
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && size == 1 {
			return i, true
		}
		i += size
	}
	return 0, false
}

func position(file string, data []byte, offset int) problem.Pos {
	before := data[:offset]
	line := bytes.LastIndexByte(before, '\n') + 1
	return problem.Pos{File: file, Line: bytes.Count(before, []byte{'\n'}) + 1, Column: utf8.RuneCount(before[line:]) + 1}
}

// syntax reports what the YAML library could not read.
func (r *reader) syntax(file string, data []byte, err error) {
	pos := problem.Pos{File: file, Line: 1, Column: 1}
	message := err.Error()
	var load *yaml.LoadError
	if errors.As(err, &load) {
		message = load.Message
		if load.Mark.Line > 0 {
			pos.Line, pos.Column = load.Mark.Line, load.Mark.Column
		} else if i := bytes.IndexFunc(data, isControl); i >= 0 {
			pos = position(file, data, i)
		}
		if load.ContextMsg != "" && load.ContextMark.Line > 0 && load.ContextMark.Line != load.Mark.Line {
			message += " " + load.ContextMsg + " that starts on line " + strconv.Itoa(load.ContextMark.Line)
		}
	}
	hint := "Check the indentation and the quotes on this line and the line before."
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		hint = "Put the text in quotes, because it contains a colon followed by a space."
	case strings.Contains(message, "cannot start any token"):
		hint = "Indent with spaces, not tabs, and put text that starts with @, ` or % in quotes."
	case strings.Contains(message, "control characters"):
		hint = "Remove the invisible control character."
	}
	r.report(yamlSyntax, pos, "The YAML is not valid: %s.", strings.Map(visible, message)).FixHint = hint
}

func isControl(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7F
}

// visible replaces what is not seen: the YAML library quotes files as they are.
func visible(c rune) rune {
	if strconv.IsPrint(c) {
		return c
	}
	return utf8.RuneError
}

// plain reports what YAML allows and a tree does not: keys that stand twice or
// are not text, merge keys, and aliases that repeat too much. It is false
// where reading on would have no end.
func (r *reader) plain(file string, root *yaml.Node) bool {
	sizes := map[*yaml.Node]int{} // of finished nodes, aliases followed
	aliased := 0
	var walk func(n *yaml.Node) (size int, ok bool)
	walk = func(n *yaml.Node) (int, bool) {
		if n.Kind == yaml.AliasNode {
			size, finished := sizes[n.Alias]
			aliased += size
			switch {
			case !finished:
				r.report(yamlAliasExpansion, at(file, n), "The alias %q refers to a value that contains it.", "*"+problem.Clip(n.Value)).FixHint = "Replace the alias with the intended values."
			case aliased > maxAliased:
				r.report(yamlAliasExpansion, at(file, n), "With the alias %q, the aliases in this file expand to more than %d values.", "*"+problem.Clip(n.Value), maxAliased).
					FixHint = "Use fewer aliases."
			}
			return size, finished && aliased <= maxAliased
		}
		if n.Kind == yaml.MappingNode {
			r.keys(file, n)
		}
		size := 1
		for _, child := range n.Content {
			part, ok := walk(child)
			if !ok {
				return 0, false
			}
			size += part
		}
		sizes[n] = size
		return size, true
	}
	_, ok := walk(root)
	return ok
}

func (r *reader) keys(file string, mapping *yaml.Node) {
	lines := map[string]int{}
	for i := 0; i < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		switch line, twice := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			r.wrongKind(file, key, "the name of a field")
		case key.ShortTag() == "!!merge":
			r.report(yamlMergeKey, at(file, key), "Merge keys (<<) are not supported.").FixHint = "Copy the merged fields here."
		case twice:
			r.report(yamlDuplicateKey, at(file, key), "%q appears here and on line %d.", problem.Clip(key.Value), line).FixHint = "Keep one of the two."
		default:
			lines[key.Value] = key.Line
		}
	}
}

// at is where a node stands.
func at(file string, n *yaml.Node) problem.Pos {
	return problem.Pos{File: file, Line: n.Line, Column: n.Column}
}

// follow returns what an alias stands for, at the place of the alias; any
// other node is returned as it is.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	target := *n.Alias
	target.Line, target.Column = n.Line, n.Column
	return &target
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// isName reports whether the key of a mapping is the name of a field.
func isName(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() != "!!merge" }

// hides reports whether a mapping has keys that are not read, so that what
// seems to be missing may be behind one of them.
func hides(mapping *yaml.Node) bool {
	for i := 0; i < len(mapping.Content); i += 2 {
		if !isName(mapping.Content[i]) {
			return true
		}
	}
	return false
}

// members yields the fields of a mapping by their keys; any other node has none.
func members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i]; isName(key) && !yield(key, follow(n.Content[i+1])) {
				return
			}
		}
	}
}

// member returns the value of a field by its first name that is there, or nil.
func member(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		for key, value := range members(n) {
			if key.Value == name {
				return value
			}
		}
	}
	return nil
}

// synonyms are other names under which a field may be written.
var synonyms = map[string]string{
	"context":   "element_context",
	"variables": "element_variables",
	"guidance":  "authoring_guidance",
	"label":     "name",
}

// at returns where a part of the document stands: field by field, item by
// item, and locale by locale. Where it is not there, the nearest part that is
// there around it counts.
func (d document) at(path ...any) problem.Pos {
	if d.root == nil {
		return problem.Pos{File: d.file}
	}
	n := d.root
	for _, step := range path {
		var next *yaml.Node
		switch step := step.(type) {
		case int:
			if n.Kind == yaml.SequenceNode && step < len(n.Content) {
				next = follow(n.Content[step])
			}
		case string:
			next = descend(n, step)
		}
		if next == nil {
			break
		}
		n = next
	}
	return at(d.file, n)
}

// descend finds a field by its name, or a translation by its locale.
func descend(n *yaml.Node, name string) *yaml.Node {
	synonym, ok := synonyms[name]
	for key, value := range members(n) {
		if strings.EqualFold(key.Value, name) || ok && key.Value == synonym {
			return value
		}
	}
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range n.Content {
		item = follow(item)
		if locale := member(item, "locale"); locale != nil && strings.EqualFold(locale.Value, name) {
			return member(item, "value")
		}
	}
	return nil
}
