package placard_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "placard"

// pure is the highest layer whose packages do no I/O of their own.
const pure = 4

// outside is the layer of benchmarks and test support. It may import every
// package, and only tests may import it.
const outside = 11

// packageLayer is a row of the table: a package and its layer.
type packageLayer struct {
	layer int
	pkg   string // path below internal, or below the root for packages outside internal
	// exceptions maps packages that may be imported although they are not in a
	// lower layer to the reasons.
	exceptions map[string]string
}

// layers is the table in ARCHITECTURE.md. A package imports only packages in lower
// layers and the package in its parent folder; tests may import anything.
var layers = []packageLayer{
	{0, "problem", nil},
	{0, "link", nil},
	{0, "worddiff", nil},
	{0, "parallel", nil},
	{0, "style", nil},
	{1, "taxonomy", nil},
	{1, "qr", nil},
	{2, "icon", nil},
	{2, "search", nil},
	{2, "datachain", nil},
	{2, "compat", nil},
	{3, "source", nil},
	{3, "docschema", nil},
	{3, "upgrade", nil},
	{3, "skos", nil},
	{4, "release", nil},
	{4, "release/releasetest", nil},
	{4, "raster", nil},
	{5, "store", nil},
	{5, "store/storetest", nil},
	{5, "store/s3store", nil},
	{5, "builtin", map[string]string{
		".":     "the files are embedded there, so that the builtin folder holds no code",
		"store": "the embedded releases are a store like any other",
	}},
	{5, "builtin/generate", map[string]string{
		"store": "a command run by go generate that publishes the authoring tree into the embedded store",
	}},
	{5, "iconpack", nil},
	{5, "ratelimit", nil},
	{5, "ratelimit/limittest", nil},
	{5, "budget", nil},
	{5, "bodycache", nil},
	{5, "compress", nil},
	{5, "requestbody", nil},
	{6, "etag", nil},
	{6, "redisdb", nil},
	{6, "catalog", nil},
	{6, "view", nil},
	{6, "diffview", nil},
	{7, "query", nil},
	{7, "sign", nil},
	{8, "httpapi", nil},
	{8, "mcpapi", nil},
	{8, "mcpapi/sessiontest", nil},
	{8, "web", nil},
	{8, "web/generate", nil},
	{8, "site", nil},
	{9, "server", nil},
	{10, "cmd/placard", map[string]string{
		".": "the documents are embedded there, so that the docs folder holds no code",
	}},
	{outside, ".", nil}, // embeds the built-in taxonomy and the documents
	{outside, "bench", nil},
	{outside, "deploytest", nil},
	{outside, "scripts", nil},
	{outside, "testenv", nil},
}

// ioPackages lists packages that pure packages must not import. Packages below
// them must not be imported either, except those in withoutIO.
var ioPackages = []string{
	"context", "database/sql", "net", "os", "path/filepath", "syscall",
	"github.com/minio", "github.com/rogpeppe/go-internal/lockedfile", "github.com/valkey-io",
}

var withoutIO = []string{"net/netip", "net/url"}

// vagueNames are file and folder names that do not describe their content.
var vagueNames = []string{"common", "helper", "helpers", "misc", "types", "util", "utils"}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	for _, violation := range layerViolations(os.DirFS("."), layers) {
		t.Error(violation)
	}
}

// layerViolations describes all violations of the table in a tree of Go packages.
func layerViolations(fsys fs.FS, table []packageLayer) []string {
	c := layerCheck{
		fsys:   fsys,
		table:  make(map[string]packageLayer),
		exists: make(map[string]bool),
		used:   make(map[[2]string]bool),
	}
	for _, p := range table {
		c.table[p.pkg] = p
	}
	if err := walkGo(fsys, c.file); err != nil {
		return []string{err.Error()}
	}
	for _, p := range table {
		if !c.exists[p.pkg] {
			c.report("The table lists %s, which does not exist.", p.pkg)
			continue
		}
		for pkg := range p.exceptions {
			if !c.used[[2]string{p.pkg, pkg}] {
				c.report("The table lets %s import %s, but it does not; remove the exception.", p.pkg, pkg)
			}
		}
	}
	slices.Sort(c.violations)
	return slices.Compact(c.violations)
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

type layerCheck struct {
	fsys       fs.FS
	table      map[string]packageLayer
	exists     map[string]bool    // packages that have files
	used       map[[2]string]bool // exceptions that are needed: importing and imported package
	violations []string
}

func (c *layerCheck) report(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

func (c *layerCheck) file(name string) error {
	dir := path.Dir(name)
	base := strings.TrimSuffix(path.Base(name), ".go")
	if slices.Contains(vagueNames, strings.TrimSuffix(base, "_test")) || slices.Contains(vagueNames, path.Base(dir)) {
		c.report("%s: the name is vague; name files and folders after the concept they hold.", name)
	}
	pkg := strings.TrimPrefix(dir, "internal/")
	p, ok := c.table[pkg]
	if !ok {
		c.report("%s: the package is not in the table; add it, with the reason in the commit.", dir)
		return nil
	}
	c.exists[pkg] = true
	if strings.HasSuffix(base, "_test") {
		return nil
	}
	data, err := fs.ReadFile(c.fsys, name)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		c.imports(name, p, imported)
	}
	return nil
}

func (c *layerCheck) imports(name string, in packageLayer, imported string) {
	if in.layer <= pure && within(imported, ioPackages) && !within(imported, withoutIO) {
		c.report("%s: %s is in layer %d, which must not import %q.", name, in.pkg, in.layer, imported)
	}
	if !within(imported, []string{module}) {
		return
	}
	pkg := strings.TrimPrefix(strings.TrimPrefix(imported, module+"/"), "internal/")
	if imported == module {
		pkg = "."
	}
	if _, listed := in.exceptions[pkg]; listed {
		c.used[[2]string{in.pkg, pkg}] = true
		return
	}
	other, ok := c.table[pkg]
	switch {
	case !ok:
		c.report("%s: %q is not in the table.", name, imported)
	case testsOnly(other) && !testsOnly(in):
		c.report("%s: only tests may import %q.", name, imported)
	case other.layer < in.layer || in.layer == outside || within(in.pkg, []string{pkg}):
	default:
		c.report("%s: %s (layer %d) must not import %s (layer %d).", name, in.pkg, in.layer, pkg, other.layer)
	}
}

// testsOnly reports whether a package must not be linked into the program.
func testsOnly(p packageLayer) bool {
	return p.layer == outside || strings.Contains(p.pkg, "/") && strings.HasSuffix(p.pkg, "test")
}

// within reports whether pkg is one of roots or below one of them.
func within(pkg string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return pkg == root || strings.HasPrefix(pkg, root+"/")
	})
}

func TestLayerCheck(t *testing.T) {
	table := []packageLayer{
		{1, "low", nil},
		{4, "mid", nil},
		{5, "shop", nil},
		{5, "shop/shed", nil},
		{5, "shop/shoptest", nil},
		{5, "stall", map[string]string{"shop": "a reason", ".": "another"}},
		{6, "high", nil},
		{outside, ".", nil},
		{outside, "bench", nil},
	}
	// A tree without violations, to which each case adds files.
	const validTree = `
		internal/low/low.go fmt
		internal/mid/mid.go placard/internal/low net/url net/netip io/fs networks.example/net
		internal/shop/shop.go placard/internal/mid
		internal/shop/shed/shed.go placard/internal/shop github.com/minio/minio-go/v7
		internal/shop/shoptest/shoptest.go placard/internal/shop testing
		internal/stall/stall.go placard placard/internal/shop placard/internal/mid
		internal/high/high.go placard/internal/shop placard/internal/low net/http os context
		embed.go embed
		bench/bench.go placard/internal/high placard/internal/shop/shoptest
		`
	for _, test := range []struct {
		name  string
		files string // one file per line: its name, then its imports
		want  []string
	}{
		{"imports from lower layers, the parent and exceptions", "", nil},
		{"tests import anything", `
			internal/low/low_test.go placard/internal/high os net/http
			internal/shop/shop_test.go placard/internal/shop/shoptest
			arch_test.go placard/internal/high`, nil},
		{"files that the go command ignores", `
			internal/low/testdata/utils.go placard/internal/high
			.cache/mod/utils.go placard/internal/high
			_old/utils.go placard/internal/high
			internal/tools/go.mod
			internal/tools/utils.go placard/internal/high`, nil},
		{"an import from a higher layer", "internal/low/a.go placard/internal/mid", []string{
			"internal/low/a.go: low (layer 1) must not import mid (layer 4).",
		}},
		{"an import from the same layer", "internal/shop/a.go placard/internal/stall", []string{
			"internal/shop/a.go: shop (layer 5) must not import stall (layer 5).",
		}},
		{"a parent that imports its child", "internal/shop/a.go placard/internal/shop/shed", []string{
			"internal/shop/a.go: shop (layer 5) must not import shop/shed (layer 5).",
		}},
		{"a package whose name only begins like the parent's", "internal/shop/a.go placard/internal/shopping", []string{
			`internal/shop/a.go: "placard/internal/shopping" is not in the table.`,
		}},
		{"an import of the root package", "internal/high/a.go placard", []string{
			`internal/high/a.go: only tests may import "placard".`,
		}},
		{"a package that is not in the table", "internal/attic/attic.go fmt", []string{
			"internal/attic: the package is not in the table; add it, with the reason in the commit.",
		}},
		{"a package with only tests that is not in the table", "internal/attic/attic_test.go testing", []string{
			"internal/attic: the package is not in the table; add it, with the reason in the commit.",
		}},
		{"I/O in a pure layer", "internal/mid/a.go net net/http net/http/httptest os os/exec context github.com/minio/minio-go/v7", []string{
			`internal/mid/a.go: mid is in layer 4, which must not import "context".`,
			`internal/mid/a.go: mid is in layer 4, which must not import "github.com/minio/minio-go/v7".`,
			`internal/mid/a.go: mid is in layer 4, which must not import "net".`,
			`internal/mid/a.go: mid is in layer 4, which must not import "net/http".`,
			`internal/mid/a.go: mid is in layer 4, which must not import "net/http/httptest".`,
			`internal/mid/a.go: mid is in layer 4, which must not import "os".`,
			`internal/mid/a.go: mid is in layer 4, which must not import "os/exec".`,
		}},
		{"test support in the program", "internal/high/a.go placard/bench placard/internal/shop/shoptest", []string{
			`internal/high/a.go: only tests may import "placard/bench".`,
			`internal/high/a.go: only tests may import "placard/internal/shop/shoptest".`,
		}},
		{"an exception that is not used", "internal/stall/stall.go placard", []string{
			"The table lets stall import shop, but it does not; remove the exception.",
		}},
		{"a row without a package", "-internal/high/high.go", []string{
			"The table lists high, which does not exist.",
		}},
		{"vague names", "internal/low/utils.go fmt\ninternal/low/helpers_test.go testing\ninternal/high/types.go fmt", []string{
			"internal/high/types.go: the name is vague; name files and folders after the concept they hold.",
			"internal/low/helpers_test.go: the name is vague; name files and folders after the concept they hold.",
			"internal/low/utils.go: the name is vague; name files and folders after the concept they hold.",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, layerViolations(goTree(validTree+test.files), table), emptyIsNil); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// emptyIsNil makes cmp treat nil and empty lists alike.
var emptyIsNil = cmp.Transformer("list", func(list []string) string { return strings.Join(list, "\n") })

// goTree returns a tree of Go files. Each line has a file name, followed by its
// imports. A later line replaces an earlier one with the same name; "-name"
// removes a file.
func goTree(lines string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if removed, ok := strings.CutPrefix(words[0], "-"); ok {
			delete(fsys, removed)
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

func TestLayerCheckReportsSyntaxErrors(t *testing.T) {
	fsys := fstest.MapFS{"internal/low/low.go": {Data: []byte("not Go at all")}}
	if violations := layerViolations(fsys, []packageLayer{{1, "low", nil}}); len(violations) != 1 || !strings.HasPrefix(violations[0], "internal/low/low.go:1:1:") {
		t.Errorf("violations = %q, want a syntax error", violations)
	}
}

func TestArchitectureDocumentListsTheSameLayers(t *testing.T) {
	document, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| ([0-9]+|–) \\| `([^`]+)` \\|").FindAllSubmatch(document, -1) {
		documented = append(documented, fmt.Sprintf("%s %s", row[1], row[2]))
	}
	for _, p := range layers {
		switch {
		case p.pkg == ".":
		case p.layer == outside:
			want = append(want, "– "+p.pkg)
		default:
			want = append(want, fmt.Sprintf("%d %s", p.layer, p.pkg))
		}
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("ARCHITECTURE.md disagrees with the table here (-table +document):\n%s", diff)
	}
}
