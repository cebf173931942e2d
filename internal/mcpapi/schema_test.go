package mcpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"placard/internal/datachain"
	"placard/internal/mcpapi"
	"placard/internal/query"
	"placard/internal/release/releasetest"
)

// listed is one tool as clients see it.
type listedTool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  jsontext.Value
	OutputSchema jsontext.Value
	Annotations  map[string]any
	Meta         map[string]any `json:"_meta"`
}

func listTools(t testing.TB, s *service) []listedTool {
	t.Helper()
	var list struct{ Tools []listedTool }
	s.ask("tools/list", `{}`, &list)
	return list.Tools
}

// outputSchemas are those that tools/list promises, compiled.
func outputSchemas(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	schemas, err := compiledOutputs()
	if err != nil {
		t.Fatal(err)
	}
	return schemas
}

var compiledOutputs = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	var answer struct {
		Result struct{ Tools []listedTool }
	}
	var out bytes.Buffer
	s := mcpapi.New(mcpapi.Options{})
	if err := s.ServeStream(context.Background(), strings.NewReader(request("tools/list", `{}`)), &out); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out.Bytes(), &answer, json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil, err
	}
	schemas := make(map[string]*jsonschema.Schema)
	for _, tool := range answer.Result.Tools {
		schema, err := compile(tool.OutputSchema)
		if err != nil {
			return nil, err
		}
		schemas[tool.Name] = schema
	}
	return schemas, nil
})

func compile(schema []byte) (*jsonschema.Schema, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:schema", parsed); err != nil {
		return nil, err
	}
	return c.Compile("mem:schema")
}

func decoded(t testing.TB, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// documentSchemas are those that get_schema hands out.
func documentSchemas(t *testing.T) (thin, resolved *jsonschema.Schema) {
	t.Helper()
	var data struct {
		Schemas struct {
			Thin     jsontext.Value `json:"thin"`
			Resolved jsontext.Value `json:"resolved"`
		} `json:"schema_json"`
	}
	newService(t, mcpapi.Options{}).call("get_schema", `{"version":"place@latest"}`).into(t, &data)
	thin, err := compile(data.Schemas.Thin)
	if err != nil {
		t.Fatal(err)
	}
	if resolved, err = compile(data.Schemas.Resolved); err != nil {
		t.Fatal(err)
	}
	return thin, resolved
}

func TestTheDocumentSchemasAgreeWithTheParser(t *testing.T) {
	thin, resolved := documentSchemas(t)
	shapes := 0
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
			shapes++
		}
		if fits := schema.Validate(decoded(t, []byte(document))); (fits == nil) != report.OK() {
			t.Errorf("%s: the parser finds %v, the schema %v\n%.500s", name, codes(report.Errors), fits, document)
		}
	}
	for _, rule := range datachain.Rules() {
		check(string(rule.Code), rule.Example)
	}
	for name, document := range examples(t) {
		check(name, document)
	}
	// Every member in turn becomes something else.
	_, resolution, err := query.Resolve(releasetest.Release(t, "small@2026-01-02-stable"), []byte(rich), nil)
	if err != nil || resolution == nil {
		t.Fatal(err)
	}
	for _, document := range []string{rich, string(resolution.Document())} {
		check("the rich document", document)
		for at, changed := range changes(t, document) {
			check("the rich document with another "+at, changed)
		}
	}
	if shapes < 100 {
		t.Errorf("only %d documents have the wrong shape", shapes)
	}
}

// rich is a document that has all members that documents have.
const rich = `{"id":"d","title":[{"locale":"en","value":"Gate"}],"description":[],"schema_version":"small@2026-01-02-stable",
	"created_at":"2026-01-05T10:00:00Z","updated_at":"2026-01-05T10:00+0100","instance_version":"1.2","linked_instance_ids":["e"],
	"sources":[{"type":"law","title":"A law","url":"https://example.org","citation":"1 A 2"}],
	"subchain_instances":[{"id":"s","subchain_id":"flow","head_refs":["sound"],"order":1}],
	"elements":[{"element_id":"safety"},{"element_id":"sound","context_type_id":"loud","element_instance_id":"i","label":"North","priority":1,
		"subchain_instance_id":"s","sources":[],"variables":[{"id":"note","value":[{"locale":"en","value":"Loud."}]},{"id":"where","value":["there"]}],
		"actions":[{"type":"email","label":[{"locale":"en","value":"Write"}],"target":"a@example.org"}]},
		{"element_id":"pictures","context_type_id":"fine","label":[{"locale":"fr","value":"Nord"}],"variables":[{"id":"note","value":[{"locale":"en","value":"Two."}]}]}],
	"authoring_provenance":{"kind":"human","element_provenance":{"i":{"rationale":"x","variable_rationale":{"note":"y"}}}}}`

// changes returns a document with each of its kinds of members once replaced by
// null, and once by a number that no member may be.
func changes(t *testing.T, document string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	seen := make(map[string]bool)
	dec := jsontext.NewDecoder(strings.NewReader(document))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return all
		}
		kind, _ := dec.StackIndex(dec.StackDepth())
		if token.Kind() != '"' || kind != '{' {
			continue
		}
		// The pointer without its numbers tells members of the same kind.
		at := regexp.MustCompile(`/\d+`).ReplaceAllString(string(dec.StackPointer()), "")
		_, length := dec.StackIndex(dec.StackDepth())
		if length%2 == 0 || seen[at] {
			continue
		}
		seen[at] = true
		start := int(dec.InputOffset())
		probe := jsontext.NewDecoder(strings.NewReader(strings.TrimLeft(document[start:], " \n\t:")))
		if err := probe.SkipValue(); err != nil {
			t.Fatal(err)
		}
		gap := len(document[start:]) - len(strings.TrimLeft(document[start:], " \n\t:"))
		end := start + gap + int(probe.InputOffset())
		all[at+" (null)"] = document[:start+gap] + "null" + document[end:]
		all[at+" (-1.5)"] = document[:start+gap] + "-1.5" + document[end:]
	}
}

func TestRESTAndMCPKnowTheSameFields(t *testing.T) {
	type schema struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	var rest struct {
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	var ours map[string]schema
	for name, into := range map[string]any{"../../docs/openapi.json": &rest, "schema/defs.json": &ours} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	twins := map[string]string{"Version": "VersionEntry", "Problem": "Finding"}
	for name, def := range ours {
		twin := cmp.Or(twins[name], name)
		fields := slices.Sorted(maps.Keys(def.Properties))
		if len(fields) == 0 || name == "Resolved" {
			continue
		}
		if diff := gocmp.Diff(slices.Sorted(maps.Keys(rest.Components.Schemas[twin].Properties)), fields); diff != "" {
			t.Errorf("%s (-rest +mcp): %s", name, diff)
		}
	}
}
