package diffview

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// wrap divides a text into lines of at most limit columns, at white space. A longer
// word has a line of its own.
func wrap(text string, limit int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line, used := "", 0
		for word := range strings.FieldsSeq(paragraph) {
			size := displayWidth(word)
			switch {
			case line == "":
				line, used = word, size
			case used+1+size > limit:
				lines = append(lines, line)
				line, used = word, size
			default:
				line += " " + word
				used += 1 + size
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func isWide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// displayWidth returns the number of columns of a text in a terminal.
func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// maxColumn is the maximum width of an aligned column. One long name must neither
// move the columns of all rows off the screen nor fill them with spaces.
const maxColumn = 48

// align returns one line for each row, with aligned columns. A cell that is wider
// than maxColumn moves the rest of its own row only.
func align(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			n := displayWidth(cell)
			if n > maxColumn {
				n = 1 // The column is not empty.
			}
			widths[i] = max(widths[i], n)
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var line strings.Builder
		for k, cell := range row {
			line.WriteString(cell + spaces(max(0, widths[k]-displayWidth(cell))))
			if widths[k] > 0 {
				line.WriteString("  ")
			}
		}
		lines[i] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

func spaces(n int) string { return strings.Repeat(" ", n) }

// oneLine replaces each run of white space with one space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
