package mcpapi

import (
	"context"
	"slices"
	"strings"
	"sync"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// prompt is one row of the table: a task that a user can start from a menu.
type prompt struct {
	name      string
	title     string
	about     string
	arguments []promptArgument
	text      func(given map[string]string) string
}

// promptArgument is a text that the user fills in. Its name says what can be
// suggested for it.
type promptArgument struct {
	name     string
	about    string
	required bool
}

// promptWords are the arguments that stand inside the sentences of a prompt, and
// what they may be. All others are quoted.
var promptWords = map[string]func(string) bool{
	"version":    func(s string) bool { _, err := taxonomy.ParseRef(s); return err == nil },
	"locale":     taxonomy.IsLocale,
	"element_id": taxonomy.IsWord,
}

// listPrompts answers prompts/list.
func (s *Server) listPrompts(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	return append(b, promptList()...), extras{cache: cachePublic}, q.checkCursor()
}

var promptList = sync.OnceValue(func() []byte {
	b := []byte(`"prompts":[`)
	for _, p := range prompts {
		b = appendString(append(b, `{"name":`...), p.name)
		b = appendString(append(b, `,"title":`...), p.title)
		b = appendString(append(b, `,"description":`...), p.about)
		b = append(b, `,"arguments":[`...)
		for _, a := range p.arguments {
			b = appendString(append(b, `{"name":`...), a.name)
			b = appendString(append(b, `,"description":`...), a.about)
			if a.required {
				b = append(b, `,"required":true`...)
			}
			b = append(b, `},`...)
		}
		b = append(closing(b, ']'), `},`...)
	}
	return append(closing(b, ']'), ',')
})

// getPrompt answers prompts/get.
func (s *Server) getPrompt(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	p, err := findPrompt(unquote(q.name))
	if err != nil {
		return b, extras{}, err
	}
	given, err := p.read(q)
	if err != nil {
		return b, extras{}, err
	}
	b = appendString(append(b, `"description":`...), p.about)
	b = append(b, `,"messages":[{"role":"user","content":{"type":"text","text":`...)
	b = appendString(b, p.text(given))
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
	return nil, refuse(codeParams, p)
}

// read returns the arguments that were filled in. Blank ones are not.
func (p *prompt) read(q *request) (map[string]string, error) {
	var params struct {
		Arguments map[string]string `json:"arguments"`
	}
	if err := q.decode(&params); err != nil {
		return nil, err
	}
	given := make(map[string]string)
	for name, value := range params.Arguments {
		known := slices.ContainsFunc(p.arguments, func(a promptArgument) bool { return a.name == name })
		if !known {
			return nil, p.badArgument(name, "Prompt %s has no argument %q.", p.name, problem.Clip(name))
		}
		if strings.TrimSpace(value) == "" {
			continue
		}
		if fits := promptWords[name]; fits != nil && !fits(value) {
			return nil, p.badArgument(name, "%q is not a valid %s.", problem.Clip(value), name)
		}
		given[name] = value
	}
	for _, a := range p.arguments {
		if a.required && given[a.name] == "" {
			return nil, p.badArgument(a.name, "Argument %q is missing.", a.name)
		}
	}
	return given, nil
}

func (p *prompt) badArgument(name, format string, args ...any) *refusal {
	r := badParams(problem.Root.Field("params").Field("arguments").Field(name), format, args...)
	names := make([]string, len(p.arguments))
	for i, a := range p.arguments {
		names[i] = a.name
	}
	r.problem = r.problem.Hint("The prompt's arguments are %s.", problem.And(names))
	return r
}
