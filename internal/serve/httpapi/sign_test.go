package httpapi_test

import (
	"net/url"
	"strings"
	"testing"

	"placard/internal/core/problem"
)

func TestSign(t *testing.T) {
	s := published(t)
	bilingual := strings.Replace(thin, `"id":"d"`, `"id":"d","title":[{"locale":"en","value":"Gate"},{"locale":"fr","value":"Porte"}]`, 1)
	resolved := s.post(stable+"/resolve", bilingual).body
	const page = "?url=https://example.org/gate"
	want := s.post(stable+"/sign"+page, bilingual)
	if want.status != 200 || !strings.HasPrefix(want.body, `<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm"`) || !strings.Contains(want.body, ">Gate</text>") {
		t.Fatalf("got status %d, %.300s, want a sign", want.status, want.body)
	}
	for name, value := range map[string]string{"Content-Type": "image/svg+xml; charset=utf-8", "Cache-Control": "no-store", "ETag": ""} {
		if got := want.header.Get(name); got != value {
			t.Errorf("%s: got %q, want %q", name, got, value)
		}
	}
	if got := s.post(stable+"/sign"+page, resolved); got.body != want.body {
		t.Errorf("a resolved document: got %.300s, want the same sign", got.body)
	}
	for params, texts := range map[string][]string{
		"&locale=fr":         {`lang="fr"`, ">Porte</text>"},
		"&locale=en,fr":      {`lang="en"`, ">Gate</text>", ">Porte</text>", `lang="fr"`},
		"&locale=en,%20fr":   {`lang="en"`, `lang="fr"`},
		"&size=square":       {`width="300mm" height="300mm"`},
		"&size=letter":       {`width="215.9mm"`},
		"&elements=sound":    {">Sound</text>"},
		"&locale=&elements=": {">Gate</text>"},
	} {
		got := s.post(stable+"/sign"+page+params, bilingual)
		for _, text := range texts {
			if got.status != 200 || !strings.Contains(got.body, text) {
				t.Errorf("%s: got status %d, %.300s, want %q", params, got.status, got.body, text)
			}
		}
	}
}

func TestSignRejectsInvalidDocumentsAsValidateDoes(t *testing.T) {
	s := published(t)
	for name, body := range map[string]string{
		"a wrong shape":      `{"id":7,"elements":[]}`,
		"an unknown element": strings.Replace(thin, `"sound"`, `"soundd"`, 1),
	} {
		want := s.post(stable+"/validate", body)
		if got := s.post(stable+"/sign?url=https://example.org/", body); got.body != want.body || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %s, want %s", name, got.body, want.body)
		}
	}
}

func TestSignRejectsInvalidParameters(t *testing.T) {
	s := published(t)
	for query, path := range map[string]string{
		"":                                                "url",
		"url=example.org":                                 "url",
		"url=javascript:alert(1)":                         "url",
		"url=https://example.org/&size=A6":                "size",
		"url=https://example.org/&locale=e_n":             "locale",
		"url=https://example.org/&locale=a,b,c":           "locale",
		"url=https://example.org/&locale=en,,fr":          "locale",
		"url=https://example.org/&elements=soun":          "elements",
		"url=https://example.org/&elements=a,b,c,d,e,f,g": "elements",
		"url=https://example.org/&elements=sound,sound":   "elements",
		"url=" + url.QueryEscape("https://example.org/"+strings.Repeat("\u2603", 50)): "url",
	} {
		resp := s.post(stable+"/sign?"+query, thin)
		if p := resp.failure(t); resp.status != 400 || p.Code != problem.BadRequest || p.Path.String() != path || p.FixHint == "" {
			t.Errorf("%q: got %d %s, want bad_request with path %q and a hint", query, resp.status, resp.body, path)
		}
	}
}
