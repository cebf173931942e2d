package view_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	htmlparse "golang.org/x/net/html"
	"pgregory.net/rapid"

	"placard/internal/show/view"
)

// hostile lists texts that could break escaping or text direction.
var hostile = []string{
	`</script><script>alert(1)</script>`,
	`</title><img src=x onerror=alert(1)>`,
	`</style><style>*{display:none}`,
	`"><svg onload=alert(1)>`,
	`' onfocus='alert(1)`,
	"`${alert(1)}`",
	`<!--`, `-->`, `]]>`, `<![CDATA[`, `</bdi></main>`, `<plaintext>`,
	`&lt;b&gt; &amp; &#60;b&#62; &nbsp`,
	`{{.}} {{template "view"}} {{note}}`,
	"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>alert(1)</script>",
	"https://example.org/\"onclick=alert(1)//", "mailto:a@b?subject=<script>",
	"line\u2028separator\u2029paragraph", "\u202Eoverride", "\u2067\u2066isolate", "\u2069escape",
	"nul\x00 bell\a escape\x1b[31m", "\uFEFFmark", "cr\r\nlf\rcr", "  blank  ",
	"𝕳𝖆𝖓𝖉 👩‍👩‍👧 ẗ̈ẍ̈ẗ̈", "%3Cscript%3E", `\u003cscript\u003e`, `\`, "/*", "*/", "//",
}

// freeText lists the members of a document that hold free text.
var freeText = []string{
	"value", "target", "citation", "rationale", "confidence", "quote", "context", "model", "url", "where",
}

// rewrite replaces the free text of a document with the results of generate.
func rewrite(tb fataler, document []byte, generate func() string) []byte {
	var root map[string]any
	if err := json.Unmarshal(document, &root); err != nil {
		tb.Fatal(err)
	}
	var walk func(name string, v any) any
	walk = func(name string, v any) any {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				v[k] = walk(k, v[k])
			}
		case []any:
			for i := range v {
				v[i] = walk("", v[i])
			}
		case string:
			if slices.Contains(freeText, name) {
				return generate()
			}
		}
		return v
	}
	walk("", root)
	root["id"] = generate()
	for _, s := range root["sources"].([]any) {
		s.(map[string]any)["title"] = generate()
	}
	root["elements"].([]any)[0].(map[string]any)["label"] = generate()
	out, err := json.Marshal(root, json.Deterministic(true))
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

type fataler interface{ Fatal(args ...any) }

// pageText is a text with its attributes in a page.
type pageText struct{ Text, Lang, Dir, Kind string }

// shown returns the characters of t on a page, which omits the scheme of links.
func shown(t view.Text) string {
	if t.Href != "" {
		return strings.TrimPrefix(t.Text, "https://")
	}
	text := t.Text
	for _, part := range t.Parts {
		text += shown(part)
	}
	return text
}

// modelTexts returns the texts of m in the order of the page.
func modelTexts(m *view.Model) []pageText {
	var all []pageText
	var add func(texts ...view.Text)
	add = func(texts ...view.Text) {
		for _, t := range texts {
			if t.IsZero() {
				continue
			}
			all = append(all, pageText{shown(t), t.Lang, t.Dir, t.Kind})
			for _, part := range t.Parts {
				if part.Kind != "" {
					add(part)
				}
			}
		}
	}
	facts := func(list []view.Fact) {
		for _, f := range list {
			add(f.Label, f.Value)
		}
	}
	sources := func(list []view.Source) {
		for _, s := range list {
			add(s.Title, s.Address, s.Citation)
		}
	}
	notes := func(n *view.Notes) {
		facts(n.Facts)
		for _, q := range n.Quotes {
			add(q.Text, q.Context)
		}
		sources(n.Sources)
	}
	explained := make(map[string]bool)
	folded := func(p *view.Placement) {
		add(p.Description)
		if p.Notes != nil {
			add(p.Notes.Summary)
			notes(p.Notes)
		}
	}
	actions := func(list []view.Action) {
		for _, a := range list {
			target := a.Target
			if a.Href != "" {
				target = view.Text{Text: target.Text, Dir: "ltr", Kind: "link", Href: a.Href}
			}
			add(a.Label, target)
		}
	}
	choice := func(p *view.Placement) {
		add(p.Heading, p.Caption)
		actions(p.Links())
		switch {
		case len(p.Links()) > 0 && p.HasDetails():
			add(m.Words.Details)
		case len(p.Links()) == 0 && len(p.Values) > 0:
			gist := p.Values[0].Value
			add(view.Text{Text: gist.String(), Lang: gist.Lang, Dir: gist.Dir})
		}
		add(p.Proposed)
		if p.Context != nil {
			add(p.Context.Name, p.Context.Value)
		}
		facts(p.Values)
		actions(p.Addresses())
		folded(p)
	}
	placement := func(p *view.Placement) {
		add(p.Heading, p.Caption, p.Proposed)
		if p.Context != nil {
			add(p.Context.Name, p.Context.Value)
			if !explained[p.Context.Explanation.String()] {
				explained[p.Context.Explanation.String()] = true
				add(p.Context.Explanation)
			}
		}
		facts(p.Values)
		if !p.Description.IsZero() || p.Notes != nil {
			add(m.Words.Details)
		}
		folded(p)
	}
	add(m.Kind, m.Title, m.Description, m.Origin)
	for _, h := range m.Highlights {
		add(h.Question)
		for _, a := range view.Answers(h) {
			add(a.Name, a.Caption, a.Role, a.Others)
			if a.Context != nil {
				add(a.Context.Name, a.Context.Value)
			}
		}
	}
	if len(m.Choices) > 0 {
		add(m.Words.Choices)
	}
	for i := range m.Choices {
		choice(&m.Choices[i])
	}
	for _, link := range m.Contents() {
		add(link.Name)
	}
	for _, part := range m.Parts {
		add(part.Name)
		if !part.Name.IsZero() {
			add(part.Gist()...)
		}
		for _, strand := range part.Strands {
			add(strand.Title)
			for _, section := range strand.Sections {
				if part.Name.IsZero() && m.IsChoice(section) {
					continue
				}
				add(section.Prompt, section.Name)
				if part.Name.IsZero() {
					add(section.Gist()...)
				}
				for i := range section.Placements {
					placement(&section.Placements[i])
				}
				for _, chained := range section.Chained {
					add(chained.Chain.Name)
					add(chained.Answers...)
				}
			}
		}
	}
	add(m.Updated.Label, m.Updated.Value, m.About.Summary)
	notes(&m.About)
	sources(m.About.Sources)
	return all
}

// allowed lists the elements that a page may contain, with their attributes.
var allowed = map[string][]string{
	"a": {"href", "target", "rel"}, "b": nil, "bdi": {"lang", "dir", "class"}, "blockquote": nil,
	"dd": nil, "details": {"class"}, "div": {"class", "dir", "aria-hidden", "id"}, "dl": {"class"}, "dt": {"class", "dir"}, "figcaption": nil, "figure": nil,
	"footer": {"class"}, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "header": {"class"},
	"li": {"class"}, "nav": {"class", "aria-label"}, "p": {"class", "dir"}, "rect": {"x", "y", "width", "height", "rx", "fill"},
	"section": {"class", "id"}, "span": {"class", "dir", "aria-hidden"}, "summary": nil, "svg": {"class", "viewbox", "viewBox", "width", "height", "aria-hidden"},
	"ul": {"class", "id"}, "use": {"href"}, "wbr": nil,
}

// checkMarkup parses the page of m and compares it with m.
func checkMarkup(tb fataler, m *view.Model) {
	page, err := (&view.Page{Models: []*view.Model{m}}).HTML(nil)
	if err != nil {
		tb.Fatal(err)
	}
	root, err := htmlparse.Parse(bytes.NewReader(page))
	if err != nil {
		tb.Fatal(err)
	}
	var main, title *htmlparse.Node
	scripts := 0
	ids := make(map[string]bool)
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && ids[a.Val] {
				tb.Fatal("repeated id:", a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
		}
		switch {
		case n.Type != htmlparse.ElementNode:
		case n.Data == "main":
			main = n
		case n.Data == "title":
			title = n
		case n.Data == "script":
			scripts++
		}
	}
	if scripts != 1 || main == nil || textOf(title) != m.Title.String() {
		tb.Fatal("unexpected page: number of scripts:", scripts, "title:", textOf(title))
	}
	var texts []pageText
	for n := range main.Descendants() {
		if n.Type == htmlparse.TextNode && !hasAncestor(n, "bdi") && strings.Trim(n.Data, " ·、\u00a0") != "" && n.Data != m.Title.String() {
			tb.Fatal("text outside of bdi:", n.Data)
		}
		if n.Type == htmlparse.CommentNode {
			tb.Fatal("unexpected comment:", n.Data)
		}
		if n.Type != htmlparse.ElementNode {
			continue
		}
		attributes, ok := allowed[n.Data]
		if !ok {
			tb.Fatal("unexpected element:", n.Data)
		}
		got := make(map[string]string)
		for _, a := range n.Attr {
			if !slices.Contains(attributes, a.Key) {
				tb.Fatal("unexpected attribute:", n.Data, a.Key, a.Val)
			}
			got[a.Key] = a.Val
		}
		if n.Data == "bdi" {
			kind, _, _ := strings.Cut(got["class"], " ")
			texts = append(texts, pageText{textOf(n), got["lang"], got["dir"], kind})
		}
		if scheme, _, _ := strings.Cut(got["href"], ":"); n.Data == "a" && scheme != "https" && scheme != "mailto" && scheme != "tel" || n.Data == "use" {
			if target, ok := strings.CutPrefix(got["href"], "#"); !ok || !ids[target] {
				tb.Fatal("unexpected link:", got["href"])
			}
		}
	}
	if diff := cmp.Diff(modelTexts(m), texts); diff != "" {
		tb.Fatal("(-model +page):", diff)
	}
}

func textOf(n *htmlparse.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == htmlparse.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func hasAncestor(n *htmlparse.Node, name string) bool {
	for p := range n.Ancestors() {
		if p.Data == name {
			return true
		}
	}
	return false
}

func TestPageShowsExactlyTheTextsOfItsModel(t *testing.T) {
	checkMarkup(t, everything(t, ""))
	for _, name := range exampleNames {
		for _, locale := range []string{"en", "fr", "es", "ja"} {
			checkMarkup(t, example(t, name, locale))
		}
	}
}

func TestTextIsNeverMarkup(t *testing.T) {
	document := file(t, "everything.json")
	text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		m, err := parseAndBuild(rewrite(t, document, func() string { return text.Draw(t, "text") }))
		if err != nil {
			t.Fatal(err)
		}
		checkMarkup(t, m)
	})
}

func FuzzTextIsNeverMarkup(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	document := file(f, "everything.json")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		m, err := parseAndBuild(rewrite(t, document, func() string { return text }))
		if err != nil {
			t.Fatal(err)
		}
		checkMarkup(t, m)
	})
}
