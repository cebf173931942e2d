package web

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
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
