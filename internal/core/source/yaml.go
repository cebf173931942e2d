package source

import (
	"bytes"
	"io"
	"io/fs"
	"iter"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// maxAliased is the maximum number of values that the aliases of one file may
// expand to.
const maxAliased = 10_000

// document is one YAML file.
type document struct {
	file string
	root *yaml.Node // a mapping, or nil if the file could not be read
	// idFromFileName is set if the document does not specify an id, so that the
	// file name is used instead.
	idFromFileName bool
}

// id returns the file name without its extension. It is the id of a document
// that does not specify one.
func (d document) id() string { return stem(d.file) }

func (d document) broken() bool { return d.root == nil }

// specifiesID reports whether a document has an id.
func specifiesID(root *yaml.Node) bool {
	id := member(root, "id")
	return id != nil && id.Kind == yaml.ScalarNode && !isNull(id) && strings.TrimSpace(id.Value) != ""
}

func (r *reader) readDocuments(folder string, entry fs.DirEntry) []document {
	return readFiles(&r.fileReader, folder, r.listFiles(folder, entry, ".yaml"), (*fileReader).readDocument)
}

// readDocument reads one YAML file. If the file does not exist, entry is nil.
func (r *fileReader) readDocument(file string, entry fs.DirEntry) document {
	d := document{file: file, idFromFileName: true}
	if entry == nil {
		return d
	}
	data, ok := r.readFile(file, entry)
	if !ok {
		return d
	}
	if r.reportOtherFormat(file, data) {
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
		r.reportSyntaxError(file, data, err)
		return d
	}
	switch err := loader.Load(&next); {
	case err == nil:
		r.report(yamlMultipleDocuments, nodePos(file, &next), "A second YAML document starts here.").
			FixHint = "Remove the --- line, or move the second document to its own file."
		return d // Fields that seem to be missing may be in the second document.
	case err != io.EOF:
		r.reportSyntaxError(file, data, err)
		return d
	}
	root := doc.Content[0]
	r.restoreUnquoted(file, data, root)
	if !r.checkNodes(file, root) {
		return d
	}
	if root.Kind != yaml.MappingNode {
		r.reportWrongKind(file, root, "a group of fields, each written as name: value")
		return d
	}
	d.root, d.idFromFileName = root, !specifiesID(root)
	return d
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8.
func invalidUTF8(data []byte) (offset int, ok bool) {
	if utf8.Valid(data) {
		return 0, false
	}
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && size == 1 {
			return i, true
		}
		i += size
	}
	return 0, false
}

func offsetPos(file string, data []byte, offset int) problem.Pos {
	before := data[:offset]
	line := bytes.LastIndexByte(before, '\n') + 1
	return problem.Pos{File: file, Line: bytes.Count(before, []byte{'\n'}) + 1, Column: utf8.RuneCount(before[line:]) + 1}
}

// checkNodes reports valid YAML that is not allowed in a tree: duplicate keys,
// keys that are not text, merge keys, and excessive aliases. It returns false if
// the document must not be read further because of its aliases.
func (r *fileReader) checkNodes(file string, root *yaml.Node) bool {
	sizes := map[*yaml.Node]int{} // number of values in each visited node with an anchor, with aliases expanded
	aliased := 0
	var walk func(n *yaml.Node) (size int, ok bool)
	walk = func(n *yaml.Node) (int, bool) {
		if n.Kind == yaml.AliasNode {
			size, visited := sizes[n.Alias]
			aliased += size
			switch {
			case !visited:
				r.report(yamlAliasExpansion, nodePos(file, n), "The alias %q refers to a value that contains it.", "*"+problem.Clip(n.Value)).FixHint = "Replace the alias with the intended values."
			case aliased > maxAliased:
				r.report(yamlAliasExpansion, nodePos(file, n), "With the alias %q, the aliases in this file expand to more than %d values.", "*"+problem.Clip(n.Value), maxAliased).
					FixHint = "Use fewer aliases."
			}
			return size, visited && aliased <= maxAliased
		}
		if n.Kind == yaml.MappingNode {
			r.checkKeys(file, n)
		}
		size := 1
		for _, child := range n.Content {
			childSize, ok := walk(child)
			if !ok {
				return 0, false
			}
			size += childSize
		}
		if n.Anchor != "" {
			sizes[n] = size
		}
		return size, true
	}
	_, ok := walk(root)
	return ok
}

func (r *fileReader) checkKeys(file string, mapping *yaml.Node) {
	r.indentTranslations(file, mapping)
	lines := map[string]int{}
	for i := 0; i < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		switch line, duplicate := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			r.reportWrongKind(file, key, "the name of a field")
		case key.ShortTag() == "!!merge":
			r.report(yamlMergeKey, nodePos(file, key), "Merge keys (<<) are not supported.").FixHint = "Copy the merged fields here."
		case duplicate:
			r.report(yamlDuplicateKey, nodePos(file, key), "%q appears here and on line %d.", problem.Clip(key.Value), line).FixHint = "Keep one of the two."
		default:
			lines[key.Value] = key.Line
		}
	}
}

// nodePos returns the position of a node.
func nodePos(file string, n *yaml.Node) problem.Pos {
	return problem.Pos{File: file, Line: n.Line, Column: n.Column}
}

// resolveAlias returns the target of an alias with the position of the alias. It
// returns any other node unchanged.
func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	target := *n.Alias
	target.Line, target.Column = n.Line, n.Column
	return &target
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// isName reports whether the key of a mapping is a field name.
func isName(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() != "!!merge" }

// hasUnreadKeys reports whether a mapping has keys that are not field names. A
// field that seems to be missing may be under one of them.
func hasUnreadKeys(mapping *yaml.Node) bool {
	for i := 0; i < len(mapping.Content); i += 2 {
		if !isName(mapping.Content[i]) {
			return true
		}
	}
	return false
}

// members yields the keys and values of the fields of a mapping. It yields nothing
// for other nodes.
func members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i]; isName(key) && !yield(key, resolveAlias(n.Content[i+1])) {
				return
			}
		}
	}
}

// member returns the value of the first of the named fields that is present, or
// nil.
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

// synonyms maps field names to their alternative names.
var synonyms = func() map[string]string {
	names := make(map[string]string)
	for _, record := range taxonomy.Records {
		for _, f := range record.Fields {
			if f.Synonym != "" {
				names[f.Name] = f.Synonym
			}
		}
	}
	return names
}()

// pos returns the position of a part of the document. The path consists of field
// names, list indexes and locales. If the part does not exist, pos returns the
// position of its innermost existing parent.
func (d document) pos(path ...any) problem.Pos {
	if d.root == nil {
		return problem.Pos{File: d.file}
	}
	n := d.root
	for _, step := range path {
		var next *yaml.Node
		switch step := step.(type) {
		case int:
			if n.Kind == yaml.SequenceNode && step < len(n.Content) {
				next = resolveAlias(n.Content[step])
			}
		case string:
			next = child(n, step)
		}
		if next == nil {
			break
		}
		n = next
	}
	return nodePos(d.file, n)
}

// child returns the field with the given name or the translation with the given
// locale, or nil.
func child(n *yaml.Node, name string) *yaml.Node {
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
		item = resolveAlias(item)
		if locale := member(item, "locale"); locale != nil && strings.EqualFold(locale.Value, name) {
			return member(item, "value")
		}
	}
	return nil
}
