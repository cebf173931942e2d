package icon

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
)

// readElement checks an element and its attributes. It returns nil if the
// element is not allowed.
func (r *reader) readElement(t xml.StartElement, at int, open []*node) *node {
	if len(open) > 0 {
		if p, ok := checkElement(t.Name, open[len(open)-1]); !ok {
			r.report(at, p)
			return nil
		}
	}
	if len(open) == maxDepth {
		r.report(at, ruleTooDeep.Found("<%s> is nested more than %d levels deep.", t.Name.Local, maxDepth).
			Hint("Remove groups that contain only another group."))
		return nil
	}
	n := &node{name: t.Name.Local, offset: at}
	seen := map[xml.Name]bool{}
	readStyle := func() {} // after all attributes, because it takes precedence
	for i, p := range attrPositions(r.src[at:]) {
		a := t.Attr[i]
		if p.noSpace {
			r.report(at+p.name, ruleMalformed.Found("<%s> has no space before the attribute %q.", n.name, problem.Clip(a.Name.Local)).Hint("Add a space."))
		}
		if a.Name.Space == xlinkNamespace && a.Name.Local == "href" {
			a.Name.Space = ""
		}
		if seen[a.Name] {
			r.report(at+p.name, ruleMalformed.Found("<%s> has the attribute %q twice.", n.name, problem.Clip(a.Name.Local)).Hint("Remove one of the two."))
			continue
		}
		seen[a.Name] = true
		if a.Name == (xml.Name{Local: "style"}) && !isMetadata(n) {
			readStyle = func() { r.readStyle(n, a.Value, at+p.value) }
			continue
		}
		r.readAttribute(n, a, at+p.name, at+p.value)
	}
	readStyle()
	// A misspelt viewBox is reported as an attribute that is not allowed.
	hasViewBox := slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Space == "" && strings.EqualFold(a.Name.Local, "viewBox") })
	if n.name == "svg" && !hasViewBox {
		r.report(at, ruleViewBoxMissing.Found("The svg element has no viewBox.").
			Hint(`Add a viewBox with the size of the drawing, such as viewBox="0 0 36 36".`))
	}
	return n
}

// checkElement returns a problem and false if an element is not allowed inside
// parent.
func checkElement(name xml.Name, parent *node) (p problem.Problem, ok bool) {
	switch lower := strings.ToLower(name.Local); {
	case lower == "script":
		return ruleScript.Found("A symbol must not contain a script.").Hint("Remove the script element."), false
	case lower == "foreignobject":
		return ruleForeignObject.Found("A symbol must not contain a foreignObject element.").Hint("Draw its content as paths."), false
	case lower == "style":
		return ruleStyle.Found("A symbol must not have a style sheet.").
			Hint(`Use attributes such as fill="none" instead.`), false
	case animationElements[lower]:
		return ruleAnimation.Found("A symbol must not contain the animation element <%s>.", name.Local).Hint("Remove the element."), false
	case name.Space != svgNamespace:
		return ruleElementNotAllowed.Found("<%s> is in %s, not in the SVG namespace.", problem.Clip(name.Local), namespaceName(name.Space)).
			Hint("Remove it, or export the drawing as plain SVG."), false
	case allowedElements[name.Local] == nil:
		hint := problem.DidYouMean(name.Local, elementNames)
		switch {
		case hint != "":
		case name.Local == "filter":
			hint = "Remove the effect, such as a blur or a shadow, in the drawing program."
		default:
			hint = "Draw it with paths and other basic shapes."
		}
		return ruleElementNotAllowed.Found("<%s> is not allowed in a symbol.", problem.Clip(name.Local)).Hint("%s", hint), false
	case isMetadata(parent):
		return ruleElementNotAllowed.Found("<%s> is not allowed inside <%s>.", name.Local, parent.name).
			Hint("Keep only text in <%s>.", parent.name), false
	}
	return problem.Problem{}, true
}

// isEditorData reports whether an element holds data of a drawing program, which is
// omitted from icons with everything inside it.
func isEditorData(name xml.Name) bool {
	return editorNamespaces[name.Space] || name == xml.Name{Space: svgNamespace, Local: "metadata"}
}

// rawName returns the name of the attribute at an offset with its prefix.
func (r *reader) rawName(at int) string {
	name := r.src[at:]
	return string(name[:bytes.IndexAny(name, "= \t\r\n")])
}

func namespaceName(space string) string {
	if space == "" {
		return "no namespace"
	}
	return "the namespace " + strconv.Quote(problem.Clip(space))
}

// readAttribute checks an attribute and adds it to n if it is allowed and
// affects the drawing. nameAt and valueAt are its offsets in the source.
func (r *reader) readAttribute(n *node, a xml.Attr, nameAt, valueAt int) {
	name := a.Name.Local
	isRoot := n.name == "svg"
	switch {
	case a.Name.Space == "xmlns" || a.Name.Space == "" && name == "xmlns":
		return
	case a.Name.Space == xmlNamespace && (name == "space" || name == "lang"):
		return
	case len(name) > 2 && strings.EqualFold(name[:2], "on"):
		r.report(nameAt, ruleEventAttribute.Found("<%s> has the event attribute %q.", n.name, problem.Clip(name)).Hint("Remove the attribute."))
		return
	case editorNamespaces[a.Name.Space], name == "style" && isMetadata(n):
		return
	case a.Name.Space != "":
		r.report(nameAt, ruleAttributeNotAllowed.Found("The attribute %q is in %s, not part of SVG.", problem.Clip(r.rawName(nameAt)), namespaceName(a.Name.Space)).
			Hint("Remove it, or export the drawing as plain SVG."))
		return
	case isRoot && !rootAttributes[name] && (!commonAttributes[name] || name == "transform"),
		!isRoot && !allowedElements[n.name][name] && !commonAttributes[name]:
		r.report(nameAt, ruleAttributeNotAllowed.Found("The attribute %q is not allowed on <%s>.", problem.Clip(name), n.name).
			Hint("%s", cmp.Or(suggestAttribute(name, n.name), "Remove the attribute.")))
		return
	case isRoot && name == "viewBox":
		r.viewBoxAt = valueAt
		r.readViewBox(a.Value, valueAt)
		return
	case isRoot && name == "preserveAspectRatio" && aspectRatio.MatchString(a.Value):
		r.frame.aspectRatio = a.Value
		return
	case isRoot && name == "preserveAspectRatio":
		r.report(valueAt, ruleValueNotAllowed.Found("%q is not a valid preserveAspectRatio.", problem.Clip(a.Value)).
			Hint("Write a value such as xMidYMid meet, or remove the attribute."))
		return
	case isRoot && name == "width" && length.MatchString(a.Value):
		r.frame.width = a.Value
		return
	case isRoot && name == "height" && length.MatchString(a.Value):
		r.frame.height = a.Value
		return
	case isMetadata(n), isRoot && rootAttributes[name]:
		return
	case name == "id":
		r.defineID(n, a.Value, valueAt)
		n.attrs = append(n.attrs, attr{name: name, offset: valueAt, parts: []part{{ref: a.Value}}})
		return
	case name == "href":
		id, ok := parseFragment(strings.TrimSpace(a.Value))
		if !ok {
			r.reportExternal(valueAt, a.Value)
			return
		}
		n.attrs = append(n.attrs, attr{name: name, offset: valueAt, parts: []part{{text: "#", ref: id}}})
		r.referenced[id] = true
		return
	}
	r.readValue(n, name, a.Value, valueAt)
}

// suggestAttribute returns a hint that suggests attributes of an element similar to
// name, or the empty string.
func suggestAttribute(name, element string) string {
	if inertProperties.MatchString(name) {
		return "" // not a spelling mistake
	}
	return problem.DidYouMean(name, attributeNames(element))
}

// readValue checks the value of an attribute that affects the drawing and sets it
// on n.
func (r *reader) readValue(n *node, name, value string, valueAt int) {
	parts, err := parseValue(value)
	switch {
	case err != nil && err.external:
		r.reportExternal(valueAt, err.text)
	case err != nil:
		r.report(valueAt, ruleValueNotAllowed.Found("The value of the attribute %q contains %q, which is not allowed.", name, problem.Clip(err.text)).
			Hint("Use only numbers, words, colours, transforms and references such as url(#id)."))
	case keywords[name] != nil && !isKeyword(strings.TrimSpace(value), keywords[name]):
		r.report(valueAt, ruleValueNotAllowed.Found("%q is not a value of the attribute %q.", problem.Clip(value), name).
			Hint("Use %s, or remove it.", problem.OneOf(keywords[name])))
	default:
		if err := checkGeometry(name, value); err != nil {
			at := valueAt
			if bytes.HasPrefix(r.src[valueAt:], []byte(value)) { // Entities in the value change the offsets.
				at += err.offset
			}
			r.report(at, ruleGeometryInvalid.Found("The attribute %q of <%s> cannot be read. %s", name, n.name, err.message).
				Hint("Fix the value, or export the drawing again as plain SVG."))
			return
		}
		n.set(attr{name: name, offset: valueAt, parts: parts})
		for _, p := range parts {
			if p.ref != "" {
				r.referenced[p.ref] = true
			}
		}
	}
}

func (r *reader) reportExternal(at int, target string) {
	r.report(at, ruleExternalReference.Found("%q refers to something outside the symbol.", problem.Clip(target)).
		Hint("Refer to a part of the same symbol as #id, or draw the part here."))
}

func (r *reader) defineID(n *node, id string, at int) {
	if id == "" {
		return
	}
	if r.ids[id] != nil {
		r.report(at, ruleIDDuplicate.Found("The id %q is used twice.", problem.Clip(id)).Hint("Give one of the two a different id."))
		return
	}
	r.ids[id] = n
}

var aspectRatio = regexp.MustCompile(`^(none|x(Min|Mid|Max)Y(Min|Mid|Max))( (meet|slice))?$`)

// length matches the values of width and height that are kept.
var length = regexp.MustCompile(`^(?:[0-9]*\.)?[0-9]+(?:px|pt|pc|mm|cm|in|em|ex|%)?$`)

var viewBox = func() *regexp.Regexp {
	const number, separator = `([+-]?(?:[0-9]*\.)?[0-9]+(?:[eE][+-]?[0-9]+)?)`, `(?:\s+,?\s*|,\s*)`
	return regexp.MustCompile(`^\s*` + number + strings.Repeat(separator+number, 3) + `\s*$`)
}()

func (r *reader) readViewBox(value string, at int) {
	numbers := viewBox.FindStringSubmatch(value)
	valid := numbers != nil
	for i := 0; valid && i < len(r.frame.viewBox); i++ {
		v, err := strconv.ParseFloat(numbers[i+1], 64)
		valid = err == nil && math.Abs(v) < 1e9 && (i < 2 || v > 1e-9)
		r.frame.viewBox[i] = v
	}
	if !valid {
		r.report(at, ruleViewBoxInvalid.Found("The viewBox %q is not four numbers with a width and height greater than zero.", problem.Clip(value)).
			Hint(`Write four numbers, such as viewBox="0 0 36 36".`))
	}
}

// attrPosition holds the offsets of an attribute from the start of its tag.
type attrPosition struct {
	name, value int
	noSpace     bool // no white space precedes the attribute
}

// attrPositions returns the positions of the attributes of the start tag at the
// beginning of tag. The decoder has already accepted the tag.
func attrPositions(tag []byte) []attrPosition {
	const space = " \t\r\n"
	skip := func(i int, set string, in bool) int {
		for i < len(tag) && strings.IndexByte(set, tag[i]) >= 0 == in {
			i++
		}
		return i
	}
	var positions []attrPosition
	i := skip(0, space+"/>", false)
	for {
		end := i
		i = skip(i, space, true)
		if tag[i] == '/' || tag[i] == '>' {
			return positions
		}
		p := attrPosition{name: i, noSpace: i == end}
		i = skip(i, space+"=", false)
		i = skip(i, space+"=", true)
		p.value = i + 1
		i = skip(p.value, string(tag[i]), false) + 1
		positions = append(positions, p)
	}
}
