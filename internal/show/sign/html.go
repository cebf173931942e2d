package sign

import (
	"bytes"
	"fmt"
)

// HTML returns the sign as a page that prints on one sheet of its size.
func (s *Sign) HTML() []byte {
	w, h := number(s.Size.Width), number(s.Size.Height)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!doctype html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
@page { size: %smm %smm; margin: 0; }
body { margin: 0; background: #808080; }
svg { display: block; }
body > svg { width: min(100vw, %[3]smm); height: auto; margin: auto; }
@media print {
  html, body { height: 100%%; overflow: hidden; background: none; }
  body > svg { position: absolute; inset: 0; width: 100%%; height: 100%%; }
}
</style>
</head>
<body>
`, escape(s.Lang), escape(s.Title), w, h)
	b.Write(s.SVG)
	b.WriteString("</body>\n</html>\n")
	return b.Bytes()
}
