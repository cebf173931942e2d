package source

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Text is one localized text of a release.
type Text struct {
	ID     string // its file and its place there, such as elements.kept_for.title
	What   string // describes it to translators
	Values taxonomy.Localized

	node *yaml.Node
}

// Texts returns the localized texts of a release folder, in the order of its files.
// The release should have no errors. A text that is an alias is that of its anchor.
func Texts(fsys fs.FS, id taxonomy.ID) ([]Text, error) {
	files, err := textFiles(fsys, id)
	var all []Text
	for _, f := range files {
		all = append(all, f.texts...)
	}
	return all, err
}

// TextsOf returns the localized texts of a taxonomy.
func TextsOf(t *taxonomy.Taxonomy) ([]Text, error) {
	files, err := Write(t)
	var all []Text
	for name, data := range files {
		if f, err := newTextFile(name, data); err == nil { // not a symbol
			all = append(all, f.texts...)
		}
	}
	return all, err
}

// Translate returns the files of a release that change, by name, if its texts get
// translations into a locale, which are by the ids of the texts. The locale is added to
// the locales of the release. Everything else stays as it is, byte for byte.
func Translate(fsys fs.FS, id taxonomy.ID, locale string, translations map[string]string) (map[string][]byte, error) {
	files, err := textFiles(fsys, id)
	changed := map[string][]byte{}
	for _, f := range files {
		before := f.data
		for i := range f.texts {
			value, ok := translations[f.texts[i].ID]
			if present, _ := f.texts[i].Values.Get(locale); ok && value != present && !f.translate(i, locale, value) {
				return nil, problem.Failure("The translation of %s cannot be inserted into %s.", f.texts[i].ID, f.name).
					Hint("Write this text as a mapping from locale to text, with one line for each locale, and try again.")
			}
		}
		list := member(f.root, "locales")
		if list != nil && len(translations) > 0 && path.Dir(f.name) == id.Folder() && len(list.Content) > 0 &&
			!slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return strings.EqualFold(n.Value, locale) }) {
			f.add(list, quoteUnlessPlain(locale), quoteUnlessPlain(locale), f.texts)
		}
		if !bytes.Equal(f.data, before) {
			changed[f.name] = f.data
		}
	}
	return changed, err
}

// textFiles returns the files of a release that can have texts.
func textFiles(fsys fs.FS, id taxonomy.ID) ([]*textFile, error) {
	r := newReader(fsys, id)
	var files []*textFile
	for _, folder := range []string{"", categoryFolder, elementFolder} {
		for _, entry := range r.readDir(path.Join(id.Folder(), folder)) {
			name := path.Join(id.Folder(), folder, entry.Name())
			if path.Ext(name) != ".yaml" {
				continue
			}
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			f, err := newTextFile(name, data)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// textFile is a YAML file whose texts can be changed.
type textFile struct {
	name  string
	data  []byte
	root  *yaml.Node
	texts []Text
}

func newTextFile(name string, data []byte) (*textFile, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s: %w", name, cmp.Or(err, fs.ErrInvalid))
	}
	f := &textFile{name: name, data: data, root: doc.Content[0]}
	id := stem(name)
	if own := member(f.root, "id"); own != nil {
		id = strings.TrimSpace(own.Value)
	}
	switch folder := path.Base(path.Dir(name)); {
	case path.Base(name) == metaFile:
		for _, field := range []string{"title", "description", "notes"} {
			if n := member(f.root, field); n != nil {
				f.addText("meta."+field, field+" of the release", n)
			}
		}
	case path.Base(name) == typeFile:
		f.addRecord(taxonomy.RecordOf(new(taxonomy.DatachainType)), f.root, stem(typeFile), "the type")
	case folder == categoryFolder:
		f.addRecord(taxonomy.RecordOf(new(taxonomy.Category)), f.root, folder+"."+id, "category "+id)
	case folder == elementFolder:
		f.addRecord(taxonomy.RecordOf(new(taxonomy.Element)), f.root, folder+"."+id, "element "+id)
	}
	return f, nil
}

// addRecord adds the texts of a record and its parts.
func (f *textFile) addRecord(r *taxonomy.Record, n *yaml.Node, id, what string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := n.Content[i+1]
		k := slices.IndexFunc(r.Fields, func(field *taxonomy.Field) bool { return slices.Contains(field.Names(), n.Content[i].Value) })
		if k < 0 {
			continue
		}
		name, typ := r.Fields[k].Name, r.Fields[k].Type
		if typ == "Localized" {
			f.addText(id+"."+name, name+" of "+what, value)
		}
		part := slices.IndexFunc(taxonomy.Records, func(r *taxonomy.Record) bool { return r.Name == strings.TrimPrefix(typ, "[]") })
		if part >= 0 && value.Kind == yaml.MappingNode {
			f.addRecord(taxonomy.Records[part], value, id+"."+name, "the "+name+" of "+what)
		}
		for k, item := range value.Content {
			if part >= 0 && value.Kind == yaml.SequenceNode {
				itemID := strconv.Itoa(k + 1)
				if own := member(item, "id"); own != nil {
					itemID = strings.TrimSpace(own.Value)
				}
				f.addRecord(taxonomy.Records[part], item, id+"."+name+"."+itemID, strings.TrimSuffix(name, "s")+" "+itemID+" of "+what)
			}
		}
	}
}

// addText adds a text, unless nothing is written for it.
func (f *textFile) addText(id, what string, n *yaml.Node) {
	t := Text{ID: id, What: "the " + what, node: n}
	for _, e := range entriesOf(n) {
		if value := resolveAlias(e.mapping.Content[e.key+1]); !isNull(value) {
			t.Values = append(t.Values, taxonomy.Text{Locale: e.locale, Value: strings.TrimSpace(value.Value)})
		}
	}
	if len(t.Values) > 0 {
		f.texts = append(f.texts, t)
	}
}

// textEntry is the place of a translation: the value of a key of a mapping.
type textEntry struct {
	locale  string
	mapping *yaml.Node
	key     int
}

// entriesOf returns the places of the translations of a text, in either notation.
func entriesOf(n *yaml.Node) []textEntry {
	var entries []textEntry
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		entries = append(entries, textEntry{n.Content[i].Value, n, i})
	}
	for _, item := range n.Content {
		for i := 0; n.Kind == yaml.SequenceNode && i < len(item.Content); i += 2 {
			if locale := member(item, "locale"); locale != nil && item.Content[i].Value == "value" {
				entries = append(entries, textEntry{locale.Value, item, i})
			}
		}
	}
	return entries
}

// translate writes a translation into the text at index i, and reports whether it
// could.
func (f *textFile) translate(i int, locale, value string) bool {
	n := f.texts[i].node
	want := slices.Clone(f.texts)
	want[i].Values = append(slices.DeleteFunc(slices.Clone(want[i].Values), func(t taxonomy.Text) bool { return strings.EqualFold(t.Locale, locale) }),
		taxonomy.Text{Locale: locale, Value: value})
	for _, e := range entriesOf(n) {
		if strings.EqualFold(e.locale, locale) {
			return f.replace(e.mapping, e.key, value, want)
		}
	}
	tag, inBrackets := quoteUnlessPlain(locale), quoteInBrackets(value)
	w := yamlWriter{indent: n.Column - 1}
	if n.Kind == yaml.MappingNode {
		return f.add(n, tag+":"+w.scalar(locale, value), tag+": "+inBrackets, want)
	}
	w.indent += 2
	return f.add(n, "locale: "+tag+"\n"+strings.Repeat(" ", w.indent)+"value:"+w.scalar("value", value), "{locale: "+tag+", value: "+inBrackets+"}", want)
}

// add adds an entry to a mapping or list, which is not empty. block and flow are its
// notations on lines of its own and in brackets.
func (f *textFile) add(n *yaml.Node, block, flow string, want []Text) bool {
	if n.Style&yaml.FlowStyle != 0 {
		return f.insert(f.offset(n), false, ", "+flow, "]}", want)
	}
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.SequenceNode {
		block = "- " + block
	} else {
		last = n.Content[len(n.Content)-2]
	}
	return f.insert(f.offset(last), false, "\n"+strings.Repeat(" ", n.Column-1)+block, "\r\n", want)
}

// replace replaces the value of the key at index i of a mapping. A comment after the
// value is kept.
func (f *textFile) replace(n *yaml.Node, i int, value string, want []Text) bool {
	key := n.Content[i]
	start := f.offset(key)
	start += bytes.IndexByte(f.data[start:], ':') + 1
	if n.Style&yaml.FlowStyle != 0 {
		return f.insert(start, true, " "+quoteInBrackets(value), ",]}", want)
	}
	w := yamlWriter{indent: key.Column - 1}
	text := w.scalar(key.Value, value) + "\n"
	if comment := cmp.Or(n.Content[i+1].LineComment, key.LineComment); comment != "" {
		text = strings.Replace(text, "\n", " "+comment+"\n", 1)
	}
	text = strings.TrimSuffix(text, "\n")
	return f.insert(start, true, text, "\r\n", want)
}

// insert inserts a text before the first of the marks from start on, or before the end
// of the file, after which the file has the texts that it should have. With replace,
// the text replaces everything from start on. The YAML library does not say where a
// value ends.
func (f *textFile) insert(start int, replace bool, text, marks string, want []Text) bool {
	if bytes.Contains(f.data, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	for end := start; end < len(f.data); end++ {
		if i := bytes.IndexAny(f.data[end:], marks); i >= 0 {
			end += i
		} else {
			end = len(f.data)
		}
		if !replace {
			start = end
		}
		changed, err := newTextFile(f.name, slices.Concat(f.data[:start], []byte(text), f.data[end:]))
		if err == nil && slices.EqualFunc(changed.texts, want, sameText) {
			*f = *changed
			return true
		}
	}
	return false
}

// sameText reports whether two texts are equal, in any order of their locales.
func sameText(a, b Text) bool {
	return a.ID == b.ID && len(a.Values) == len(b.Values) && !slices.ContainsFunc(a.Values, func(t taxonomy.Text) bool {
		value, ok := b.Values.Get(t.Locale)
		return !ok || value != t.Value
	})
}

// offset returns the offset of a node.
func (f *textFile) offset(n *yaml.Node) int {
	offset := len(f.data) - len(bytes.TrimPrefix(f.data, []byte("\ufeff")))
	for range n.Line - 1 {
		offset += bytes.IndexByte(f.data[offset:], '\n') + 1
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(f.data[offset:])
		offset += size
	}
	return offset
}
