package web

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// render returns the document as HTML without its title. link returns the address of
// a path of this server; button is the markup of the button that copies the code
// beside it.
func (m *markdown) render(link func(path string) string, button template.HTML) (template.HTML, error) {
	r := renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(&nodeRenderer{m, link, string(button)}, 100),
		util.Prioritized(extension.NewTableHTMLRenderer(), 500),
		util.Prioritized(html.NewRenderer(), 1000),
	))
	var b bytes.Buffer
	if err := r.Render(&b, m.source, m.root); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}

// nodeRenderer renders the nodes that need more than their plain HTML element.
type nodeRenderer struct {
	*markdown
	link   func(path string) string
	button string
}

// RegisterFuncs implements renderer.NodeRenderer.
func (r *nodeRenderer) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindHeading, r.heading)
	register.Register(ast.KindLink, r.hyperlink)
	register.Register(ast.KindCodeSpan, r.codeSpan)
	register.Register(ast.KindCodeBlock, r.code)
	register.Register(ast.KindFencedCodeBlock, r.code)
	register.Register(ast.KindHTMLBlock, r.omit)
	register.Register(ast.KindRawHTML, r.omit)
	register.Register(extast.KindTable, r.table)
	register.Register(extast.KindTableHeader, r.tableHeader)
	register.Register(extast.KindTableRow, r.tableRow)
	register.Register(extast.KindTableCell, r.tableCell)
}

// heading renders a heading that links to itself, unless it contains a link.
func (r *nodeRenderer) heading(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := n.(*ast.Heading).Level
	id, hasID := n.AttributeString("id") // headings in a quotation or a list have none
	isLink := hasID && !containsLink(n)
	switch {
	case entering && hasID:
		fmt.Fprintf(w, `<h%d id="%s" data-place>`, level, id)
	case entering:
		fmt.Fprintf(w, "<h%d>", level)
	}
	switch {
	case entering && isLink:
		fmt.Fprintf(w, `<a href="#%s">`, id)
	case isLink:
		_, _ = w.WriteString("</a>")
	}
	if !entering {
		fmt.Fprintf(w, "</h%d>\n", level)
	}
	return ast.WalkContinue, nil
}

// containsLink reports whether there is a link below a node.
func containsLink(n ast.Node) bool {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Kind() == ast.KindLink || child.Kind() == ast.KindAutoLink || containsLink(child) {
			return true
		}
	}
	return false
}

// hyperlink renders a link. Links to this server keep the language of the page.
func (r *nodeRenderer) hyperlink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	destination := string(n.(*ast.Link).Destination)
	if strings.HasPrefix(destination, "/") {
		destination = r.link(destination)
	}
	if html.IsDangerousURL([]byte(destination)) {
		destination = ""
	}
	fmt.Fprintf(w, `<a href="%s">`, util.EscapeHTML(util.URLEscape([]byte(destination), false)))
	return ast.WalkContinue, nil
}

// code renders a block of code with a button that copies it. Commands in a session are
// marked, because only they are copied.
func (r *nodeRenderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	isSession := false
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		isSession = string(fenced.Language(source)) == "console"
	}
	fmt.Fprintf(w, `<div class="snippet">%s<pre tabindex="0"><code>`, r.button)
	lines, inCommand := n.Lines(), false
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(source)
		inCommand = isSession && (bytes.HasPrefix(line, []byte("$ ")) || inCommand && bytes.HasPrefix(line, []byte("> ")))
		if inCommand {
			fmt.Fprintf(w, `<span class="prompt">%s</span><b class="command">%s</b>`, util.EscapeHTML(line[:2]), util.EscapeHTML(line[2:]))
		} else {
			_, _ = w.Write(util.EscapeHTML(line))
		}
	}
	_, _ = w.WriteString("</code></pre></div>\n")
	return ast.WalkContinue, nil
}

// omit drops HTML, such as comments.
func (r *nodeRenderer) omit(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

// maxUnbroken is the length of code that is kept on one line in a table.
const maxUnbroken = 30

// codeSpan renders code in a text. Browsers may break it after its slashes, except those
// of "http://": addresses are replaced in the rendered text.
func (r *nodeRenderer) codeSpan(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	value := r.plain(n)
	if len(value) > maxUnbroken {
		_, _ = w.WriteString(`<code class="long">`)
	} else {
		_, _ = w.WriteString("<code>")
	}
	for _, part := range strings.SplitAfter(value, "/") {
		_, _ = w.Write(util.EscapeHTML([]byte(part)))
		if len(part) > 1 && strings.HasSuffix(part, "/") && !strings.HasSuffix(part, ":/") {
			_, _ = w.WriteString("<wbr>")
		}
	}
	_, _ = w.WriteString("</code>")
	return ast.WalkSkipChildren, nil
}
