package diffview_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	htmlparse "golang.org/x/net/html"

	"placard/internal/core/compat"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/show/diffview"
)

// hostile lists texts that could break escaping, a table or a terminal.
var hostile = []string{
	`</script><script>alert(1)</script>`, `</style><style>*{display:none}`, `"><svg onload=alert(1)>`, `' onfocus='alert(1)`,
	`<!--`, `]]>`, `</bdi></main>`, `<plaintext>`, `&lt;b&gt; &amp;`, `{{.}} {{template "section"}}`,
	`| a | b |`, `**bold** _it_ ~~gone~~ [link](https://example.org) ![image](x)`, "`code`", "- item\n# heading\n\n> quote", `\`, "$x$",
	"[-not removed-]{+not added+}", "escape\x1b[31m bell\a nul\x00", "\u202Eoverride", "line\u2028separator", "tab\tcr\r\nlf",
	strings.Repeat("unbreakable", 40), "كاميرا حرارية", "カメラが人数を数えます。", "\xff\xfe",
}

// hostileReport returns a report in which every text is hostile.
func hostileReport(tb testing.TB) *diffview.Report {
	tb.Helper()
	before := releasetest.Taxonomy(tb, "demo@2026-01-01-stable", "gone")
	after := releasetest.Taxonomy(tb, "demo@2026-02-01-beta", "came")
	after.Symbols["box"] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><linearGradient id="a"><stop offset="0" stop-color="#000000"/></linearGradient><rect x="9" y="9" width="18" height="18" fill="url(#a)"/></svg>`)
	c, err := compat.Compare(before, after)
	if err != nil {
		tb.Fatal(err)
	}
	template := c.Changes
	c.Changes = nil
	for i, s := range hostile {
		for _, change := range template {
			change.Subject.Name = taxonomy.Localized{{Locale: "en", Value: s}}
			for k := range change.Breaks {
				change.Breaks = slices.Clone(change.Breaks)
				change.Breaks[k].Message, change.Breaks[k].FixHint = s, s
			}
			c.Changes = append(c.Changes, change)
		}
		subject := compat.Subject{Kind: compat.Element, ID: "pictures", CategoryID: "data", Name: taxonomy.Localized{{Locale: "en", Value: s}}}
		next := hostile[(i+1)%len(hostile)]
		c.Changes = append(c.Changes,
			compat.Change{Kind: compat.Reworded, Subject: subject, Field: "title", Texts: []compat.TextChange{{Locale: "en", Before: s, After: next}}},
			compat.Change{Kind: compat.Retranslated, Subject: subject, Field: "title", Texts: []compat.TextChange{{Locale: "fr", Before: next, After: s}}},
			compat.Change{Kind: compat.Changed, Subject: subject, Field: "sources", Before: []string{s, next}, After: []string{next}},
			compat.Change{Kind: compat.Changed, Subject: subject, Field: "color", Before: []string{s}, After: []string{next}},
		)
	}
	return diffview.New(c, diffview.Options{})
}

func TestHTMLEscapesTexts(t *testing.T) {
	page := html(t, hostileReport(t))
	root, err := htmlparse.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Fields("html head meta title style body main header section div p h1 h2 h3 h4 dl dt dd ul li nav a b code span bdi del ins figure figcaption svg circle g rect polygon linearGradient stop")
	attributes := strings.Fields("lang charset http-equiv content name class id dir href width height aria-label aria-hidden viewBox cx cy r x y rx points offset fill stroke stroke-width color xmlns stop-color")
	var texts strings.Builder
	ids := make(map[string]bool)
	for n := range root.Descendants() {
		switch n.Type {
		case htmlparse.ElementNode:
			if !slices.Contains(allowed, n.Data) {
				t.Errorf("unexpected element %q", n.Data)
			}
			for _, a := range n.Attr {
				if !slices.Contains(attributes, a.Key) {
					t.Errorf("unexpected attribute %s=%q", a.Key, a.Val)
				}
				if a.Key == "id" && ids[a.Val] {
					t.Errorf("id %q is not unique", a.Val)
				}
				ids[a.Val] = ids[a.Val] || a.Key == "id"
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("unexpected address %s=%q", a.Key, a.Val)
				}
			}
		case htmlparse.TextNode:
			texts.WriteString(n.Data)
		}
	}
	for _, s := range hostile {
		if clean := strings.ToValidUTF8(s, "\uFFFD"); !strings.ContainsFunc(clean, isControl) && !strings.Contains(texts.String(), clean) {
			t.Errorf("the page does not show %q", s)
		}
	}
}

func isControl(r rune) bool { return r < ' ' || r == '\uFFFD' }

func TestTextHasNoControlCharacters(t *testing.T) {
	for _, width := range []int{0, 40, 200} {
		var b bytes.Buffer
		if err := hostileReport(t).Text(&b, width); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' || 0x7f <= r && r < 0xa0 }); i >= 0 {
			t.Errorf("control character in %q", b.String()[max(0, i-40):i+1])
		}
	}
}

func TestMarkdownEscapesTexts(t *testing.T) {
	before, after := everything(t)
	name := taxonomy.Localized{{Locale: "en", Value: "a|b *c* _d_ `e` <f> [g](h) ~i~ &amp; \\ #j $k$\n- l"}}
	r := diffview.New(&compat.Comparison{Before: before, After: after, Locale: "en", Changes: []compat.Change{
		{Kind: compat.Added, Subject: compat.Subject{Kind: compat.Element, ID: "brand_new", CategoryID: "data", Name: name}},
		{Kind: compat.Reworded, Subject: compat.Subject{Kind: compat.Element, ID: "safety", Name: name}, Field: "title", Texts: []compat.TextChange{{Locale: "en", Before: "a <b>", After: "a *c*\nd"}}},
	}}, diffview.Options{})
	var b bytes.Buffer
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	escaped := `a\|b \*c\* \_d\_ \` + "`e\\`" + ` \<f\> \[g\](h) \~i\~ \&amp; \\ \#j \$k\$ - l`
	for _, want := range []string{
		"\n| " + escaped + " | element `brand_new` | Records |\n",
		"\n- **" + escaped + "** (element `safety`)\n",
		"\n  - `title`: a <del>\\<b\\></del><ins>\\*c\\* d</ins>\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("Markdown lacks %q:\n%s", want, b.String())
		}
	}
}

func TestMarkdownHasOneLinePerItem(t *testing.T) {
	var b bytes.Buffer
	if err := hostileReport(t).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		known := slices.ContainsFunc([]string{"## ", "### ", "| ", "|---", "- ", "  - `"}, func(p string) bool { return strings.HasPrefix(line, p) })
		if line != "" && !known && !strings.HasSuffix(line, ".") {
			t.Errorf("unexpected line %q", line)
		}
	}
}
