package web_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"placard/internal/core/release/releasetest"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// documentedOperation is an operation in the OpenAPI document.
type documentedOperation struct {
	ID         string `json:"operationId"`
	method     string
	path       string
	Parameters []struct{ Name string }
	Responses  map[string]struct {
		Ref string `json:"$ref"`
	}
}

func operations(tb testing.TB) []documentedOperation {
	tb.Helper()
	data, err := os.ReadFile("../../../docs/openapi.json")
	if err != nil {
		tb.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]documentedOperation
	}
	if err := json.Unmarshal(data, &document); err != nil {
		tb.Fatal(err)
	}
	var all []documentedOperation
	for path, item := range document.Paths {
		for method, o := range item {
			o.method, o.path = strings.ToUpper(method), path
			all = append(all, o)
		}
	}
	if len(all) < 20 {
		tb.Fatalf("got %d operations", len(all))
	}
	return all
}

// plain returns the text of a page.
func plain(tb testing.TB, page string) string {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

func TestEveryOperationHasAPage(t *testing.T) {
	s := builtinService(t)
	overview := s.get("/docs/api-reference").body
	for _, o := range operations(t) {
		address := "/docs/api-reference/" + o.ID
		if !strings.Contains(overview, `href="`+address+`"`) || !strings.Contains(plain(t, overview), o.path) {
			t.Errorf("%s: the overview does not link to it", o.ID)
		}
		page := s.get(address).body
		if text := plain(t, page); !strings.Contains(text, o.path) || !strings.Contains(text, o.method) {
			t.Errorf("%s: the page does not show %s %s", o.ID, o.method, o.path)
		}
		for _, p := range o.Parameters {
			if p.Name != "" && !strings.Contains(page, ` name="`+p.Name+`"`) { // headers are references
				t.Errorf("%s: the form has no field for %s", o.ID, p.Name)
			}
		}
		for status, r := range o.Responses {
			if !strings.Contains(page, `data-status="`+status+`"`) {
				t.Errorf("%s: the page does not describe status %s", o.ID, status)
			}
			code := strings.TrimPrefix(r.Ref, "#/components/responses/")
			if r.Ref != "" && !strings.Contains(page, `href="/docs/codes/`+code+`"`) {
				t.Errorf("%s: the page does not link to the code %s", o.ID, code)
			}
		}
		checkFragments(t, address, page)
	}
}

var fragmentLink = regexp.MustCompile(` href="#([^"]+)"`)

// checkFragments reports links to missing places on the same page, and ids that occur
// twice.
func checkFragments(tb testing.TB, address, page string) {
	tb.Helper()
	for _, match := range fragmentLink.FindAllStringSubmatch(page, -1) {
		if strings.Count(page, `id="`+match[1]+`"`) != 1 {
			tb.Errorf("%s: got %d elements with id %s, want 1", address, strings.Count(page, `id="`+match[1]+`"`), match[1])
		}
	}
}

func TestReferenceInOtherLanguages(t *testing.T) {
	s := builtinService(t)
	for lang, want := range map[string]string{"fr": "Requête", "es": "Petición", "ja": "リクエスト"} {
		page := s.get("/docs/api-reference/listElements?lang=" + lang).body
		if !strings.Contains(page, want) || !strings.Contains(page, `/docs/codes/not_found?lang=`+lang) {
			t.Errorf("%s: the page is not in this language, or its links lose it", lang)
		}
	}
}

func TestReferencePagesAreRevalidated(t *testing.T) {
	s := builtinService(t)
	for _, path := range []string{"/docs/api-reference", "/docs/api-reference/validate"} {
		first := s.get(path)
		if got := s.do("GET", path, "If-None-Match", first.header.Get("Etag")); got.status != http.StatusNotModified {
			t.Errorf("%s with the ETag: got status %d, want 304", path, got.status)
		}
		if got := s.do("HEAD", path); got.status != http.StatusOK || got.body != "" {
			t.Errorf("HEAD %s: got status %d and %d bytes", path, got.status, len(got.body))
		}
		if got := s.do("POST", path); got.status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: got status %d, want 405", path, got.status)
		}
	}
}

func TestUnknownOperations(t *testing.T) {
	s := builtinService(t)
	for path, want := range map[string]string{
		"/docs/api-reference/listElement":         "listElements",
		"/docs/api-reference/%3Cscript%3E":        "&lt;script&gt;",
		"/docs/api-reference/none/run":            "/docs/api-reference",
		"/docs/api-reference/validate/run":        "",
		"/docs/api-reference/listElements/run/no": "",
	} {
		if got := s.do("GET", path); got.status != http.StatusNotFound || !strings.Contains(got.body, want) || strings.Contains(got.body, "<script>") {
			t.Errorf("%s: got status %d, want 404 and %q\n%s", path, got.status, want, got.body)
		}
	}
}

// Forms that are sent without script are redirected to the API.
func TestOperationsRunWithoutScript(t *testing.T) {
	s := builtinService(t)
	for form, want := range map[string]string{
		"listSchemas/run": "/api/v2/schemas",
		"listElements/run?version=place@latest&query=no+way&limit=&fields=id,title": "/api/v2/schemas/place@latest/elements?fields=id%2Ctitle&query=no+way",
		"getIconVariant/run?version=place@latest&element_id=x/y&variant=%3F":        "/api/v2/schemas/place@latest/elements/x%2Fy/icon.%3F.svg",
		"getManifest/run?version=//evil.example":                                    "/api/v2/schemas/%2F%2Fevil.example/manifest",
		"getManifest/run?version={version}&other=1":                                 "/api/v2/schemas/%7Bversion%7D/manifest",
	} {
		got := s.do("GET", "/docs/api-reference/"+form)
		if got.status != http.StatusFound || got.header.Get("Location") != want {
			t.Errorf("%s: got status %d and location %q, want %q", form, got.status, got.header.Get("Location"), want)
		}
	}
	for _, version := range []string{"", ".", "..", "%2e%2e/..", "a%0d%0ab"} {
		got := s.do("GET", "/docs/api-reference/getManifest/run?version="+version)
		if location := got.header.Get("Location"); got.status != http.StatusFound || !strings.HasPrefix(location, "/api/v2/") {
			t.Errorf("version %q: got status %d and location %q, want one below /api/v2", version, got.status, location)
		}
	}
}

var (
	versionField  = regexp.MustCompile(`name="version" data-in="path" value="([^"]*)"`)
	elementField  = regexp.MustCompile(`name="element_id" data-in="path" value="([^"]*)"`)
	documentField = regexp.MustCompile(`(?s)<textarea[^>]*>\n(.*?)</textarea>`)
)

// field returns the value of a form field.
func field(tb testing.TB, page string, pattern *regexp.Regexp) string {
	tb.Helper()
	match := pattern.FindStringSubmatch(page)
	if match == nil {
		tb.Fatalf("the page has no field %v\n%s", pattern, page)
	}
	return html.UnescapeString(match[1])
}

func TestRequestsUseAServedRelease(t *testing.T) {
	s := publishedService(t, releasetest.Release(t, "archive@2025-01-01-stable"), releasetest.Release(t, "archive@2026-01-01-stable", "later"),
		releasetest.Release(t, "archive@2026-02-01-beta", "latest"))
	page := s.get("/docs/api-reference/getElement").body
	version, element := field(t, page, versionField), field(t, page, elementField)
	if want := "archive@2026-01-01-stable"; version != want {
		t.Errorf("got version %q, want the newest stable one, %q", version, want)
	}
	s.get("/api/v2/schemas/" + version + "/elements/" + element)
	for _, id := range []string{"archive@2025-01-01-stable", "archive@latest"} {
		if !strings.Contains(page, `<option value="`+id+`">`) {
			t.Errorf("the version %s is not suggested", id)
		}
	}
	page = s.get("/docs/api-reference/validate").body
	resp, err := http.Post(s.URL+"/api/v2/schemas/"+field(t, page, versionField)+"/validate", "application/json", strings.NewReader(field(t, page, documentField)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct{ OK bool }
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || !got.OK {
		t.Errorf("got ok %v, error %v; want a valid document\n%s", got.OK, err, field(t, page, documentField))
	}
}

func TestReferenceWithoutReleases(t *testing.T) {
	s := newService(t, store.OpenFolder(t.TempDir()), web.Options{})
	for _, o := range operations(t) {
		page := s.get("/docs/api-reference/" + o.ID).body
		if strings.Contains(o.path, "{version}") && field(t, page, versionField) == "" {
			t.Errorf("%s: got no version, want the example of the OpenAPI document", o.ID)
		}
	}
}

// The page is shown even if the release for its requests cannot be loaded.
func TestReferenceWithAnUnreadableStore(t *testing.T) {
	path := t.TempDir()
	folder := store.OpenFolder(path)
	for _, id := range []string{"archive@2026-01-01-stable", "place@2026-01-01-beta"} {
		if _, err := storetest.Publish(t.Context(), folder, releasetest.Release(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	c := catalog.New(folder, catalog.Options{MaxResident: 1})
	s := newService(t, nil, web.Options{Catalog: c})
	snapshot, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	if snapshot.Lookup("archive@2026-01-01-stable") != nil { // make it the one that is not in memory
		s.get("/explore/place@2026-01-01-beta")
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	page := s.get("/docs/api-reference/getElement").body
	if got := field(t, page, versionField); got != "place@latest" {
		t.Errorf("got version %q, want the example of the OpenAPI document", got)
	}
	if got := field(t, page, elementField); got != "video_camera" {
		t.Errorf("got element %q, want the example of the OpenAPI document", got)
	}
}

// openAPIService shows another OpenAPI document. It serves no releases, so that pages
// show the examples of the document.
func openAPIService(tb testing.TB, document string) *service {
	tb.Helper()
	return newService(tb, store.OpenFolder(tb.TempDir()), web.Options{Docs: fstest.MapFS{"docs/openapi.json": {Data: []byte(document)}}})
}

func TestRecursiveTypesEnd(t *testing.T) {
	s := openAPIService(t, `{
		"info": {"description": "x"},
		"tags": [{"name": "g"}],
		"paths": {"/tree": {"parameters": [], "post": {
			"operationId": "tree", "tags": ["g"], "summary": "A tree.",
			"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}, "example": {}}}},
			"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Loop"}}}}}
		}}},
		"components": {"schemas": {
			"Node": {"type": "object", "properties": {
				"left": {"$ref": "#/components/schemas/Node"},
				"all": {"type": "array", "items": {"$ref": "#/components/schemas/List"}},
				"either": {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/Node"}]},
				"none": {"$ref": "#/components/schemas/None"},
				"lists": {"$ref": "#/components/schemas/Lists"},
				"value": {"$ref": "#/components/schemas/Value"}
			}, "additionalProperties": {"$ref": "#/components/schemas/Node"}},
			"List": {"type": ["array", "null"], "items": {"$ref": "#/components/schemas/Node"}},
			"Lists": {"type": "array", "items": {"$ref": "#/components/schemas/Lists"}},
			"Value": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/components/schemas/Value"}}]},
			"Loop": {"$ref": "#/components/schemas/Back"},
			"Back": {"$ref": "#/components/schemas/Loop"}
		}}
	}`)
	page := s.get("/docs/api-reference/tree").body
	if got := strings.Count(page, `href="#type-Node"`); got != 4 {
		t.Errorf("got %d links to the type, want 4", got)
	}
	for _, want := range []string{"array of array of Node", "string or Node", "None", "any name", "array of Lists", "string or array of Value"} {
		if !strings.Contains(plain(t, page), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	checkFragments(t, "tree", page)
}

func TestHostileOpenAPITextsAreEscaped(t *testing.T) {
	const hostile = `</textarea></script><script>alert(1)</script>\" onfocus=\"alert(1)`
	s := openAPIService(t, strings.ReplaceAll(`{
		"info": {"description": "HOSTILE"},
		"tags": [{"name": "g", "description": "HOSTILE"}],
		"paths": {"/HOSTILE/{p}": {"post": {
			"operationId": "op", "tags": ["g"], "summary": "HOSTILE", "description": "HOSTILE",
			"parameters": [
				{"name": "p", "in": "path", "required": true, "schema": {"type": "string", "pattern": "HOSTILE"}, "example": "HOSTILE"},
				{"name": "q", "in": "query", "required": true, "description": "HOSTILE", "schema": {"type": "string", "enum": ["HOSTILE"]}, "example": "HOSTILE"}
			],
			"requestBody": {"content": {"application/json": {"schema": {"type": "HOSTILE", "default": "HOSTILE"}, "example": {"x": "HOSTILE"}}}},
			"responses": {"200": {"description": "HOSTILE", "content": {"application/json": {"schema": {"properties": {"HOSTILE": {"description": "HOSTILE"}}}, "example": "HOSTILE"}}}}
		}}}
	}`, "HOSTILE", hostile))
	for _, path := range []string{"/docs/api-reference", "/docs/api-reference/op"} {
		page := s.get(path).body
		if strings.Contains(page, "<script>alert") || strings.Contains(page, `" onfocus="`) {
			t.Errorf("%s: a text is not escaped\n%s", path, page)
		}
		if !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("%s: the texts are missing", path)
		}
	}
}

func TestCodeQuotesTheRequest(t *testing.T) {
	const document = `{
		"tags": [{"name": "g"}],
		"paths": {"/x/{p}": {"post": {
			"operationId": "op", "tags": ["g"],
			"parameters": [{"name": "p", "in": "path", "required": true, "schema": {"type": "string"}, "example": "a'b\"c"}],
			"requestBody": {"content": {"application/json": {"schema": {}, "example": EXAMPLE}}}
		}}}
	}`
	for example, want := range map[string][]string{
		`"it's"`:  {`/x/a%27b%22c'`, `--data-raw '"it'\''s"'`, `body = r'''"it's"'''`, `JSON.stringify("it's")`},
		`"a'''b"`: {`body = "\"a'''b\""`},
		`"\\"`:    {`body = r'''"\\"'''`},
	} {
		s := openAPIService(t, strings.Replace(document, "EXAMPLE", example, 1))
		text := plain(t, s.get("/docs/api-reference/op").body)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: want %s in the code\n%s", example, part, text)
			}
		}
	}
}

func TestBrokenOpenAPIDocuments(t *testing.T) {
	const operation = `{"tags": [{"name": "g"}], "paths": {"/x": {"get": {"operationId": "x", "tags": ["g"], %}}}}`
	for _, document := range []string{
		``,
		`[]`,
		`{"paths": []}`,
		`{"paths": {"/x": {"get": {"operationId": "x", "tags": ["unknown"]}}}}`,
		strings.Replace(operation, "%", `"responses": {"default": {}}`, 1),
		strings.Replace(operation, "%", `"responses": {"400": {"$ref": "#/components/responses/none"}}`, 1),
		strings.Replace(operation, "%", `"responses": {"200": {"headers": {"A": {"$ref": "#/components/headers/none"}}}}`, 1),
		strings.Replace(operation, "%", `"parameters": [{"name": "c", "in": "cookie"}]`, 1),
	} {
		s := openAPIService(t, document)
		if got := s.do("GET", "/docs/api-reference"); got.status != http.StatusInternalServerError || !strings.Contains(got.body, "</html>") {
			t.Errorf("%s: got status %d, want a page with status 500", document, got.status)
		}
	}
}

// The overview lists the operations in the order of their groups, which previous and
// next follow.
func TestOperationsAreLinkedInOrder(t *testing.T) {
	s := builtinService(t)
	link := regexp.MustCompile(`href="(/docs/api-reference/[^"#]+)"`)
	var listed []string
	for _, match := range link.FindAllStringSubmatch(s.get("/docs/api-reference").body, -1) {
		listed = append(listed, match[1])
	}
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	visited := []string{listed[0]}
	for {
		match := next.FindStringSubmatch(s.get(visited[len(visited)-1]).body)
		if match == nil {
			break
		}
		visited = append(visited, match[1])
	}
	if !slices.Equal(visited, listed) {
		t.Errorf("got %v by following next, want %v", visited, listed)
	}
}
