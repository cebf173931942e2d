package httpapi_test

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/query"
	"placard/internal/show/view"
	"placard/internal/storage/store"
)

// thin is a valid document. Tests derive invalid documents from it.
const thin = `{"id":"d","schema_version":"` + stable + `","created_at":"2026-01-05T10:00:00Z",
	"elements":[{"element_id":"safety"},{"element_id":"sound","context_type_id":"loud","priority":1e0,
	"variables":[{"id":"note","value":[{"locale":"en","value":"Loud."}]}]}],"x_extra":{"kept":true}}`

func (s *service) post(path, body string, header ...string) response {
	s.t.Helper()
	return s.send(path, strings.NewReader(body), header...)
}

func (s *service) send(path string, body io.Reader, header ...string) response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "POST", s.URL+"/api/v2/schemas/"+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, string(data)}
}

// envelope is the body of the response to a document.
type envelope struct {
	OK       bool          `json:"ok"`
	Errors   *problem.List `json:"errors"`
	Warnings *problem.List `json:"warnings"`
}

func (resp response) envelope(t *testing.T) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal([]byte(resp.body), &e, json.RejectUnknownMembers(true)); err != nil || resp.status != 200 {
		t.Fatalf("got status %d, body %s (%v), want an envelope", resp.status, resp.body, err)
	}
	if resp.header.Get("Cache-Control") != "no-store" || resp.header.Get("Service-Content-Hash") == "" || resp.header.Get("ETag") != "" {
		t.Errorf("got headers %v, want no-store, Service-Content-Hash and no ETag", resp.header)
	}
	return e
}

func codes(l *problem.List) []string {
	if l == nil {
		return nil
	}
	all := []string{}
	for _, p := range *l {
		all = append(all, string(p.Code))
	}
	return all
}

func TestValidate(t *testing.T) {
	s := published(t)
	for _, tc := range []struct {
		name, body       string
		ok               bool
		errors, warnings []string
	}{
		{"valid, with a warning", thin, true, nil, []string{"unknown_field"}},
		{
			"invalid", strings.Replace(thin, `"sound"`, `"soundd"`, 1), false,
			[]string{"INSTANCE_ELEMENT_UNKNOWN"},
			[]string{"unknown_field"},
		},
		{"wrong shape", `{"id":7,"elements":[]}`, false, []string{"parse_error", "parse_error", "parse_error", "parse_error"}, nil},
		{"not an object", `[]`, false, []string{"parse_error"}, nil},
		{
			"more errors than are listed", `{"linked_instance_ids":[` + strings.Repeat("0,", 200) + `0]}`, false,
			slices.Repeat([]string{"parse_error"}, 200),
			[]string{"findings_truncated"},
		},
	} {
		e := s.post(stable+"/validate", tc.body).envelope(t)
		if e.OK != tc.ok || !cmp.Equal(codes(e.Errors), tc.errors) || !cmp.Equal(codes(e.Warnings), tc.warnings) {
			t.Errorf("%s: got ok %t, errors %v, warnings %v, want %t, %v, %v",
				tc.name, e.OK, codes(e.Errors), codes(e.Warnings), tc.ok, tc.errors, tc.warnings)
		}
	}
}

func TestResolve(t *testing.T) {
	s := published(t)
	resp := s.post("small@latest/resolve", thin)
	if resp.status != 200 || resp.header.Get("Cache-Control") != "no-store" || resp.header.Get("Service-Content-Hash") == "" {
		t.Fatalf("got status %d, headers %v, body %s, want 200, no-store and Service-Content-Hash", resp.status, resp.header, resp.body)
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(resp.body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc["ok"] != true || doc["x_extra"] == nil || !cmp.Equal(doc["suggested_elements"], []any{}) || !strings.Contains(resp.body, `"priority":1e0`) {
		t.Errorf("got %s, want ok, x_extra, no suggested elements and the priority 1e0", resp.body)
	}
	if second := s.post(stable+"/resolve", thin); second.body != resp.body {
		t.Error("resolving the same document again returns different bytes")
	}
	if got := s.post(stable+"/validate_resolved", resp.body); !strings.HasPrefix(got.body, `{"ok":true,"warnings":[{"code":"unknown_field"`) {
		t.Errorf("validate_resolved: got %s, want a warning about x_extra", got.body)
	}
	drifted := strings.Replace(resp.body, "Sounds heard nearby.", "Sounds heard anywhere.", 1)
	if e := s.post(stable+"/validate_resolved", drifted).envelope(t); e.OK || !cmp.Equal(codes(e.Errors), []string{"snapshot_drift"}) {
		t.Errorf("a changed snapshot: got errors %v, want snapshot_drift", codes(e.Errors))
	}
	failed := s.post(stable+"/resolve", strings.Replace(thin, `"loud"`, `"quiet"`, 1)).envelope(t)
	if failed.OK || !cmp.Equal(codes(failed.Errors), []string{"CONTEXT_TYPE_UNKNOWN"}) || failed.Warnings == nil {
		t.Errorf("an invalid document: got %v, want CONTEXT_TYPE_UNKNOWN and warnings", failed)
	}
}

func TestDriftIsCheckedOnlyAgainstPublishedReleases(t *testing.T) {
	s := published(t)
	resolved := s.post(stable+"/resolve", thin).body
	drifted := strings.Replace(resolved, "Sounds heard nearby.", "Sounds heard anywhere.", 1)
	if e := s.post(beta+"/validate_resolved", drifted).envelope(t); e.OK {
		t.Error("the snapshot is compared with the version in the path, want schema_version")
	}
	// Remove the stable release from the index.
	data, err := os.ReadFile(s.dir + "/" + store.IndexFile)
	if err != nil {
		t.Fatal(err)
	}
	index, err := store.DecodeIndex(data)
	if err != nil {
		t.Fatal(err)
	}
	index.Releases = index.Releases[1:]
	if data, err = index.Encode(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.dir+"/"+store.IndexFile, data, 0o644); err != nil {
		t.Fatal(err)
	}
	s.refresh()
	if resp := s.post(beta+"/validate_resolved", drifted); !strings.HasPrefix(resp.body, `{"ok":true,`) {
		t.Errorf("after the release was removed: got %s, want no errors", resp.body)
	}
	if resp := s.post(stable+"/validate_resolved", drifted); resp.status != 404 {
		t.Errorf("the removed version: got status %d, want 404", resp.status)
	}
}

func TestRender(t *testing.T) {
	s := published(t)
	r := releasetest.Release(t, stable)
	snapshot, err := s.catalog.Current()
	if err != nil {
		t.Fatal(err)
	}
	bilingual := strings.Replace(thin, `"id":"d"`, `"id":"d","title":[{"locale":"en","value":"Gate"},{"locale":"fr","value":"Porte"}]`, 1)
	for _, tc := range []struct{ name, body, params, locale string }{
		{"thin", bilingual, "", ""},
		{"resolved", s.post(stable+"/resolve", bilingual).body, "", ""},
		{"in French", bilingual, "?locale=fr", "fr"},
		{"in a regional locale", bilingual, "?locale=FR-ca", "FR-ca"},
		{"in an unknown locale", bilingual, "?locale=de", "de"},
		{"with an empty locale", bilingual, "?locale=&x=1", ""},
		{"of another version", strings.Replace(bilingual, stable, beta, 1), "", ""},
	} {
		_, models, err := query.RenderAll(snapshot, r, []byte(tc.body), tc.locale, nil)
		if err != nil || len(models) != 2 {
			t.Fatalf("%s: got %d models, error %v, want 2", tc.name, len(models), err)
		}
		want, err := view.NewPage(models, tc.locale).HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		resp := s.post("small@stable/render"+tc.params, tc.body)
		if resp.status != 200 || resp.body != string(want) {
			t.Errorf("%s: got status %d, %d bytes, want 200 and the %d bytes of the view", tc.name, resp.status, len(resp.body), len(want))
		}
		for name, want := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Service-Content-Hash": r.Hash(), "ETag": "",
			"Content-Security-Policy": view.Policy + "; frame-ancestors 'none'",
		} {
			if got := resp.header.Get(name); got != want {
				t.Errorf("%s: got %s %q, want %q", tc.name, name, got, want)
			}
		}
	}
	_, models, err := query.Render(snapshot, r, []byte(bilingual), []string{"fr"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantText := models[0].PlainText()
	text := s.post(stable+"/render?format=text&locale=fr", bilingual)
	if text.status != 200 || text.body != wantText || text.header.Get("Content-Type") != "text/plain; charset=utf-8" || text.header.Get("Cache-Control") != "no-store" {
		t.Errorf("as text: got status %d, headers %v, %s, want %s", text.status, text.header, text.body, wantText)
	}
	if page := s.post(stable+"/render?format=html", bilingual); page.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("as html: got headers %v, want a page", page.header)
	}
	plain := s.post(stable+"/render", bilingual, "Accept-Encoding", "identity")
	if coded := s.post(stable+"/render", bilingual, "Accept-Encoding", "gzip"); coded.header.Get("Content-Encoding") != "gzip" || coded.decoded(t) != plain.body {
		t.Errorf("got headers %v, want the same page in gzip", coded.header)
	}
}

func TestRenderRejectsInvalidDocumentsAsValidateDoes(t *testing.T) {
	s := published(t)
	for name, body := range map[string]string{
		"a wrong shape":      `{"id":7,"elements":[]}`,
		"not an object":      `[]`,
		"an unknown element": strings.Replace(thin, `"sound"`, `"soundd"`, 1),
	} {
		want := s.post(stable+"/validate", body)
		if resp := s.post(stable+"/render", body); resp.envelope(t).OK || resp.body != want.body || resp.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %s, want %s", name, resp.body, want.body)
		}
	}
	resolved := s.post(stable+"/resolve", thin).body
	drifted := strings.Replace(resolved, "Sounds heard nearby.", "Sounds heard anywhere.", 1)
	if e := s.post(stable+"/render", drifted).envelope(t); e.OK || !cmp.Equal(codes(e.Errors), []string{"snapshot_drift"}) {
		t.Errorf("a drifted snapshot: got %v, want snapshot_drift", codes(e.Errors))
	}
}

func TestInvalidBodies(t *testing.T) {
	s := published(t)
	large := strings.Repeat(" ", 1<<20) + "{}"
	// An apostrophe takes five bytes in HTML.
	largePage := strings.Replace(thin, "Loud.", strings.Repeat("'", 900_000), 1)
	for _, tc := range []struct {
		name     string
		response response
		status   int
		code     problem.Code
	}{
		{"invalid JSON", s.post(stable+"/validate", "{"), 400, problem.BadRequest},
		{"empty", s.post(stable+"/resolve", ""), 400, problem.BadRequest},
		{"duplicate keys", s.post(stable+"/validate", `{"id":"a","id":"b"}`), 400, problem.BadRequest},
		{"trailing data", s.post(stable+"/validate_resolved", `{} {}`), 400, problem.BadRequest},
		{"two BOMs", s.post(stable+"/validate", "\ufeff\ufeff{}"), 400, problem.BadRequest},
		{"too large", s.post(stable+"/validate", large), 413, problem.PayloadTooLarge},
		{"too large in chunks", s.send(stable+"/validate", io.MultiReader(strings.NewReader(large))), 413, problem.PayloadTooLarge},
		{"compressed", s.post(stable+"/validate", "x", "Content-Encoding", "gzip"), 415, problem.UnsupportedMediaType},
		{"malformed version", s.post("nonsense/validate", thin), 400, problem.BadRequest},
		{"unknown version", s.post("other@latest/resolve", thin), 404, problem.NotFound},
		{"invalid JSON to render", s.post(stable+"/render", "{"), 400, problem.BadRequest},
		{"malformed locale", s.post(stable+"/render?locale=e_n", thin), 400, problem.BadRequest},
		{"several locales", s.post(stable+"/render?locale=en,fr", thin), 400, problem.BadRequest},
		{"malformed query string", s.post(stable+"/render?locale=en;fr", thin), 400, problem.BadRequest},
		{"unknown format", s.post(stable+"/render?format=pdf", thin), 400, problem.BadRequest},
		{"too large a page", s.post(stable+"/render", largePage), 413, problem.PayloadTooLarge},
	} {
		p := tc.response.failure(t)
		if tc.response.status != tc.status || p.Code != tc.code || p.FixHint == "" {
			t.Errorf("%s: got status %d, %+v, want %d, %s and a hint", tc.name, tc.response.status, p, tc.status, tc.code)
		}
	}
	if e := s.post(stable+"/validate", "\ufeff"+thin).envelope(t); !e.OK {
		t.Errorf("a byte order mark: got %v, want no errors", codes(e.Errors))
	}
	if resp := s.post(stable+"/validate", thin, "Content-Type", "text/plain", "Content-Encoding", "identity"); resp.status != 200 {
		t.Errorf("another content type: got status %d, want 200", resp.status)
	}
	if resp := s.get("/api/v2/schemas/" + stable + "/validate"); resp.status != 405 || resp.header.Get("Allow") != "POST, OPTIONS" {
		t.Errorf("GET: got status %d, headers %v, want 405 and Allow: POST, OPTIONS", resp.status, resp.header)
	}
}

func TestResolvedDocumentTooLarge(t *testing.T) {
	s := published(t)
	body := strings.Replace(thin, `"kept":true`, `"kept":"`+strings.Repeat("x", 530_000)+`"`, 1)
	if e := s.post(stable+"/validate", body).envelope(t); !e.OK {
		t.Fatalf("the thin document is invalid: %v", codes(e.Errors))
	}
	resp := s.post(stable+"/resolve", body)
	if p := resp.failure(t); resp.status != 413 || p.Code != problem.PayloadTooLarge || p.FixHint == "" {
		t.Errorf("got status %d, %+v, want 413", resp.status, p)
	}
}

func TestListCodes(t *testing.T) {
	s := newService(t)
	list := s.get("/api/v2/codes").json(t)["codes"].([]any)
	found := map[string]map[string]any{}
	for _, c := range list {
		code := c.(map[string]any)
		found[code["code"].(string)] = code
		if code["meaning"] == "" || code["why"] == "" || len(code["raised_by"].([]any)) == 0 {
			t.Errorf("code %v has no explanation", code["code"])
		}
	}
	if len(found) != len(list) {
		t.Error("a code is listed twice")
	}
	for code, status := range map[string]any{"bad_request": 400.0, "timeout": 504.0, "snapshot_drift": nil, "parse_error": nil, "TRANSLATION_MISSING": nil} {
		if found[code] == nil || found[code]["status"] != status {
			t.Errorf("%s: got %v, want status %v", code, found[code], status)
		}
	}
	if found["unknown_field"]["severity"] != "warning" {
		t.Errorf("unknown_field: got %v, want a warning", found["unknown_field"])
	}
	if docs, ok := found["timeout"]["docs"]; ok {
		t.Errorf("without pages: got docs %v", docs)
	}
	s = s.with(httpapi.Options{CodePage: func(code problem.Code) string { return "/pages/" + string(code) }})
	for _, c := range s.get("/api/v2/codes").json(t)["codes"].([]any) {
		if code := c.(map[string]any); code["docs"] != "/pages/"+code["code"].(string) {
			t.Errorf("with pages: got %v", code)
		}
	}
}

func TestMismatchWithAnUnpublishedVersionRefersToTheList(t *testing.T) {
	s := published(t)
	body := strings.Replace(thin, stable, "small@2020-01-02-stable", 1)
	for _, op := range []string{"validate", "resolve"} {
		want := `Change schema_version to \"` + stable + `\" to use that version. GET /api/v2/schemas lists the published versions.`
		if resp := s.post(stable+"/"+op, body); !strings.Contains(resp.body, want) {
			t.Errorf("%s: got %s, want the hint %s", op, resp.body, want)
		}
	}
}
