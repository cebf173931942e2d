package httpapi

import (
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"

	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
)

// listCodes returns every code. The list is the same for the life of the
// process.
func (a *api) listCodes(*http.Request) (reply, error) { return codeList() }

var codeList = sync.OnceValues(func() (reply, error) {
	type code struct {
		Code     problem.Code     `json:"code"`
		Severity problem.Severity `json:"severity"`
		ErrorIf  string           `json:"error_if,omitzero"`
		Meaning  string           `json:"meaning"`
		Why      string           `json:"why"`
		RaisedBy []string         `json:"raised_by"`
		Status   int              `json:"status,omitzero"`
	}
	var codes []code
	for _, c := range query.Codes() {
		codes = append(codes, code{c.Code, c.Severity, c.ErrorIf, c.Title, c.Why, c.RaisedBy, statuses[c.Code]})
	}
	body, err := json.Marshal(struct {
		OK    bool   `json:"ok"`
		Codes []code `json:"codes"`
	}{true, codes})
	return reply{
		contentType: typeJSON,
		cache:       noCache,
		etag:        []string{`"` + release.Digest(body)[:32] + `"`},
		body:        body,
	}, err
})
