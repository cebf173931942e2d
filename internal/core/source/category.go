package source

import (
	"cmp"
	"regexp"
	"strconv"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/taxonomy"
)

// category is one file in the categories folder.
type category struct {
	document
	taxonomy.Category
	order         *int
	datachainType string
}

func (r *reader) readCategory(d document) category {
	c := category{document: d}
	c.ID = d.id()
	if d.broken() {
		return c
	}
	f := r.fields(d.file, d.root)
	c.order = f.order(f.optional("order"))
	c.datachainType = f.text(f.optional("datachain_type"))
	f.record(&c.Category)
	c.ID = cmp.Or(c.ID, d.id())
	return c
}

// checkCommentedColor reports a colour without quotes, which YAML reads as a
// comment.
func (f *fields) checkCommentedColor() {
	for key, value := range members(f.node) {
		if isCommentedColor(f.node, key, value) {
			color := commentColor.FindString(emptyComment(f.node, key, value))
			f.report(colorInvalid, nodePos(f.file, key), "Without quotes, YAML reads %s as a comment.", color).FixHint = "Write color: " + strconv.Quote(color) + "."
			return
		}
	}
}

func isCommentedColor(mapping, key, value *yaml.Node) bool {
	return key.Value == "color" && commentColor.MatchString(emptyComment(mapping, key, value))
}

var commentColor = regexp.MustCompile(`^#[0-9A-Fa-f]{3,8}\b`)
