package icon

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"placard/internal/core/problem"
)

// inertProperties matches properties that drawing programs write for every shape
// and that cannot affect a symbol: those for text, filters, colour management and
// the drawing programs themselves, and color, because the paint determines
// currentColor.
var inertProperties = regexp.MustCompile(`^(color|-inkscape-.*|font(-.*)?|text-.*|(letter|word)-spacing|line-height|white-space|writing-mode|direction|unicode-bidi|` +
	`glyph-orientation-.*|(baseline|alignment|dominant)-.*|inline-size|shape-(inside|margin|padding|subtract)|` +
	`(color|image)-rendering|color-interpolation-filters|color-profile|enable-background|flood-.*|lighting-color|solid-.*)$`)

// initialValues holds properties that have no effect if they have this value.
// Drawing programs write them for every shape.
var initialValues = map[string]string{
	"filter": "none", "isolation": "auto", "marker": "none", "marker-end": "none", "marker-mid": "none", "marker-start": "none",
	"mix-blend-mode": "normal", "overflow": "visible",
}

// declaration is one property in a style attribute.
type declaration struct {
	property  string // in lower case
	value     string
	important bool
	offset    int // in the style attribute
}

// readStyle reads the style attribute of n. Its properties are the same as the
// presentation attributes and take precedence over them, so they are added to n as
// attributes. valueAt is the offset of the style in the source.
func (r *reader) readStyle(n *node, style string, valueAt int) {
	verbatim := bytes.HasPrefix(r.src[valueAt:], []byte(style))
	position := func(offset int) int {
		if !verbatim {
			return valueAt // Entities in the value change the offsets.
		}
		return valueAt + offset
	}
	declarations, invalid := parseStyle(style)
	for _, d := range invalid {
		r.report(position(d.offset), ruleStyle.Found("The style of <%s> contains %q, which is not a property with a value.", n.name, problem.Clip(d.value)).
			Hint("Write a property and a value, such as fill:none, without escapes."))
	}
	for _, d := range declarations {
		switch {
		case inertProperties.MatchString(d.property), initialValues[d.property] == strings.ToLower(d.value):
		case isProperty(d.property):
			r.readValue(n, d.property, d.value, position(d.offset))
		case !r.reportedProperties[d.property]:
			r.reportedProperties[d.property] = true
			r.report(position(d.offset), ruleStyle.Found("The style of <%s> sets %q, which is not allowed in a symbol.", n.name, problem.Clip(d.property)).
				Hint("%s", cmp.Or(problem.DidYouMean(d.property, styleProperties), "Remove it. The allowed properties are "+strings.Join(styleProperties, ", ")+".")))
		}
	}
}

// parseStyle parses the declarations of a style attribute. If a property is
// declared more than once, it returns only the declaration that takes effect.
// The declarations in invalid have only a value and an offset.
func parseStyle(style string) (effective, invalid []declaration) {
	index := map[string]int{} // in effective, by property
	for start := 0; start < len(style); {
		text, end := nextDeclaration(style[start:])
		name, value, _ := strings.Cut(text, ":")
		d := declaration{property: strings.ToLower(strings.TrimSpace(name)), value: strings.TrimSpace(value)}
		d.offset = start + len(text) - len(strings.TrimLeft(text, " \t\r\n\f"))
		start += end
		if before, after, found := cutLast(d.value, "!"); found && strings.EqualFold(strings.TrimSpace(after), "important") {
			d.value, d.important = strings.TrimSpace(before), true
		}
		switch {
		case strings.TrimSpace(text) == "":
			continue
		case !propertyName.MatchString(d.property) || d.value == "":
			invalid = append(invalid, declaration{value: strings.TrimSpace(text), offset: d.offset})
			continue
		}
		earlier, repeated := index[d.property]
		switch {
		case !repeated:
			index[d.property] = len(effective)
			effective = append(effective, d)
		case d.important || !effective[earlier].important:
			effective[earlier] = d
		}
	}
	return effective, invalid
}

var propertyName = regexp.MustCompile(`^[a-z_-][a-z0-9_-]*$`)

// nextDeclaration returns the declaration at the start of s and the offset of the
// next one. In the result, each comment is replaced by as many spaces, because a
// comment separates words. A semicolon in quotes or parentheses does not end the
// declaration.
func nextDeclaration(s string) (text string, end int) {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case depth == 0 && strings.HasPrefix(s[i:], "/*"):
			length := strings.Index(s[i+2:], "*/") + len("/**/")
			if length < len("/**/") {
				length = len(s) - i
			}
			b.WriteString(strings.Repeat(" ", length))
			i += length - 1
			continue
		case c == '"' || c == '\'':
			closing := strings.IndexByte(s[i+1:], c)
			if closing < 0 {
				closing = len(s) - i - 2
			}
			b.WriteString(s[i : i+1+closing])
			i += 1 + closing
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case c == ';' && depth == 0:
			return b.String(), i + 1
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
