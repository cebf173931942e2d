package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"placard/internal/budget"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
)

// DefaultMaxBody is how many bytes a request's body may have by default.
const DefaultMaxBody = 1 << 20

// document answers a request that brings a document, by working on it.
type document func(*version, []byte, datachain.Step) (reply, error)

func (f document) answer(a *api, r call, b budget.Budget) (reply, error) {
	// The release comes first: a body for a version that does not exist is not
	// read.
	v, err := a.release(r)
	if err != nil {
		return reply{}, err
	}
	d := desks.Get().(*desk)
	defer d.giveBack()
	if d.body, err = a.readBody(d.body, r.Request); err != nil {
		return reply{}, err
	}
	if d.meter, err = a.Documents.Start(r.Context(), b); err != nil {
		return reply{}, err
	}
	defer d.meter.Stop()
	answer, err := f(v, d.body, d.step)
	if err == nil {
		err = d.step()
	}
	return answer, err
}

func (a *api) validate(v *version, body []byte, step datachain.Step) (reply, error) {
	verdict, err := query.Validate(v.Release, body, step)
	if err != nil {
		return reply{}, err
	}
	return v.verdict(verdict)
}

func (a *api) resolve(v *version, body []byte, step datachain.Step) (reply, error) {
	verdict, resolution, err := query.Resolve(v.Release, body, step)
	if err != nil {
		return reply{}, err
	}
	if resolution == nil {
		return v.verdict(verdict)
	}
	answer := v.answer(resolution.Answer())
	answer.release = resolution.Release
	return answer, nil
}

func (a *api) validateResolved(v *version, body []byte, step datachain.Step) (reply, error) {
	verdict, err := query.ValidateResolved(v.snapshot, body, step)
	if err != nil {
		return reply{}, err
	}
	if verdict.OK() {
		// The contract's success of this operation has no warnings, ever.
		return v.answer(valid), nil
	}
	return v.verdict(verdict)
}

// valid is the answer to a document with which nothing is wrong.
var valid = []byte(`{"ok":true,"warnings":[]}`)

// answer returns the reply to a document.
func (v *version) answer(body []byte) reply {
	return reply{contentType: typeJSON, cache: noStore, hash: v.hash, body: body}
}

// verdict returns the reply that tells what was found. A wrong shape is told
// without warnings, because nothing else was looked at, unless there is more
// wrong than is listed.
func (v *version) verdict(found query.Verdict) (reply, error) {
	var body []byte
	var err error
	switch {
	case found.OK() && len(found.Warnings) == 0:
		body = valid
	case found.OK():
		body, err = json.Marshal(struct {
			OK       bool         `json:"ok"`
			Warnings problem.List `json:"warnings"`
		}{true, found.Warnings})
	case found.Shape && len(found.Warnings) == 0:
		body, err = json.Marshal(failure{Errors: found.Errors})
	default:
		body, err = json.Marshal(struct {
			OK       bool         `json:"ok"`
			Errors   problem.List `json:"errors"`
			Warnings problem.List `json:"warnings"`
		}{false, found.Errors, found.Warnings})
	}
	return v.answer(body), err
}

// desk is what is lent to a request that brings a document, until its answer is
// made: what is made of the document refers to a copy of the body.
type desk struct {
	body  []byte
	meter budget.Meter
	step  datachain.Step // of the meter
}

var desks = sync.Pool{New: func() any {
	d := new(desk)
	d.step = d.meter.Step
	return d
}}

func (d *desk) giveBack() {
	d.meter = budget.Meter{}
	if cap(d.body) <= largestBuffer {
		d.body = d.body[:0]
		desks.Put(d)
	}
}

// readBody reads the body of r into the memory of body, and returns it also
// where reading it failed.
func (a *api) readBody(body []byte, r *http.Request) ([]byte, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return body, problem.New(problem.UnsupportedMediaType, "Request bodies with Content-Encoding %q are not read.", problem.Clip(coding)).
			Hint("Send the JSON as it is.")
	}
	if r.ContentLength > a.MaxBody {
		return body, a.tooLarge()
	}
	// Room is made for what has been announced, but not for much of it: it may
	// never come.
	body = slices.Grow(body, int(min(max(r.ContentLength, 0), 32<<10))+bytes.MinRead)
	for {
		body = slices.Grow(body, 1)
		n, err := r.Body.Read(body[len(body):min(int64(cap(body)), a.MaxBody+1)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > a.MaxBody:
			return body, a.tooLarge()
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, unread(err)
		}
	}
}

func (a *api) tooLarge() error {
	return problem.New(problem.PayloadTooLarge, "The request body has more than %d bytes.", a.MaxBody).
		Hint("Send a smaller document; divide it into several that name each other in linked_instance_ids.")
}

// unread says why a body could not be read.
func unread(err error) error {
	if _, ok := errors.AsType[problem.Problem](err); ok {
		return err
	}
	p := problem.New(problem.BadRequest, "The request body ended before it was whole.")
	if timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && timeout.Timeout() {
		p = problem.New(problem.BadRequest, "The request body did not arrive in time.")
	}
	return p.Hint("Send it again.")
}
