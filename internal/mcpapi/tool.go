package mcpapi

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/budget"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// tool is one row of the table: all that is said of a tool, and what it does.
type tool struct {
	name       string
	title      string
	about      string // what it is for, what to use instead, what comes back
	parameters []parameter
	data       string        // JSON Schema of the data it answers with
	budget     budget.Budget // of its REST twin
	list       bool          // it answers with a page of a list
	view       bool          // its result is drawn by the view
	call       func(*Server, context.Context, *call) (answer, error)
}

// call is one call of a tool.
type call struct {
	*request
	args  arguments
	step  datachain.Step
	meter budget.Meter // behind step, where the call is not in a batch
}

// answer is what a tool says. Both forms of it, text and structured content,
// are made from this.
type answer struct {
	data    []byte       // JSON; none where the call failed
	errors  problem.List // none where all is well
	failed  bool         // there is no answer, only errors
	about   *release.Release
	list    bool     // it is a page of a list
	cursor  string   // of the next page
	locales []string // the only ones that texts are in, though all were asked for
	notice  string   // what is remarkable about the answer
	summary string   // for people, in front of the JSON
	meta    []byte   // members of the result's _meta, each with a comma after it

	lender interface{ Release() } // of data, which are its own until they are sent
}

// fail answers a call that could not be done.
func fail(problems ...problem.Problem) answer {
	return answer{errors: problems, failed: true}
}

// around appends the JSON of a without its data, and returns where they belong.
func (a *answer) around(b []byte) (_ []byte, data int) {
	if len(a.errors) == 0 {
		b = append(b, `{"ok":true`...)
	} else {
		b = append(b, `{"ok":false,"errors":`...)
		b = appendProblems(b, a.errors)
	}
	if a.data != nil {
		b = append(b, `,"data":`...)
	}
	data = len(b)
	b = append(b, `,"meta":{`...)
	if a.about != nil {
		b = append(b, `"version":`...)
		b = appendString(b, a.about.ID().String())
		b = append(b, `,"content_hash":`...)
		b = append(appendString(b, a.about.Hash()), ',')
	}
	if a.list {
		b = append(b, `"next_cursor":`...)
		if a.cursor == "" {
			b = append(b, `null,`...)
		} else {
			b = append(appendString(b, a.cursor), ',')
		}
	}
	if a.locales != nil {
		b = append(b, `"locales":`...)
		b = append(appendStrings(b, a.locales), ',')
	}
	if a.notice != "" {
		b = append(appendString(append(b, `"notice":`...), a.notice), ',')
	}
	return append(closing(b, '}'), '}'), data
}

// append appends a as the members of the result of a tool call.
func (a *answer) append(b []byte, d *desk) []byte {
	around, data := a.around(d.around[:0])
	d.around = around
	before, after := around[:data], around[data:]

	b = append(b, `"content":[`...)
	if a.summary != "" {
		b = append(b, `{"type":"text","text":`...)
		b = append(appendString(b, a.summary), `},`...)
	}
	b = appendEscaped(append(b, `{"type":"text","text":"`...), before)
	b = appendEscaped(b, a.data)
	b = append(appendEscaped(b, after), `"}],"structuredContent":`...)
	b = append(append(append(b, before...), a.data...), after...)
	b = append(b, ',')
	if a.failed {
		b = append(b, `"isError":true,`...)
	}
	return b
}

// callTool answers tools/call.
func (s *Server) callTool(ctx context.Context, q *request, b []byte) ([]byte, extras, error) {
	t, refused := findTool(q.name)
	if refused != nil {
		return b, extras{}, refused
	}
	if q.arguments != nil && q.arguments.Kind() != '{' && q.arguments.Kind() != 'n' {
		return b, extras{}, badParams(problem.Root.Field("params").Field("arguments"), `"arguments" must be an object.`)
	}
	c := &q.desk.call
	*c = call{request: q, step: q.step}
	if wrong := c.args.read(q.given, t.parameters); len(wrong) > 0 {
		a := fail(wrong...)
		return a.append(b, q.desk), extras{}, nil
	}
	a, err := s.run(ctx, t, c)
	if err != nil {
		about := a.about
		if a, err = s.failure(q, err); err != nil {
			return b, extras{}, err
		}
		a.about = about
	}
	b = a.append(b, q.desk)
	if a.lender != nil {
		a.lender.Release()
	}
	return b, extras{meta: a.meta}, nil
}

// run calls t within its budget, or within that of the batch that the call is
// in.
func (s *Server) run(ctx context.Context, t *tool, c *call) (answer, error) {
	if c.step == nil {
		var err error
		if c.meter, err = s.meter(ctx, t.budget); err != nil {
			return answer{}, err
		}
		defer c.meter.Stop()
		c.step = c.meter.Step
	}
	a, err := t.call(s, ctx, c)
	if err == nil {
		err = c.step()
	}
	return a, err
}

// meter measures the work for a call. Work on documents waits for its turn.
func (s *Server) meter(ctx context.Context, b budget.Budget) (budget.Meter, error) {
	if b == budget.Read {
		return b.Start(), nil
	}
	return s.Documents.Start(ctx, b)
}

// failure returns the answer to a call that ended with err. What stops more
// than the call comes back as an error.
func (s *Server) failure(q *request, err error) (answer, error) {
	p, ok := errors.AsType[problem.Problem](err)
	switch {
	case ok && (p.Code == problem.Timeout || p.Code == problem.Overloaded):
		return answer{}, err
	case !ok || p.Code == problem.UpstreamError:
		p = s.fault(q, err)
	}
	return fail(p), nil
}

func findTool(name jsontext.Value) (*tool, *refusal) {
	if name.Kind() == '"' {
		word := unquoted(name)
		for i := range tools {
			if tools[i].name == string(word) {
				return &tools[i], nil
			}
		}
	}
	return nil, unknownTool(name)
}

func unknownTool(name jsontext.Value) *refusal {
	at := problem.Root.Field("params").Field("name")
	if name.Kind() != '"' {
		return badParams(at, `"name" must be a string, the name of a tool.`)
	}
	word := unquote(name)
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].name
	}
	p := problem.New(problem.NotFound, "Unknown tool %q.", problem.Clip(word)).In(at)
	if near := problem.DidYouMean(word, names); near != "" {
		return refuse(codeParams, p.Hint("%s", near))
	}
	return refuse(codeParams, p.Hint("The tools are %s.", problem.And(names)))
}

// listTools answers tools/list.
func (s *Server) listTools(_ context.Context, q *request, b []byte) ([]byte, extras, error) {
	return append(b, toolList()...), extras{cache: cachePublic}, q.checkCursor()
}

var toolList = sync.OnceValue(func() []byte {
	b := []byte(`"tools":[`)
	for i := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = tools[i].append(b)
	}
	return append(b, `],`...)
})

// append appends the definition of t.
func (t *tool) append(b []byte) []byte {
	b = appendString(append(b, `{"name":`...), t.name)
	b = appendString(append(b, `,"title":`...), t.title)
	b = appendString(append(b, `,"description":`...), t.about)
	b = append(b, `,"inputSchema":`...)
	b = t.appendInput(b)
	b = append(b, `,"outputSchema":`...)
	b = append(b, t.outputSchema()...)
	b = append(b, `,"annotations":{"title":`...)
	b = appendString(b, t.title)
	b = append(b, `,"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`...)
	if t.view {
		b = append(b, `,"_meta":{"ui":{"resourceUri":"`+viewURI+`"},"ui/resourceUri":"`+viewURI+`"}`...)
	}
	return append(b, '}')
}

func (t *tool) appendInput(b []byte) []byte {
	b = append(b, `{"type":"object","properties":{`...)
	var required []string
	for i, p := range t.parameters {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, p.name)
		b = append(b, `:{`+p.schema+`,"description":`...)
		b = append(appendString(b, p.about), '}')
		if p.required {
			required = append(required, p.name)
		}
	}
	b = append(b, `},`...)
	if len(required) > 0 {
		b = append(appendStrings(append(b, `"required":`...), required), ',')
	}
	return append(b, `"additionalProperties":false}`...)
}

// release returns what a call names. Whatever is wrong with the name, the
// version is unknown here.
func (s *Server) release(version string) (*release.Release, error) {
	snapshot, err := s.Catalog.Current()
	if err != nil {
		return nil, err
	}
	at := problem.Root.Field("version")
	ref, err := taxonomy.ParseRef(version)
	if err != nil {
		var ids []string
		for _, v := range snapshot.Versions() {
			ids = append(ids, v.ID.String())
		}
		return nil, problem.New(query.UnknownVersion, "Schema version %q is malformed.", problem.Clip(version)).In(at).
			Hint("Use the id of a published version, or an alias such as <type>@latest. Published versions: %s.", problem.Listing(ids, 5))
	}
	r, err := snapshot.Release(ref)
	if p, ok := errors.AsType[problem.Problem](err); ok {
		p.Code = query.UnknownVersion
		return nil, p.In(at)
	}
	return r, err
}
