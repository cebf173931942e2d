package icon

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"placard/internal/problem"
)

const (
	maxBytes    = 64 << 10
	maxDepth    = 32
	maxElements = 16384 // more than fit into maxBytes without references

	xlinkNamespace = "http://www.w3.org/1999/xlink"
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
)

// ParseSymbol checks an SVG document and makes a symbol of it. Every fault is
// reported, with its line and column; the symbol is nil if any of them is an
// error.
func ParseSymbol(svg []byte) (*Symbol, problem.List) {
	r := reader{
		src:        bytes.TrimPrefix(svg, []byte("\uFEFF")),
		ids:        map[string]*node{},
		gone:       map[string]bool{},
		referenced: map[string]bool{},
	}
	if len(r.src) > maxBytes {
		r.report(0, ruleTooLarge.Found("The symbol has %d bytes; at most %d are allowed.", len(r.src), maxBytes).
			Hint("Simplify the paths, and remove data that the drawing program added."))
		return nil, r.problems()
	}
	root, whole := r.document()
	if whole {
		r.link(root)
		if !draws(root) && len(r.found) == 0 {
			r.report(root.at, ruleEmpty.Found("The symbol draws nothing.").Hint("Add a path, circle or other shape."))
		}
	}
	problems := r.problems()
	if problems.HasErrors() {
		return nil, problems
	}
	return write(root, r.frame, r.referenced), problems
}

// node is one element of a symbol that has been found clean.
type node struct {
	name     string
	at       int // offset in the source
	attrs    []attr
	children []*node

	cost     int // elements drawn with every reference followed; 0: not counted
	counting bool
}

type attr struct {
	name  string
	at    int // offset of the value in the source
	parts []part
}

func (n *node) has(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a attr) bool { return a.name == name })
}

// frame is how a symbol is fitted into an icon.
type frame struct {
	box [4]float64 // the viewBox
	fit string     // preserveAspectRatio, or empty
}

// reader turns a document into nodes.
type reader struct {
	src      []byte
	decoder  *xml.Decoder
	found    []finding
	stray    int // offset of a character that XML does not have, or -1
	compared int // words, for hints

	frame      frame
	ids        map[string]*node
	gone       map[string]bool // ids inside elements that were refused
	referenced map[string]bool
}

// document reads the tree. Whole is false where the rest of the document could
// not be read, so that nothing can be said about what is missing from it.
func (r *reader) document() (root *node, whole bool) {
	r.stray = r.characters()
	r.decoder = xml.NewDecoder(bytes.NewReader(r.src))
	// The declared encoding is judged by itself; what is read is UTF-8 or malformed.
	r.decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var open []*node
	for {
		at := int(r.decoder.InputOffset())
		token, err := r.decoder.Token()
		if err == io.EOF && root != nil {
			return root, true
		}
		if err != nil {
			r.unreadable(err, at, open)
			return root, false
		}
		if r.strayReference(at) {
			return root, false
		}
		switch t := token.(type) {
		case xml.ProcInst:
			r.instruction(t, at)
		case xml.Directive:
			r.report(at, ruleDoctype.Found("A symbol must not have a DOCTYPE or another <! declaration.").Hint("Remove the declaration."))
		case xml.CharData:
			r.text(at, open)
		case xml.StartElement:
			if root != nil && len(open) == 0 {
				r.report(at, ruleMalformed.Found("<%s> follows the end of the svg element.", problem.Clip(t.Name.Local)).
					Hint("Keep one svg element and remove everything after it."))
				return root, false
			}
			if root == nil && (t.Name.Local != "svg" || t.Name.Space != svgNamespace) {
				r.report(at, ruleNotSVG.Found("The root element is <%s> in %s, not <svg> in the SVG namespace.", problem.Clip(t.Name.Local), namespaceName(t.Name.Space)).
					Hint(`Start the file with <svg xmlns=%q viewBox="0 0 36 36">.`, svgNamespace))
				return nil, false
			}
			n := r.element(t, at, open)
			if n == nil {
				if err := r.skip(t); err != nil {
					r.unreadable(err, at, open)
					return root, false
				}
				continue
			}
			if root == nil {
				root = n
			} else {
				parent := open[len(open)-1]
				parent.children = append(parent.children, n)
			}
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// unreadable reports why the decoder can go no further.
func (r *reader) unreadable(err error, at int, open []*node) {
	var syntax *xml.SyntaxError
	isSyntax := errors.As(err, &syntax)
	switch {
	case at <= r.stray && r.stray <= r.offset(), r.strayReference(at):
		// Reported already, where it stands.
	case err == io.EOF:
		r.report(at, ruleMalformed.Found("The file has no svg element.").Hint("Export the drawing again as plain SVG."))
	case isSyntax && strings.HasSuffix(syntax.Msg, "(no semicolon)"):
		r.report(bytes.LastIndexByte(r.src[:r.offset()], '&'), ruleMalformed.Found("The & does not start an entity.").Hint("Write &amp; for an ampersand."))
	case isSyntax && strings.HasPrefix(syntax.Msg, "invalid character entity"):
		entity := strings.TrimPrefix(syntax.Msg, "invalid character entity ")
		r.report(bytes.LastIndexByte(r.src[:r.offset()], '&'), ruleEntity.Found("%q is not one of the five entities predefined in XML.", problem.Clip(entity)).
			Hint("Write the character itself."))
	case isSyntax && syntax.Msg == "unexpected EOF" && len(open) > 0:
		last := open[len(open)-1]
		r.report(last.at, ruleMalformed.Found("<%s> is not closed before the file ends.", last.name).Hint("Close it with </%s>.", last.name))
	case isSyntax && bytes.HasPrefix(r.src[at:], []byte("</")):
		r.report(at, ruleMalformed.Found("The XML is not well-formed: %s.", strings.Map(visible, syntax.Msg)).Hint("Close the innermost element first."))
	case isSyntax:
		r.report(r.lastRead(at), ruleMalformed.Found("The XML is not well-formed: %s.", strings.Map(visible, syntax.Msg)).Hint("Fix the markup, or export the drawing again as plain SVG."))
	default:
		r.report(at, ruleMalformed.Found("The XML is not well-formed: %s.", strings.TrimPrefix(err.Error(), "xml: ")).Hint("Export the drawing again as plain SVG."))
	}
}

func (r *reader) offset() int { return min(int(r.decoder.InputOffset()), len(r.src)) }

// lastRead returns the offset of the character at which the decoder stopped,
// in the token that starts at at.
func (r *reader) lastRead(at int) int {
	_, size := utf8.DecodeLastRune(r.src[at:r.offset()])
	return r.offset() - size
}

func (r *reader) instruction(t xml.ProcInst, at int) {
	if t.Target == "xml" {
		r.declaration(t.Inst, at)
		return
	}
	r.report(at, ruleProcessingInstruction.Found("A symbol must not have the processing instruction <?%s?>.", problem.Clip(t.Target)).Hint("Remove the instruction."))
}

// text looks at the character data that the decoder has just read from at on.
func (r *reader) text(at int, open []*node) {
	raw := r.src[at:r.offset()]
	blank := len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	switch {
	case blank == len(raw):
	case len(open) == 0:
		r.report(at+blank, ruleMalformed.Found("Text is not allowed outside the svg element.").Hint("Remove it."))
	case !isNote(open[len(open)-1]):
		r.report(at+blank, ruleText.Found("Text inside <%s> is not drawn.", open[len(open)-1].name).
			Hint("Remove the text, or draw the letters as paths."))
	}
}

// isNote reports whether n is there for people who open the file and is left
// out of icons.
func isNote(n *node) bool { return n.name == "title" || n.name == "desc" }

// skip reads to the end of an element that was refused. What is wrong inside
// goes when the element goes; its ids are kept in mind so that references to
// them are not reported as well.
func (r *reader) skip(t xml.StartElement) error {
	for depth := 1; ; {
		for _, a := range t.Attr {
			if a.Name.Local == "id" {
				r.gone[a.Value] = true
			}
		}
		t = xml.StartElement{}
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		switch next := token.(type) {
		case xml.StartElement:
			depth++
			t = next
		case xml.EndElement:
			if depth--; depth == 0 {
				return nil
			}
		}
	}
}
