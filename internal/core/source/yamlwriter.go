package source

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/taxonomy"
)

// lineWidth is the number of characters after which long texts are wrapped.
const lineWidth = 100

// yamlWriter writes YAML in block style, as people write it. Its methods write one
// field each, and omit fields without a value.
type yamlWriter struct {
	out    []byte
	indent int
	item   bool // the next line starts an item of a list
}

// field writes a field. The value starts with a space or a line break.
func (w *yamlWriter) field(name, value string) {
	indent := strings.Repeat(" ", w.indent)
	if w.item {
		indent = indent[2:] + "- "
		w.item = false
	}
	w.out = append(w.out, indent+name+":"+value+"\n"...)
}

// group writes a field whose fields are written by write.
func (w *yamlWriter) group(name string, write func()) {
	w.field(name, "")
	w.indent += 2
	write()
	w.indent -= 2
}

func (w *yamlWriter) text(name, text string) {
	if text != "" {
		w.field(name, w.scalar(name, text))
	}
}

func (w *yamlWriter) localized(name string, texts taxonomy.Localized) {
	if len(texts) == 0 {
		return
	}
	w.group(name, func() {
		for _, t := range texts {
			w.text(t.Locale, t.Value)
		}
	})
}

func (w *yamlWriter) keywords(name string, keywords taxonomy.Keywords) {
	if len(keywords) == 0 {
		return
	}
	w.group(name, func() {
		for _, list := range keywords {
			w.words(list.Locale, list.Value.List())
		}
	})
}

func (w *yamlWriter) flag(name string, value bool) {
	if value {
		w.field(name, " true")
	}
}

func (w *yamlWriter) count(name string, number int) {
	if number != 0 {
		w.number(name, number)
	}
}

func (w *yamlWriter) number(name string, number int) {
	w.field(name, " "+strconv.Itoa(number))
}

// ids writes a list of ids or locales, on one line if it is short enough.
func (w *yamlWriter) ids(name string, ids []string) {
	if len(ids) == 0 {
		return
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = quoteUnlessPlain(id)
	}
	line := " [" + strings.Join(texts, ", ") + "]"
	if w.indent+len(name)+len(":")+len(line) > lineWidth {
		separator := "\n" + strings.Repeat(" ", w.indent) + "  - "
		line = separator + strings.Join(texts, separator)
	}
	w.field(name, line)
}

// words writes a list of words in brackets, over several lines if it is long.
func (w *yamlWriter) words(name string, words []string) {
	separator := "\n" + strings.Repeat(" ", w.indent+2)
	value, length := " [", w.indent+utf8.RuneCountInString(name)+len(": [")
	for i, word := range words {
		item := quoteInBrackets(word) + ","
		if i == len(words)-1 {
			item = item[:len(item)-1] + "]"
		}
		n := utf8.RuneCountInString(item)
		switch {
		case i == 0:
		case length+1+n > lineWidth:
			value, length = value+separator, len(separator)-1
		default:
			value, length = value+" ", length+1
		}
		value, length = value+item, length+n
	}
	w.field(name, value)
}

// scalar returns the text of a field in the first of these forms that represents
// it: over several lines if it is long, without quotes, in quotes.
func (w *yamlWriter) scalar(name, text string) string {
	separator := "\n" + strings.Repeat(" ", w.indent+2)
	var block string
	switch width := w.indent + utf8.RuneCountInString(name+": "+text); {
	case strings.Contains(text, "\n"):
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if line != "" {
				lines[i] = separator[1:] + line
			}
		}
		block = " |-\n" + strings.Join(lines, "\n")
	case width > lineWidth && strings.Contains(text, " "):
		block = " >-" + separator + strings.Join(wrap(text, lineWidth-w.indent-2), separator)
	}
	if block != "" && isReadable(text) && represents(block, text) {
		return block
	}
	return " " + quoteUnlessPlain(text)
}

// wrap splits a text at spaces into lines of at most width characters, unless a
// word is longer.
func wrap(text string, width int) []string {
	var lines []string
	length := 0 // of the last line
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(word)
		if lines == nil || length+1+n > width {
			lines = append(lines, word)
			length = n
			continue
		}
		lines[len(lines)-1] += " " + word
		length += 1 + n
	}
	return lines
}

// quoteUnlessPlain returns a text on one line, in quotes unless YAML reads it as
// the same text without them.
func quoteUnlessPlain(text string) string {
	readable := isReadable(text) && !strings.Contains(text, "\n")
	switch {
	// The reader warns about curly quotes that are not in quotes themselves.
	case readable && !curlyQuoted.MatchString(text) && represents(" "+text, text):
		return text
	case readable && strings.ContainsAny(text, `"\`):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return quote(text)
}

// quoteInBrackets is like [quoteUnlessPlain] for an item of a list in brackets, where
// more characters have a meaning.
func quoteInBrackets(text string) string {
	if strings.ContainsAny(text, ",[]{}") && quoteUnlessPlain(text) == text {
		return quote(text)
	}
	return quoteUnlessPlain(text)
}

// quote returns a text in double quotes.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case isReadableRune(r):
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isReadable reports whether a text can be written without escapes.
func isReadable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !isReadableRune(r) })
}

// isReadableRune reports whether r is visible, or invisible and common in texts:
// spaces, and the joiners of emoji and of several scripts.
func isReadableRune(r rune) bool {
	const nonJoiner, joiner = '\u200C', '\u200D'
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == nonJoiner || r == joiner
}

// represents reports whether YAML reads a value as text.
func represents(value, text string) bool {
	loader, err := yaml.NewLoader(bytes.NewReader([]byte("key:" + value + "\nnext: true\n")))
	var doc yaml.Node
	if err != nil || loader.Load(&doc) != nil || len(doc.Content) != 1 {
		return false
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) != 4 || root.Content[2].Value != "next" {
		return false
	}
	n := root.Content[1]
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Value == text
}
