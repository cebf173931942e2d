package source

import (
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	yaml "go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// writeMinimal writes a release with the files of [Minimal] below root.
func writeMinimal(t *testing.T, root string, id taxonomy.ID) {
	t.Helper()
	if err := os.CopyFS(root, overlay(id, Minimal)); err != nil {
		t.Fatal(err)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	root := t.TempDir()
	writeMinimal(t, root, demo)
	mustLoad(t, os.DirFS(root), demo)
	if err := os.Symlink("street.yaml", filepath.Join(root, filepath.FromSlash(demo.Folder()), "elements", "road.yaml")); err != nil {
		t.Fatal(err)
	}
	_, found := Load(os.DirFS(root), demo)
	if diff := cmp.Diff([]string{"FILE_UNREADABLE elements/road.yaml"}, summary(found)); diff != "" {
		t.Error(diff)
	}
}

func TestLinksToFoldersWithReleasesAreReported(t *testing.T) {
	elsewhere, root := t.TempDir(), t.TempDir()
	stable := taxonomy.ID{Type: "final", Date: "2026-01-31", Status: taxonomy.Stable}
	writeMinimal(t, root, demo)
	writeMinimal(t, elsewhere, stable)
	for name, target := range map[string]string{
		"alias": "demo", "linked": filepath.Join(elsewhere, "final"),
		"broken": "missing", "loop": "loop", "itself": ".", "file": "demo/2026-01-31-beta/meta.yaml", "release": "demo/2026-01-31-beta", ".hidden": "demo",
	} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	ids, found := Releases(os.DirFS(root))
	if diff := cmp.Diff([]taxonomy.ID{demo}, ids); diff != "" {
		t.Errorf("releases (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"FILE_UNEXPECTED alias", "FILE_UNEXPECTED linked"}, summary(found)); diff != "" {
		t.Fatalf("findings (-want +got):\n%s", diff)
	}
	if found[0].Severity != problem.Warning || found[1].Severity != problem.Error {
		t.Errorf("got severities %s and %s, want a warning, and an error for the stable release", found[0].Severity, found[1].Severity)
	}
}

// deniedFS denies access to one file or folder.
type deniedFS struct {
	fstest.MapFS
	name string
}

func (d deniedFS) Open(name string) (fs.File, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.Open(name)
}

func (d deniedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.ReadDir(name)
}

func TestDeniedAccessIsReported(t *testing.T) {
	for name, want := range map[string][]string{
		"elements/street.yaml": {"FILE_UNREADABLE elements/street.yaml"},
		"symbols/street.svg":   {"FILE_UNREADABLE symbols/street.svg"},
		"symbols":              {"FILE_UNREADABLE symbols"},
		"":                     {"FILE_UNREADABLE " + demo.Folder()},
	} {
		_, found := Load(deniedFS{overlay(demo, Minimal), path.Join(demo.Folder(), name)}, demo)
		if diff := cmp.Diff(want, summary(found)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReplacedElementsAreFilesOfEarlierReleases(t *testing.T) {
	tree := overlay(demo, Minimal, "-- ../2026-01-01-beta/elements/road.yaml --\nid: road\n-- ../2026-01-01-beta/elements/lane.yaml --\nid: lane\n")
	for i, id := range []string{"raod", "road", "lane", "avenue"} {
		name := fmt.Sprintf("street%d", i)
		element := replace(replace(minimalElement, "street.yaml", name+".yaml"), "{en: Street, fr: Rue}", "{en: "+id+", fr: "+id+"}") + "replaces: " + id + "\n"
		maps.Copy(tree, overlay(demo, replace(element, "--\nid: street", "--\nid: "+name)))
	}
	_, found := Load(tree, demo)
	want := []string{"REPLACED_ELEMENT_UNKNOWN elements/street0.yaml:6:11", "REPLACED_ELEMENT_UNKNOWN elements/street3.yaml:6:11"}
	if diff := cmp.Diff(want, summary(found)); diff != "" {
		t.Fatalf("findings (-want +got):\n%s", diff)
	}
	if found[0].FixHint != `Did you mean "road"?` {
		t.Errorf("got hint %q, want the id of the earlier release", found[0].FixHint)
	}
}

// everything is a release that uses every field.
const everything = `-- meta.yaml --
locales: [en, fr]
version: demo@2026-01-31-beta
status: beta
created_at: 2026-01-31T09:00:00Z
notes: First draft
title: {en: Demonstration, fr: Démonstration}
description: [{locale: en, value: To show}, {locale: fr, value: À montrer}]
-- datachain-type.yaml --
locales: [en, fr]
id: demo
name: {en: Demonstration, fr: Démonstration}
description: {en: To show, fr: À montrer}
categories: [place]
subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [place]}]
sources: [{type: law, title: Act, url: 'https://example.org', citation: §1}]
-- categories/place.yaml --
id: place
datachain_type: demo
name: {en: Place, fr: Lieu}
description: {en: Where, fr: Où}
prompt: {en: Where, fr: Où}
guidance: {en: Say, fr: Dites}
shape: circle
order: 1
required: true
min_elements: 1
max_elements: 2
context:
  id: time
  name: {en: Time, fr: Moment}
  description: {en: When, fr: Quand}
  values: [{id: day, label: {en: Day, fr: Jour}, description: {en: Sun, fr: Soleil}, color: "#B35900", max_placements: 1}]
variables:
- id: days
  label: {en: Days, fr: Jours}
  required: true
  required_for: [street]
  kind: multi_select_enum
  options: [{id: monday, name: {en: Monday, fr: Lundi}, description: {en: First, fr: Premier}, applies_to: [street]}]
sources: [{type: law, title: Act}]
examples: [{scenario: {en: A, fr: B}, narrative: {en: C, fr: D}}]
-- elements/street.yaml --
id: street
category_id: place
title: {en: 'Street {{days}}', fr: 'Rue {{days}}'}
description: [{locale: en, value: 'Street {{days}}'}, {locale: fr, value: 'Rue {{days}}'}]
symbol_id: street
order: 1
required: true
max_placements: 1
excludes: [road]
replaces: avenue
guidance: {en: Say, fr: Dites}
context: {id: time, name: {en: Time, fr: Moment}, values: [{id: day, label: {en: Day, fr: Jour}}]}
sources: [{type: law, title: Act}]
examples: [{scenario: {en: A, fr: B}, narrative: {en: C, fr: D}}]
-- elements/road.yaml --
id: road
category_id: place
title: {en: Road, fr: Route}
description: {en: Road, fr: Route}
symbol_id: street
`

func TestAllFieldsAreKnown(t *testing.T) {
	if _, found := Load(overlay(demo, Minimal, everything), demo); len(found) > 0 {
		t.Error(found)
	}
}

// mutations yields variants of a YAML file in which one key or value is replaced
// by another kind of node.
func mutations(t testing.TB, content []byte) iter.Seq[[]byte] {
	kinds := []string{
		`"{{x\e}}"`, "7", "null", "''", "<<", "[]", "[null, [a]]", "{}", "{a: b}", "[[locale], {locale: en, value: '{{x}}'}]", "{<<: {en: x}, [fr]: y}",
	}
	parse := func(content []byte) *yaml.Node {
		var doc yaml.Node
		if err := yaml.Unmarshal(content, &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Content[0]
	}
	return func(yield func([]byte) bool) {
		root := parse(content)
		first := root.Content[1]
		var visit func(n *yaml.Node) bool
		visit = func(n *yaml.Node) bool {
			for i, child := range n.Content {
				replacements := []*yaml.Node{{Kind: yaml.AliasNode, Value: "a", Alias: first}}
				for _, kind := range kinds {
					replacements = append(replacements, parse([]byte(kind)))
				}
				for _, replacement := range replacements {
					first.Anchor = ""
					if replacement.Kind == yaml.AliasNode {
						first.Anchor = "a"
					}
					n.Content[i] = replacement
					changed, err := yaml.Marshal(root)
					if err != nil {
						t.Fatal(err)
					}
					if !yield(changed) {
						return false
					}
				}
				n.Content[i] = child
				if !visit(child) {
					return false
				}
			}
			return true
		}
		visit(root)
	}
}

var everythingFS = overlay(demo, Minimal, everything)

// checkLoad loads the release everything with one file replaced and checks that
// the result and the findings are consistent.
func checkLoad(t *testing.T, file string, content []byte) {
	t.Helper()
	fsys := maps.Clone(everythingFS)
	fsys[demo.Folder()+"/"+file] = &fstest.MapFile{Data: content}
	result, found := Load(fsys, demo)
	if (result == nil) != found.HasErrors() {
		t.Fatalf("got taxonomy %v with findings %v", result, found)
	}
	for _, p := range found {
		if strings.ContainsFunc(p.Message+p.FixHint, func(c rune) bool { return !strconv.IsPrint(c) }) {
			t.Fatalf("finding contains unprintable characters: %+q", p)
		}
		if p.Pos.File == "" || p.FixHint == "" || p.Severity == "" || !strings.HasSuffix(p.Message, ".") {
			t.Fatalf("finding without a file, hint, severity or full sentence: %+v", p)
		}
	}
	if result != nil && (len(result.Categories) == 0 || len(result.Elements) == 0 || len(result.Locales) == 0) {
		t.Fatalf("incomplete taxonomy: %+v", result)
	}
}

func FuzzLoad(f *testing.F) {
	names := []string{metaFile, typeFile, "categories/place.yaml", "elements/street.yaml", "symbols/street.svg"}
	for _, rule := range rules {
		f.Add(uint8(len(rule.Code)), []byte(rule.Example))
	}
	for i, file := range txtar.Parse([]byte(everything)).Files {
		f.Add(uint8(i), file.Data)
		seeds := 0
		for content := range mutations(f, file.Data) {
			// Running every mutation as a seed would take most of a short run.
			if seeds++; seeds%17 == 0 {
				f.Add(uint8(i), content)
			}
		}
	}
	f.Add(uint8(4), txtar.Parse([]byte(minimalSymbol)).Files[0].Data)
	f.Fuzz(func(t *testing.T, which uint8, content []byte) {
		checkLoad(t, names[int(which)%len(names)], content)
	})
}
