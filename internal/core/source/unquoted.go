package source

import (
	"regexp"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
)

// unquoted finds texts of one file that YAML cuts or reads as something else
// because they are not in quotes. It reports them and restores the text, so that
// the rules see it as it was meant.
type unquoted struct {
	*fileReader
	file       string
	referenced map[*yaml.Node]bool // nodes that an alias refers to
	cursor     cursor
}

func (r *fileReader) restoreUnquoted(file string, data []byte, root *yaml.Node) {
	u := unquoted{fileReader: r, file: file, referenced: map[*yaml.Node]bool{}, cursor: cursor{text: string(data), line: 1, column: 1}}
	u.findAliases(root)
	u.restore(root)
}

func (u *unquoted) findAliases(n *yaml.Node) {
	if n.Alias != nil {
		u.referenced[n.Alias] = true
	}
	for _, child := range n.Content {
		u.findAliases(child)
	}
}

// restore visits the nodes in the order of the file.
func (u *unquoted) restore(n *yaml.Node) {
	switch {
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0:
		u.restoreBraces(n)
	case n.Kind == yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			u.restore(n.Content[i])
		}
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			u.restore(item)
		}
	case n.Kind == yaml.ScalarNode:
		u.restorePrefix(n)
	}
}

// standardTags are the tags that YAML defines for scalars.
var standardTags = newSet([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!binary"})

// restorePrefix restores a text whose first word YAML reads as an anchor or a tag.
func (u *unquoted) restorePrefix(n *yaml.Node) {
	prefix, kind, otherwise := n.ShortTag(), "a tag", "Remove it if it is meant as a tag, because tags are not read."
	switch {
	case n.Anchor != "" && !u.referenced[n]:
		prefix, kind, otherwise = "&"+n.Anchor, "an anchor", "Remove it if it is meant as an anchor, because no alias refers to it."
	case n.Tag == "!":
		prefix = n.Tag
	case standardTags[prefix]:
		return
	}
	n.Value = strings.TrimSpace(prefix + " " + n.Value)
	n.Tag, n.Anchor = "!!str", ""
	u.report(textUnquoted, nodePos(u.file, n), "Without quotes, YAML reads %q as %s and not as text.", problem.Clip(prefix), kind).
		FixHint = quoteTextHint(n.Value) + " " + otherwise
}

// restoreBraces restores text in braces that YAML reads as a group of fields.
func (u *unquoted) restoreBraces(n *yaml.Node) {
	text, ok := u.readBraces(n)
	if !ok {
		return
	}
	*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: n.Line, Column: n.Column}
	u.report(textUnquoted, nodePos(u.file, n), "Without quotes, YAML reads %q as a group of fields and not as text.", problem.Clip(text)).
		FixHint = quoteTextHint(text) + " If it is a group of fields, write each of them as name: value."
}

// readBraces returns the text that was probably meant by braces in which nothing
// has a value, such as {{duration}} or {duration}. If there are values, it restores
// those that are cut at a comma.
func (u *unquoted) readBraces(n *yaml.Node) (text string, ok bool) {
	var names []string // of the fields that have no colon
	fields := len(n.Content) / 2
	noColon := make([]bool, fields)
	for i := range fields {
		key, value := n.Content[2*i], n.Content[2*i+1]
		if key.Kind == yaml.MappingNode && key.Style&yaml.FlowStyle != 0 {
			inner, ok := u.readBraces(key)
			if ok && fields == 1 && isEmpty(value) {
				return "{" + inner + "}", true
			}
		}
		if noColon[i] = u.hasNoColon(key, value); noColon[i] {
			names = append(names, key.Value)
		}
		u.restore(value)
	}
	if len(names) == fields {
		return "{" + strings.Join(names, ", ") + "}", fields > 0
	}
	if len(names) > 0 {
		u.restoreCommas(n, noColon)
	}
	return "", false
}

// restoreCommas restores text that follows a comma, which YAML reads as the names
// of fields without a colon.
func (u *unquoted) restoreCommas(n *yaml.Node, noColon []bool) {
	var kept []*yaml.Node
	for i := 0; i < len(noColon); {
		if !noColon[i] {
			kept = append(kept, n.Content[2*i], n.Content[2*i+1])
			i++
			continue
		}
		pos := nodePos(u.file, n.Content[2*i])
		var names []string
		for ; i < len(noColon) && noColon[i]; i++ {
			names = append(names, n.Content[2*i].Value)
		}
		rest := strings.Join(names, ", ")
		p := u.report(textUnquoted, pos, "Without quotes, the comma ends the text, and YAML reads %q as the name of a field.", problem.Clip(rest))
		p.FixHint = quoteHint
		if len(kept) > 0 {
			if before := kept[len(kept)-1]; before.Kind == yaml.ScalarNode && !isNull(before) {
				before.Value += ", " + rest
				p.FixHint = quoteTextHint(before.Value)
			}
		}
		p.FixHint += " If it is a field, write it as name: value."
	}
	n.Content = kept
}

// isEmpty reports whether nothing is written for a value.
func isEmpty(n *yaml.Node) bool { return isNull(n) && n.Value == "" && n.Anchor == "" }

// hasNoColon reports whether a key in braces is written without a colon and
// without quotes.
func (u *unquoted) hasNoColon(key, value *yaml.Node) bool {
	if key.Kind != yaml.ScalarNode || key.Style != 0 || key.Anchor != "" || key.Value == "" || !isEmpty(value) {
		return false
	}
	rest := u.cursor.from(key.Line, key.Column)
	for _, word := range strings.Fields(key.Value) {
		rest = strings.TrimPrefix(strings.TrimLeft(rest, " \t\r\n"), word)
	}
	return !strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
}

// cursor finds positions in a text. It only moves forward, so that finding many
// positions in one long line takes linear time.
type cursor struct {
	text         string // starts at the cursor
	line, column int
}

// from returns the text from a position on. Earlier positions than the last one
// are not found.
func (c *cursor) from(line, column int) string {
	for c.text != "" && (c.line < line || c.line == line && c.column < column) {
		first, size := utf8.DecodeRuneInString(c.text)
		c.text = c.text[size:]
		c.column++
		if first == '\n' {
			c.line, c.column = c.line+1, 1
		}
	}
	return c.text
}

// quoteTextHint returns a hint that shows a text in quotes, unless it is long.
func quoteTextHint(text string) string {
	if problem.Clip(text) != text || strings.Map(printable, text) != text {
		return quoteHint
	}
	return "Put the text in quotes: '" + strings.ReplaceAll(text, "'", "''") + "'."
}

// unspacedComment matches a comment without a space after the #, which may have
// been meant as text.
var unspacedComment = regexp.MustCompile(`^#[^\s#].*`)

// checkComment reports a comment that may have been meant as part of a text. If
// the text is empty, pos is the position of its name. It returns false if there is
// no such comment.
func (r *reader) checkComment(pos problem.Pos, text, comment string) bool {
	comment = unspacedComment.FindString(comment)
	if comment == "" {
		return false
	}
	r.report(textComment, pos, "Without quotes, YAML reads %q as a comment.", problem.Clip(strings.Map(printable, comment))).
		FixHint = quoteTextHint(strings.TrimSpace(text+" "+comment)) + " If it is a comment, write a space after the #."
	return true
}

// emptyComment returns the comment after a field without a value, or the empty
// string.
func emptyComment(mapping, key, value *yaml.Node) string {
	if !isEmpty(value) {
		return ""
	}
	for _, comment := range []string{key.LineComment, value.LineComment, mapping.LineComment} {
		if comment != "" {
			return comment
		}
	}
	return ""
}
