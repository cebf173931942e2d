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

	"placard/internal/core/docschema"
	"placard/internal/serve/mcpapi"
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

// maxToolList is the maximum size of the result of tools/list. Every agent reads it
// before its first call.
const maxToolList = 20_000

func TestToolListIsShort(t *testing.T) {
	var list jsontext.Value
	newService(t, mcpapi.Options{}).invoke("tools/list", `{}`, &list)
	if len(list) > maxToolList {
		t.Errorf("got %d bytes, want at most %d", len(list), maxToolList)
	}
}

func TestInputSchemasAdmitTheFormsThatAreAccepted(t *testing.T) {
	for _, tool := range listTools(t, newService(t, mcpapi.Options{})) {
		schema, err := compile(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		for parameter, values := range map[string][]string{
			"locales":     {`["en"]`, `"en"`, `"en,fr"`, `"*"`, `["*"]`},
			"fields":      {`["title"]`, `"title,description"`, `"all"`},
			"element_ids": {`["radar"]`, `"radar"`},
			"datachain":   {`{"id":"x"}`, `"doc_x"`},
			"include":     {`"manifest"`, `"authoring"`, `"full"`},
		} {
			if !strings.Contains(string(tool.InputSchema), `"`+parameter+`":{`) {
				continue
			}
			arguments := map[string]string{"version": `"place@latest"`, "element_id": `"radar"`, "element_ids": `["radar"]`, "datachain": `{}`}
			for _, value := range values {
				arguments[parameter] = value
				var members []string
				for name, v := range arguments {
					if strings.Contains(string(tool.InputSchema), `"`+name+`":{`) {
						members = append(members, `"`+name+`":`+v)
					}
				}
				if err := schema.Validate(decodeInstance(t, []byte("{"+strings.Join(members, ",")+"}"))); err != nil {
					t.Errorf("%s: %s %s: %v", tool.Name, parameter, value, err)
				}
			}
		}
	}
}
