package icon

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"unicode/utf8"

	"placard/internal/core/problem"
)

const (
	maxBytes    = 64 << 10
	maxDepth    = 32
	maxElements = 16384 // cannot be exceeded within maxBytes without references

	xlinkNamespace = "http://www.w3.org/1999/xlink"
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
)

// ParseSymbol checks an SVG document and converts it to a symbol. It returns all
// findings with their lines and columns. The symbol is nil if any is an error.
func ParseSymbol(svg []byte) (*Symbol, problem.List) {
	symbol, problems, _ := ParseSymbolStep(svg, nil) // without a step, it cannot fail
	return symbol, problems
}

// ParseSymbolStep is [ParseSymbol] with a step function, which may be nil. It
// calls step while parsing a large document and stops with its error.
func ParseSymbolStep(svg []byte, step func() error) (*Symbol, problem.List, error) {
	r := reader{
		step:       step,
		src:        bytes.TrimPrefix(svg, []byte("\uFEFF")),
		ids:        map[string]*node{},
		skippedIDs: map[string]bool{},
		referenced: map[string]bool{},

		reportedProperties: map[string]bool{},
	}
	if !r.checkFormat() {
		return nil, r.problems(), nil
	}
	if len(r.src) > maxBytes {
		r.report(0, ruleTooLarge.Found("The symbol has %d bytes; at most %d are allowed.", len(r.src), maxBytes).
			Hint("Simplify the paths, and remove data that the drawing program added."))
		return nil, r.problems(), nil
	}
	root, complete := r.readDocument()
	if r.err != nil {
		return nil, nil, r.err
	}
	if root != nil {
		r.assignRoles(root)
		r.checkColors(root)
	}
	if complete {
		r.checkReferences(root)
		if !draws(root) && len(r.found) == 0 {
			r.report(root.offset, ruleEmpty.Found("The symbol draws nothing.").Hint("Add a path, circle or other shape."))
		}
		if !r.hasErrors() {
			r.checkFit(root)
		}
	}
	problems := r.problems()
	if problems.HasErrors() {
		return nil, problems, nil
	}
	return write(root, r.frame, r.referenced), problems, nil
}

// stepTokens is the number of XML tokens read between two calls of step.
const stepTokens = 256

// node is an element that has passed all checks.
type node struct {
	name     string
	offset   int // offset in the source
	attrs    []attr
	children []*node

	roles    role // set by assignRoles
	cost     int  // number of elements drawn, with references expanded; 0 if not yet counted
	counting bool // countDrawn is visiting the node
}

type attr struct {
	name   string
	offset int // offset of the value in the source
	parts  []part
}

func (n *node) has(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a attr) bool { return a.name == name })
}

// set adds an attribute or replaces the one with the same name.
func (n *node) set(a attr) {
	for i := range n.attrs {
		if n.attrs[i].name == a.name {
			n.attrs[i] = a
			return
		}
	}
	n.attrs = append(n.attrs, a)
}

// frame describes the size of a symbol and how it is scaled to fit an icon.
type frame struct {
	viewBox       [4]float64
	aspectRatio   string // the value of preserveAspectRatio, or empty
	width, height string // of the symbol's own document, or empty
}

// reader parses and checks a document.
type reader struct {
	src         []byte
	step        func() error // may be nil
	err         error        // of step; ends parsing
	decoder     *xml.Decoder
	found       []finding
	invalidChar int // offset of the first character not allowed in XML, or -1
	compared    int // number of ids compared for hints

	frame      frame
	viewBoxAt  int // offset of the value of viewBox
	ids        map[string]*node
	skippedIDs map[string]bool // ids inside skipped elements
	referenced map[string]bool

	reportedProperties map[string]bool // of style attributes
}

// readDocument reads the element tree. If it cannot read the whole document,
// complete is false, and a part that seems to be missing may exist.
func (r *reader) readDocument() (root *node, complete bool) {
	r.invalidChar = r.checkCharacters()
	r.decoder = xml.NewDecoder(bytes.NewReader(r.src))
	// checkDeclaration reports encodings other than UTF-8.
	r.decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var open []*node
	for tokens := 1; ; tokens++ {
		if r.step != nil && tokens%stepTokens == 0 {
			if r.err = r.step(); r.err != nil {
				return root, false
			}
		}
		at := int(r.decoder.InputOffset())
		token, err := r.decoder.Token()
		if err == io.EOF && root != nil {
			return root, true
		}
		if err != nil {
			r.reportSyntaxError(err, at, open)
			return root, false
		}
		switch t := token.(type) {
		case xml.ProcInst:
			r.checkInstruction(t, at)
		case xml.Directive:
			r.report(at, ruleDoctype.Found("A symbol must not have a DOCTYPE or another <! declaration.").Hint("Remove the declaration."))
		case xml.CharData:
			r.checkText(at, open)
		case xml.StartElement:
			if root != nil && len(open) == 0 {
				r.report(at, ruleMalformed.Found("<%s> follows the end of the svg element.", problem.Clip(t.Name.Local)).
					Hint("Keep one svg element and remove everything after it."))
				return root, false
			}
			if root == nil && (t.Name.Local != "svg" || t.Name.Space != svgNamespace) {
				r.reportRoot(t, at)
				return nil, false
			}
			if root != nil && isEditorData(t.Name) {
				if err := r.decoder.Skip(); err != nil {
					r.reportSyntaxError(err, at, open)
					return root, false
				}
				continue
			}
			n := r.readElement(t, at, open)
			if n == nil {
				if err := r.skip(t); err != nil {
					r.reportSyntaxError(err, at, open)
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

// reportRoot reports a root element that is not svg in the SVG namespace.
func (r *reader) reportRoot(t xml.StartElement, at int) {
	found := ruleNotSVG.Found("The root element is <%s> in %s, not <svg> in the SVG namespace.", problem.Clip(t.Name.Local), namespaceName(t.Name.Space))
	declared := slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name == xml.Name{Local: "xmlns"} })
	switch {
	case t.Name.Local == "svg" && declared:
		found = found.Hint("Change its xmlns to %q.", svgNamespace)
	case t.Name.Local == "svg" && t.Name.Space == "":
		found = found.Hint("Add xmlns=%q to <svg>.", svgNamespace)
	default:
		found = found.Hint(`Start the file with <svg xmlns=%q viewBox="0 0 36 36">.`, svgNamespace)
	}
	r.report(at, found)
}

func (r *reader) inputOffset() int { return min(int(r.decoder.InputOffset()), len(r.src)) }

// lastRead returns the offset of the last character that the decoder read. The
// current token starts at offset at.
func (r *reader) lastRead(at int) int {
	_, size := utf8.DecodeLastRune(r.src[at:r.inputOffset()])
	return r.inputOffset() - size
}

func (r *reader) checkInstruction(t xml.ProcInst, at int) {
	if t.Target == "xml" {
		r.checkDeclaration(t.Inst, at)
		return
	}
	r.report(at, ruleProcessingInstruction.Found("A symbol must not have the processing instruction <?%s?>.", problem.Clip(t.Target)).Hint("Remove the instruction."))
}

// checkText checks the character data from offset at to the decoder's position.
func (r *reader) checkText(at int, open []*node) {
	raw := r.src[at:r.inputOffset()]
	blank := len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	switch {
	case blank == len(raw):
	case len(open) == 0:
		r.report(at+blank, ruleMalformed.Found("Text is not allowed outside the svg element.").Hint("Remove it."))
	case !isMetadata(open[len(open)-1]):
		r.report(at+blank, ruleText.Found("Text inside <%s> is not drawn.", open[len(open)-1].name).
			Hint("Remove the text, or draw the letters as paths."))
	}
}

// isMetadata reports whether n is metadata, which is omitted from icons.
func isMetadata(n *node) bool { return n.name == "title" || n.name == "desc" }

// skip skips the rest of an element that is not allowed. It ignores problems
// inside the element and records its ids, so that references to them are not
// reported as unknown.
func (r *reader) skip(t xml.StartElement) error {
	for depth := 1; ; {
		for _, a := range t.Attr {
			if a.Name.Local == "id" {
				r.skippedIDs[a.Value] = true
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
