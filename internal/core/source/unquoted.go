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
		FixHint = quoteHint + " " + otherwise
}

// restoreBraces reports what YAML reads as fields without a value: text in braces,
// such as {{duration}}, and text after a comma. It removes these fields.
func (u *unquoted) restoreBraces(n *yaml.Node) {
	var kept []*yaml.Node
	var removed []string
	isCut := false // the field before is removed
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !u.hasNoColon(key, value) {
			kept = append(kept, key, value)
			isCut = false
			u.restore(value)
			continue
		}
		name := key.Value
		if key.Kind == yaml.MappingNode && len(key.Content) > 0 {
			name = "{" + key.Content[0].Value + "}"
		}
		if !isCut && len(kept) > 0 {
			u.report(textUnquoted, nodePos(u.file, key), "Without quotes, the comma ends the text, and YAML reads %q as the name of a field.", problem.Clip(name)).
				FixHint = quoteHint + " If it is a field, write it as name: value."
		}
		isCut = true
		removed = append(removed, name)
	}
	if len(kept) > 0 || len(removed) == 0 {
		n.Content = kept
		return
	}
	*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "{" + strings.Join(removed, ", ") + "}", Line: n.Line, Column: n.Column}
	u.report(textUnquoted, nodePos(u.file, n), "Without quotes, YAML reads the braces as a group of fields and not as text.").
		FixHint = quoteHint + " If it is a group of fields, write each of them as name: value."
}

// isEmpty reports whether nothing is written for a value.
func isEmpty(n *yaml.Node) bool { return isNull(n) && n.Value == "" && n.Anchor == "" }

// hasNoColon reports whether a key in braces is written without a colon and
// without quotes.
func (u *unquoted) hasNoColon(key, value *yaml.Node) bool {
	if key.Kind == yaml.MappingNode && key.Style&yaml.FlowStyle != 0 {
		return isEmpty(value)
	}
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

// unspacedComment matches a comment without a space after the #, which may have
// been meant as text.
var unspacedComment = regexp.MustCompile(`^#[^\s#].*`)

// checkComment reports a comment that may have been meant as part of the text at pos,
// or of the one whose name is there. It returns false if there is no such comment.
func (r *reader) checkComment(pos problem.Pos, comment string) bool {
	comment = unspacedComment.FindString(comment)
	if comment == "" {
		return false
	}
	r.report(textComment, pos, "Without quotes, YAML reads %q as a comment.", problem.Clip(strings.Map(printable, comment))).
		FixHint = quoteHint + " If it is a comment, write a space after the #."
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
