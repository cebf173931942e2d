package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"placard.dev/problem"
	"placard.dev/query"
)

// MaxBody is how many bytes a request's body may have.
const MaxBody = 1 << 20

func (a *api) validate(r *http.Request) (reply, error) {
	v, body, err := a.releaseAndBody(r)
	if err != nil {
		return reply{}, err
	}
	verdict, err := query.Validate(v.Release, body, nil)
	if err != nil {
		return reply{}, err
	}
	return v.verdict(verdict)
}

func (a *api) resolve(r *http.Request) (reply, error) {
	v, body, err := a.releaseAndBody(r)
	if err != nil {
		return reply{}, err
	}
	verdict, resolution, err := query.Resolve(v.Release, body, nil)
	if err != nil {
		return reply{}, err
	}
	if resolution == nil {
		return v.verdict(verdict)
	}
	return v.answer(resolution.Answer()), nil
}

func (a *api) validateResolved(r *http.Request) (reply, error) {
	v, body, err := a.releaseAndBody(r)
	if err != nil {
		return reply{}, err
	}
	verdict, err := query.ValidateResolved(v.snapshot, body, nil)
	if err != nil {
		return reply{}, err
	}
	if verdict.OK() {
		// The contract's success of this operation has no warnings, ever.
		return v.answer([]byte(`{"ok":true,"warnings":[]}`)), nil
	}
	return v.verdict(verdict)
}

// answer returns the reply to a document.
func (v version) answer(body []byte) reply {
	return reply{contentType: typeJSON, cache: noStore, hash: v.Hash(), body: body}
}

// verdict returns the reply that tells what was found. A wrong shape is told
// without warnings: nothing else was looked at.
func (v version) verdict(found query.Verdict) (reply, error) {
	var body []byte
	var err error
	switch {
	case found.OK():
		body, err = json.Marshal(struct {
			OK       bool         `json:"ok"`
			Warnings problem.List `json:"warnings"`
		}{true, found.Warnings})
	case found.Shape:
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

// releaseAndBody returns the release that the path names and the whole body.
// The release comes first: a body for a version that does not exist is not read.
func (a *api) releaseAndBody(r *http.Request) (version, []byte, error) {
	v, err := a.release(r)
	if err != nil {
		return version{}, nil, err
	}
	body, err := readBody(r)
	return v, body, err
}

func readBody(r *http.Request) ([]byte, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, problem.New(problem.UnsupportedMediaType, "Request bodies with Content-Encoding %q are not read.", shorten(coding)).
			Hint("Send the JSON as it is.")
	}
	tooLarge := problem.New(problem.PayloadTooLarge, "The request body has more than %d bytes.", MaxBody).
		Hint("Send a smaller document; divide it into several that name each other in linked_instance_ids.")
	if r.ContentLength > MaxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if len(body) > MaxBody {
		return nil, tooLarge
	}
	if err != nil {
		var timeout interface{ Timeout() bool }
		if errors.As(err, &timeout) && timeout.Timeout() {
			return nil, problem.New(problem.BadRequest, "The request body did not arrive in time.").Hint("Send it again.")
		}
		return nil, problem.New(problem.BadRequest, "The request body ended before it was whole.").Hint("Send it again.")
	}
	return body, nil
}
