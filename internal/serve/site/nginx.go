package site

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// nginxFile returns the rules as a file for the server block of nginx. Requests that
// need a node go to the location @placard_node, which the server block defines.
//
// Outside of locations, the directive if is safe with set. Values from the request
// become part of a file name only if an expression has restricted their characters.
func (p *plan) nginxFile(rules []rule) ([]byte, error) {
	types, err := p.contentTypes()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n# Include this file in a server block with the folder as its root and a location\n# @placard_node for requests that need a node.\n\n", generatedNotice)
	b.WriteString(`set $placard_file $uri;
set $placard_request $uri$is_args$args;
set $placard_node "";
if ($args != "") { set $placard_node 1; }
`)
	for _, l := range p.lists() {
		query := queryPattern(l.params, func(string) string { return "[A-Za-z0-9_-]+" })
		dir, base := path.Split(l.pattern)
		fmt.Fprintf(&b, "if ($placard_request ~ \"^(%s)%s\\?(%s)$\") {\n    set $placard_file $1%s/$2.json;\n    set $placard_node \"\";\n}\n",
			expression(placeholders(dir)), base, query, listFolder)
	}
	b.WriteString(`if ($request_method !~ "^(?:GET|HEAD)$") { set $placard_node 1; }
if ($uri ~ "/$") { set $placard_node 1; }

`)

	// Fields whose values depend on the path are variables.
	variables := make(map[string]bool)
	for _, r := range rules[1:] {
		for name := range r.header {
			if name != "Content-Type" {
				variables[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		fmt.Fprintf(&b, "set %s \"\";\n", variable(name))
	}
	for _, r := range rules[1:] {
		for _, name := range slices.Sorted(maps.Keys(r.header)) {
			if variables[name] {
				fmt.Fprintf(&b, "if ($placard_file ~ \"^%s$\") { set %s \"%s\"; }\n", expression(r.path), variable(name), r.header[name])
			}
		}
	}

	fmt.Fprintf(&b, "\nlocation ^~ %s {\n    default_type \"%s\";\n    types {\n", strings.TrimSuffix(rules[0].path, "*"), types[""])
	for _, extension := range slices.Sorted(maps.Keys(types)) {
		if extension != "" {
			fmt.Fprintf(&b, "        \"%s\" %s;\n", types[extension], extension[1:])
		}
	}
	b.WriteString("    }\n")
	for _, name := range slices.Sorted(maps.Keys(rules[0].header)) {
		fmt.Fprintf(&b, "    add_header %s \"%s\" always;\n", name, rules[0].header[name])
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		fmt.Fprintf(&b, "    add_header %s %s;\n", name, variable(name))
	}
	b.WriteString(`    error_page 418 = @placard_node;
    if ($placard_node) { return 418; }
    try_files $placard_file $placard_file/index.json @placard_node;
}
`)
	return b.Bytes(), nil
}

// variable returns the nginx variable with the value of a header field.
func variable(field string) string {
	return "$placard_" + strings.ReplaceAll(strings.ToLower(field), "-", "_")
}

var placeholder = regexp.MustCompile(`:\w+`)

// expression returns a regular expression for the path of a rule.
func expression(rulePath string) string {
	// The characters of placeholders and of * are not special before they are replaced.
	before, isTree := strings.CutSuffix(rulePath, "*")
	e := placeholder.ReplaceAllLiteralString(regexp.QuoteMeta(before), "[^/]+")
	if isTree {
		e += ".*"
	}
	return e
}

// contentTypes returns the content types by file name extension.
func (p *plan) contentTypes() (map[string]string, error) {
	types := make(map[string]string)
	for i := range p.files {
		f := &p.files[i]
		extension, contentType := path.Ext(path.Base(f.page.Path)), p.headers.list[f.Header]["Content-Type"]
		if f.Query != "" {
			extension = ".json"
		}
		if known := types[extension]; known != "" && known != contentType {
			return nil, fmt.Errorf("files with the extension %q have the types %s and %s", extension, known, contentType)
		}
		types[extension] = contentType
	}
	return types, nil
}
