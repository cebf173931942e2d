package httpapi_test

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/docschema"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/requestbody"
	"placard/internal/storage/store"
	"placard/scripts/envtest"
)

var update = flag.Bool("update", false, "update docs/openapi.json")

func TestOpenAPIDocumentIsUpToDate(t *testing.T) {
	const file = "../../../docs/openapi.json"
	served := newService(t).get("/api/v2/openapi.json").body
	if *update {
		if err := os.WriteFile(file, []byte(served), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), served); diff != "" {
		t.Errorf("%s is out of date; run make generate (-file +served):\n%s", file, diff)
	}
}

func TestOpenAPIDocumentContainsTheSharedDefinitions(t *testing.T) {
	var document struct {
		Components struct {
			Schemas map[string]jsontext.Value `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal([]byte(newService(t).get("/api/v2/openapi.json").body), &document); err != nil {
		t.Fatal(err)
	}
	shared := docschema.Set{Form: docschema.Strict, Refs: "#/components/schemas/"}
	for _, name := range docschema.Names() {
		want, err := json.Marshal(shared.Definition(name))
		if err != nil {
			t.Fatal(err)
		}
		got := document.Components.Schemas[name]
		if err := got.Compact(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if string(got) != string(want) {
			t.Errorf("schema %s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// contract is the OpenAPI document in a strict form: responses must not have
// members that it does not describe.
type contract struct {
	*openapi3.T
	router  routers.Router
	checked map[string]bool // "operation status" of the checked responses
}

func newContract(t *testing.T) *contract {
	t.Helper()
	var tree any
	if err := json.Unmarshal([]byte(newService(t).get("/api/v2/openapi.json").body), &tree); err != nil {
		t.Fatal(err)
	}
	tighten(tree)
	data, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("image/svg+xml", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/zip", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/turtle", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/ld+json", openapi3filter.JSONBodyDecoder)
	return &contract{document, router, make(map[string]bool)}
}

// tighten forbids additional properties in every schema that does not allow
// them explicitly.
func tighten(tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		if _, isRecord := tree["properties"]; isRecord && tree["additionalProperties"] == nil {
			tree["additionalProperties"] = false
		}
		for _, child := range tree {
			tighten(child)
		}
	case []any:
		for _, child := range tree {
			tighten(child)
		}
	}
}

// check validates a response against the document, and the request too if it
// succeeded.
func (c *contract) check(t *testing.T, method, path, body string, resp response) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	route, params, err := c.router.FindRoute(request)
	if err != nil {
		t.Errorf("%s %s is not in the document: %v", method, path, err)
		return
	}
	input := &openapi3filter.RequestValidationInput{
		Request: request, PathParams: params, Route: route,
		Options: &openapi3filter.Options{SkipSettingDefaults: true},
	}
	if resp.status == http.StatusOK && !strings.HasPrefix(resp.body, `{"ok":false`) {
		if err := openapi3filter.ValidateRequest(t.Context(), input); err != nil {
			t.Errorf("%s %s: the document does not allow the request: %v", method, path, err)
		}
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 resp.status,
		Header:                 resp.header,
		Body:                   io.NopCloser(strings.NewReader(resp.body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		t.Errorf("%s %s: the document does not allow the response: %v", method, path, err)
	}
	c.checked[fmt.Sprint(route.Operation.OperationID, " ", resp.status)] = true
}

// full is a document that has every member.
const full = `{"id":"d","title":[{"locale":"en","value":"Gate"}],"description":[],"schema_version":"` + stable + `",
	"created_at":"2026-01-05T10:00Z","updated_at":"2026-01-06T10:00:00+0200","instance_version":2,
	"sources":[{"type":"law","title":"A law","url":"https://example.org/","citation":"Article 1"}],
	"linked_instance_ids":["other"],"subchain_instances":[{"id":"s","subchain_id":"flow","label":[{"locale":"en","value":"North"}],"head_refs":["sound"],"order":1}],
	"elements":[{"element_id":"safety","label":"Safe","priority":1},{"element_id":"sound","context_type_id":"loud",
		"element_instance_id":"mic","label":[{"locale":"en","value":"Microphone"}],"subchain_instance_id":"s",
		"sources":[{"type":"law","title":"A law"}],
		"actions":[{"type":"email","label":[{"locale":"en","value":"Ask"}],"target":"ask@example.org"}],
		"variables":[{"id":"note","value":[{"locale":"en","value":"Loud."}]},{"id":"where","value":["there"]}],"x":1}],
	"authoring_provenance":{"kind":"human","model":"m","generated_at":"2026-01-05T10:00:00Z","element_provenance":{"mic":
		{"rationale":"r","confidence":"high","source_references":[{"quote":"q","context":"c"}],"variable_rationale":{"note":"n"}}}}}`

func TestResponsesMatchTheOpenAPIDocument(t *testing.T) {
	c := newContract(t)
	s := published(t)
	s.publishLarge()
	v := "/api/v2/schemas/" + stable

	for _, path := range []string{
		"/api/v2/openapi.json", "/api/v2/codes", "/api/v2/schemas",
		"/api/v2/openapi.json?a;b", "/api/v2/codes?a;b", "/api/v2/schemas?a;b",
		"/api/v2/authoring/meta.schema.json", "/api/v2/authoring/type.schema.json", "/api/v2/authoring/category.schema.json", "/api/v2/authoring/element.schema.json",
		"/api/v2/authoring/meta.schema.json?a;b", "/api/v2/authoring/type.schema.json?a;b", "/api/v2/authoring/category.schema.json?a;b", "/api/v2/authoring/element.schema.json?a;b",
		v + "/datachain.schema.json", "/api/v2/schemas/nonsense/datachain.schema.json", "/api/v2/schemas/other@beta/datachain.schema.json",
		v + "/manifest", "/api/v2/schemas/small@latest/manifest", "/api/v2/schemas/Small@latest/manifest", "/api/v2/schemas/nonsense/manifest",
		v + "/categories", v + "/categories?locales=en,fr", v + "/categories?locales=xx", v + "/elements?locales=xx", v + "/elements/sound?locales=xx", v + "/categories?locales=e_n", "/api/v2/schemas/other@beta/categories",
		v + "/elements", v + "/elements?fields=all", v + "/elements?fields=id,shape&limit=1&category_id=data", v + "/elements?query=heard&locale=en-GB&locales=fr",
		v + "/elements?limit=0", "/api/v2/schemas/other@2026-01-01/elements",
		v + "/elements/sound", v + "/elements/sound?fields=id&locales=en", v + "/elements/so.und", v + "/elements/other",
		v + "/elements/sound/icon.svg", v + "/elements/so.und/icon.svg", v + "/elements/other/icon.svg",
		v + "/elements/sound/icon.dark.svg", v + "/elements/sound/icon.a.b.svg", v + "/elements/sound/icon.purple.svg",
		v + "/icons.zip", "/api/v2/schemas/nonsense/icons.zip", "/api/v2/schemas/small@2020-01-01-beta/icons.zip", "/api/v2/schemas/" + large + "/icons.zip",
		v + "/skos.ttl", "/api/v2/schemas/nonsense/skos.ttl", "/api/v2/schemas/other@beta/skos.ttl",
		v + "/skos.jsonld", "/api/v2/schemas/nonsense/skos.jsonld", "/api/v2/schemas/other@beta/skos.jsonld",
		v + "/symbols/box.svg", v + "/symbols/b.ox.svg", v + "/symbols/other.svg",
		"/api/v2/shapes/octagon.svg", "/api/v2/shapes/a.b.svg", "/api/v2/shapes/star.svg",
	} {
		resp := s.get(path)
		c.check(t, "GET", path, "", resp)
		if resp.status == http.StatusOK {
			c.check(t, "GET", path, "", s.do("GET", path, "If-None-Match", resp.header.Get("ETag")))
		}
	}

	post := func(path, body string, header ...string) response {
		resp := s.post(path, body, header...)
		c.check(t, "POST", "/api/v2/schemas/"+path, body, resp)
		return resp
	}
	resolved := post(stable+"/resolve", full).body
	for op, good := range map[string]string{"validate": full, "resolve": thin, "validate_resolved": resolved, "render": resolved, "sign?url=https://example.org/": resolved} {
		if e := post(stable+"/"+op, good); strings.Contains(e.body, `"errors"`) {
			t.Errorf("%s: got %s, want no errors", op, e.body)
		}
		post(stable+"/"+op, strings.Replace(good, `"loud"`, `"quiet"`, 1))
		post(stable+"/"+op, `[]`)
		post(stable+"/"+op, `{`)
		post("nonsense/"+op, good)
		post("other@latest/"+op, good)
		post(stable+"/"+op, strings.Repeat(" ", requestbody.DefaultLimit+1))
		post(stable+"/"+op, good, "Content-Encoding", "gzip")
	}

	empty, replaced := newService(t), published(t)
	stableID, err := taxonomy.ParseID(stable)
	if err != nil {
		t.Fatal(err)
	}
	betaID, err := taxonomy.ParseID(beta)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replaced.store.Retire(t.Context(), store.Intent{ReplacedBy: betaID}, stableID); err != nil {
		t.Fatal(err)
	}
	replaced.refresh()
	fill := strings.NewReplacer("{version}", stable, "{element_id}", "sound", "{variant}", "dark", "{symbol_id}", "box", "{shape}", "circle")
	for path, item := range c.Paths.Map() {
		path = fill.Replace(path)
		for method, op := range item.Operations() {
			if op.Responses.Status(http.StatusBadGateway) != nil {
				c.check(t, method, path, "", empty.do(method, path))
			}
			if op.Responses.Status(http.StatusGone) != nil {
				resp := replaced.do(method, path)
				c.check(t, method, path, "", resp)
				if want := "</api/v2/schemas/" + beta + `/manifest>; rel="successor-version"`; resp.header.Get("Link") != want || !strings.Contains(resp.body, `"fix_hint":"Use `+beta) {
					t.Errorf("%s %s: got Link %q, want %q, and %s", method, path, resp.header.Get("Link"), want, resp.body)
				}
			}
		}
	}

	// Only a server that is overloaded or failing sends these.
	unreachable := []string{"429", "500", "503", "504"}
	for path, item := range c.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				if !slices.Contains(unreachable, status) && !c.checked[op.OperationID+" "+status] {
					t.Errorf("%s %s: no response with status %s was checked", method, path, status)
				}
			}
		}
	}
}

func TestBuiltInTaxonomyMatchesTheOpenAPIDocument(t *testing.T) {
	c, s := newContract(t), newBuiltinService(t)
	for _, version := range []string{"place@stable", "place@beta"} {
		for _, path := range []string{"/manifest", "/categories", "/elements?fields=all&limit=200"} {
			path = "/api/v2/schemas/" + version + path
			c.check(t, "GET", path, "", s.get(path))
		}
	}
	examples, err := fs.Glob(envtest.BuiltinTree(), "*/*/examples/*.json")
	if err != nil || len(examples) == 0 {
		t.Fatalf("got %d examples (%v), want at least one", len(examples), err)
	}
	for _, name := range examples {
		example, err := fs.ReadFile(envtest.BuiltinTree(), name)
		if err != nil {
			t.Fatal(err)
		}
		var pinned struct {
			Version string `json:"schema_version"`
		}
		if err := json.Unmarshal(example, &pinned); err != nil {
			t.Fatal(err)
		}
		resolved := s.post(pinned.Version+"/resolve", string(example))
		c.check(t, "POST", "/api/v2/schemas/"+pinned.Version+"/resolve", string(example), resolved)
		c.check(t, "POST", "/api/v2/schemas/"+pinned.Version+"/validate_resolved", resolved.body, s.post(pinned.Version+"/validate_resolved", resolved.body))
	}
}

func TestOpenAPIListsTheFieldsOfElements(t *testing.T) {
	c, s := newContract(t), published(t)
	element := s.get("/api/v2/schemas/" + stable + "/elements/sound").json(t)["element"].(map[string]any)
	for _, path := range []string{"/api/v2/schemas/{version}/elements", "/api/v2/schemas/{version}/elements/{element_id}"} {
		names := c.Paths.Find(path).Get.Parameters.GetByInAndName("query", "fields").Schema.Value.Items.Value.Enum
		for name := range element {
			if !slices.Contains(names, any(name)) {
				t.Errorf("%s: the values of fields are %v, want also %s", path, names, name)
			}
		}
		if !slices.Contains(names, any("all")) || slices.Contains(names, any("titel")) {
			t.Errorf("%s: got %v, want all and the names of fields", path, names)
		}
	}
}

func TestOpenAPIDescribesRequestHeaders(t *testing.T) {
	c := newContract(t)
	for path, item := range c.Paths.Map() {
		for method, op := range item.Operations() {
			for name, want := range map[string]bool{
				"Service-Client":  true,
				"If-None-Match":   method == http.MethodGet,
				"Accept-Encoding": !strings.HasSuffix(path, ".zip"),
			} {
				if p := op.Parameters.GetByInAndName("header", name); p != nil != want || p != nil && p.Required {
					t.Errorf("%s %s: got header %s %v, want it: %t, and optional", method, path, name, p, want)
				}
			}
		}
	}
}

func TestOpenAPISchemasOfElementsAllowFewerFieldsAndANotice(t *testing.T) {
	c := newContract(t)
	if got := c.Components.Schemas["ElementFields"].Value.Required; !slices.Equal(got, []string{"id"}) {
		t.Errorf("got required %v, want only id", got)
	}
	for _, path := range []string{"/categories", "/elements", "/elements/{element_id}"} {
		body := c.Paths.Find("/api/v2/schemas/{version}" + path).Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Schema.Value
		if meta := body.Properties["meta"]; meta == nil || meta.Value.Properties["notice"] == nil {
			t.Errorf("%s: the response has no meta.notice", path)
		}
	}
}

func TestOpenAPIPatternOfLocaleAcceptsWhatTheParserAccepts(t *testing.T) {
	locale := newContract(t).Components.Schemas["Locale"].Value
	tags := []string{
		"", "e", "x", "i", "x-a", "I-klingon", "a-b", "en", "EN-gb", "en-", "-en", "e1", "en-1", "e_n", "fr-CH", "zh-Hant-TW", "abcdefgh", "abcdefghi", "en-abcdefghi",
		"x-", "en--gb", "é", "en\n", "en-" + strings.Repeat("a1-", 20) + "b", "en-" + strings.Repeat("a1-", 20) + "bc",
	}
	for _, tag := range tags {
		if want, err := taxonomy.IsLocale(tag), locale.VisitJSON(tag); err == nil != want {
			t.Errorf("%q: the schema says %v, want accepted: %t", tag, err, want)
		}
	}
}

// TestOpenAPIDescribesSearch tries each claim of the text of the parameter query.
func TestOpenAPIDescribesSearch(t *testing.T) {
	c, s := newContract(t), newBuiltinService(t)
	text := c.Paths.Find("/api/v2/schemas/{version}/elements").Get.Parameters.GetByInAndName("query", "query").Description
	const filler = "q1+q2+q3+q4+q5+q6+q7+q8+q9+q10+q11+"
	for claim, queries := range map[string][]string{
		"title, description or keywords": {"video+camera", "cctv"},
		"any of the first 12 words":      {"camera+xyzzy", filler + "camera"},
		"Case and accents are ignored":   {"CAMÉRA"},
		"the beginnings of words":        {"camer"},
		"simple inflections":             {"cameras"},
		"small typing errors":            {"camra"},
		"blank query is ignored":         {"++"},
	} {
		if !strings.Contains(text, claim) {
			t.Errorf("the text %q does not say %q", text, claim)
		}
		for _, query := range queries {
			if body := s.get("/api/v2/schemas/place@stable/elements?limit=200&query=" + query).body; !strings.Contains(body, `"id":"video_camera"`) {
				t.Errorf("%s: got %.200s, want video_camera", query, body)
			}
		}
	}
	if body := s.get("/api/v2/schemas/place@stable/elements?query=" + filler + "q12+camera").body; !strings.Contains(body, `"total":0`) {
		t.Errorf("got %.200s, want no element for the 13th word", body)
	}
}
