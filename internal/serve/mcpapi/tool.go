package mcpapi

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
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
	isList      bool          // returns a page of a list
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
	isPage     bool     // data is a page of a list
	nextCursor string   // cursor of the next page, or empty
	locales    []string // locales of the texts, if reduced for length
	notice     string   // note to the agent about the result
	handle     string   // of the document; empty if there is none
	summary    string   // plain text before the JSON
	meta       []byte   // members of the result's _meta, each followed by a comma

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

// appendEnvelope appends the JSON of res up to its data. The data and a closing
// brace follow. The notice comes first, because hosts truncate long results.
func (res *toolResult) appendEnvelope(b []byte) []byte {
	if len(res.problems) == 0 {
		b = append(b, `{"ok":true,"meta":{`...)
	} else {
		b = append(b, `{"ok":false,"errors":`...)
		b = append(appendProblems(b, res.problems), `,"meta":{`...)
	}
	if res.release != nil {
		b = append(b, `"version":`...)
		b = appendString(b, res.release.ID().String())
		b = append(b, `,"content_hash":`...)
		b = append(appendString(b, res.release.Hash()), ',')
	}
	if res.isPage {
		b = append(b, `"next_cursor":`...)
		if res.nextCursor == "" {
			b = append(b, `null,`...)
		} else {
			b = append(appendString(b, res.nextCursor), ',')
		}
	}
	if res.locales != nil {
		b = append(b, `"locales":`...)
		b = append(appendStrings(b, res.locales), ',')
	}
	if res.handle != "" {
		b = append(b, `"handle":"`...)
		b = append(append(b, res.handle...), `",`...) // needs no escaping
	}
	if res.notice != "" {
		b = append(appendString(append(b, `"notice":`...), res.notice), ',')
	}
	b = appendClose(b, '}')
	if res.data != nil {
		b = append(b, `,"data":`...)
	}
	return b
}

// append appends res as the members of a tools/call result.
func (res *toolResult) append(b []byte, buf *scratch) []byte {
	envelope := res.appendEnvelope(buf.envelope[:0])
	buf.envelope = envelope

	b = append(b, `"content":[`...)
	if res.summary != "" {
		b = append(b, `{"type":"text","text":`...)
		b = append(appendString(b, res.summary), `},`...)
	}
	b = appendEscaped(append(b, `{"type":"text","text":"`...), envelope)
	b = append(appendEscaped(b, res.data), `}"}],"structuredContent":`...)
	b = append(append(b, envelope...), res.data...)
	b = append(b, `},`...)
	if res.isError {
		b = append(b, `"isError":true,`...)
	}
	return b
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
	s.addHandle(ctx, c, &res)
	b = res.append(b, req.scratch)
	if res.owner != nil {
		res.owner.Release()
	}
	return b, extras{meta: res.meta}, nil
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
	b := []byte(`"tools":[`)
	for i := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = tools[i].appendDefinition(b)
	}
	return append(b, `],`...)
})

// appendDefinition appends the definition of t for tools/list.
func (t *tool) appendDefinition(b []byte) []byte {
	b = appendString(append(b, `{"name":`...), t.name)
	b = appendString(append(b, `,"title":`...), t.title)
	b = appendString(append(b, `,"description":`...), t.description)
	b = append(b, `,"inputSchema":`...)
	b = t.appendInputSchema(b)
	b = append(b, `,"outputSchema":`...)
	b = append(b, t.outputSchema()...)
	b = append(b, `,"annotations":{"title":`...)
	b = appendString(b, t.title)
	b = append(b, `,"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`...)
	if t.hasView {
		b = append(b, `,"_meta":{"ui":{"resourceUri":"`+viewURI+`"},"ui/resourceUri":"`+viewURI+`"}`...)
	}
	return append(b, '}')
}

func (t *tool) appendInputSchema(b []byte) []byte {
	b = append(b, `{"type":"object","properties":{`...)
	var required []string
	for i, p := range t.parameters {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, p.name)
		b = append(b, `:{`+p.schema+`,"description":`...)
		b = append(appendString(b, p.description), '}')
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
