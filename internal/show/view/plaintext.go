package view

import (
	"fmt"
	"strings"

	"placard/internal/core/problem"
)

// PlainText returns everything that the page shows as plain text. Each text is
// one line; the details of a placement are indented. The label of a variable
// without a value is in brackets.
func (m *Model) PlainText() string {
	var w textWriter
	w.line(0, m.Title)
	w.line(0, m.Kind)
	w.line(0, m.Description)
	w.line(0, m.Origin)
	for _, part := range m.Parts {
		if part.IsSubchain() {
			w.blankLine()
			w.line(0, part.Name)
		}
		for _, strand := range part.Strands {
			if !strand.Title.IsZero() {
				w.blankLine()
				w.line(0, strand.Title)
			}
			for i := range strand.Sections {
				w.section(&strand.Sections[i])
			}
		}
	}
	w.blankLine()
	if !m.Updated.Value.IsZero() {
		w.facts(0, []Fact{m.Updated})
	}
	w.notes(0, &m.About)
	return strings.TrimSuffix(w.String(), "\n")
}

// textWriter writes the lines of a plain text.
type textWriter struct{ strings.Builder }

// line writes texts as one line, separated by spaces and with white space
// collapsed. It writes nothing if all texts are empty.
func (w *textWriter) line(indent int, texts ...Text) {
	start := w.Len()
	for _, t := range texts {
		for word := range strings.FieldsSeq(t.withBrackets()) {
			if w.Len() == start {
				w.WriteString(strings.Repeat(" ", indent))
			} else {
				w.WriteByte(' ')
			}
			w.WriteString(word)
		}
	}
	if w.Len() > start {
		w.WriteByte('\n')
	}
}

func (w *textWriter) blankLine() { w.WriteByte('\n') }

func (w *textWriter) section(s *Section) {
	w.blankLine()
	w.line(0, s.Name)
	w.line(0, s.Prompt)
	for i := range s.Placements {
		p := &s.Placements[i]
		w.line(0, Text{Text: "-"}, p.Heading, inParentheses(p.Caption), inParentheses(p.Proposed))
		if p.Context != nil {
			w.line(2, withColon(p.Context.Name), p.Context.Value, inParentheses(p.Context.Explanation))
		}
		w.facts(2, p.Values)
		w.line(2, p.Description)
		for _, a := range p.Actions {
			w.line(2, withColon(a.Label), a.Target)
		}
		w.notes(2, p.Notes)
	}
}

func (w *textWriter) facts(indent int, facts []Fact) {
	for _, f := range facts {
		w.line(indent, withColon(f.Label), f.Value)
	}
}

func (w *textWriter) notes(indent int, n *Notes) {
	if n == nil {
		return
	}
	w.line(indent, withColon(n.Summary))
	indent += 2
	w.facts(indent, n.Facts)
	for _, q := range n.Quotes {
		w.line(indent, enclose(`"`, q.Text, `"`), inParentheses(q.Context))
	}
	for _, s := range n.Sources {
		link := Text{Text: s.Href}
		if s.Href == s.Title.Text {
			link = Text{} // a source without a title is shown by its URL
		}
		w.line(indent, s.Title, link, s.Address, s.Citation)
	}
}

// enclose returns t between two literals, or t if it is empty.
func enclose(before string, t Text, after string) Text {
	if t.IsZero() {
		return t
	}
	return Text{Parts: []Text{{Text: before}, t, {Text: after}}}
}

func inParentheses(t Text) Text { return enclose("(", t, ")") }

// withColon returns a label with a colon if it needs one.
func withColon(label Text) Text {
	if label.EndsLabel() {
		return label
	}
	return enclose("", label, ":")
}

// withBrackets is like [Text.String], with the labels of variables without a value in
// brackets.
func (t Text) withBrackets() string {
	if t.Kind != kindBlank && len(t.Parts) == 0 {
		return t.Text
	}
	var b strings.Builder
	t.appendWithBrackets(&b)
	return b.String()
}

func (t Text) appendWithBrackets(b *strings.Builder) {
	if t.Kind == kindBlank {
		b.WriteByte('[')
		defer b.WriteByte(']')
	}
	b.WriteString(t.Text)
	for _, part := range t.Parts {
		part.appendWithBrackets(b)
	}
}

// Maximum sizes of parts of a summary, in bytes.
const (
	maxSummaryName        = 200
	maxSummaryDescription = 1000
	maxSummaryValues      = 400 // of one placement
)

// maxSummary limits the size of a summary in bytes. The section that reaches the
// limit is still included.
const maxSummary = 6_000

// Summary returns the titles and values of the placements as plain text, with one
// line for each section. Long texts and lists are truncated.
func (m *Model) Summary() string {
	var w textWriter
	w.line(0, clipped(m.Title, maxSummaryName))
	w.line(0, clipped(m.Description, maxSummaryDescription))
	omitted := 0
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			for _, section := range strand.Sections {
				if w.Len() > maxSummary {
					omitted++
					continue
				}
				w.line(0, withColon(clipped(section.Name, maxSummaryName)), Text{Text: placementList(section.Placements)})
			}
		}
	}
	if omitted > 0 {
		fmt.Fprintf(&w, "(%d more sections)\n", omitted)
	}
	return strings.TrimSuffix(w.String(), "\n")
}

func clipped(t Text, size int) Text { return Text{Text: problem.ClipTo(t.withBrackets(), size)} }

func placementList(placements []Placement) string {
	const limit = 12
	var list []string
	for i := range placements {
		if i == limit {
			list = append(list, fmt.Sprintf("%d more", len(placements)-limit))
			break
		}
		list = append(list, placements[i].summary())
	}
	return strings.Join(list, "; ")
}

// summary returns the heading, the caption, the context and the values of p, and
// whether its element is proposed.
func (p *Placement) summary() string {
	text := problem.ClipTo(p.Heading.withBrackets(), maxSummaryName)
	if caption := p.Caption.withBrackets(); caption != "" {
		text += ", " + problem.ClipTo(caption, maxSummaryName)
	}
	if proposed := inParentheses(p.Proposed).withBrackets(); proposed != "" {
		text += " " + proposed
	}
	if p.Context != nil {
		text += " (" + problem.ClipTo(p.Context.Value.withBrackets(), maxSummaryName) + ")"
	}
	if values := p.summaryValues(); values != "" {
		text += " – " + problem.ClipTo(values, maxSummaryValues)
	}
	return text
}

// summaryValues returns the values and actions of p that its heading does not
// contain. It stops when they exceed maxSummaryValues.
func (p *Placement) summaryValues() string {
	var b strings.Builder
	add := func(texts ...string) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		for _, t := range texts {
			b.WriteString(t)
		}
	}
	for i := 0; i < len(p.Values) && b.Len() <= maxSummaryValues; i++ {
		add(withColon(p.Values[i].Label).withBrackets(), " ", p.Values[i].Value.withBrackets())
	}
	inTitle := make(map[string]bool)
	for _, title := range []Text{p.Heading, p.Caption} {
		for _, part := range title.Parts {
			inTitle[part.withBrackets()] = true
		}
	}
	for i := range p.Values {
		inTitle[p.Values[i].Value.withBrackets()] = true
	}
	for i := 0; i < len(p.Description.Parts) && b.Len() <= maxSummaryValues; i++ {
		part := &p.Description.Parts[i]
		if value := part.withBrackets(); part.Kind != "" && !inTitle[value] {
			add(value)
		}
	}
	for i := 0; i < len(p.Actions) && b.Len() <= maxSummaryValues; i++ {
		if label := withColon(p.Actions[i].Label).withBrackets(); label != "" {
			add(label, " ", p.Actions[i].Target.withBrackets())
		} else {
			add(p.Actions[i].Target.withBrackets())
		}
	}
	return b.String()
}
