package mcpapi_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"placard/internal/docschema"
	"placard/internal/mcpapi"
)

// listedTool is a tool in the response to tools/list.
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
	s.invoke("tools/list", `{}`, &list)
	return list.Tools
}

// outputSchemas returns the compiled output schemas of all tools.
func outputSchemas(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	schemas, err := compiledOutputs()
	if err != nil {
		t.Fatal(err)
	}
	return schemas
}

var compiledOutputs = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	var list struct {
		Result struct{ Tools []listedTool }
	}
	var out bytes.Buffer
	s := mcpapi.New(mcpapi.Options{})
	if err := s.ServeStream(context.Background(), strings.NewReader(request("tools/list", `{}`)), &out); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out.Bytes(), &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		return nil, err
	}
	schemas := make(map[string]*jsonschema.Schema)
	for _, tool := range list.Result.Tools {
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

func decodeInstance(t testing.TB, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestGetSchemaReturnsTheSharedSchemas(t *testing.T) {
	var data struct {
		Schemas struct {
			Thin     jsontext.Value `json:"thin"`
			Resolved jsontext.Value `json:"resolved"`
		} `json:"schema_json"`
	}
	newService(t, mcpapi.Options{}).call("get_schema", `{"version":"place@latest"}`).into(t, &data)
	if got, want := string(data.Schemas.Thin), string(docschema.Thin()); got != want {
		t.Errorf("schema_json.thin = %s\nwant %s", got, want)
	}
	if got, want := string(data.Schemas.Resolved), string(docschema.Resolved()); got != want {
		t.Errorf("schema_json.resolved = %s\nwant %s", got, want)
	}
}

func TestOutputSchemasUseTheSharedDefinitions(t *testing.T) {
	shared := docschema.Set{Form: docschema.Lenient, Refs: "#/$defs/"}
	used := make(map[string]bool)
	for _, tool := range listTools(t, newService(t, mcpapi.Options{})) {
		var output struct {
			Defs map[string]jsontext.Value `json:"$defs"`
		}
		if err := json.Unmarshal(tool.OutputSchema, &output); err != nil {
			t.Fatal(err)
		}
		for name, def := range output.Defs {
			want, err := json.Marshal(shared.Definition(name))
			if err != nil {
				t.Fatal(err)
			}
			if string(def) != string(want) {
				t.Errorf("%s: definition %s = %s\nwant %s", tool.Name, name, def, want)
			}
			used[name] = true
		}
	}
	for _, name := range []string{"Category", "DatachainType", "Element", "ElementFields", "Finding", "Manifest", "VersionEntry"} {
		if !used[name] {
			t.Errorf("no output schema uses %s", name)
		}
	}
}
