package diffview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/width"
)

// wrap divides a text into lines of at most limit columns. It breaks lines at white
// space and between wide characters; a longer word has a line of its own.
func wrap(text string, limit int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapParagraph(paragraph, limit)...)
	}
	return lines
}

func wrapParagraph(text string, limit int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	for _, p := range pieces(text) {
		size := displayWidth(p.text)
		if used > 0 && used+p.space+size > limit {
			lines = append(lines, line.String())
			line.Reset()
			used = 0
		}
		if used > 0 {
			line.WriteString(spaces(p.space))
			used += p.space
		}
		line.WriteString(p.text)
		used += size
	}
	return append(lines, line.String())
}

// piece is a part of a text that is not divided, and the number of spaces before
// it.
type piece struct {
	space int
	text  string
}

func pieces(text string) []piece {
	var all []piece
	start, end, space := 0, 0, 0 // of the last piece
	finish := func() {
		if start < end {
			all = append(all, piece{space, text[start:end]})
		}
	}
	wide := false // the last piece ends in a wide character
	segments := words.FromString(text)
	for segments.Next() {
		s := segments.Value()
		if strings.TrimSpace(s) == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(s)
		adjacent := segments.Start() == end
		if isWord := unicode.IsLetter(first) || unicode.IsNumber(first); !adjacent || isWord && (wide || isWide(first)) {
			finish()
			start, space = segments.Start(), 0
			if !adjacent {
				space = 1
			}
		}
		end = segments.End()
		last, _ := utf8.DecodeLastRuneInString(s)
		wide = isWide(last)
	}
	finish()
	return all
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
