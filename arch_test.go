package placard_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "placard"

// area is a folder below internal. Inside an area, Go's ban on import cycles is the
// only rule; tests may import anything.
type area struct {
	name    string
	imports []string // other areas that its packages may import
	pure    bool     // no I/O except through an argument, no context, no network
}

// areas is the table in ARCHITECTURE.md.
var areas = []area{
	{"core", nil, true},
	{"show", []string{"core"}, true},
	{"storage", []string{"core"}, false},
	{"serve", []string{"core", "show", "storage"}, false},
}

// rootImporters are the packages that may import the root package, which embeds
// the built-in releases and the documents.
var rootImporters = []string{"internal/storage/builtin", "cmd/placard"}

// testFolders contain benchmarks and test support. They may import every package, and
// only tests may import them.
var testFolders = []string{"bench", "deploy", "scripts"}

// ioPackages lists packages that pure areas must not import. Packages below
// them must not be imported either, except those in withoutIO.
var ioPackages = []string{"context", "database/sql", "net", "os", "path/filepath", "syscall"}

var withoutIO = []string{"net/netip", "net/url"}

// vagueNames are file and folder names that do not describe their content.
var vagueNames = []string{"common", "helper", "helpers", "misc", "types", "util", "utils"}

func TestPackagesImportOnlyTheirAreas(t *testing.T) {
	for _, violation := range importViolations(os.DirFS(".")) {
		t.Error(violation)
	}
}

// importViolations describes all violations of the table in a tree of Go packages.
func importViolations(fsys fs.FS) []string {
	var violations []string
	err := walkGo(fsys, func(name string) error {
		dir, base := path.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"))
		if slices.Contains(vagueNames, base) || slices.Contains(vagueNames, path.Base(dir)) {
			violations = append(violations, name+": the name is vague; name files and folders after the concept they hold.")
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if reason := forbidden(path.Dir(name), imported); reason != "" {
				violations = append(violations, fmt.Sprintf("%s must not import %q: %s.", name, imported, reason))
			}
		}
		return nil
	})
	if err != nil {
		violations = append(violations, err.Error())
	}
	slices.Sort(violations)
	return violations
}

// forbidden returns the reason why a package in a folder must not import another, or an
// empty string.
func forbidden(dir, imported string) string {
	in := areaOf(dir)
	if in.pure && within(imported, ioPackages) && !within(imported, withoutIO) {
		return in.name + " does no I/O"
	}
	if imported == module && !slices.Contains(rootImporters, dir) {
		return "only " + strings.Join(rootImporters, " and ") + " import the root package"
	}
	other, ours := strings.CutPrefix(imported, module+"/")
	if !ours || within(dir, testFolders) {
		return ""
	}
	if within(other, testFolders) || strings.HasSuffix(other, "test") && !strings.HasSuffix(dir, "test") {
		return "only tests import it"
	}
	if strings.HasPrefix(other, "internal/storage/store/") && dir != "cmd/placard" {
		return "a kind of store registers itself, and only cmd/placard imports it"
	}
	to := areaOf(other)
	if in.name != "" && to.name != in.name && !slices.Contains(in.imports, to.name) {
		return fmt.Sprintf("%s imports only %s", in.name, strings.Join(append([]string{in.name}, in.imports...), ", "))
	}
	return ""
}

// areaOf returns the area of a folder. The zero area is outside of all areas.
func areaOf(dir string) area {
	for _, a := range areas {
		if within(dir, []string{"internal/" + a.name}) {
			return a
		}
	}
	return area{}
}

// walkGo calls visit for every Go file that the go command would find.
func walkGo(fsys fs.FS, visit func(name string) error) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if !d.IsDir() {
			if path.Ext(name) == ".go" {
				return visit(name)
			}
			return nil
		}
		base := path.Base(name)
		_, err = fs.Stat(fsys, path.Join(name, "go.mod"))
		otherModule := err == nil
		if otherModule || base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_' {
			return fs.SkipDir
		}
		return nil
	})
}

// within reports whether pkg is one of roots or below one of them.
func within(pkg string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return pkg == root || strings.HasPrefix(pkg, root+"/")
	})
}

func TestImportViolations(t *testing.T) {
	// A tree without violations, to which each case adds files.
	const validTree = `
		internal/core/low/low.go fmt net/url net/netip io/fs networks.example/net
		internal/core/mid/mid.go placard/internal/core/low
		internal/core/mid/midtest/midtest.go placard/internal/core/mid testing
		internal/core/low/low_test.go placard/internal/serve/high os placard/internal/core/mid/midtest
		internal/core/low/testdata/utils.go placard/internal/serve/high
		internal/show/page/page.go placard/internal/core/low
		internal/storage/shop/shop.go placard/internal/core/mid os
		internal/storage/shop/shoptest/shoptest.go placard/internal/core/mid/midtest
		internal/storage/builtin/builtin.go placard
		internal/serve/high/high.go placard/internal/core/low placard/internal/show/page placard/internal/storage/shop net/http
		cmd/placard/main.go placard placard/internal/serve/high
		bench/bench.go placard/internal/serve/high placard/internal/core/mid/midtest
		.cache/mod/utils.go placard/internal/serve/high
		scripts/tools/go.mod
		scripts/tools/utils.go placard/internal/serve/high
		`
	for _, test := range []struct {
		name  string
		files string // one file per line: its name, then its imports
		want  []string
	}{
		{"a valid tree", "", nil},
		{"core imports show", "internal/core/low/a.go placard/internal/show/page", []string{
			`internal/core/low/a.go must not import "placard/internal/show/page": core imports only core.`,
		}},
		{"show imports storage", "internal/show/page/a.go placard/internal/storage/shop", []string{
			`internal/show/page/a.go must not import "placard/internal/storage/shop": show imports only show, core.`,
		}},
		{"storage imports serve", "internal/storage/shop/a.go placard/internal/serve/high", []string{
			`internal/storage/shop/a.go must not import "placard/internal/serve/high": storage imports only storage, core.`,
		}},
		{"I/O in a pure area", "internal/show/page/a.go net net/http os/exec context", []string{
			`internal/show/page/a.go must not import "context": show does no I/O.`,
			`internal/show/page/a.go must not import "net": show does no I/O.`,
			`internal/show/page/a.go must not import "net/http": show does no I/O.`,
			`internal/show/page/a.go must not import "os/exec": show does no I/O.`,
		}},
		{"the root package", "internal/serve/high/a.go placard", []string{
			`internal/serve/high/a.go must not import "placard": only internal/storage/builtin and cmd/placard import the root package.`,
		}},
		{"a kind of store", "internal/serve/high/a.go placard/internal/storage/store/s3store\ncmd/placard/a.go placard/internal/storage/store/s3store", []string{
			`internal/serve/high/a.go must not import "placard/internal/storage/store/s3store": a kind of store registers itself, and only cmd/placard imports it.`,
		}},
		{"test support in the program", "cmd/placard/a.go placard/bench placard/internal/core/mid/midtest", []string{
			`cmd/placard/a.go must not import "placard/bench": only tests import it.`,
			`cmd/placard/a.go must not import "placard/internal/core/mid/midtest": only tests import it.`,
		}},
		{"vague names", "internal/core/low/utils.go fmt\ninternal/core/low/helpers_test.go testing", []string{
			"internal/core/low/helpers_test.go: the name is vague; name files and folders after the concept they hold.",
			"internal/core/low/utils.go: the name is vague; name files and folders after the concept they hold.",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, importViolations(goTree(validTree+test.files))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// goTree returns a tree of Go files. Each line has a file name, followed by its
// imports.
func goTree(lines string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var code strings.Builder
		code.WriteString("package p\n")
		for _, imported := range words[1:] {
			fmt.Fprintf(&code, "import %q\n", imported)
		}
		fsys[words[0]] = &fstest.MapFile{Data: []byte(code.String())}
	}
	return fsys
}

func TestImportViolationsIncludeSyntaxErrors(t *testing.T) {
	fsys := fstest.MapFS{"internal/core/low/low.go": {Data: []byte("not Go at all")}}
	if violations := importViolations(fsys); len(violations) != 1 || !strings.HasPrefix(violations[0], "internal/core/low/low.go:1:1:") {
		t.Errorf("violations = %q, want a syntax error", violations)
	}
}

func TestEveryFolderBelowInternalIsAnArea(t *testing.T) {
	entries, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if a := areaOf("internal/" + entry.Name()); a.name == "" {
			t.Errorf("internal/%s is not an area; see the table in ARCHITECTURE.md", entry.Name())
		}
	}
}
