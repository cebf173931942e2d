package httpapi

import (
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"

	"placard/internal/budget"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/requestbody"
)

// document answers a request that brings a document, by working on it.
type document func(*version, []byte, datachain.Step) (reply, error)

func (f document) answer(a *api, r *http.Request, b budget.Budget) (reply, error) {
	// The release comes first: a body for a version that does not exist is not
	// read.
	v, err := a.release(r)
	if err != nil {
		return reply{}, err
	}
	d := desks.Get().(*desk)
	defer d.giveBack()
	if d.body, err = requestbody.Read(r, d.body, a.MaxBody); err != nil {
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
