package sign

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// fonts lists fonts with the widths of [widthTable], and then fonts for other
// scripts.
const fonts = `Helvetica, Arial, 'Liberation Sans', 'Noto Sans', 'Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', 'Noto Sans JP', 'Noto Sans Arabic', 'Noto Sans Hebrew', sans-serif`

// svg returns the shapes as an SVG document. Its unit is the millimetre.
func (l *layout) svg(lang, title string) []byte {
	var b bytes.Buffer
	w, h := number(l.size.Width), number(l.size.Height)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%smm" height="%smm" viewBox="0 0 %s %s" font-family="%s"`, w, h, w, h, fonts)
	if lang != "" {
		fmt.Fprintf(&b, ` lang="%s"`, escape(lang))
	}
	fmt.Fprintf(&b, ">\n<title>%s</title>\n", escape(title))
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="%s"/>`+"\n", w, h, paper)
	for i := range l.shapes {
		l.write(&b, &l.shapes[i], lang)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (l *layout) write(b *bytes.Buffer, s *shape, lang string) {
	place := fmt.Sprintf(`x="%s" y="%s" width="%s" height="%s"`, number(s.box.x), number(s.box.y), number(s.box.width), number(s.box.height))
	switch {
	case s.text != nil:
		l.writeText(b, s, lang)
	case s.isCode:
		// Without crispEdges, the modules of a small picture have the same widths. As they are
		// one path, no gaps show between them.
		fmt.Fprintf(b, `<svg %s viewBox="0 0 %d %[2]d"><path fill="#000000" d="%s"/></svg>`+"\n", place, l.code.Size, l.code.Path)
	case s.icon != "":
		// Icons are drawn by this program; the ids in them are unique to the symbol.
		_, icon, _ := strings.Cut(s.icon, ">")
		fmt.Fprintf(b, `<svg %s viewBox="0 0 36 36">%s`+"\n", place, strings.TrimSpace(icon))
	case s.fill != "":
		fmt.Fprintf(b, `<rect %s fill="%s"/>`+"\n", place, s.fill)
	}
}

func (l *layout) writeText(b *bytes.Buffer, s *shape, lang string) {
	t := s.text
	x := s.box.x
	anchor := "start"
	switch {
	case s.anchor == atMiddle:
		x, anchor = s.box.x+s.box.width/2, "middle"
	case l.rtl:
		x = s.box.x + s.box.width
	}
	if s.anchor == atStart && t.rtl != l.rtl {
		anchor = "end"
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s" fill="%s"`, number(x), number(s.base), number(s.size), t.color)
	if t.weight == bold {
		b.WriteString(` font-weight="700"`)
	}
	if anchor != "start" {
		fmt.Fprintf(b, ` text-anchor="%s"`, anchor)
	}
	if t.rtl {
		b.WriteString(` direction="rtl"`)
	}
	if t.lang != "" && t.lang != lang {
		fmt.Fprintf(b, ` lang="%s"`, escape(t.lang))
	}
	if isExact(s.line.text) {
		// If the font of the reader has other widths, the line keeps its length.
		fmt.Fprintf(b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, number(s.line.width*s.size))
	}
	fmt.Fprintf(b, ">%s</text>\n", escape(s.line.text))
}

// number formats a length with the precision of a hundredth of a millimetre.
func number(f float64) string {
	s := strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0")
	return strings.TrimSuffix(s, ".")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}
