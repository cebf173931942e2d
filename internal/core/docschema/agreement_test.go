package docschema

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	yaml "go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"placard/scripts/envtest"
)

func TestAuthoringSchemasAgreeWithSource(t *testing.T) {
	schemas := compileAuthoring(t, nil)
	full := overlay(fullRelease)
	seen := make(map[string]bool)
	accepted, rejected := 0, 0
	check := func(name, change string, doc *yaml.Node) {
		t.Helper()
		data, err := yaml.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		fsys := maps.Clone(full)
		fsys[path.Join(demo.Folder(), name)] = &fstest.MapFile{Data: data}
		file, _ := authoringFileOf(name)
		schemaError := schemas[file].Validate(jsonOf(t, parseYAML(t, data)))
		if d := disagreement(fsys, name, schemaError); d != "" {
			t.Errorf("%s with %s: %s", name, change, d)
		}
		if schemaError != nil {
			rejected++
		} else {
			accepted++
		}
	}
	for _, file := range txtar.Parse([]byte(fullRelease)).Files {
		kind, ok := authoringFileOf(file.Name)
		if !ok {
			continue
		}
		doc := parseYAML(t, file.Data)
		check(file.Name, "no change", doc)
		eachMember(doc.Content[0], string(kind), func(where string, mapping *yaml.Node, i int) {
			// Sources, examples and localized texts are the same everywhere.
			names := strings.Split(where, ".")
			last := strings.Join(names[len(names)-2:], ".")
			if strings.HasSuffix(last, ".en") {
				last = "en"
			}
			if where == "meta.content_hash" || seen[last] {
				return
			}
			seen[last] = true
			old := mapping.Content
			for j, mutation := range mutations {
				if !envtest.Long && j%4 != len(seen)%4 {
					continue // another member has this value
				}
				mapping.Content = slices.Clone(old)
				mapping.Content[i+1] = parseYAML(t, []byte("v: "+mutation)).Content[0].Content[1]
				check(file.Name, where+" set to "+mutation, doc)
			}
			mapping.Content = slices.Delete(slices.Clone(old), i, i+2)
			check(file.Name, where+" absent", doc)
			mapping.Content = old
		})
	}
	if accepted < 80 || rejected < 240 {
		t.Errorf("accepted %d and rejected %d files, want at least 80 and 240", accepted, rejected)
	}
}

// eachMember calls visit for the members of all mappings in n.
func eachMember(n *yaml.Node, where string, visit func(where string, mapping *yaml.Node, i int)) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			eachMember(item, where, visit)
		}
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			member := where + "." + n.Content[i].Value
			visit(member, n, i)
			eachMember(n.Content[i+1], member, visit)
		}
	}
}
