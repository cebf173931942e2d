package skos_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/show/skos"
	"placard/internal/storage/builtin"
	"placard/scripts/envtest"
)

// base is the folder of the documents. It is that of an alias, so that IRIs are
// resolved against another address than that of the version.
const base = "https://example.org/api/v2/schemas/small@latest/"

// graph is the result of testdata/check.mjs for one graph.
type graph struct {
	Problems   []string
	Statements []statement
}

type statement struct {
	Subject, Predicate, Object string
	Language, Datatype         string
	IsBlank                    bool // the subject or object is a node of a list
}

// parse parses files with independent parsers and checks the graphs. A graph may be in
// Turtle only.
func parse(t *testing.T, files map[string][]byte) map[string]graph {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), envtest.Node(t), "testdata/check.mjs", envtest.NPM(t), dir, base)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	graphs := make(map[string]graph)
	if err := json.Unmarshal(stdout.Bytes(), &graphs, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return graphs
}

// versions are versions of a taxonomy, each of which replaces the one before it.
type versions []*taxonomy.Taxonomy

// parse returns the graphs of the versions after checking them.
func (v versions) parse(t *testing.T) []graph {
	t.Helper()
	files := make(map[string][]byte)
	for i, tax := range v {
		files[fmt.Sprintf("%d.ttl", i)] = skos.Write(skos.Turtle, tax, skos.Served)
		files[fmt.Sprintf("%d.jsonld", i)] = skos.Write(skos.JSONLD, tax, skos.Served)
	}
	parsed := parse(t, files)
	graphs := make([]graph, len(v))
	for i, tax := range v {
		g, ok := parsed[fmt.Sprint(i)]
		if !ok {
			t.Fatalf("%s was not parsed", tax.ID)
		}
		for _, p := range g.Problems {
			t.Errorf("%s: %s", tax.ID, p)
		}
		g.checkTexts(t, tax)
		graphs[i] = g
	}
	return graphs
}

const (
	ns      = "http://www.w3.org/2004/02/skos/core#"
	dcterms = "http://purl.org/dc/terms/"
	xsd     = "http://www.w3.org/2001/XMLSchema#"
)

// iri returns an IRI of a taxonomy.
func iri(tax *taxonomy.Taxonomy, path string) string {
	return "https://example.org/explore/" + tax.ID.Type + path
}

// checkTexts compares the statements with a language with the texts of a version.
func (g graph) checkTexts(t *testing.T, tax *taxonomy.Taxonomy) {
	t.Helper()
	var want []string
	add := func(path, predicate string, texts taxonomy.Localized) {
		for _, text := range texts {
			if strings.TrimSpace(text.Value) != "" {
				want = append(want, fmt.Sprintf("%s %s %q@%s", iri(tax, path), predicate, text.Value, strings.ToLower(text.Locale)))
			}
		}
	}
	addContext := func(path string, c *taxonomy.Context) {
		if c == nil {
			return
		}
		add(path, ns+"prefLabel", c.Name)
		add(path, ns+"definition", c.Description)
		for _, v := range c.Values {
			add(path+"/"+v.ID, ns+"prefLabel", v.Label)
			add(path+"/"+v.ID, ns+"definition", v.Description)
		}
	}
	add("", dcterms+"title", tax.Title)
	add("", dcterms+"description", tax.Description)
	for _, c := range tax.Categories {
		path := "#question-" + c.ID
		add(path, ns+"prefLabel", c.Name)
		add(path, ns+"definition", c.Description)
		add(path, ns+"note", c.Prompt)
		add(path, ns+"scopeNote", c.Guidance)
		addContext(path+"/context", c.Context)
		for _, v := range c.Variables {
			if len(v.Options) == 0 {
				continue
			}
			add(path+"/variables/"+v.ID, ns+"prefLabel", v.Label)
			for _, o := range v.Options {
				option := path + "/variables/" + v.ID + "/" + o.ID
				add(option, ns+"prefLabel", o.Name)
				add(option, ns+"definition", o.Description)
				add(option, ns+"scopeNote", o.Guidance)
			}
		}
	}
	for _, e := range tax.Elements {
		add("/"+e.ID, ns+"prefLabel", e.Title)
		for _, list := range e.Keywords {
			title, _ := e.Title.Get(list.Locale)
			for word := range list.Value.All() {
				if word != title {
					add("/"+e.ID, ns+"altLabel", taxonomy.Localized{{Locale: list.Locale, Value: word}})
				}
			}
		}
		add("/"+e.ID, ns+"definition", e.Description)
		add("/"+e.ID, ns+"scopeNote", e.Guidance)
		addContext("/"+e.ID+"#context", e.Context)
	}
	var got []string
	for _, s := range g.Statements {
		if s.Language != "" {
			got = append(got, fmt.Sprintf("%s %s %q@%s", s.Subject, s.Predicate, s.Object, s.Language))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: texts (-want +got):\n%s", tax.ID, diff)
	}
}

// objects returns the values of a property of a resource.
func (g graph) objects(subject, predicate string) []string {
	var found []string
	for _, s := range g.Statements {
		if s.Subject == subject && s.Predicate == predicate {
			found = append(found, s.Object)
		}
	}
	return found
}

func TestBuiltInTaxonomyIsValidSKOS(t *testing.T) {
	var all versions
	store := builtin.Store()
	index, err := store.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range index.Releases {
		r, err := store.Load(t.Context(), entry)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Taxonomy)
	}
	if !envtest.Long {
		all = all[len(all)-1:]
	}
	for i, g := range all.parse(t) {
		tax := all[i]
		var concepts []string
		for _, e := range tax.Elements {
			concepts = append(concepts, iri(tax, "/"+e.ID))
		}
		var got []string
		for _, s := range g.Statements {
			if s.Predicate == ns+"topConceptOf" && s.Object == iri(tax, "") {
				got = append(got, s.Subject)
			}
		}
		if diff := cmp.Diff(concepts, got); diff != "" {
			t.Errorf("%s: top concepts (-want +got):\n%s", tax.ID, diff)
		}
	}
}

func TestRealTaxonomyIsValidSKOS(t *testing.T) {
	fsys := os.DirFS(envtest.RealTree(t))
	ids, found := source.Releases(fsys)
	if len(ids) == 0 {
		t.Fatal(found)
	}
	for _, id := range ids {
		tax, found := source.Load(fsys, id)
		if tax == nil {
			t.Fatal(found)
		}
		versions{tax}.parse(t)
	}
}

func TestConceptsAreTheSameInEveryVersion(t *testing.T) {
	before := releasetest.Taxonomy(t, "small@2026-01-02-stable", "extra", "merged")
	after := releasetest.Taxonomy(t, "small@2026-03-02-stable", "other")
	after.Elements[len(after.Elements)-1].Replaces = taxonomy.IDs{"extra", "merged"}
	graphs := versions{before, after}.parse(t)
	for _, s := range slices.Concat(graphs[0].Statements, graphs[1].Statements) {
		if strings.Contains(s.Subject, "2026") || strings.Contains(s.Object, "2026") && s.Datatype == "" && s.Predicate != dcterms+"hasVersion" {
			t.Errorf("an IRI contains a version: %v", s)
		}
	}
	if old, now := graphs[0].objects(iri(before, "/sound"), ns+"prefLabel"), graphs[1].objects(iri(after, "/sound"), ns+"prefLabel"); len(old) == 0 || !slices.Equal(old, now) {
		t.Errorf("got the labels %q and %q of an element, want equal ones", old, now)
	}
	want := []string{iri(after, "/extra"), iri(after, "/merged")}
	if diff := cmp.Diff(want, graphs[1].objects(iri(after, "/other"), dcterms+"replaces")); diff != "" {
		t.Errorf("replaced concepts (-want +got):\n%s", diff)
	}
}

func TestSchemeDescribesTheVersion(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-03-02-beta")
	tax.CreatedAt = "2026-03-01T23:30:00.5-03:00"
	g := versions{tax}.parse(t)[0]
	want := map[string]statement{
		dcterms + "identifier":                            {Object: "small", Datatype: xsd + "string"},
		dcterms + "hasVersion":                            {Object: "https://example.org/api/v2/schemas/small@2026-03-02-beta/manifest"},
		dcterms + "issued":                                {Object: "2026-03-02", Datatype: xsd + "date"},
		dcterms + "created":                               {Object: "2026-03-02T02:30:00.5Z", Datatype: xsd + "dateTime"},
		"http://www.w3.org/2002/07/owl#versionInfo":       {Object: "2026-03-02-beta", Datatype: xsd + "string"},
		"http://www.w3.org/1999/02/22-rdf-syntax-ns#type": {Object: ns + "ConceptScheme"},
	}
	got := make(map[string]statement)
	for _, s := range g.Statements {
		if s.Subject == iri(tax, "") && s.Language == "" {
			got[s.Predicate] = statement{Object: s.Object, Datatype: s.Datatype}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statements about the scheme (-want +got):\n%s", diff)
	}
}

// hostileTexts are texts that end a literal, a statement or a document if they are not
// escaped.
var hostileTexts = []string{
	`"`, `\`, `\"`, `ends with \`, `"@en . <x> <y> <z> .`, `""" . `, "line\nline\r\nline\rtab\t", `\u0041 \n`, "'", "<elements/x>", "# no comment",
	"\x00\x01\b\f\x1b\x1f\x7f", "\u0080\u0085\u2028\u2029\ufeff", "\ufffd\uffff", "😀 \U0010ffff", "{{variable}}", "</script>", `{"@id": "x"}`, "_:b0", "@en", "^^xsd:date",
}

func TestHostileTextsAreEscaped(t *testing.T) {
	tax := releasetest.Taxonomy(t, "a-_0@2026-03-02-stable")
	locales := []string{"en", "en-GB", "id", "x-private", "zh-Hant-TW", "i-default", "abcdefgh-12345678"}
	n := 0
	text := func() taxonomy.Localized {
		var all taxonomy.Localized
		for _, locale := range locales {
			all = append(all, taxonomy.Text{Locale: locale, Value: hostileTexts[n%len(hostileTexts)]})
			n++
		}
		return append(all, taxonomy.Text{Locale: "fr", Value: " \n"}) // blank
	}
	tax.Title, tax.Description = text(), text()
	tax.CreatedAt = `"^^xsd:date`
	for i := range tax.Categories {
		c := &tax.Categories[i]
		c.Name, c.Description, c.Prompt, c.Guidance = text(), text(), text(), text()
	}
	tax.Categories[1].Variables[1].Label = text()
	tax.Categories[1].Variables[1].Options[1].Guidance = text()
	tax.Categories = append(tax.Categories, taxonomy.Category{
		ID: "empty", Context: &taxonomy.Context{ID: "context"}, Variables: []taxonomy.Variable{{ID: "context", Kind: taxonomy.MultiSelectEnum}},
	})
	for _, id := range []string{"-", "_", "0", "-x-", "manifest", "A"} {
		e := taxonomy.Element{ID: id, CategoryID: "data", Title: text(), Description: text(), Guidance: text()}
		for _, locale := range []string{"EN", "fr", "id", "de"} {
			e.Keywords = append(e.Keywords, taxonomy.KeywordList{Locale: locale, Value: taxonomy.NewWords(hostileTexts...)})
		}
		e.Keywords = append(e.Keywords, taxonomy.KeywordList{Locale: "es", Value: taxonomy.NewWords(" ")})
		tax.Elements = append(tax.Elements, e)
	}
	g := versions{tax}.parse(t)[0]
	if n < 3*len(hostileTexts) {
		t.Errorf("only %d texts were used", n)
	}
	for _, s := range g.Statements {
		if !s.IsBlank && !strings.HasPrefix(s.Subject, iri(tax, "")) {
			t.Errorf("the subject %s is not part of the version", s.Subject)
		}
	}
}

// TestCheckFindsViolations tests the checks of testdata/check.mjs.
func TestCheckFindsViolations(t *testing.T) {
	const prefix = "@prefix skos: <" + ns + "> .\n<s> a skos:ConceptScheme .\n"
	const concept = " a skos:Concept ; skos:inScheme <s> .\n"
	files := make(map[string][]byte)
	cases := map[string]string{
		"valid":     "<a>" + concept + `<c> a skos:OrderedCollection ; skos:member <a> ; skos:memberList ( <a> ) .`,
		"S9":        "<s>" + concept,
		"S13":       "<a>" + concept + `<a> skos:prefLabel "x"@en ; skos:altLabel "y"@en, "x"@en .`,
		"S14":       "<a>" + concept + `<a> skos:prefLabel "x"@en-gb, "y"@en-GB .`,
		"S27":       "<a>" + concept + "<b>" + concept + "<c>" + concept + "<a> skos:broader <b> . <c> skos:narrower <b> ; skos:related <a> .",
		"S36":       "<a>" + concept + "<b>" + concept + `<c> a skos:OrderedCollection ; skos:member <a>, <b> ; skos:memberList ( <a> ) .`,
		"S37":       "<a>" + concept + "<a> a skos:OrderedCollection .",
		"S46":       "<a>" + concept + "<b>" + concept + "<a> skos:exactMatch <c> . <c> skos:exactMatch <b> . <b> skos:relatedMatch <a> .",
		"no scheme": "<a> a skos:Concept ; skos:inScheme <b> .",
		"notation":  "<a>" + concept + "<b>" + concept + `<a> skos:notation "x" . <b> skos:notation "x" .`,
		"member":    "<c> a skos:OrderedCollection ; skos:member <a> ; skos:memberList ( <a> ) .",
	}
	for name, text := range cases {
		files[name+".ttl"] = []byte(prefix + text)
	}
	files["different.ttl"] = []byte(prefix + `<s> skos:note "x"@en .`)
	files["different.jsonld"] = []byte(`{"@id":"s","@type":"` + ns + `ConceptScheme","` + ns + `note":"x"}`)
	graphs := parse(t, files)
	for name := range cases {
		var conditions []string
		for _, p := range graphs[name].Problems {
			condition, _, _ := strings.Cut(p, ":")
			conditions = append(conditions, condition)
		}
		want := []string{name}
		if name == "valid" {
			want = nil
		}
		if diff := cmp.Diff(want, conditions); diff != "" {
			t.Errorf("%s: violated conditions (-want +got):\n%s", name, diff)
		}
	}
	if got := graphs["different"].Problems; len(got) != 1 {
		t.Errorf("different graphs: got %q, want one problem", got)
	}
}

func TestDeprecatedElementsAreMarked(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-03-02-beta")
	tax.Elements[0].Deprecated = &taxonomy.Deprecation{Use: taxonomy.IDs{"sound"}}
	var got []statement
	for _, s := range (versions{tax}).parse(t)[0].Statements {
		if s.Predicate == "http://www.w3.org/2002/07/owl#deprecated" {
			got = append(got, s)
		}
	}
	want := []statement{{Subject: iri(tax, "/safety"), Predicate: "http://www.w3.org/2002/07/owl#deprecated", Object: "true", Datatype: xsd + "boolean"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
