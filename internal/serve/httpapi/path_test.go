package httpapi_test

import (
	"net/http/httptest"
	"testing"
)

func TestEscapedSeparatorsInPathParametersAreBadRequests(t *testing.T) {
	s := published(t)
	const v = "/api/v2/schemas/" + stable
	for path, want := range map[string]int{
		"/api/v2/shapes/..%2Fx.svg":           400,
		"/api/v2/shapes/%2e%2E%2fx.svg":       400,
		"/api/v2/shapes/.%2Fcircle.svg":       400,
		"/api/v2/shapes/%2Fcircle.svg":        400,
		"/api/v2/shapes/circle%2F%2F.svg":     400,
		"/api/v2/shapes/..%5Cx.svg":           400,
		`/api/v2/shapes/..\x.svg`:             400,
		"/api/v2/shapes/circle%00.svg":        400,
		"/api/v2/schemas/..%2Fx/manifest":     400,
		"/api/v2/schemas/%2e%2e/manifest":     400,
		"/api/v2/schemas/%2e/elements":        400,
		"/api/v2/schemas/..%2f..%2f/elements": 400,
		v + "%2F../manifest":                  400,
		v + "%2F..%2Fx/manifest":              400,
		v + "/elements/%2e%2e%2fx":            400,
		v + "/elements/%2e%2e":                400,
		v + "/elements/%2E":                   400,
		v + "/elements/sound%2F":              400,
		v + "/elements/%2Fsound":              400,
		v + "/elements/sound%2f..%2fsafety":   400,
		v + "/elements/..%5cx":                400,
		v + "/elements/%252e%252e%252fx":      400,
		v + "/elements/sound%00":              400,
		v + "/elements/..%2Fx/icon.svg":       400,
		v + "/elements/sound%2Ficon.svg":      400,
		v + "/elements/sound/icon..%2Fx.svg":  400,
		v + "/elements/sound/icon.%2e%2e.svg": 400,
		v + "/symbols/..%2Fbox.svg":           400,
		v + "/symbols/%2e%2e%2fbox.svg":       400,

		// net/url ignores the escapes of a path that also has these characters.
		v + `/elements/..%2F"x`:      400,
		v + "/elements/sound%2F^":    400,
		v + "/elements/..%2F\u00fc":  400,
		"/api/v2/shapes/..%2F<x.svg": 400,

		// These have no parameter at the escaped separator, or no escape.
		"/api/v2%2Fschemas":              404,
		"/api/v2/%2e%2e/v2/schemas":      404,
		"/api/v2/schemas%2F":             404,
		"/api/v2/shapes%2Fcircle.svg":    404,
		v + "%2Fmanifest":                404,
		v + "/%2e%2e":                    404,
		"/api/v2/schemas/../x":           404,
		"/api/v2/schemas/../x/manifest":  404,
		"/api/v2/shapes/../x.svg":        404,
		v + "/elements/../elements":      404,
		v + "/elements/./sound":          404,
		v + "/elements//sound":           404,
		"/api/v2/sch%65mas":              200,
		"/api/v2/schemas/small%40latest": 404,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		s.Config.Handler.ServeHTTP(w, r)
		resp := response{w.Code, w.Header(), w.Body.String()}
		if resp.status != want {
			t.Errorf("%s: got status %d, want %d: %s", path, resp.status, want, resp.body)
			continue
		}
		if want == 400 && (resp.failure(t).Code != "bad_request" || resp.failure(t).FixHint == "") {
			t.Errorf("%s: got %s, want bad_request with a hint", path, resp.body)
		}
		if w.Header().Get("Location") != "" {
			t.Errorf("%s: got a redirect to %s, want none", path, w.Header().Get("Location"))
		}
	}
}
