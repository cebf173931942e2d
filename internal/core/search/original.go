package search

import (
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"placard/internal/core/taxonomy"
)

// originalText is a text and its normalized form, with the correspondence of their
// offsets.
type originalText struct {
	normalized string
	segments   []segment // nil if the offsets are the same
}

// segment is a part of a text that is normalized independently of the rest: usually
// a character with its combining marks.
type segment struct {
	start      int // in the normalized text
	original   int
	originalTo int
}

// normalizeOriginal is like normalize, and keeps the offsets. It stops when the
// normalized text has n bytes or slightly more: a character can become dozens.
func normalizeOriginal(text string, n int) originalText {
	if isPlainASCII(text) {
		return originalText{normalized: strings.ToLower(text)}
	}
	var o originalText
	var b strings.Builder
	add := func(normalized string, start, end int) {
		o.segments = append(o.segments, segment{b.Len(), start, end})
		b.WriteString(normalized)
	}
	addText := func(start, end int) {
		var chars norm.Iter
		chars.InitString(norm.NFKC, text[start:end])
		normalized := "" // since from
		for from := start; !chars.Done() && b.Len() < n; {
			normalized += mapNormalized(strings.ToLower(string(chars.Next())))
			// The position does not change between the parts of a ligature.
			if to := start + chars.Pos(); to > from || chars.Done() {
				add(normalized, from, to)
				from, normalized = to, ""
			}
		}
	}
	end := 0
	for p := range taxonomy.Placeholders(text) {
		addText(end, p.Start)
		add(" ", p.Start, p.End)
		end = p.End
	}
	addText(end, len(text))
	o.normalized = b.String()
	return o
}

// span returns the part of the original text that a part of the normalized text,
// which is not empty, comes from.
func (o *originalText) span(start, end int) Span {
	if o.segments == nil {
		return Span{start, end}
	}
	return Span{o.segmentAt(start).original, o.segmentAt(end - 1).originalTo}
}

// segmentAt returns the segment that contains an offset in the normalized text.
func (o *originalText) segmentAt(offset int) segment {
	// Segments may be empty in the normalized text: the last one that starts at the
	// offset, or before it, contains it.
	return o.segments[sort.Search(len(o.segments), func(i int) bool { return o.segments[i].start > offset })-1]
}
