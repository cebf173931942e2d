package diffview

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/worddiff"
)

// Markdown writes the report as GitHub Flavored Markdown, for release notes and
// comments. It uses no HTML except del and ins.
func (r *Report) Markdown(w io.Writer) error {
	m := markdownWriter{bufio.NewWriter(w)}
	fmt.Fprintf(m, "## Changes from `%s` to `%s`\n\n", r.Old.ID, r.New.ID)
	if len(r.Sections) == 0 {
		fmt.Fprintln(m, englishWord("equal"))
		return m.Flush()
	}
	fmt.Fprintf(m, "%s.\n", strings.Join(r.Counts(), ", "))
	for i := range r.Sections {
		s := &r.Sections[i]
		fmt.Fprintf(m, "\n### %s\n\n", s.Heading)
		switch s.ID {
		case string(compat.Added), string(compat.Removed):
			m.table(s)
		default:
			m.list(s)
		}
	}
	return m.Flush()
}

type markdownWriter struct{ *bufio.Writer }

// table writes entries that have no details.
func (m markdownWriter) table(s *Section) {
	fmt.Fprint(m, "| Name | Item | Category |\n|---|---|---|\n")
	for i := range s.Groups {
		g := &s.Groups[i]
		for k := range g.Entries {
			e := &g.Entries[k]
			fmt.Fprintf(m, "| %s | %s | %s |\n", escape(e.Name.Value), e.item(), escape(g.Name.Value))
		}
	}
}

func (m markdownWriter) list(s *Section) {
	for i := range s.Groups {
		for k := range s.Groups[i].Entries {
			m.entry(&s.Groups[i].Entries[k])
		}
	}
}

func (m markdownWriter) entry(e *Entry) {
	if name := escape(e.Name.Value); name != "" {
		fmt.Fprintf(m, "- **%s** (%s)\n", name, e.item())
	} else {
		fmt.Fprintf(m, "- %s\n", e.item())
	}
	for _, p := range e.Breaks {
		fmt.Fprintf(m, "  - `%s`: %s", p.Code, escape(p.Message))
		if p.FixHint != "" {
			fmt.Fprintf(m, " *What to do:* %s", escape(p.FixHint))
		}
		fmt.Fprintln(m)
	}
	for i := range e.Texts {
		t := &e.Texts[i]
		fmt.Fprintf(m, "  - `%s`", t.Field)
		if !t.Main {
			fmt.Fprintf(m, " (%s)", escape(t.Locale))
		}
		fmt.Fprintf(m, ": %s", markup(worddiff.Excerpt(t.Spans, excerptContext)))
		if t.NotRetranslated != "" {
			fmt.Fprintf(m, " *Not retranslated: %s.*", escape(t.NotRetranslated))
		}
		fmt.Fprintln(m)
	}
	for i := range e.Values {
		v := &e.Values[i]
		fmt.Fprintf(m, "  - `%s`: ", v.Field)
		if v.Items == nil {
			fmt.Fprintf(m, "%s → %s\n", escape(orNone(v.Old)), escape(orNone(v.New)))
			continue
		}
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = markup([]worddiff.Span{item})
		}
		fmt.Fprintln(m, strings.Join(items, ", "))
	}
}

// item returns the noun and the id of an entry. Ids need no escaping in code.
func (e *Entry) item() string {
	if e.OldID != "" {
		return fmt.Sprintf("%s `%s` → `%s`", escape(e.Noun), e.OldID, e.ID)
	}
	return fmt.Sprintf("%s `%s`", escape(e.Noun), e.ID)
}

// markup returns spans as Markdown.
func markup(spans []worddiff.Span) string {
	var b strings.Builder
	for i, s := range spans {
		switch s.Op {
		case worddiff.Equal:
			b.WriteString(escapeSpan(s.Text))
		case worddiff.Delete:
			b.WriteString("<del>" + escapeSpan(s.Text) + "</del>")
		case worddiff.Insert:
			b.WriteString("<ins>" + escapeSpan(s.Text) + "</ins>")
		case worddiff.Omit:
			b.WriteString(ellipsis(i, len(spans)))
		}
	}
	return b.String()
}

// escape returns a text as one line of Markdown without markup.
func escape(text string) string { return escapeSpan(oneLine(text)) }

// escapeSpan is escape for a part of a text, whose spaces are significant.
func escapeSpan(text string) string { return markdownEscapes.Replace(text) }

var markdownEscapes = func() *strings.Replacer {
	pairs := []string{"\n", " ", "\t", " "}
	for _, c := range "\\`*_[]<>#|~&$" {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}()
