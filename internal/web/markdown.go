package web

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is a parsed Markdown document. It is immutable, and rendered for each page
// that shows it.
type markdown struct {
	source   []byte
	root     ast.Node
	title    string // the heading of level 1, which is not part of root
	sections []docSection
}

// docSection is the part of a document below a heading, without the parts below its
// subheadings.
type docSection struct {
	Level   int
	ID      string // empty for the text before the first subheading
	Heading string
	text    string
}

// parser parses documents. It has no renderer of its own.
var parser = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// target is what a link or an image refers to.
type target struct {
	address string // empty if there is none
	title   string // of the document, which replaces its file name in texts; may be empty
}

// parseMarkdown parses a document. follow returns the target of a link or an image
// with the given destination.
func parseMarkdown(source []byte, follow func(destination string) target) *markdown {
	m := &markdown{source: source, root: parser.Parse(text.NewReader(source))}
	m.rewriteLinks(follow)
	var title ast.Node
	ids := make(map[string]int)
	m.sections = []docSection{{Level: 1}}
	var contents ast.Node
	for n := m.root.FirstChild(); n != nil; n = n.NextSibling() {
		current := &m.sections[len(m.sections)-1]
		h, ok := n.(*ast.Heading)
		switch {
		case len(m.sections) == 1 && contents == nil && isContents(n):
			contents = n
		case !ok:
			current.text = strings.TrimSpace(current.text + " " + m.plain(n))
		case h.Level == 1 && title == nil:
			title = n
			m.title = m.plain(n)
			current.Heading = m.title
			anchor(m.title, ids)
		default:
			s := docSection{Level: h.Level, Heading: m.plain(n)}
			s.ID = anchor(s.Heading, ids)
			h.SetAttributeString("id", []byte(s.ID))
			m.sections = append(m.sections, s)
		}
	}
	for _, n := range []ast.Node{title, contents} {
		if n != nil {
			m.root.RemoveChild(m.root, n)
		}
	}
	return m
}

// isContents reports whether a node is a list whose items all start with a link to a
// heading of the same document. Pages have a table of contents of their own.
func isContents(n ast.Node) bool {
	if n.Kind() != ast.KindList {
		return false
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		block := item.FirstChild()
		if block == nil {
			return false
		}
		link, ok := block.FirstChild().(*ast.Link)
		if !ok || !bytes.HasPrefix(link.Destination, []byte("#")) {
			return false
		}
	}
	return true
}

// rewriteLinks changes the destinations of links and images, and texts that are file
// names. Links and images without a target are replaced by their text.
func (m *markdown) rewriteLinks(follow func(string) target) {
	var dead []ast.Node
	_ = ast.Walk(m.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to := follow(string(n.Destination))
			if to.title != "" && m.plain(n) == path.Base(string(n.Destination)) {
				n.RemoveChildren(n)
				n.AppendChild(n, ast.NewString([]byte(to.title)))
			}
			if n.Destination = []byte(to.address); to.address == "" {
				dead = append(dead, n)
			}
		case *ast.Image:
			to := follow(string(n.Destination))
			if n.Destination = []byte(to.address); to.address == "" {
				dead = append(dead, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range dead {
		parent := n.Parent()
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			parent.InsertBefore(parent, n, child)
		}
		parent.RemoveChild(parent, n)
	}
}

// plain returns the text of a node without markup.
func (m *markdown) plain(root ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte('\n')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(m.source)
			if n.Parent().Kind() != ast.KindCodeSpan {
				value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
			}
			b.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(m.source))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(m.source))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// titleLine is the first heading of level 1.
var titleLine = regexp.MustCompile(`(?m)^# +(.+)$`)

// anchor returns the id of a heading, as code hosting sites generate it. count has the
// number of headings with each id.
func anchor(heading string, count map[string]int) string {
	id := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
	n := count[id]
	count[id]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", id, n)
	}
	return id
}

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

// table renders a table in a box that scrolls. On narrow screens the cells of a table
// of texts are shown below each other; the roles keep it a table for screen readers.
func (r *nodeRenderer) table(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</table></div>\n")
		return ast.WalkContinue, nil
	}
	class := "table texts"
	for _, alignment := range n.(*extast.Table).Alignments {
		if alignment != extast.AlignNone {
			class = "table"
		}
	}
	fmt.Fprintf(w, "<div class=\"%s\" tabindex=\"0\"><table role=\"table\">\n", class)
	return ast.WalkContinue, nil
}

// tableHeader renders the header of a table, unless all of its cells are empty.
func (r *nodeRenderer) tableHeader(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	isEmpty := true
	for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
		isEmpty = isEmpty && !cell.HasChildren()
	}
	status := ast.WalkContinue
	switch {
	case isEmpty && entering:
		status = ast.WalkSkipChildren
	case !isEmpty && entering:
		_, _ = w.WriteString("<thead role=\"rowgroup\"><tr role=\"row\">\n")
	case !isEmpty:
		_, _ = w.WriteString("</tr></thead>\n")
	}
	if !entering && n.NextSibling() != nil {
		_, _ = w.WriteString("<tbody role=\"rowgroup\">\n")
	}
	return status, nil
}

// tableRow renders a row below the header.
func (r *nodeRenderer) tableRow(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<tr role=\"row\">\n")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("</tr>\n")
	if n.NextSibling() == nil {
		_, _ = w.WriteString("</tbody>\n")
	}
	return ast.WalkContinue, nil
}

// tableCell renders a cell. Empty cells of a header are not headers.
func (r *nodeRenderer) tableCell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	name, role := "td", "cell"
	if n.Parent().Kind() == extast.KindTableHeader && n.HasChildren() {
		name, role = "th", "columnheader"
	}
	if !entering {
		fmt.Fprintf(w, "</%s>\n", name)
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, `<%s role="%s"`, name, role)
	if alignment := n.(*extast.TableCell).Alignment; alignment != extast.AlignNone {
		fmt.Fprintf(w, ` align="%s"`, alignment)
	}
	if label := r.columnLabel(n); label != "" {
		fmt.Fprintf(w, ` data-label="%s"`, util.EscapeHTML([]byte(label)))
	}
	_ = w.WriteByte('>')
	return ast.WalkContinue, nil
}

// columnLabel returns the heading of the column of a cell, which is shown before the
// cell where cells are below each other. Tables of two columns need none.
func (r *nodeRenderer) columnLabel(cell ast.Node) string {
	row := cell.Parent()
	if row.Kind() == extast.KindTableHeader || cell == row.FirstChild() || row.ChildCount() < 3 || !cell.HasChildren() {
		return ""
	}
	heading := row.Parent().FirstChild().FirstChild()
	for left := cell.PreviousSibling(); left != nil && heading != nil; left = left.PreviousSibling() {
		heading = heading.NextSibling()
	}
	if heading == nil {
		return ""
	}
	return r.plain(heading)
}
