package source

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/scripts/envtest"
)

var (
	laterDemo  = taxonomy.ID{Type: "demo", Date: "2026-12-01", Status: taxonomy.Beta}
	stableDemo = taxonomy.ID{Type: "demo", Date: demo.Date, Status: taxonomy.Stable}
	otherDemo  = taxonomy.ID{Type: "parks", Date: "2026-12-01", Status: taxonomy.Beta}

	copyTime = time.Date(2026, 11, 30, 10, 30, 0, 0, time.FixedZone("", 3600))
)

func copyFiles(fsys fs.FS, from, to taxonomy.ID) (map[string]string, error) {
	files := map[string]string{}
	err := Copy(fsys, from, to, copyTime, func(name string, data []byte) error {
		files[name] = string(data)
		return nil
	})
	return files, err
}

func mustCopy(t *testing.T, fsys fs.FS, from, to taxonomy.ID) map[string]string {
	t.Helper()
	files, err := copyFiles(fsys, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCopiesNameTheNewRelease(t *testing.T) {
	const meta = `# About this release. It is ours.
version: "demo@2026-01-31-beta"   # keep in step
status:   'beta'
created_at: 2026-01-31T09:00:00Z
notes: >
  First draft.

    Indented.
  # not a comment

# The languages.
locales: [en, fr]
`
	tree := overlay(demo, Minimal, "-- meta.yaml --\n"+meta, minimalCategory+"datachain_type: demo # ours\n", `-- examples/street.json --
{ "schema_version" : "demo@2026-01-31-beta","id":"x"  }
-- examples/deep/old.json --
{"schema_version": "demo@2025-01-31-beta"}
-- examples/resolved.json --
{"schema_version": "demo@2026-01-31-beta", "schema_snapshot": {}}
-- examples/broken.json --
{"schema_version": "demo@2026-01-31-beta"
`)
	original := map[string]string{}
	for name, file := range tree {
		original[strings.TrimPrefix(name, demo.Folder()+"/")] = string(file.Data)
	}
	for to, changes := range map[taxonomy.ID]map[string]string{
		demo: {},
		stableDemo: {
			"meta.yaml":            replace(replace(meta, "-beta", "-stable"), "'beta'", "'stable'"),
			"examples/street.json": `{ "schema_version" : "demo@2026-01-31-stable","id":"x"  }` + "\n",
		},
		laterDemo: {
			"meta.yaml": `# About this release. It is ours.
version: "demo@2026-12-01-beta"   # keep in step
status:   'beta'
created_at: "2026-11-30T09:30:00Z"

# The languages.
locales: [en, fr]
`,
			"examples/street.json": `{ "schema_version" : "demo@2026-12-01-beta","id":"x"  }` + "\n",
		},
		otherDemo: {
			"meta.yaml": `# About this release. It is ours.
version: "parks@2026-12-01-beta"   # keep in step
status:   'beta'
created_at: "2026-11-30T09:30:00Z"

# The languages.
locales: [en, fr]
`,
			"datachain-type.yaml":   replace(original["datachain-type.yaml"], "id: demo", "id: parks"),
			"categories/place.yaml": replace(original["categories/place.yaml"], "datachain_type: demo", "datachain_type: parks"),
			"examples/street.json":  `{ "schema_version" : "parks@2026-12-01-beta","id":"x"  }` + "\n",
		},
	} {
		want := map[string]string{}
		for name, text := range original {
			want[name] = text
			if changed, ok := changes[name]; ok {
				want[name] = changed
			}
		}
		got := mustCopy(t, tree, demo, to)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", to, diff)
		}
		copied := fstest.MapFS{}
		for name, text := range got {
			copied[path.Join(to.Folder(), name)] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, found := Load(copied, to); len(found) > 0 {
			t.Errorf("%s: %v", to, found)
		}
	}
}

func TestCopiesOfUnusualManifestsKeepTheirMeaning(t *testing.T) {
	for name, test := range map[string]struct{ meta, want string }{
		"in braces":             {"{locales: [en, fr], notes: Draft, status: beta, version: demo@2026-01-31-beta}\n", "{locales: [en, fr], notes: Draft, status: beta, version: demo@2026-01-31-beta}\n"},
		"notes at the end":      {"locales: [en, fr]\nnotes: Draft", "locales: [en, fr]\n"},
		"notes at the start":    {"notes: |\n  Draft\n\n\nlocales: [en, fr]\n", "\n\nlocales: [en, fr]\n"},
		"notes in quotes":       {"notes: \"Draft\n  - two\"\nlocales: [en, fr]\n", "locales: [en, fr]\n"},
		"Windows line ends":     {"notes: Draft\r\n  two\r\nversion: demo@2026-01-31-beta\r\nlocales: [en, fr]\r\n", "version: demo@2026-12-01-beta\r\nlocales: [en, fr]\r\n"},
		"a byte order mark":     {"\uFEFFversion: demo@2026-01-31-beta\nlocales: [en, fr]\n", "\uFEFFversion: demo@2026-12-01-beta\nlocales: [en, fr]\n"},
		"indented":              {"  notes: Draft\n  version: demo@2026-01-31-beta\n  locales: [en, fr]\n", "  notes: Draft\n  version: demo@2026-01-31-beta\n  locales: [en, fr]\n"},
		"value on its own line": {"version:\n  demo@2026-01-31-beta\nlocales: [en, fr]\n", "version:\n  demo@2026-01-31-beta\nlocales: [en, fr]\n"},
		"empty values":          {"version:\nstatus: null\ncreated_at: ~\nnotes:\nlocales: [en, fr]\n", "version:\nstatus: beta\ncreated_at: ~\nlocales: [en, fr]\n"},
		"an anchor":             {"version: &v demo@2026-01-31-beta\nnotes: *v\nlocales: [en, fr]\n", "version: &v demo@2026-01-31-beta\nlocales: [en, fr]\n"},
		"notes not indented":    {"notes: \"Draft\ntwo\"\nlocales: [en, fr]\n", "notes: \"Draft\ntwo\"\nlocales: [en, fr]\n"},
		"a list":                {"- a\n", "- a\n"},
		"a mistake in notes":    {"version: demo@2026-01-31-beta\nnotes: a: b\n", "version: demo@2026-12-01-beta\n"},
		"a syntax error":        {"version: demo@2026-01-31-beta\nlocales: [en\n", "version: demo@2026-01-31-beta\nlocales: [en\n"},
		"a folded version":      {"version: >-\n  demo@2026-01-31-beta\nlocales: [en, fr]\n", "version: >-\n  demo@2026-01-31-beta\nlocales: [en, fr]\n"},
		"an empty file":         {"# nothing\n", "# nothing\n"},
	} {
		tree := overlay(demo, Minimal, "-- meta.yaml --\nx")
		tree[path.Join(demo.Folder(), "meta.yaml")] = &fstest.MapFile{Data: []byte(test.meta)}
		if diff := cmp.Diff(test.want, mustCopy(t, tree, demo, laterDemo)["meta.yaml"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCopiesOmitIgnoredFiles(t *testing.T) {
	tree := overlay(demo, Minimal, `-- README.md --
About.
-- .DS_Store --
x
-- .schema/element.json --
{}
-- elements/street.yaml.bak --
id: street
-- elements/other.yaml.bak --
id: other
-- notes.txt --
Ours.
-- symbols/Thumbs.db --
x
`)
	got := mustCopy(t, tree, demo, laterDemo)
	for name, want := range map[string]bool{
		"README.md": true, "notes.txt": true, "elements/other.yaml.bak": true, "elements/street.yaml": true,
		".DS_Store": false, ".schema/element.json": false, "elements/street.yaml.bak": false, "symbols/Thumbs.db": false,
	} {
		if _, ok := got[name]; ok != want {
			t.Errorf("%s: copied is %t, want %t", name, ok, want)
		}
	}
}

func TestFilesThatCannotBeCopiedAreErrors(t *testing.T) {
	large := overlay(demo, Minimal)
	large[path.Join(demo.Folder(), "examples/large.json")] = &fstest.MapFile{Data: make([]byte, maxCopiedSize+1)}
	link := overlay(demo, Minimal)
	link[path.Join(demo.Folder(), "symbols/link.svg")] = &fstest.MapFile{Data: []byte("street.svg"), Mode: os.ModeSymlink}
	for want, tree := range map[string]fstest.MapFS{
		"demo/2026-01-31-beta/examples/large.json is larger than 16 MiB. Move it out of the release.":         large,
		"demo/2026-01-31-beta/symbols/link.svg is not a regular file. Replace the link with the file itself.": link,
	} {
		if _, err := copyFiles(tree, demo, laterDemo); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := copyFiles(fstest.MapFS{}, demo, laterDemo); !os.IsNotExist(err) {
		t.Errorf("a missing release: got %v, want not exist", err)
	}
}

func TestCopiesHaveTheSameContent(t *testing.T) {
	fsys := os.DirFS(envtest.RealTree(t))
	ids, _ := Releases(fsys)
	to := taxonomy.ID{Type: ids[0].Type, Date: "2027-01-01", Status: taxonomy.Beta}
	copied := fstest.MapFS{}
	for name, text := range mustCopy(t, fsys, ids[0], to) {
		copied[path.Join(to.Folder(), name)] = &fstest.MapFile{Data: []byte(text)}
	}
	original, err := release.Compile(mustLoad(t, fsys, ids[0]))
	if err != nil {
		t.Fatal(err)
	}
	got, err := release.Compile(mustLoad(t, copied, to))
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != original.Hash() {
		t.Errorf("got content %s, want %s", got.Hash(), original.Hash())
	}
	if m := got.Manifest; m.CreatedAt != "2026-11-30T09:30:00Z" || m.Notes != "" {
		t.Errorf("got created at %q with notes %q, want the time of the copy and no notes", m.CreatedAt, m.Notes)
	}
}

func TestRenamedTaxonomiesNameTheNewRelease(t *testing.T) {
	x := mustLoad(t, overlay(demo, Minimal, minimalMeta+"notes: Draft\ncreated_at: 2026-01-31T09:00:00Z\n"), demo)
	for to, want := range map[taxonomy.ID]struct{ createdAt, notes string }{
		stableDemo: {"2026-01-31T09:00:00Z", "Draft"},
		laterDemo:  {"2026-11-30T09:30:00Z", ""},
		otherDemo:  {"2026-11-30T09:30:00Z", ""},
	} {
		got := mustLoad(t, writeTree(t, Rename(x, to, copyTime)), to)
		if got.CreatedAt != want.createdAt || got.Notes != want.notes || got.Type.ID != to.Type {
			t.Errorf("%s: got created at %q, notes %q, type %q", to, got.CreatedAt, got.Notes, got.Type.ID)
		}
	}
	if x.ID != demo || x.Notes != "Draft" || x.Type.ID != "demo" {
		t.Error("the original was changed")
	}
}
