package sign

import (
	"strings"

	"golang.org/x/text/unicode/bidi"

	"placard/internal/show/view"
)

// Characters that isolate a part of a text from the direction of the rest.
const (
	isolateLeftToRight = '\u2066'
	isolateRightToLeft = '\u2067'
	endIsolate         = '\u2069'
)

// directionOf returns the direction of a text. If its language is unknown, that is
// the direction of its first letter, or else the default.
func directionOf(t view.Text, byDefault string) string {
	if t.Dir != "" {
		return t.Dir
	}
	for _, r := range t.String() {
		switch properties, _ := bidi.LookupRune(r); properties.Class() {
		case bidi.L:
			return view.LeftToRight
		case bidi.R, bidi.AL:
			return view.RightToLeft
		}
	}
	return byDefault
}

// isolated returns the characters of a text in the given direction. Parts with
// another direction are isolated.
func isolated(t view.Text, dir string) string {
	if len(t.Parts) == 0 {
		return t.Text
	}
	var b strings.Builder
	for _, part := range t.Parts {
		partDir := directionOf(part, dir)
		if partDir == dir {
			b.WriteString(isolated(part, dir))
			continue
		}
		if partDir == view.RightToLeft {
			b.WriteRune(isolateRightToLeft)
		} else {
			b.WriteRune(isolateLeftToRight)
		}
		b.WriteString(isolated(part, partDir))
		b.WriteRune(endIsolate)
	}
	return b.String()
}

// continueIsolates isolates the rest of a part at the start of a line if the part
// begins on a line above. Each line of a sign is a paragraph of its own.
func continueIsolates(lines []line) {
	var open []rune
	for i := range lines {
		l := &lines[i]
		prefix := string(open)
		for _, r := range l.text {
			switch {
			case r == isolateLeftToRight, r == isolateRightToLeft:
				open = append(open, r)
			case r == endIsolate && len(open) > 0:
				open = open[:len(open)-1]
			}
		}
		l.text = prefix + l.text
	}
}
