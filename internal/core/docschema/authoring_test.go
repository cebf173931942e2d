package docschema

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	yaml "go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

var demo = taxonomy.ID{Type: "demo", Date: "2026-01-31", Status: taxonomy.Beta}

// fullRelease is a release in which every key of every record is used.
const fullRelease = `-- meta.yaml --
locales: [en]
title: {en: Demonstration}
description: [{locale: en, value: A demonstration}]
status: beta
version: demo@2026-01-31-beta
created_at: 2026-01-31T09:00:00Z
notes: The first one.
content_hash: none
-- datachain-type.yaml --
id: demo
name: {en: Demonstration}
categories: [place]
description: {en: A demonstration}
subchains: [{id: way, name: {en: Way}, categories: [place]}]
sources: [{type: law, title: Road act, url: https://example.org, citation: "1 A 2"}]
locales: [en]
-- categories/place.yaml --
id: place
name: {en: Place}
description: {en: Where the system is}
shape: circle
prompt: {en: Where is it?}
guidance: {en: Name the place}
required: true
min_elements: 1
max_elements: 2
sign: 1
context:
  id: time
  name: {en: Time}
  description: {en: When it works}
  values: [{id: by_day, label: {en: By day}, description: {en: In daylight}, color: "#B35900", max_placements: 1, replaces: sunny}]
variables:
  - id: days
    label: {en: Days}
    required: true
    required_for: [street]
    kind: multi_select_enum
    sources: [{type: law, title: Road act}]
    replaces: [weekdays]
    options:
      - id: monday
        name: {en: Monday}
        description: {en: The first day}
        applies_to: [street]
        guidance: {en: Not on holidays}
        sources: [{type: law, title: Road act}]
        examples: [{scenario: {en: A market}, narrative: {en: It opens on Mondays}}]
        replaces: first_day
order: 1
datachain_type: demo
sources: [{type: law, title: Road act}]
examples: [{scenario: {en: A market}, narrative: {en: It is in the street}}]
-- elements/street.yaml --
id: street
category_id: place
title: {en: Street}
description: {en: Out in the street}
symbol_id: street
order: 1
required: true
max_placements: 1
excludes: [square]
replaces: road
deprecated: {since: 2026-01-31, message: {en: Too vague}, use: square}
keywords: {en: [avenue, main road]}
guidance: {en: Name the street}
context: {id: time, name: {en: Time}, values: [{id: by_day, name: {en: By day}}]}
sources: [{type: law, title: Road act}]
examples: [{scenario: {en: A market}, narrative: {en: It is in the street}}]
-- elements/square.yaml --
id: square
category_id: place
title: {en: Square}
description: {en: Out in the square}
symbol_id: street
-- symbols/street.svg --
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="M15 6h6v24h-6z"/></svg>
`

// overlay returns a tree with the files of txtar archives in the release folder of
// demo. Later files replace earlier ones.
func overlay(archives ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, archive := range archives {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			fsys[path.Join(demo.Folder(), f.Name)] = &fstest.MapFile{Data: f.Data}
		}
	}
	return fsys
}

// compileAuthoring returns the schemas of all authoring files.
func compileAuthoring(t *testing.T, tax *taxonomy.Taxonomy) map[AuthoringFile]*jsonschema.Schema {
	t.Helper()
	schemas := make(map[AuthoringFile]*jsonschema.Schema)
	for _, file := range AuthoringFiles {
		text := Authoring(file, tax)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("mem:schema", value); err != nil {
			t.Fatal(err)
		}
		if schemas[file], err = c.Compile("mem:schema"); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, text)
		}
	}
	return schemas
}

// jsonOf converts a YAML value to the value of the same JSON, as editors do.
func jsonOf(t *testing.T, n *yaml.Node) any {
	t.Helper()
	switch n.Kind {
	case yaml.DocumentNode:
		return jsonOf(t, n.Content[0])
	case yaml.AliasNode:
		return jsonOf(t, n.Alias)
	case yaml.MappingNode:
		object := make(map[string]any)
		for i := 0; i < len(n.Content); i += 2 {
			object[n.Content[i].Value] = jsonOf(t, n.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, jsonOf(t, item))
		}
		return list
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		number, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	return n.Value
}

func parseYAML(t *testing.T, data []byte) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return &n
}

// checkTree validates every authoring file of a tree without shape findings.
func checkTree(t *testing.T, fsys fs.FS) {
	t.Helper()
	ids, _ := source.Releases(fsys)
	if len(ids) == 0 {
		t.Error("the tree has no releases")
	}
	for _, id := range ids {
		generic, specific := compileAuthoring(t, nil), compileAuthoring(t, source.Outline(fsys, id))
		release, err := fs.Sub(fsys, id.Folder())
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		err = fs.WalkDir(release, ".", func(name string, _ fs.DirEntry, err error) error {
			file, ok := authoringFileOf(name)
			if err != nil || !ok {
				return err
			}
			checked++
			data, err := fs.ReadFile(release, name)
			if err != nil {
				return err
			}
			value := jsonOf(t, parseYAML(t, data))
			for _, schema := range []*jsonschema.Schema{generic[file], specific[file]} {
				if err := schema.Validate(value); err != nil {
					t.Errorf("%s: %s: %v", id, name, err)
				}
			}
			return nil
		})
		if err != nil || checked < 4 {
			t.Errorf("%s: checked %d files, error %v; want at least 4", id, checked, err)
		}
	}
}

func TestAuthoringSchemasAcceptValidTrees(t *testing.T) {
	t.Run("built-in", func(t *testing.T) { checkTree(t, envtest.BuiltinTree()) })
	t.Run("example", func(t *testing.T) { checkTree(t, os.DirFS("../../../docs/example")) })
	t.Run("skeleton", func(t *testing.T) {
		files, err := source.Skeleton(demo, []string{"en", "de"}) // texts in de are empty
		if err != nil {
			t.Fatal(err)
		}
		tree := fstest.MapFS{}
		for name, data := range files {
			tree[path.Join(demo.Folder(), name)] = &fstest.MapFile{Data: data}
		}
		checkTree(t, tree)
	})
	t.Run("minimal", func(t *testing.T) { checkTree(t, overlay(source.Minimal)) })
	t.Run("full", func(t *testing.T) { checkTree(t, overlay(fullRelease)) })
	t.Run("real", func(t *testing.T) { checkTree(t, os.DirFS(envtest.RealTree(t))) })
}

// shapeCodes are the codes of findings about one value that does not depend on
// other values.
var shapeCodes = []problem.Code{
	"FIELD_UNKNOWN", "FIELD_MISSING", "FIELD_KIND", "FIELD_TWO_NAMES", "NUMBER_NEGATIVE", "TEXT_BLANK", "LOCALE_MALFORMED",
	"ID_INVALID", "SHAPE_UNKNOWN", "VARIABLE_KIND_UNKNOWN", "COLOR_INVALID", "CREATED_AT_INVALID", "CATEGORIES_MISSING",
}

// mutations are YAML values that replace each value of a file.
var mutations = []string{
	"", `""`, `" "`, "x", `" x "`, "x y", "x.y", "7", "-7", "1.5", "true", "2026-01-31", "[]", "[7]", "[x]", `[""]`, "[null]", "[[x]]", "[{}]",
	"{}", "{en: x}", "{en: 7}", "{en: true}", "{en: }", `{en: ""}`, "{en: [x]}", "{EN: x}", "{english: x}", "{en: x, x-private: y}",
	"[{locale: en, value: x}]", "[{locale: en}]", "[{locale: en, value: }]", "[{locale: 7, value: x}]", "[{locale: en, value: x, note: y}]",
	"circle", "beta", "localized_text", `"#a1B2c3"`, "2026-01-31T09:00:00+01:00", "99999999999",
}

// disagreement compares the result of a schema for a file of demo with the findings
// of package source. It returns a description if the schema accepts a shape error,
// or rejects a file that source accepts.
func disagreement(fsys fs.FS, name string, schemaError error) string {
	_, found := source.Load(fsys, demo)
	isShapeError := slices.ContainsFunc(found, func(p problem.Problem) bool {
		return slices.Contains(shapeCodes, p.Code) && p.Pos.File == path.Join(demo.Folder(), name)
	})
	if isShapeError && schemaError == nil || !isShapeError && schemaError != nil && !found.HasErrors() {
		return fmt.Sprintf("source finds %v, the schema %v", []problem.Problem(found), schemaError)
	}
	return ""
}

var knownFields = regexp.MustCompile(`The known fields are (.*)\.$`)

// TestAuthoringRecordsHaveTheKeysThatSourceReads compares each record with the
// fields that the finding about an unknown field lists.
func TestAuthoringRecordsHaveTheKeysThatSourceReads(t *testing.T) {
	compared := make(map[string]bool)
	for _, archived := range txtar.Parse([]byte(fullRelease)).Files {
		file, ok := authoringFileOf(archived.Name)
		if !ok || archived.Name == "elements/square.yaml" {
			continue
		}
		doc := parseYAML(t, archived.Data)
		var compare func(r *authoringRecord, mapping *yaml.Node)
		compare = func(r *authoringRecord, mapping *yaml.Node) {
			compared[r.name] = true
			const unknown = "qqqqqqqqqqqqqqqq"
			old := mapping.Content
			mapping.Content = append(slices.Clone(old), &yaml.Node{Kind: yaml.ScalarNode, Value: unknown}, &yaml.Node{Kind: yaml.ScalarNode, Value: "x"})
			data, err := yaml.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			mapping.Content = old
			fsys := overlay(fullRelease)
			fsys[path.Join(demo.Folder(), archived.Name)] = &fstest.MapFile{Data: data}
			_, found := source.Load(fsys, demo)
			i := slices.IndexFunc(found, func(p problem.Problem) bool { return strings.Contains(p.Message, unknown) })
			if i < 0 {
				t.Fatalf("%s: an unknown field in a %s is not reported: %v", archived.Name, r.name, found)
			}
			want := strings.Split(knownFields.FindStringSubmatch(found[i].FixHint)[1], ", ")
			var got []string
			for _, k := range r.keys {
				got = append(got, k.name)
				if k.synonym != "" {
					got = append(got, k.synonym)
				}
				value := memberOf(mapping, k.name, k.synonym)
				if value == nil {
					if r.name != "context value" && r.name != "source" && r.name != "context" {
						t.Errorf("the full release has no %s in a %s", k.name, r.name)
					}
					continue
				}
				if inner := findRecord(strings.TrimPrefix(k.typ, "[]")); inner != nil {
					if value.Kind == yaml.SequenceNode {
						value = value.Content[0]
					}
					compare(inner, value)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: keys of a %s (-source +schema):\n%s", archived.Name, r.name, diff)
			}
		}
		compare(findRecord(string(file)), doc.Content[0])
	}
	for _, r := range authoringRecords {
		if !compared[r.name] {
			t.Errorf("the full release has no %s", r.name)
		}
	}
}

func memberOf(mapping *yaml.Node, names ...string) *yaml.Node {
	for i := 0; i < len(mapping.Content); i += 2 {
		if slices.Contains(names, mapping.Content[i].Value) {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// documentedRecords maps the headings of docs/authoring.md, and the prefixes of keys
// in their tables, to records.
var documentedRecords = map[string]string{
	"meta.yaml": "meta", "datachain-type.yaml": "type", "Categories": "category", "Elements": "element",
	"Context and colours": "context", "Context and colours values": "context value",
	"Variables": "variable", "Variables options": "option", "Elements deprecated": "deprecation",
}

var (
	documentedRow = regexp.MustCompile("^\\| (?:(\\w+): )?(\\*{0,2}`.+?) \\|")
	documentedKey = regexp.MustCompile("(\\*{0,2})`(\\w+)`")
)

func TestAuthoringDocumentListsTheKeys(t *testing.T) {
	text, err := os.ReadFile("../../../docs/authoring.md")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	heading := ""
	for line := range strings.Lines(string(text)) {
		if h, ok := strings.CutPrefix(line, "#"); ok {
			heading = strings.TrimSpace(strings.TrimLeft(h, "#"))
		}
		row := documentedRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		record := documentedRecords[strings.TrimSpace(heading+" "+row[1])]
		for _, key := range documentedKey.FindAllStringSubmatch(row[2], -1) {
			got[record] = append(got[record], key[1]+key[2])
		}
	}
	for _, name := range documentedRecords {
		var want []string
		for _, k := range findRecord(name).keys {
			// Locales are required in one of two files.
			if k.required || name == "meta" && k.name == "locales" {
				want = append(want, "**"+k.name)
			} else {
				want = append(want, k.name)
			}
			if k.synonym != "" {
				want = append(want, k.synonym)
			}
		}
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("keys of a %s (-schema +document):\n%s", name, diff)
		}
	}
}

func TestAuthoringSchemasAgreeWithTheRuleExamples(t *testing.T) {
	schemas := compileAuthoring(t, nil)
	rejected := make(map[problem.Code]bool)
	for _, rule := range source.Rules() {
		if rule.Code == "YAML_ALIAS_EXPANSION" {
			continue // its example contains itself
		}
		fsys := overlay(source.Minimal, rule.Example)
		for _, f := range txtar.Parse([]byte(rule.Example)).Files {
			file, ok := authoringFileOf(f.Name)
			var doc yaml.Node
			if !ok || len(f.Data) == 0 || yaml.Unmarshal(f.Data, &doc) != nil || doc.Kind != yaml.DocumentNode {
				continue
			}
			err := schemas[file].Validate(jsonOf(t, &doc))
			if err != nil {
				rejected[rule.Code] = true
			}
			if d := disagreement(fsys, f.Name, err); d != "" {
				t.Errorf("the example of %s: %s: %s", rule.Code, f.Name, d)
			}
		}
	}
	for _, code := range shapeCodes {
		if !rejected[code] {
			t.Errorf("the schema accepts the example of %s", code)
		}
	}
}

func TestSchemaComment(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"meta.yaml", "locales: [en]\n", "# yaml-language-server: $schema=.schema/meta.json\nlocales: [en]\n"},
		{"datachain-type.yaml", "", "# yaml-language-server: $schema=.schema/type.json\n"},
		{"categories/a.yaml", "id: a", "# yaml-language-server: $schema=../.schema/category.json\nid: a"},
		{"elements/a.yaml", "id: a\r\norder: 1\r\n", "# yaml-language-server: $schema=../.schema/element.json\r\nid: a\r\norder: 1\r\n"},
		{"elements/a.yaml", "\uFEFFid: a\n", "\uFEFF# yaml-language-server: $schema=../.schema/element.json\nid: a\n"},
		{"elements/a.yaml", "id: a\n#yaml-language-server : $schema=other.json\n", "id: a\n#yaml-language-server : $schema=other.json\n"},
		{"elements/a/b.yaml", "id: a\n", "id: a\n"},
		{"elements/a.yml", "id: a\n", "id: a\n"},
		{"symbols/a.svg", "<svg/>", "<svg/>"},
	} {
		if got := string(AddSchemaComment(test.name, []byte(test.content))); got != test.want {
			t.Errorf("AddSchemaComment(%q, %q) = %q, want %q", test.name, test.content, got, test.want)
		}
		if again := string(AddSchemaComment(test.name, []byte(test.want))); again != test.want {
			t.Errorf("AddSchemaComment(%q, %q) = %q, want no second comment", test.name, test.want, again)
		}
	}
	full := overlay(fullRelease)
	want, _ := source.Load(full, demo)
	for name, file := range SchemaFiles(want) {
		full[path.Join(demo.Folder(), name)] = &fstest.MapFile{Data: file}
	}
	for name, f := range full {
		below := strings.TrimPrefix(name, demo.Folder()+"/")
		f.Data = AddSchemaComment(below, f.Data)
	}
	got, found := source.Load(full, demo)
	if diff := cmp.Diff(want, got); diff != "" || len(found) > 0 {
		t.Errorf("after adding schemas: got findings %v, taxonomy (-want +got):\n%s", found, diff)
	}
}

func TestSchemasOfALargeReleaseAreSmall(t *testing.T) {
	tax := &taxonomy.Taxonomy{Locales: []string{"en"}}
	for i := range 20_000 {
		tax.Elements = append(tax.Elements, taxonomy.Element{ID: fmt.Sprint("element_", i), Title: taxonomy.Localized{{Locale: "en", Value: fmt.Sprint("Element number ", i)}}})
	}
	for name, data := range SchemaFiles(tax) {
		if len(data) > 4<<20 {
			t.Errorf("%s has %d bytes, want at most 4 MiB", name, len(data))
		}
	}
}
