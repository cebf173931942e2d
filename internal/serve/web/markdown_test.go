package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSectionsOfDocuments(t *testing.T) {
	m := parseMarkdown([]byte("# The `title`\n\nFirst *text*.\n\n## GET /a/{b_c}\n\n- one\n- two &amp; three\n\n### Same\n\n```\ncode\n```\n\n### Same\n"),
		func(s string) target { return target{address: s} })
	want := []docSection{
		{Level: 1, Heading: "The title", text: "First text."},
		{Level: 2, ID: "get-ab_c", Heading: "GET /a/{b_c}", text: "one\n\ntwo & three"},
		{Level: 3, ID: "same", Heading: "Same", text: "code"},
		{Level: 3, ID: "same-1", Heading: "Same"},
	}
	if diff := cmp.Diff(want, m.sections, cmp.AllowUnexported(docSection{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestRenderedMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"heading", "## A `b`", `<h2 id="a-b" data-place><a href="#a-b">A <code>b</code></a></h2>`},
		{"heading with a link", "## [A](b.md)", `<h2 id="a" data-place><a href="/b?lang=fr">A</a></h2>`},
		{"heading with a link in other markup", "## *[A](b.md)*", `<h2 id="a" data-place><em><a href="/b?lang=fr">A</a></em></h2>`},
		{"heading in a quotation", "> ## A", "<blockquote>\n<h2>A</h2>\n</blockquote>"},
		{"image", "![a *b*](c.png)", `<p><img src="/c.png" alt="a b"></p>`},
		{"image of nothing", "![a *b*](none) c", `<p>a <em>b</em> c</p>`},
		{"file names", "[b.md](b.md), [b](b.md)", `<p><a href="/b?lang=fr">The B</a>, <a href="/b?lang=fr">b</a></p>`},
		{"link to nothing", "[a *b*](none) c", `<p>a <em>b</em> c</p>`},
		{"comment", "a\n\n<!-- b -->\n\nc", "<p>a</p>\n<p>c</p>"},
		{
			"session", "```console\n$ a 'b\n> c'\n> d\n$ e\nf < g\n> h\n```",
			`<div class="snippet">BUTTON<pre tabindex="0"><code><span class="prompt">$ </span><b class="command">a 'b` + "\n" +
				`</b><span class="prompt">&gt; </span><b class="command">c'` + "\n</b>" + `<span class="prompt">&gt; </span><b class="command">d` + "\n" +
				`</b><span class="prompt">$ </span><b class="command">e` + "\n</b>f &lt; g\n&gt; h\n</code></pre></div>",
		},
		{
			"table without a header", "| | |\n|---|--:|\n| a | b |",
			"<div class=\"table\" tabindex=\"0\"><table role=\"table\">\n<tbody role=\"rowgroup\">\n<tr role=\"row\">\n<td role=\"cell\">a</td>\n<td role=\"cell\" align=\"right\">b</td>\n</tr>\n</tbody>\n</table></div>",
		},
		{
			"table", "| | A |\n|---|---|\n| a | b |",
			"<div class=\"table texts\" tabindex=\"0\"><table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">\n<td role=\"cell\"></td>\n<th role=\"columnheader\">A</th>\n</tr></thead>\n" +
				"<tbody role=\"rowgroup\">\n<tr role=\"row\">\n<td role=\"cell\">a</td>\n<td role=\"cell\">b</td>\n</tr>\n</tbody>\n</table></div>",
		},
		{
			"table of three columns", "| A | B \"b\" | C |\n|---|---|---|\n| a | b | |",
			"<div class=\"table texts\" tabindex=\"0\"><table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">\n<th role=\"columnheader\">A</th>\n<th role=\"columnheader\">B &quot;b&quot;</th>\n" +
				"<th role=\"columnheader\">C</th>\n</tr></thead>\n<tbody role=\"rowgroup\">\n<tr role=\"row\">\n<td role=\"cell\">a</td>\n<td role=\"cell\" data-label=\"B &quot;b&quot;\">b</td>\n<td role=\"cell\"></td>\n</tr>\n</tbody>\n</table></div>",
		},
		{"path", "`/a/b<c>/d`", "<p><code>/a/<wbr>b&lt;c&gt;/<wbr>d</code></p>"},
		{"long code", "`0123456789012345678901234567890`", `<p><code class="long">0123456789012345678901234567890</code></p>`},
		{"contents", "# T\n\na\n\n- [A](#a): [B](#b)\n- [C](#c)\n\n- [D](#d)\n\n## A\n\n- [B](#b)", "<p>a</p>\n<h2 id=\"a\" data-place><a href=\"#a\">A</a></h2>\n<ul>\n<li><a href=\"#b\">B</a></li>\n</ul>"},
		{"list of links to other pages", "# T\n\n- [A](#a)\n- [b](b.md)\n\n## A", "<ul>\n<li><a href=\"#a\">A</a></li>\n<li><a href=\"/b?lang=fr\">b</a></li>\n</ul>\n<h2 id=\"a\" data-place><a href=\"#a\">A</a></h2>"},
	} {
		m := parseMarkdown([]byte(tt.source), func(destination string) target {
			if destination == "none" {
				return target{}
			}
			if strings.HasPrefix(destination, "#") {
				return target{address: destination}
			}
			return target{"/" + strings.TrimSuffix(destination, ".md"), "The B"}
		})
		got, err := m.render(func(path string) string { return path + "?lang=fr" }, "BUTTON")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, strings.TrimSpace(string(got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
