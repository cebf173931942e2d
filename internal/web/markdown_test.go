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
			"<div class=\"table\" tabindex=\"0\"><table>\n<tbody>\n<tr>\n<td>a</td>\n<td align=\"right\">b</td>\n</tr>\n</tbody>\n</table></div>",
		},
		{
			"table", "| | A |\n|---|---|\n| a | b |",
			"<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr>\n<td></td>\n<th>A</th>\n</tr></thead>\n<tbody>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</tbody>\n</table></div>",
		},
	} {
		m := parseMarkdown([]byte(tt.source), func(destination string) target {
			if destination == "none" {
				return target{}
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
