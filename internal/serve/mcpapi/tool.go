package mcpapi

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
	"placard/internal/core/docschema"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
)

// tool is one row of the tool table.
type tool struct {
	name        string
	title       string
	description string // purpose, result, and alternatives
	parameters  []parameter
	dataSchema  string        // properties of the JSON Schema of the data in its result
	budget      budget.Budget // same as the REST equivalent
	shorter     string        // the arguments that make a long result shorter; empty if there are none
	isList      bool          // returns a part of a list
	hasView     bool          // the view displays its result
	call        func(*Server, context.Context, *call) (toolResult, error)
}

// call is one tool call.
type call struct {
	*request
	tool     *tool
	args     arguments
	document document
	snapshot *catalog.Snapshot // nil until it is used
	step     datachain.Step
	meter    budget.Meter // source of step outside a batch
}

// toolResult is the result of a tool call. It is encoded both as text and as
// structured content.
type toolResult struct {
	data       []byte       // JSON; nil if the call failed
	problems   problem.List // empty on success
	isError    bool         // the call failed
	release    *release.Release
	isPart     bool   // data is a part of a list
	nextCursor string // cursor of the next part, or empty
	notice     string // note to the agent about the result
	handle     string // of the document; empty if there is none
	summary    string // plain text before the JSON
	meta       []byte // members of the result's _meta, each followed by a comma

	owner interface{ Release() } // owns data; released when data has been copied; may be nil
}

// errorResult returns the result of a failed call.
func errorResult(problems ...problem.Problem) toolResult {
	return toolResult{problems: problems, isError: true}
}

// note adds a sentence, which may be empty, to the notice.
func (res *toolResult) note(sentence string) { res.notice = joinSentences(res.notice, sentence) }

// joinSentences returns two texts, each of which may be empty, as one.
func joinSentences(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// envelope returns the JSON of res. The notice comes before the data, because hosts
// truncate long results.
func (res *toolResult) envelope() ([]byte, error) {
	var e struct {
		OK     bool         `json:"ok"`
		Errors problem.List `json:"errors,omitzero"`
		Meta   struct {
			Version     string `json:"version,omitzero"`
			ContentHash string `json:"content_hash,omitzero"`
			NextCursor  any    `json:"next_cursor,omitzero"`
			Handle      string `json:"handle,omitzero"`
			Notice      string `json:"notice,omitzero"`
		} `json:"meta"`
		Data jsontext.Value `json:"data,omitzero"`
	}
	e.OK, e.Errors, e.Data = len(res.problems) == 0, res.problems.Render(sentence), res.data
	e.Meta.Handle, e.Meta.Notice = res.handle, res.notice
	if res.release != nil {
		e.Meta.Version, e.Meta.ContentHash = res.release.ID().String(), res.release.Hash()
	}
	if res.isPart {
		e.Meta.NextCursor = jsontext.Value("null")
		if res.nextCursor != "" {
			e.Meta.NextCursor = res.nextCursor
		}
	}
	return json.Marshal(&e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// append appends res as the members of a tools/call result.
func (res *toolResult) append(b []byte) ([]byte, error) {
	envelope, err := res.envelope()
	if err != nil {
		return b, err
	}
	b = append(b, `"content":[`...)
	if res.summary != "" {
		b = append(b, `{"type":"text","text":`...)
		b = append(appendString(b, res.summary), `},`...)
	}
	b = appendEscaped(append(b, `{"type":"text","text":"`...), envelope)
	b = append(b, `"}],"structuredContent":`...)
	b = append(append(b, envelope...), ',')
	if res.isError {
		b = append(b, `"isError":true,`...)
	}
	return b, nil
}

// callTool handles tools/call.
func (s *Server) callTool(ctx context.Context, req *request, b []byte) ([]byte, extras, error) {
	t, rpcErr := findTool(req.name)
	if rpcErr != nil {
		return b, extras{}, rpcErr
	}
	if req.arguments != nil && req.arguments.Kind() != '{' && req.arguments.Kind() != 'n' {
		return b, extras{}, invalidParams(problem.Root.Field("params").Field("arguments"), `"arguments" must be an object.`)
	}
	c := &call{request: req, tool: t}
	problems := c.args.read(req.arguments, t.parameters)
	c.document.given = c.args.datachain
	res := errorResult(problems...)
	if len(problems) == 0 {
		var err error
		if res, err = s.run(ctx, c); err != nil {
			r := res.release
			if res, err = s.failureResult(req, err); err != nil {
				return b, extras{}, err
			}
			res.release = r
		}
	}
	s.render(c, res.problems)
	res.note(t.sizeNotice(len(res.data)))
	s.addHandle(ctx, c, &res)
	b, err := res.append(b)
	if res.owner != nil {
		res.owner.Release()
	}
	return b, extras{meta: res.meta}, err
}

// run runs a call, and loads the releases that it needs.
func (s *Server) run(ctx context.Context, c *call) (toolResult, error) {
	for {
		res, err := s.attempt(ctx, c)
		absent, ok := errors.AsType[*catalog.AbsentError](err)
		if !ok {
			return res, err
		}
		// Loading is not part of the budget.
		started := time.Now()
		if c.snapshot, err = s.Catalog.Load(ctx, absent); err != nil {
			return toolResult{}, unknownVersion(err)
		}
		if c.batchMeter != nil {
			c.batchMeter.Exclude(time.Since(started))
		}
	}
}

// attempt runs a call within its own budget, or within the budget of the batch.
func (s *Server) attempt(ctx context.Context, c *call) (toolResult, error) {
	if c.batchMeter != nil {
		c.step = c.batchMeter.Step
	} else {
		var err error
		if c.meter, err = s.meter(ctx, c.peer.addr, c.tool.budget); err != nil {
			return toolResult{}, err
		}
		defer c.meter.Stop()
		c.step = c.meter.Step
	}
	if c.args.handle != "" {
		if err := s.loadDocument(ctx, c); err != nil {
			return toolResult{}, err
		}
	}
	res, err := c.tool.call(s, ctx, c)
	if err == nil {
		err = c.step()
	}
	return res, err
}

// meter starts the budget of a call. Work on documents waits for a free slot.
func (s *Server) meter(ctx context.Context, client netip.Addr, b budget.Budget) (budget.Meter, error) {
	if b == budget.Read {
		return b.Start(), nil
	}
	return s.Documents.Start(ctx, client, b)
}

// failureResult returns the result of a call that failed with err. If err fails the
// whole request, failureResult returns err.
func (s *Server) failureResult(req *request, err error) (toolResult, error) {
	p, ok := errors.AsType[problem.Problem](err)
	switch {
	case ok && (p.Code == problem.Timeout || p.Code == problem.Overloaded):
		return toolResult{}, err
	case !ok || p.Code == "" || p.Code == problem.UpstreamError:
		p = s.report(req, err)
	}
	return errorResult(p), nil
}

func findTool(name jsontext.Value) (*tool, *rpcError) {
	at := problem.Root.Field("params").Field("name")
	if name.Kind() != '"' {
		return nil, invalidParams(at, `"name" must be a string, the name of a tool.`)
	}
	text := unquote(name)
	for i := range tools {
		if tools[i].name == text {
			return &tools[i], nil
		}
	}
	return nil, newError(codeInvalidParams, problem.New(problem.NotFound, "Unknown tool %q.", problem.Clip(text)).In(at).Hint("%s", unknownToolHint(text)))
}

// listTools handles tools/list.
func (s *Server) listTools(_ context.Context, req *request, b []byte) ([]byte, extras, error) {
	return append(b, toolList()...), extras{cache: cachePublic}, req.checkCursor()
}

var toolList = sync.OnceValue(func() []byte {
	var all []object
	for i := range tools {
		all = append(all, tools[i].definition())
	}
	list, _ := json.Marshal(all) // texts always have an encoding
	return append(append([]byte(`"tools":`), list...), ',')
})

// object is a JSON object whose members keep their order.
type object = docschema.Object

// definition returns the definition of t for tools/list.
func (t *tool) definition() object {
	d := object{
		{"name", t.name},
		{"title", t.title},
		{"description", t.description},
		{"inputSchema", t.inputSchema()},
		{"outputSchema", jsontext.Value(t.outputSchema())},
		{"annotations", object{{"title", t.title}, {"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}}},
	}
	if t.hasView {
		d = d.With("_meta", object{{"ui", object{{"resourceUri", viewURI}}}, {"ui/resourceUri", viewURI}})
	}
	return d
}

func (t *tool) inputSchema() object {
	properties := object{}
	var required []string
	for _, p := range t.parameters {
		properties = properties.With(p.name, p.schema.With("description", p.description))
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		schema = schema.With("required", required)
	}
	return schema.With("additionalProperties", false)
}

// snapshot returns the snapshot that the call uses.
func (s *Server) snapshot(c *call) (*catalog.Snapshot, error) {
	if c.snapshot != nil {
		return c.snapshot, nil
	}
	var err error
	c.snapshot, err = s.Catalog.Current()
	return c.snapshot, err
}

// release returns the release called version. If the version is malformed, not
// published or cannot be loaded, the error has the code unknown_version. If it is not
// in memory, the error is a [catalog.AbsentError].
func (s *Server) release(c *call, version string) (*release.Release, error) {
	snapshot, err := s.snapshot(c)
	if err != nil {
		return nil, err
	}
	r, err := snapshot.Find(version)
	if _, absent := errors.AsType[*catalog.AbsentError](err); absent {
		return nil, err
	}
	return r, unknownVersion(err)
}

// unknownVersion returns err with the code unknown_version if it is a problem of a
// version.
func unknownVersion(err error) error {
	if p, ok := errors.AsType[problem.Problem](err); ok {
		p.Code = query.UnknownVersion
		return p.In(problem.Root.Field("version"))
	}
	return err
}
