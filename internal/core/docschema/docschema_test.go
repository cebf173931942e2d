package docschema_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"placard/internal/core/datachain"
	"placard/internal/core/docschema"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/query"
	"placard/scripts/envtest"
)

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:schema", decode(t, string(schema))); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatalf("%v\n%s", err, schema)
	}
	return compiled
}

func decode(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// full is a thin document that has every member.
const full = `{"id":"d","title":[{"locale":"en","value":"Gate"}],"description":[],"schema_version":"small@2026-01-02-stable",
	"created_at":"2026-01-05T10:00:00Z","updated_at":"2026-01-05T10:00+0100","instance_version":"1.2","linked_instance_ids":["e"],
	"sources":[{"type":"law","title":"A law","url":"https://example.org","citation":"1 A 2"}],
	"subchain_instances":[{"id":"s","subchain_id":"flow","label":"North","head_refs":["sound"],"order":1}],
	"elements":[{"element_id":"safety"},{"element_id":"sound","context_type_id":"loud","element_instance_id":"i","label":"North","priority":1,
		"subchain_instance_id":"s","sources":[],"variables":[{"id":"note","value":[{"locale":"en","value":"Loud."}]},{"id":"where","value":["there"]}],
		"actions":[{"type":"email","label":[{"locale":"en","value":"Write"}],"target":"a@example.org"}]},
		{"element_id":"pictures","context_type_id":"fine","label":[{"locale":"fr","value":"Nord"}],"variables":[{"id":"note","value":[{"locale":"en","value":"Two."}]}]}],
	"authoring_provenance":{"kind":"human","model":"m","generated_at":"2026-01-05T10:00:00Z","element_provenance":{"i":{
		"rationale":"x","confidence":"high","source_references":[{"quote":"q","context":"c"}],"variable_rationale":{"note":"y"}}}}}`

// resolvedFull returns full as a resolved document.
func resolvedFull(t *testing.T) string {
	t.Helper()
	_, resolution, err := query.Resolve(releasetest.Release(t, "small@2026-01-02-stable"), []byte(full), nil)
	if err != nil || resolution == nil {
		t.Fatalf("resolve: got resolution %v, error %v, want a resolution", resolution, err)
	}
	return string(resolution.Document())
}

// examples returns the example datachains of the built-in taxonomy by file name.
func examples(t *testing.T) map[string]string {
	t.Helper()
	tree := envtest.BuiltinTree()
	names, err := fs.Glob(tree, "*/*/examples/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("got examples %q, error %v, want at least one", names, err)
	}
	all := make(map[string]string)
	for _, name := range names {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(data)
	}
	return all
}

func TestSchemasAgreeWithTheParser(t *testing.T) {
	thin, resolved := compile(t, docschema.Thin()), compile(t, docschema.Resolved())
	rejected := 0
	check := func(name, document string) {
		t.Helper()
		schema := thin
		var report datachain.Report
		var err error
		if datachain.IsResolved([]byte(document)) {
			schema = resolved
			_, report, err = datachain.ParseResolved([]byte(document), nil)
		} else {
			_, report, err = datachain.Parse([]byte(document), nil)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !report.OK() {
			rejected++
		}
		if err := schema.Validate(decode(t, document)); (err == nil) != report.OK() {
			t.Errorf("%s: the parser reports %v, the schema %v\n%.500s", name, report.Errors, err, document)
		}
	}
	for _, rule := range datachain.Rules() {
		check(string(rule.Code), rule.Example)
	}
	for name, document := range examples(t) {
		check(name, document)
	}
	for _, document := range []string{full, resolvedFull(t)} {
		check("the full document", document)
		for change, changed := range mutations(t, document) {
			check("the full document with "+change, changed)
		}
	}
	if rejected < 150 {
		t.Errorf("got %d rejected documents, want at least 150", rejected)
	}
}

// mutations returns copies of a document. In each copy, one member is absent,
// null or -1.5. Members that differ only in array indexes are changed once.
func mutations(t *testing.T, document string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	seen := make(map[string]bool)
	dec := jsontext.NewDecoder(strings.NewReader(document))
	for {
		start := int(dec.InputOffset())
		token, err := dec.ReadToken()
		if err != nil {
			return all
		}
		kind, length := dec.StackIndex(dec.StackDepth())
		if token.Kind() != '"' || kind != '{' || length%2 == 0 {
			continue
		}
		member := arrayIndex.ReplaceAllString(string(dec.StackPointer()), "")
		if seen[member] {
			continue
		}
		seen[member] = true
		name := int(dec.InputOffset())
		value := name + len(document[name:]) - len(strings.TrimLeft(document[name:], " \n\t:"))
		rest := jsontext.NewDecoder(strings.NewReader(document[value:]))
		if err := rest.SkipValue(); err != nil {
			t.Fatal(err)
		}
		end := value + int(rest.InputOffset())
		all[member+" null"] = document[:value] + "null" + document[end:]
		all[member+" -1.5"] = document[:value] + "-1.5" + document[end:]
		// start is before the comma that precedes the member, if there is one.
		before, after := document[:start], document[end:]
		if !strings.HasPrefix(document[start:], ",") {
			after = strings.TrimPrefix(after, ",")
		}
		all[member+" absent"] = before + after
	}
}

var arrayIndex = regexp.MustCompile(`/\d+`)

func TestExamplesAreStrictlyValid(t *testing.T) {
	strict := compileAll(t, docschema.Strict)
	thin, resolved := strict("Datachain"), strict("ResolvedDatachain")
	documents := examples(t)
	documents["the full document"] = full
	for name, document := range documents {
		if err := thin.Validate(decode(t, document)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	document := resolvedFull(t)
	if err := resolved.Validate(decode(t, document)); err != nil {
		t.Errorf("the resolved document: %v", err)
	}
	for _, broken := range []struct{ old, new string }{
		{`"locale":"en"`, `"locale":"e_n"`},
		{`"confidence":"high"`, `"confidence":"certain"`},
		{`"shape":"circle"`, `"shape":"star"`},
		{`"guidance":`, `"guide":`},
	} {
		changed := strings.Replace(document, broken.old, broken.new, 1)
		if changed == document {
			t.Errorf("the resolved document has no %s", broken.old)
		}
		if err := resolved.Validate(decode(t, changed)); err == nil {
			t.Errorf("the resolved document with %s is valid, want an error", broken.new)
		}
	}
}

// compileAll returns a function that compiles a definition in the given form.
func compileAll(t *testing.T, form docschema.Form) func(name string) *jsonschema.Schema {
	set := docschema.Set{Form: form, Refs: "#/$defs/"}
	var definitions docschema.Object
	for _, name := range docschema.Names() {
		definitions = definitions.With(name, set.Definition(name))
	}
	return func(name string) *jsonschema.Schema {
		t.Helper()
		text, err := json.Marshal(docschema.Object{{"$ref", "#/$defs/" + name}, {"$defs", definitions}})
		if err != nil {
			t.Fatal(err)
		}
		return compile(t, text)
	}
}

func TestEveryDefinitionCompiles(t *testing.T) {
	names := docschema.Names()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("%s is defined twice", name)
		}
	}
	for _, form := range []docschema.Form{docschema.Lenient, docschema.Strict} {
		schema := compileAll(t, form)
		for _, name := range names {
			schema(name)
		}
	}
}

func TestBundleContainsOnlyTheDefinitionsItUses(t *testing.T) {
	for _, test := range []struct{ members, want string }{
		{`"type":"string"`, `{"type":"string"}`},
		{`"$ref":"#/$defs/Count"`, `{"$ref":"#/$defs/Count","$defs":{"Count":{"type":"integer","minimum":0}}}`},
		{`"items":{"$ref":"#/$defs/Label"}`, `{"items":{"$ref":"#/$defs/Label"},"$defs":{` +
			`"Localized":{"type":"array","items":{"$ref":"#/$defs/Text"},"description":"One text in several locales, each at most once."},` +
			`"Text":{"type":"object","required":["locale","value"],"properties":{` +
			`"locale":{"type":"string","description":"A BCP 47 language tag, such as en or pt-BR."},"value":{"type":"string"}}},` +
			`"Label":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/Localized"}]}}}`},
	} {
		if got := string(docschema.Bundle(test.members)); got != test.want {
			t.Errorf("Bundle(%s) = %s\nwant %s", test.members, got, test.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Bundle did not panic on an unknown definition")
		}
	}()
	docschema.Bundle(`"$ref":"#/$defs/Nothing"`)
}

func TestObjectsKeepMemberOrder(t *testing.T) {
	o := docschema.Object{{"b", 1}}
	longer := o.With("a", 2)
	changed := longer.Set("b", 3).Set("c", nil)
	for _, test := range []struct {
		object docschema.Object
		want   string
	}{
		{nil, `{}`},
		{o, `{"b":1}`},
		{longer, `{"b":1,"a":2}`},
		{changed, `{"b":3,"a":2,"c":null}`},
	} {
		got, err := json.Marshal(test.object)
		if err != nil || string(got) != test.want {
			t.Errorf("got %s (error %v), want %s", got, err, test.want)
		}
	}
	if got := changed.Get("a"); got != 2 {
		t.Errorf("Get(a) = %v, want 2", got)
	}
	if got := changed.Get("d"); got != nil {
		t.Errorf("Get(d) = %v, want nil", got)
	}
}
