package docschema

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// AuthoringFile is a kind of YAML file in a release folder.
type AuthoringFile string

const (
	MetaFile     AuthoringFile = "meta"
	TypeFile     AuthoringFile = "type"
	CategoryFile AuthoringFile = "category"
	ElementFile  AuthoringFile = "element"
)

// AuthoringFiles lists every kind of authoring file.
var AuthoringFiles = []AuthoringFile{MetaFile, TypeFile, CategoryFile, ElementFile}

// authoringFileOf returns the kind of a file, given its path below the release
// folder.
func authoringFileOf(name string) (AuthoringFile, bool) {
	dir, base := path.Split(name)
	switch {
	case name == "meta.yaml":
		return MetaFile, true
	case name == "datachain-type.yaml":
		return TypeFile, true
	case dir == "categories/" && path.Ext(base) == ".yaml":
		return CategoryFile, true
	case dir == "elements/" && path.Ext(base) == ".yaml":
		return ElementFile, true
	}
	return "", false
}

// SchemaFolder is the folder of a release in which editors find the schemas of
// its files. Its name begins with a period, so package source ignores it.
const SchemaFolder = ".schema"

// SchemaFiles returns the schema files for a release by their paths below the
// release folder. The taxonomy may be incomplete.
func SchemaFiles(t *taxonomy.Taxonomy) map[string][]byte {
	files := make(map[string][]byte)
	for _, file := range AuthoringFiles {
		files[schemaPath(file)] = Authoring(file, t)
	}
	return files
}

func schemaPath(file AuthoringFile) string { return path.Join(SchemaFolder, string(file)+".json") }

// schemaComment begins the comment that names the schema of a YAML file.
const schemaComment = "# yaml-language-server: $schema="

// SchemaComment returns the comment line, without a line break, that names the
// schema of a YAML file for editors. The path of the file is relative to the
// release folder. SchemaComment returns the empty string if the file has no
// schema.
func SchemaComment(name string) string {
	file, ok := authoringFileOf(name)
	if !ok {
		return ""
	}
	return schemaComment + strings.Repeat("../", strings.Count(name, "/")) + schemaPath(file)
}

// AddSchemaComment returns the content of a YAML file with its [SchemaComment] as
// the first line. It returns the content unchanged if the file has no schema or
// if any line names one already.
func AddSchemaComment(name string, content []byte) []byte {
	const bom = "\uFEFF"
	comment := SchemaComment(name)
	rest, hasBOM := bytes.CutPrefix(content, []byte(bom))
	if comment == "" || hasSchemaComment(rest) {
		return content
	}
	var b []byte
	if hasBOM {
		b = append(b, bom...)
	}
	b = append(b, comment...)
	if first, _, ok := bytes.Cut(rest, []byte("\n")); ok && bytes.HasSuffix(first, []byte("\r")) {
		b = append(b, '\r')
	}
	return append(append(b, '\n'), rest...)
}

// hasSchemaComment reports whether a line of a YAML file names its schema. Editors
// ignore the amount of white space.
func hasSchemaComment(content []byte) bool {
	for line := range bytes.Lines(content) {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
		if !ok {
			continue
		}
		rest, ok = bytes.CutPrefix(bytes.TrimSpace(rest), []byte("yaml-language-server"))
		if ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(":")) {
			return true
		}
	}
	return false
}

// Authoring returns the JSON Schema of an authoring file. Editors complete the ids
// and locales of t; the schema accepts others as well, because t may be older than
// the file. Without a taxonomy, the schema is the same for every release.
//
// The schema accepts the files that package source reads without a finding about
// the shape of a value. It uses draft 7, which all editors support.
func Authoring(file AuthoringFile, t *taxonomy.Taxonomy) []byte {
	a := authoringSchema{known: knownValues(t), used: make(map[string]bool)}
	schema := append(Object{{"$schema", "http://json-schema.org/draft-07/schema#"}}, a.record(findRecord(string(file)))...)
	text, err := json.Marshal(schema.With("definitions", a.definitions()), jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // the values are strings, numbers and lists of them
	}
	return append(text, '\n')
}

// known has the values that editors complete, by the name of their type.
type known map[string][]choice

// choice is a value and a text that explains it.
type choice struct{ value, description string }

// sourceTypes are the kinds of sources that editors propose. Any other text is
// valid too.
var sourceTypes = []choice{
	{value: "law"},
	{value: "regulation"},
	{value: "standard"},
	{value: "framework"},
	{value: "guideline"},
	{value: "policy_document"},
	{value: "research_paper"},
	{value: "other"},
}

func knownValues(t *taxonomy.Taxonomy) known {
	k := known{"source type": sourceTypes}
	if t == nil {
		return k
	}
	locale := defaultLocale(t)
	for _, l := range t.Locales {
		k["locale"] = append(k["locale"], choice{value: l})
	}
	for i := range t.Categories {
		name, _ := t.Categories[i].Name.Get(locale)
		k["category id"] = append(k["category id"], choice{t.Categories[i].ID, name})
	}
	for i := range t.Elements {
		title, _ := t.Elements[i].Title.Get(locale)
		k["element id"] = append(k["element id"], choice{t.Elements[i].ID, title})
	}
	for id := range t.Symbols {
		k["symbol id"] = append(k["symbol id"], choice{value: id})
	}
	slices.SortFunc(k["symbol id"], func(a, b choice) int { return strings.Compare(a.value, b.value) })
	if !t.ID.IsZero() {
		k["type id"] = []choice{{value: t.ID.Type}}
		k["version"] = []choice{{value: t.ID.String()}}
	}
	return k
}
