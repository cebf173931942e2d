package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Limits of a disclosure from tools/list to the rendered page.
const (
	maxToolCalls   = 3
	maxAgentTokens = 20_000
	bytesPerToken  = 3
)

// agent is a scripted agent: its decisions are fixed. It may use only ids, names and
// versions that it has read, which its methods check, and counts the bytes that it
// reads and writes.
type agent struct {
	t    *testing.T
	send func(message string) (response string)

	instructions string
	tools        []agentTool
	guide        agentGuide
	guideText    string

	calls       []string // the names of the tools called
	account     strings.Builder
	read, wrote int
}

type agentTool struct {
	Name        string `json:"name"`
	InputSchema struct {
		Properties map[string]jsontext.Value `json:"properties"`
	} `json:"inputSchema"`
}

// agentGuide is the part of the authoring guide that decides which ids exist.
type agentGuide struct {
	Version    string   `json:"version"`
	Rules      []string `json:"rules"`
	Categories []struct {
		ID        string        `json:"id"`
		Context   *agentContext `json:"context"`
		Variables []struct {
			ID      string        `json:"id"`
			Kind    taxonomy.Kind `json:"kind"`
			Options []agentOption `json:"options"`
		} `json:"variables"`
		Elements []struct {
			ID      string        `json:"id"`
			Context *agentContext `json:"context"`
		} `json:"elements"`
	} `json:"categories"`
}

type agentContext struct {
	Values []agentOption `json:"values"`
}

type agentOption struct {
	ID string `json:"id"`
}

// agentResult is the result of a tool as the agent reads it: the text of its contents.
// The structured content repeats the text for programs; a model does not read it.
type agentResult struct {
	text   string
	OK     bool           `json:"ok"`
	Errors problem.List   `json:"errors"`
	Data   jsontext.Value `json:"data"`
	Meta   struct {
		Handle string `json:"handle"`
		Notice string `json:"notice"`
	} `json:"meta"`
}

// warnings returns the warnings of a document tool.
func (r agentResult) warnings(t *testing.T) problem.List {
	t.Helper()
	var data struct {
		Warnings problem.List `json:"warnings"`
	}
	if err := json.Unmarshal(r.Data, &data); err != nil || data.Warnings == nil {
		t.Fatalf("got %s, error %v, want a list of warnings", r.Data, err)
	}
	return data.Warnings
}

// newAgent connects an agent that has the endpoint and nothing else.
func newAgent(t *testing.T, send func(message string) (response string)) *agent {
	t.Helper()
	a := &agent{t: t, send: send}
	var initialized struct {
		Instructions string `json:"instructions"`
	}
	a.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`, &initialized)
	a.instructions = initialized.Instructions
	a.count("instructions", len(a.instructions), 0)
	var raw jsontext.Value
	a.request("tools/list", `{}`, &raw)
	var listed struct {
		Tools []agentTool `json:"tools"`
	}
	if err := json.Unmarshal(raw, &listed); err != nil {
		t.Fatal(err)
	}
	a.tools = listed.Tools
	a.count("tools/list", len(raw), 0)
	return a
}

// request sends a JSON-RPC request and decodes its result.
func (a *agent) request(method, params string, result any) {
	a.t.Helper()
	response := a.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
	message := struct {
		Result any            `json:"result"`
		Error  jsontext.Value `json:"error"`
	}{Result: result}
	if err := json.Unmarshal([]byte(response), &message); err != nil || message.Error != nil {
		a.t.Fatalf("%s: got %.500s, error %v, want a result", method, response, err)
	}
}

func (a *agent) count(name string, read, wrote int) {
	a.read += read
	a.wrote += wrote
	fmt.Fprintf(&a.account, "\n%8d read %8d written  %s", read, wrote, name)
}

// call calls a tool of tools/list with arguments that its input schema has.
func (a *agent) call(name, arguments string) agentResult {
	a.t.Helper()
	n := slices.IndexFunc(a.tools, func(tool agentTool) bool { return tool.Name == name })
	if n < 0 {
		a.t.Fatalf("tools/list has no %s", name)
	}
	var given map[string]jsontext.Value
	if err := json.Unmarshal([]byte(arguments), &given); err != nil {
		a.t.Fatal(err)
	}
	for argument := range given {
		if _, ok := a.tools[n].InputSchema.Properties[argument]; !ok {
			a.t.Errorf("the input schema of %s has no %s", name, argument)
		}
	}
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	a.request("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`, &result)
	a.calls = append(a.calls, name)
	var r agentResult
	for _, c := range result.Content {
		r.text += c.Text + "\n"
	}
	a.count(name, len(r.text), len(arguments))
	if result.IsError || len(result.Content) == 0 {
		a.t.Fatalf("%s: got %.500s, want success", name, r.text)
	}
	// The envelope is the last content; a summary may precede it.
	if err := json.Unmarshal([]byte(result.Content[len(result.Content)-1].Text), &r); err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	if r.Meta.Notice != "" {
		a.t.Errorf("%s: got notice %q, want none", name, r.Meta.Notice)
	}
	return r
}

// learn reads the authoring guide of a version that the instructions name.
func (a *agent) learn(version, locale string) {
	a.t.Helper()
	for _, word := range []string{version, locale, "get_schema", `"authoring"`, "validate_datachain", "render_datachain", "meta.handle"} {
		if !containsWord(a.instructions, word) {
			a.t.Errorf("the instructions do not name %s", word)
		}
	}
	r := a.call("get_schema", `{"version":"`+version+`","include":"authoring","locales":"`+locale+`"}`)
	a.guideText = string(r.Data)
	if err := json.Unmarshal(r.Data, &a.guide); err != nil {
		a.t.Fatal(err)
	}
}

// containsWord reports whether text contains word between characters that do not
// occur in names.
func containsWord(text, word string) bool {
	return regexp.MustCompile(`(^|[^\w@-])` + regexp.QuoteMeta(word) + `($|[^\w@-])`).MatchString(text)
}

// agentDocument has the members that the agent writes.
type agentDocument struct {
	ID            string             `json:"id"`
	Title         taxonomy.Localized `json:"title"`
	SchemaVersion string             `json:"schema_version"`
	CreatedAt     string             `json:"created_at"`
	Provenance    jsontext.Value     `json:"authoring_provenance,omitzero"`
	Elements      []agentPlacement   `json:"elements"`
}

type agentPlacement struct {
	ElementID string          `json:"element_id"`
	ContextID string          `json:"context_type_id,omitzero"`
	Variables []agentVariable `json:"variables,omitzero"`
	Actions   []agentAction   `json:"actions,omitzero"`
}

type agentVariable struct {
	ID    string         `json:"id"`
	Value jsontext.Value `json:"value"`
}

type agentAction struct {
	Type   string             `json:"type"`
	Label  taxonomy.Localized `json:"label"`
	Target string             `json:"target"`
}

// write returns the JSON of a document after checking that the agent has read every
// id and the name of every member in it.
func (a *agent) write(d agentDocument) string {
	a.t.Helper()
	if d.SchemaVersion != a.guide.Version {
		a.t.Errorf("got schema_version %s, want that of the guide, %s", d.SchemaVersion, a.guide.Version)
	}
	for _, p := range d.Elements {
		a.checkPlacement(p)
	}
	document, err := json.Marshal(d)
	if err != nil {
		a.t.Fatal(err)
	}
	for tokens := jsontext.NewDecoder(strings.NewReader(string(document))); ; {
		token, err := tokens.ReadToken()
		if err == io.EOF {
			return string(document)
		}
		if err != nil {
			a.t.Fatal(err)
		}
		kind, length := tokens.StackIndex(tokens.StackDepth())
		if isName := kind == '{' && length%2 == 1 && token.Kind() == '"'; isName && !containsWord(a.guideText, token.String()) {
			a.t.Errorf("the guide does not name the member %q", token.String())
		}
	}
}

func (a *agent) checkPlacement(p agentPlacement) {
	a.t.Helper()
	has := func(options []agentOption, id string) bool { return slices.Contains(options, agentOption{id}) }
	for _, c := range a.guide.Categories {
		for _, e := range c.Elements {
			if e.ID != p.ElementID {
				continue
			}
			context := c.Context
			if e.Context != nil {
				context = e.Context
			}
			if context == nil != (p.ContextID == "") || context != nil && !has(context.Values, p.ContextID) {
				a.t.Errorf("%s: the guide does not have context value %q", p.ElementID, p.ContextID)
			}
			for _, v := range p.Variables {
				found := false
				for _, declared := range c.Variables {
					if declared.ID != v.ID {
						continue
					}
					found = true
					if declared.Kind != taxonomy.MultiSelectEnum {
						continue
					}
					var ids []string
					if err := json.Unmarshal(v.Value, &ids); err != nil {
						a.t.Error(err)
					}
					for _, id := range ids {
						if !has(declared.Options, id) {
							a.t.Errorf("%s: the guide does not have option %q of %s", p.ElementID, id, v.ID)
						}
					}
				}
				if !found {
					a.t.Errorf("%s: the guide does not have variable %q", p.ElementID, v.ID)
				}
			}
			for _, action := range p.Actions {
				if !containsWord(strings.Join(a.guide.Rules, " "), action.Type) {
					a.t.Errorf("%s: the rules do not name actions of type %q", p.ElementID, action.Type)
				}
			}
			return
		}
	}
	a.t.Errorf("the guide does not have element %q", p.ElementID)
}

// check logs the account and checks the limits.
func (a *agent) check() {
	a.t.Helper()
	total := a.read + a.wrote
	tokens := (total + bytesPerToken - 1) / bytesPerToken
	a.t.Logf("bytes:%s\n%8d read %8d written; %d bytes, %d tokens in total", &a.account, a.read, a.wrote, total, tokens)
	if tokens > maxAgentTokens {
		a.t.Errorf("got %d tokens, want at most %d", tokens, maxAgentTokens)
	}
	if len(a.calls) > maxToolCalls {
		a.t.Errorf("got calls of %v, want at most %d calls", a.calls, maxToolCalls)
	}
}
