package httpapi

import (
	"errors"
	"net/http"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/serve/query"
	"placard/internal/show/qr"
	"placard/internal/show/sign"
)

// sign returns a thin or resolved document as a sign. The reply to an invalid
// document is that of validate; warnings about a valid one are not reported.
func (a *api) sign(r *http.Request, v *version, body []byte, step datachain.Step) (reply, error) {
	params := r.URL.Query()
	locales, err := sign.ParseLocales(params.Get("locale"))
	if err != nil {
		return reply{}, err
	}
	size, err := sign.ParseSize(params.Get("size"))
	if err != nil {
		return reply{}, err
	}
	code, err := parseAddress(params.Get("url"))
	if err != nil {
		return reply{}, err
	}
	opts := sign.Options{Code: code, Size: size, Elements: sign.ParseElements(params.Get("elements")), Step: step}
	verdict, models, err := query.Render(v.snapshot, v.Release, body, locales, step)
	if err != nil {
		return reply{}, err
	}
	if models == nil {
		return v.verdict(verdict)
	}
	s, err := sign.Render(models, opts)
	if err != nil {
		return reply{}, err
	}
	return reply{contentType: typeSVG, cache: noStore, hash: v.hash, body: s.SVG}, nil
}

// parseAddress returns the code of an address in the parameter url.
func parseAddress(address string) (qr.Code, error) {
	code, err := qr.Encode(address)
	if p, ok := errors.AsType[problem.Problem](err); ok {
		return qr.Code{}, p.In(problem.Root.Field("url"))
	}
	return code, err
}
