package httpapi

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

// listCodes returns every code. The list is the same for the life of the
// process.
func (a *api) listCodes(*http.Request, func() error) (reply, error) {
	if list := a.codes.Load(); list != nil {
		return *list, nil
	}
	list, err := newCodeList(a.CodePage)
	if err == nil {
		a.codes.Store(&list)
	}
	return list, err
}

// newCodeList returns the list of codes, with the paths of their pages if there are
// any.
func newCodeList(page func(problem.Code) string) (reply, error) {
	type code struct {
		Code     problem.Code     `json:"code"`
		Severity problem.Severity `json:"severity"`
		ErrorIf  string           `json:"error_if,omitzero"`
		Meaning  string           `json:"meaning"`
		Why      string           `json:"why"`
		RaisedBy []string         `json:"raised_by"`
		Status   int              `json:"status,omitzero"`
		Docs     string           `json:"docs,omitzero"`
	}
	var codes []code
	for _, c := range query.Codes() {
		docs := ""
		if page != nil {
			docs = page(c.Code)
		}
		codes = append(codes, code{c.Code, c.Severity, c.ErrorIf, c.Title, c.Why, c.RaisedBy, statuses[c.Code], docs})
	}
	body, err := json.Marshal(struct {
		OK    bool   `json:"ok"`
		Codes []code `json:"codes"`
	}{true, codes})
	return jsonReply(body), err
}
