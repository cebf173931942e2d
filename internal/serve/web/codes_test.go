package web_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"placard/internal/serve/query"
)

func TestEveryCodeHasAPage(t *testing.T) {
	s := builtinService(t)
	list := parsePage(t, s.get("/docs/codes").body)
	listed := listedCodes(t, s)
	for _, c := range query.Codes() {
		if !list.ids[strings.ToLower(string(c.Code))] {
			t.Errorf("%s is not in the list", c.Code)
		}
		text := parsePage(t, s.get(listed[string(c.Code)].Docs).body).text
		wanted := []string{string(c.Code), c.Title, c.Why, c.ErrorIf}
		if status := listed[string(c.Code)].Status; status != 0 {
			wanted = append(wanted, strconv.Itoa(status)+" "+http.StatusText(status))
		}
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page does not contain %q", c.Code, want)
			}
		}
	}
}

// listedCode is a code in the list of the REST API.
type listedCode struct {
	Code   string `json:"code"`
	Status int    `json:"status"`
	Docs   string `json:"docs"`
}

// listedCodes returns the list of the REST API by code.
func listedCodes(tb testing.TB, s *service) map[string]listedCode {
	tb.Helper()
	var list struct {
		Codes []listedCode `json:"codes"`
	}
	if err := json.Unmarshal([]byte(s.get("/api/v2/codes").body), &list); err != nil {
		tb.Fatal(err)
	}
	byCode := make(map[string]listedCode)
	for _, c := range list.Codes {
		byCode[c.Code] = c
	}
	return byCode
}

func TestPagesOfCodesShowTheFinding(t *testing.T) {
	s := builtinService(t)
	for _, tt := range []struct{ code, message, hint, marked string }{
		{"INSTANCE_VARIABLE_UNKNOWN", `Element &#34;safety&#34; has no variable`, "Did you mean &#34;detail&#34;?", `<mark>          &#34;id&#34;: &#34;detial&#34;,</mark>`},
		{"SYMBOL_SCRIPT", "script", "Remove", "<mark>"},
		{"ID_DUPLICATE", "", "", "<mark>"},
	} {
		page := s.get("/docs/codes/" + tt.code).body
		for _, want := range []string{tt.message, tt.hint, tt.marked} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not contain %s", tt.code, want)
			}
		}
	}
}

func TestAddressesOfCodes(t *testing.T) {
	s := builtinService(t)
	for _, tt := range []struct {
		path, location string
		status         int
		contains       string
	}{
		{"/docs/codes/instance_variable_unknown?lang=fr", "/docs/codes/INSTANCE_VARIABLE_UNKNOWN?lang=fr", http.StatusFound, ""},
		{"/docs/codes/%5BRATE_LIMITED%5D", "/docs/codes/rate_limited", http.StatusFound, ""},
		{"/docs/codes/rate_limitd", "", http.StatusNotFound, `href="/docs/codes/rate_limited"`},
		{"/docs/codes/%3Cscript%3Ealert(1)", "", http.StatusNotFound, "&lt;script&gt;"},
		{"/docs/codes/" + strings.Repeat("x", 4000), "", http.StatusNotFound, "/docs/codes"},
	} {
		got := s.do("GET", tt.path)
		if got.status != tt.status || got.header.Get("Location") != tt.location || !strings.Contains(got.body, tt.contains) {
			t.Errorf("%.60s: got status %d to %q, want %d to %q\n%.2000s", tt.path, got.status, got.header.Get("Location"), tt.status, tt.location, got.body)
		}
	}
}

func TestCodesAreFiltered(t *testing.T) {
	s := builtinService(t)
	page := s.get("/docs/codes?q=%5Brate_limited%5D").body
	if !strings.Contains(page, `id="rate_limited"`) || strings.Contains(page, `id="not_found"`) {
		t.Errorf("a code in brackets: got %s", page)
	}
	if got := s.get("/docs/codes?q=STABLE+Must&part=results").body; strings.Contains(got, "<html") || !strings.Contains(got, "<li") {
		t.Errorf("words of a title: got %s", got)
	}
	for _, status := range []string{"429", "404", "413"} {
		if got := s.get("/docs/codes?q=" + status).body; strings.Count(got, "data-result") != 1 {
			t.Errorf("%s: want only the code with this status\n%s", status, got)
		}
		if got := s.do("GET", "/docs/codes/"+status+"?lang=fr"); got.status != http.StatusFound || got.header.Get("Location") != "/docs/codes?q="+status+"&lang=fr" {
			t.Errorf("/docs/codes/%s: got status %d, Location %q", status, got.status, got.header.Get("Location"))
		}
	}
	if got := s.do("GET", "/docs/codes/418"); got.status != http.StatusNotFound {
		t.Errorf("/docs/codes/418: got status %d, want 404", got.status)
	}
	if got := s.get("/docs/codes?q=zzqq").body; !strings.Contains(got, "No code matches “zzqq”.") {
		t.Errorf("no code: got %s", got)
	}
}
