package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/serve/requestbody"
	"placard/internal/show/qr"
	"placard/internal/show/view"
	"placard/internal/storage/catalog"
)

// document handles a request with a document in its body.
type document func(r *http.Request, v *version, body []byte, step datachain.Step) (reply, error)

func (f document) handle(a *api, r *http.Request, client netip.Addr, b budget.Budget) (reply, error) {
	// The body is not read if the version does not exist.
	v, err := a.version(r)
	if err != nil {
		return reply{}, err
	}
	body, err := requestbody.Read(r, a.MaxBody)
	if err != nil {
		return reply{}, err
	}
	p, err := f.run(a, r, v, body, client, b)
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		// The document refers to another version. Loading it is not part of the
		// budget.
		snapshot, err := a.Catalog.Load(r.Context(), absent)
		if err != nil {
			return reply{}, err
		}
		return f.run(a, r, v.in(snapshot, r.PathValue("version")), body, client, b)
	}
	return p, err
}

// run handles a document within the budget.
func (f document) run(a *api, r *http.Request, v *version, body []byte, client netip.Addr, b budget.Budget) (reply, error) {
	meter, err := a.Documents.Start(r.Context(), client, b)
	if err != nil {
		return reply{}, err
	}
	defer meter.Stop()
	p, err := f(r, v, body, meter.Step)
	if err == nil {
		err = meter.Step()
	}
	return p, err
}

func (a *api) validate(_ *http.Request, v *version, body []byte, step datachain.Step) (reply, error) {
	verdict, err := query.Validate(v.Release, body, step)
	if err != nil {
		return reply{}, err
	}
	return v.verdict(verdict)
}

func (a *api) resolve(_ *http.Request, v *version, body []byte, step datachain.Step) (reply, error) {
	verdict, resolution, err := query.Resolve(v.Release, body, step)
	if err != nil {
		return reply{}, err
	}
	if resolution == nil {
		return v.verdict(verdict)
	}
	p := v.documentReply(resolution.Response())
	p.release = resolution.Release
	return p, nil
}

func (a *api) validateResolved(_ *http.Request, v *version, body []byte, step datachain.Step) (reply, error) {
	verdict, err := query.ValidateResolved(v.snapshot, body, step)
	if err != nil {
		return reply{}, err
	}
	return v.verdict(verdict)
}

// render returns the view of a thin or resolved document. The reply to an invalid
// document is that of validate; warnings about a valid one are not reported.
func (a *api) render(r *http.Request, v *version, body []byte, step datachain.Step) (reply, error) {
	params := r.URL.Query()
	locale := params.Get("locale")
	if err := query.CheckLocale(v.Release, locale); err != nil {
		return reply{}, err
	}
	format := params.Get("format")
	if !slices.Contains([]string{"", formatHTML, formatText}, format) {
		return reply{}, problem.New(problem.BadRequest, "%q is not a format.", problem.Clip(format)).
			In(problem.Root.Field("format")).Hint("Use %s or %s.", formatHTML, formatText)
	}
	var code qr.Code
	if address := params.Get("url"); address != "" {
		var err error
		if code, err = parseAddress(address); err != nil {
			return reply{}, err
		}
	}
	var verdict query.Verdict
	var models []*view.Model
	var err error
	if format == formatText {
		verdict, models, err = query.Render(v.snapshot, v.Release, body, []string{locale}, step)
	} else {
		verdict, models, err = query.RenderAll(v.snapshot, v.Release, body, locale, step)
	}
	if err != nil {
		return reply{}, err
	}
	if models == nil {
		return v.verdict(verdict)
	}
	if format == formatText {
		return reply{contentType: typeText, cache: noStore, hash: v.hash, body: []byte(models[0].PlainText())}, nil
	}
	page := view.NewPage(models, locale)
	page.Code = code
	html, err := page.HTML(step)
	if err != nil {
		return reply{}, err
	}
	return reply{contentType: typeHTML, cache: noStore, hash: v.hash, policy: viewPolicy, body: html}, nil
}

// Values of the parameter format of render.
const (
	formatHTML = "html"
	formatText = "text"
)

// viewPolicy is the Content-Security-Policy of rendered documents. Unlike the
// policy in the page itself, it can forbid framing.
var viewPolicy = []string{view.Policy + "; frame-ancestors 'none'"}

// valid is the body of the response to a document without findings.
var valid = []byte(`{"ok":true,"warnings":[]}`)

// documentReply returns the reply to a document.
func (v *version) documentReply(body []byte) reply {
	return reply{contentType: typeJSON, cache: noStore, hash: v.hash, body: body}
}

// verdict returns the reply with the findings in a document. A document that
// could not be parsed has warnings only if the list of errors is truncated.
func (v *version) verdict(found query.Verdict) (reply, error) {
	found.Errors.Render(v.sentence)
	found.Warnings.Render(v.sentence)
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
	case found.WrongShape && len(found.Warnings) == 0:
		body, err = json.Marshal(failure{Errors: found.Errors})
	default:
		body, err = json.Marshal(struct {
			OK       bool         `json:"ok"`
			Errors   problem.List `json:"errors"`
			Warnings problem.List `json:"warnings"`
		}{false, found.Errors, found.Warnings})
	}
	return v.documentReply(body), err
}
