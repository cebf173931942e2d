package web

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

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
