package mcpapi

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// prompt is one row of the prompt table: a task that a user can start from a menu. Its
// text is in the folder prompts.
type prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Arguments   []promptArgument `json:"arguments"`
}

// promptArgument is a text that the user fills in. Its name determines the
// completions.
type promptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitzero"`
}

// promptValidators holds checks for the arguments that are inserted into the
// sentences of a prompt. All other arguments are fenced as untrusted text.
var promptValidators = map[string]func(string) bool{
	"version":    func(s string) bool { _, err := taxonomy.ParseRef(s); return err == nil },
	"locale":     taxonomy.IsLocale,
	"element_id": taxonomy.IsWord,
}

// listPrompts handles prompts/list.
func (s *Server) listPrompts(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	return append(b, promptList()...), extras{cache: cachePublic}, req.checkCursor()
}

var promptList = sync.OnceValue(func() []byte {
	list, _ := json.Marshal(prompts) // texts always have an encoding
	return append(append([]byte(`"prompts":`), list...), ',')
})

// getPrompt handles prompts/get.
func (s *Server) getPrompt(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	p, err := findPrompt(unquote(req.name))
	if err != nil {
		return b, extras{}, err
	}
	args, err := p.readArguments(req)
	if err != nil {
		return b, extras{}, err
	}
	text, err := p.text(args)
	if err != nil {
		return b, extras{}, err
	}
	b = appendString(append(b, `"description":`...), p.Description)
	b = append(b, `,"messages":[{"role":"user","content":{"type":"text","text":`...)
	b = appendString(b, text)
	return append(b, `}}],`...), extras{}, nil
}

func findPrompt(name string) (*prompt, error) {
	names := make([]string, len(prompts))
	for i := range prompts {
		if prompts[i].Name == name {
			return &prompts[i], nil
		}
		names[i] = prompts[i].Name
	}
	p := problem.New(problem.NotFound, "Unknown prompt %q.", problem.Clip(name)).
		In(problem.Root.Field("params").Field("name")).Hint("The prompts are %s.", problem.And(names))
	return nil, newError(codeInvalidParams, p)
}

// readArguments checks the arguments and returns those that are not blank.
func (p *prompt) readArguments(req *request) (map[string]string, error) {
	var params struct {
		Arguments map[string]string `json:"arguments"`
	}
	if err := req.decode(&params); err != nil {
		return nil, err
	}
	args := make(map[string]string)
	for name, value := range params.Arguments {
		known := slices.ContainsFunc(p.Arguments, func(a promptArgument) bool { return a.Name == name })
		if !known {
			return nil, p.argumentError(name, "Prompt %s has no argument %q.", p.Name, problem.Clip(name))
		}
		if strings.TrimSpace(value) == "" {
			continue
		}
		if valid := promptValidators[name]; valid != nil && !valid(value) {
			return nil, p.argumentError(name, "%q is not a valid %s.", problem.Clip(value), name)
		}
		args[name] = value
	}
	for _, a := range p.Arguments {
		if a.Required && args[a.Name] == "" {
			return nil, p.argumentError(a.Name, "Argument %q is missing.", a.Name)
		}
	}
	return args, nil
}

func (p *prompt) argumentError(name, format string, args ...any) *rpcError {
	e := invalidParams(problem.Root.Field("params").Field("arguments").Field(name), format, args...)
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
	}
	e.problem = e.problem.Hint("The prompt's arguments are %s.", problem.And(names))
	return e
}
