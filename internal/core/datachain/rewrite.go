package datachain

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Limits of rewritten values in hints, in bytes.
const (
	maxRewritten     = 600
	maxRewrittenText = 200
)

// maxSearched is the maximum number of members of an object that are searched for a
// name, once for each hint. Real objects have fewer.
const maxSearched = 100

// rewriter writes a value of the wrong type in the right form, for a hint. Its
// output is valid JSON unless failed is set.
type rewriter struct {
	*tree
	locale string  // of texts without one
	schema *Schema // may be nil
	out    []byte
	cut    bool // the output does not contain the whole value
	failed bool // the value cannot be rewritten
}

// member is like [tree.member], but searches only the first members.
func (w *rewriter) member(n ref, name string) ref {
	searched := 0
	for i := n + 1; i < w.nodes[n].next && searched < maxSearched; i = w.nodes[i].next {
		if w.isShort(i) && w.str(i) == name {
			return i + 1
		}
		searched++
	}
	return 0
}

// isShort reports whether the string n can be a name or an id. Others may be long
// and are not unquoted for each hint.
func (w *rewriter) isShort(n ref) bool { return len(w.raw(n)) <= maxRewritten }

// strings writes a single string as an array.
func (w *rewriter) strings(n ref) { w.list(func() { w.scalar(n) }) }

// scalar writes a number or a boolean as a string.
func (w *rewriter) scalar(n ref) { w.print(w.quoted(n)) }

// quoted returns a scalar as a JSON string.
func (w *rewriter) quoted(n ref) string {
	switch w.kind(n) {
	case '"':
		return w.quote(w.str(n))
	case '0', 't', 'f':
		return w.quote(w.raw(n))
	}
	w.failed = true
	return ""
}

func (w *rewriter) quote(s string) string {
	clipped := problem.ClipTo(s, maxRewrittenText)
	w.cut = w.cut || clipped != s
	quoted, err := jsontext.AppendQuote(nil, clipped)
	w.failed = w.failed || err != nil
	return string(quoted)
}

// number writes a string of digits as a number.
func (w *rewriter) number(n ref) {
	if w.kind(n) != '"' || w.str(n) == "" || len(w.str(n)) > 9 || strings.Trim(w.str(n), "0123456789") != "" {
		w.failed = true
		return
	}
	w.print(cmp.Or(strings.TrimLeft(w.str(n), "0"), "0"))
}

// timestamp completes a date, or a time without a zone.
func (w *rewriter) timestamp(n ref) {
	if w.kind(n) == '"' {
		s := strings.Replace(w.str(n), " ", "T", 1)
		for _, suffix := range []string{"", "Z", "T00:00:00Z"} {
			if isTimestamp(s + suffix) {
				w.print(w.quote(s + suffix))
				return
			}
		}
	}
	w.failed = true
}

// provenance writes the kind of an author as an object.
func (w *rewriter) provenance(n ref) {
	if w.kind(n) != '"' {
		w.failed = true
		return
	}
	kind := w.str(n)
	if kind != Human && kind != AIGenerated {
		if kind = expectedKind.nearest(kind); kind == "" {
			w.failed = true
		}
	}
	w.print(`{"kind": ` + w.quote(kind) + `}`)
}

// array writes a single object as an array.
func (w *rewriter) array(n ref) {
	if w.kind(n) != '{' {
		w.failed = true
		return
	}
	w.list(func() { w.copy(n) })
}

// localized writes a text, one object of a localized string, or an object whose
// names are locales, as a localized string.
func (w *rewriter) localized(n ref) {
	if w.kind(n) != '{' {
		w.list(func() { w.text(w.locale, n) })
		return
	}
	if value := w.member(n, "value"); value != 0 {
		locale := w.locale
		if l := w.member(n, "locale"); l != 0 && w.kind(l) == '"' {
			locale = w.str(l)
		}
		w.list(func() { w.text(locale, value) })
		return
	}
	w.each(n, func(name string, v ref) {
		language, _, _ := strings.Cut(name, "-")
		w.failed = w.failed || !taxonomy.IsLocale(name) || len(language) > 3
		w.text(name, v)
	})
}

// localizedText writes a text as one object of a localized string.
func (w *rewriter) localizedText(n ref) { w.text(w.locale, n) }

func (w *rewriter) text(locale string, n ref) {
	w.print(`{"locale": ` + w.quote(locale) + `, "value": ` + w.quoted(n) + `}`)
}

// value writes the value of a variable that is in an array of variables.
func (w *rewriter) value(n ref) { w.valueOf(w.variableOf(n), n) }

// valueOf writes a value of v, which is nil if it is not known. Arrays are assumed to
// be right.
func (w *rewriter) valueOf(v *variable, n ref) {
	switch {
	case w.kind(n) == '[':
		w.copy(n)
	case v != nil && v.kind.HasOptions():
		w.strings(n)
	default:
		w.localized(n)
	}
}

// variableOf returns the variable that the value n belongs to, or nil if it is not
// known.
func (w *rewriter) variableOf(n ref) *variable {
	variable := w.nodes[n].parent
	id := w.member(variable, "id")
	if id == 0 || w.kind(id) != '"' {
		return nil
	}
	return w.variable(w.nodes[w.nodes[variable].parent].parent, w.str(id))
}

// variable returns a variable of the element of a placement, or nil if it is not
// known.
func (w *rewriter) variable(placement ref, id string) *variable {
	element := w.member(placement, "element_id")
	if w.schema == nil || element == 0 || w.kind(element) != '"' || !w.isShort(element) {
		return nil
	}
	return w.schema.definitions.element[w.str(element)].variable(id)
}

// variables writes a single variable, or an object whose names are the ids of
// variables, as an array of variables.
func (w *rewriter) variables(n ref) {
	if w.kind(n) != '{' {
		w.failed = true
		return
	}
	variable := func(id string, value ref) {
		w.print(`{"id": ` + w.quote(id) + `, "value": `)
		w.valueOf(w.variable(w.nodes[n].parent, id), value)
		w.print(`}`)
	}
	switch id, value := w.member(n, "id"), w.member(n, "value"); {
	case id == 0 && value == 0:
		w.each(n, variable)
	case id != 0 && value != 0 && w.kind(id) == '"':
		w.list(func() { variable(w.str(id), value) })
	default: // an incomplete variable
		w.failed = true
	}
}

// placements writes a single placement, or an object whose names are the ids of
// elements, as an array of placements.
func (w *rewriter) placements(n ref) {
	switch {
	case w.kind(n) == '"', w.kind(n) == '{' && w.member(n, "element_id") != 0:
		w.list(func() { w.placement(n) })
	case w.kind(n) == '{':
		w.each(n, func(id string, v ref) {
			if w.kind(v) == '{' && w.member(v, "element_id") != 0 {
				w.copy(v)
				return
			}
			w.print(`{"element_id": ` + w.quote(id))
			switch w.kind(v) {
			case '{':
				for name, value := range w.members(v) {
					w.print(`, ` + w.quote(name) + `: `)
					w.copy(value)
				}
			case 't', 'n':
			default: // The name is probably not the id of an element.
				w.failed = true
			}
			w.print(`}`)
		})
	default:
		w.failed = true
	}
}

// placement writes the id of an element as a placement.
func (w *rewriter) placement(n ref) {
	switch w.kind(n) {
	case '"':
		w.print(`{"element_id": ` + w.quote(w.str(n)) + `}`)
	case '{':
		w.copy(n)
	default:
		w.failed = true
	}
}

// each writes an array with one item for each member of the object n. It stops at
// maxRewritten bytes.
func (w *rewriter) each(n ref, item func(name string, v ref)) {
	w.list(func() {
		start := len(w.out)
		for name, v := range w.members(n) {
			before := len(w.out)
			if before > start {
				w.print(`, `)
			}
			item(name, v)
			if len(w.out) > maxRewritten {
				w.cut = true
				w.out = w.out[:before]
				break
			}
		}
		// Without any item there is nothing to show.
		w.failed = w.failed || len(w.out) == start
	})
}

func (w *rewriter) list(items func()) {
	w.print(`[`)
	items()
	w.print(`]`)
}

// copy writes n as it is, without white space.
func (w *rewriter) copy(n ref) {
	raw := jsontext.Value(w.raw(n))
	if len(raw) > maxRewritten || raw.Compact() != nil {
		w.failed = true
		return
	}
	w.out = append(w.out, raw...)
}

func (w *rewriter) print(s string) { w.out = append(w.out, s...) }
