package icon

import (
	"bytes"
	"strings"
)

// signatures holds the first bytes of files that are often saved under the wrong
// extension.
var signatures = []struct{ prefix, format string }{
	{"\x89PNG\r\n", "a PNG image"},
	{"\xFF\xD8\xFF", "a JPEG image"},
	{"GIF87a", "a GIF image"},
	{"GIF89a", "a GIF image"},
	{"BM", "a BMP image"},
	{"II*\x00", "a TIFF image"},
	{"MM\x00*", "a TIFF image"},
	{"\x00\x00\x01\x00", "an icon in the ICO format"},
	{"%PDF-", "a PDF document"},
	{"%!PS", "a PostScript drawing"},
	{"\x1F\x8B", gzipFormat},
	{"PK\x03\x04", "a ZIP archive"},
	{"\xFF\xFE", UTF16},
	{"\xFE\xFF", UTF16},
}

// UTF16 is the result of [DetectFormat] for text in UTF-16.
const UTF16 = "encoded in UTF-16"

const (
	gzipFormat = "compressed with gzip"
	htmlFormat = "a web page"
)

// DetectFormat returns the format of a file that is neither SVG nor other text in
// UTF-8, worded to follow "The file is". It returns the empty string for any other
// file.
func DetectFormat(data []byte) string {
	for _, s := range signatures {
		// A text may start with the letters BM, but does not contain zero bytes.
		if bytes.HasPrefix(data, []byte(s.prefix)) && (s.prefix != "BM" || bytes.IndexByte(data, 0) >= 0) {
			return s.format
		}
	}
	start := data[:min(len(data), 256)]
	switch {
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "a WebP image"
	case len(data) >= 12 && data[0] == 0 && string(data[4:8]) == "ftyp": // a box of less than 16 MiB
		return "an AVIF or HEIC image"
	case len(data) >= 4 && (data[0] == 0) != (data[1] == 0) && data[0] == 0 == (data[2] == 0) && data[1] == 0 == (data[3] == 0):
		return UTF16 // without a byte order mark
	}
	start = bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\uFEFF")))
	for _, tag := range []string{"<!doctype html", "<html"} {
		if len(start) >= len(tag) && strings.EqualFold(string(start[:len(tag)]), tag) {
			return htmlFormat
		}
	}
	return ""
}

// checkFormat reports a file that is empty or in another format than SVG. It returns
// false if it reports one.
func (r *reader) checkFormat() bool {
	format := DetectFormat(r.src)
	switch {
	case len(bytes.TrimSpace(r.src)) == 0:
		r.report(0, ruleMalformed.Found("The file is empty.").Hint("Export the drawing again as plain SVG."))
	case format == UTF16:
		r.report(0, ruleEncoding.Found("The file is %s.", format).Hint("Save the file as UTF-8."))
	case format == gzipFormat:
		r.report(0, ruleNotSVG.Found("The file is %s, like an .svgz file.", format).Hint("Decompress it, or export the drawing as plain SVG."))
	case format == htmlFormat:
		r.report(0, ruleNotSVG.Found("The file is %s, not an SVG drawing.", format).Hint("Download the drawing itself instead of the page that shows it."))
	case format != "":
		r.report(0, ruleNotSVG.Found("The file is %s, not an SVG drawing.", format).
			Hint("Draw the symbol in a vector drawing program and export it as plain SVG; renaming the file does not convert it."))
	default:
		return true
	}
	return false
}
