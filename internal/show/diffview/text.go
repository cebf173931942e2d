package diffview

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"placard/internal/core/worddiff"
)

const (
	// excerptContext is the number of characters kept around a change of a text.
	excerptContext = 40
	// minTextWidth is the minimum width of wrapped text, however narrow the terminal.
	minTextWidth = 24
)

// Text writes the report for a terminal with the given number of columns.
func (r *Report) Text(w io.Writer, width int) error {
	t := textWriter{bufio.NewWriter(w), width}
	fmt.Fprintf(t, "Old: %s\nNew: %s\n", r.Old, r.New)
	if len(r.Sections) == 0 {
		fmt.Fprintln(t, englishWord("equal"))
	} else {
		fmt.Fprintf(t, "%s.\n", strings.Join(r.Counts(), ", "))
	}
	for i := range r.Sections {
		t.section(&r.Sections[i])
	}
	return t.Flush()
}

func (v Version) String() string {
	if v.Origin == "" {
		return v.ID.String()
	}
	return v.ID.String() + ", " + sanitize(v.Origin)
}

// Counts returns the number of entries in each section, such as "3 added".
func (r *Report) Counts() []string {
	var counts []string
	for i := range r.Sections {
		counts = append(counts, fmt.Sprintf("%d %s", r.Sections[i].Count, strings.ToLower(r.Sections[i].Heading)))
	}
	return counts
}

type textWriter struct {
	*bufio.Writer
	width int
}

func (t textWriter) section(s *Section) {
	fmt.Fprintf(t, "\n%s\n", s.Heading)
	var rows [][]string
	for i := range s.Groups {
		for k := range s.Groups[i].Entries {
			rows = append(rows, s.Groups[i].Entries[k].columns())
		}
	}
	lines := align(rows)
	for i := range s.Groups {
		for k := range s.Groups[i].Entries {
			fmt.Fprintf(t, "  %s\n", lines[0])
			lines = lines[1:]
			t.details(&s.Groups[i].Entries[k])
		}
	}
}

// columns returns the columns of the first line of an entry.
func (e *Entry) columns() []string {
	id := e.ID
	if e.OldID != "" {
		id = e.OldID + " → " + e.ID
	}
	return []string{e.Noun, id, oneLine(e.Name.Value), e.CategoryID}
}

func (t textWriter) details(e *Entry) {
	for _, p := range e.Breaks {
		t.paragraph("    ", fmt.Sprintf("%s [%s]", sanitize(p.Message), p.Code))
		if p.FixHint != "" {
			t.paragraph("    = hint: ", sanitize(p.FixHint))
		}
	}
	var rows [][2]string
	for i := range e.Texts {
		rows = append(rows, [2]string{e.Texts[i].label(), marked(worddiff.Excerpt(e.Texts[i].Spans, excerptContext))})
		if locales := e.Texts[i].NotRetranslated; locales != "" {
			rows = append(rows, [2]string{"", englishWord("untranslated", "locales", locales)})
		}
	}
	for i := range e.Values {
		rows = append(rows, [2]string{e.Values[i].Field, e.Values[i].String()})
	}
	column := 0
	for _, row := range rows {
		column = max(column, displayWidth(row[0]))
	}
	for _, row := range rows {
		t.paragraph("    "+row[0]+spaces(column-displayWidth(row[0])+2), row[1])
	}
}

// label returns the field and, unless it is the main one, the locale.
func (c *TextChange) label() string {
	if c.Main {
		return c.Field
	}
	return c.Field + " " + c.Locale
}

func (c *ValueChange) String() string {
	if c.Items == nil {
		return orNone(c.Old) + " → " + orNone(c.New)
	}
	items := make([]string, len(c.Items))
	for i, item := range c.Items {
		items[i] = marked([]worddiff.Span{item})
	}
	return strings.Join(items, ", ")
}

func orNone(value string) string {
	if value == "" {
		return englishWord("none")
	}
	return value
}

// marked returns spans in the notation of git diff --word-diff.
func marked(spans []worddiff.Span) string {
	var b strings.Builder
	for i, s := range spans {
		switch s.Op {
		case worddiff.Equal:
			b.WriteString(s.Text)
		case worddiff.Delete:
			b.WriteString("[-" + s.Text + "-]")
		case worddiff.Insert:
			b.WriteString("{+" + s.Text + "+}")
		case worddiff.Omit:
			b.WriteString(ellipsis(i, len(spans)))
		}
	}
	return b.String()
}

// ellipsis returns the mark of an omission that is the i-th of n spans.
func ellipsis(i, n int) string {
	switch i {
	case 0:
		return "… "
	case n - 1:
		return " …"
	}
	return " … "
}

// paragraph writes a prefix and a text, wrapped and indented by the width of the
// prefix.
func (t textWriter) paragraph(prefix, text string) {
	indent := displayWidth(prefix)
	for _, line := range wrap(text, max(t.width-indent, minTextWidth)) {
		fmt.Fprintf(t, "%s%s\n", prefix, line)
		prefix = spaces(indent)
	}
}
