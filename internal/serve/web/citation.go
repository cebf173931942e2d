package web

import (
	"strings"

	"placard/internal/core/release"
)

// citation returns a reference to an element in the language of the page.
func (q *request) citation(r *release.Release, title, path string) string {
	return q.ui.get("element.citation",
		"title", title, "taxonomy", q.text(r, r.Manifest.Title).Value, "version", r.Name(), "date", q.ui.date(r.ID().Date), "address", q.base+path)
}

// bibTeX returns a reference to an element as a BibTeX entry.
func (q *request) bibTeX(r *release.Release, id, title, path string) string {
	year, monthAndDay, _ := strings.Cut(r.ID().Date, "-")
	month, _, _ := strings.Cut(monthAndDay, "-")
	var b strings.Builder
	b.WriteString("@misc{" + strings.NewReplacer("@", "-", "_", "-").Replace(r.Name()+"-"+id) + ",\n")
	for _, field := range [][2]string{
		{"title", "{" + escapeTeX(title) + "}"},
		{"howpublished", escapeTeX(q.text(r, r.Manifest.Title).Value + ", " + r.Name())},
		{"year", year},
		{"month", month},
		{"url", escapeAddress(q.base + path)},
	} {
		b.WriteString("  " + field[0] + " = {" + field[1] + "},\n")
	}
	b.WriteString("}")
	return b.String()
}

// escapeTeX returns text for a field of a BibTeX entry, on one line.
func escapeTeX(text string) string {
	return texEscapes.Replace(strings.Join(strings.Fields(text), " "))
}

var texEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "$", `\$`, "#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

// escapeAddress escapes braces in an address, which end a field.
func escapeAddress(address string) string {
	return strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C").Replace(address)
}
