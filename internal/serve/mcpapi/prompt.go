package mcpapi

import (
	"context"
	"slices"
	"strings"
	"sync"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// prompt is one row of the prompt table: a task that a user can start from a menu.
type prompt struct {
	name        string
	title       string
	description string
	arguments   []promptArgument
	text        func(args map[string]string) string
}

// promptArgument is a text that the user fills in. Its name determines the
// completions.
type promptArgument struct {
	name        string
	description string
	required    bool
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
	b := []byte(`"prompts":[`)
	for _, p := range prompts {
		b = appendString(append(b, `{"name":`...), p.name)
		b = appendString(append(b, `,"title":`...), p.title)
		b = appendString(append(b, `,"description":`...), p.description)
		b = append(b, `,"arguments":[`...)
		for _, a := range p.arguments {
			b = appendString(append(b, `{"name":`...), a.name)
			b = appendString(append(b, `,"description":`...), a.description)
			if a.required {
				b = append(b, `,"required":true`...)
			}
			b = append(b, `},`...)
		}
		b = append(appendClose(b, ']'), `},`...)
	}
	return append(appendClose(b, ']'), ',')
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
	b = appendString(append(b, `"description":`...), p.description)
	b = append(b, `,"messages":[{"role":"user","content":{"type":"text","text":`...)
	b = appendString(b, p.text(args))
	return append(b, `}}],`...), extras{}, nil
}

func findPrompt(name string) (*prompt, error) {
	names := make([]string, len(prompts))
	for i := range prompts {
		if prompts[i].name == name {
			return &prompts[i], nil
		}
		names[i] = prompts[i].name
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
		known := slices.ContainsFunc(p.arguments, func(a promptArgument) bool { return a.name == name })
		if !known {
			return nil, p.argumentError(name, "Prompt %s has no argument %q.", p.name, problem.Clip(name))
		}
		if strings.TrimSpace(value) == "" {
			continue
		}
		if valid := promptValidators[name]; valid != nil && !valid(value) {
			return nil, p.argumentError(name, "%q is not a valid %s.", problem.Clip(value), name)
		}
		args[name] = value
	}
	for _, a := range p.arguments {
		if a.required && args[a.name] == "" {
			return nil, p.argumentError(a.name, "Argument %q is missing.", a.name)
		}
	}
	return args, nil
}

func (p *prompt) argumentError(name, format string, args ...any) *rpcError {
	e := invalidParams(problem.Root.Field("params").Field("arguments").Field(name), format, args...)
	names := make([]string, len(p.arguments))
	for i, a := range p.arguments {
		names[i] = a.name
	}
	e.problem = e.problem.Hint("The prompt's arguments are %s.", problem.And(names))
	return e
}
