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

const module = "placard.dev"

// pure is the highest floor whose packages do no I/O of their own.
const pure = 4

// outside is the floor of what stands beside the house: it may use every
// package, and only tests may use it.
const outside = 11

// room is one row of the table: a package and the floor it stands on.
type room struct {
	floor int
	pkg   string
	// beside are packages that are not below and may be imported all the
	// same, each with the reason.
	beside map[string]string
}

// floors is the table that ARCHITECTURE.md explains. A package imports only
// from lower floors, or from the package it stands in; tests may import what
// they like. A room may be empty until its time comes.
var floors = []room{
	{0, "problem", nil},
	{1, "taxonomy", nil},
	{2, "icon", nil},
	{2, "search", nil},
	{2, "datachain", nil},
	{2, "compat", nil},
	{3, "source", nil},
	{4, "release", nil},
	{4, "release/releasetest", nil},
	{5, "store", nil},
	{5, "store/s3store", nil},
	{5, "store/storetest", nil},
	{5, "builtin", map[string]string{
		"store": "the embedded releases are a store like any other, and are handed out as one",
	}},
	{5, "builtin/generate", map[string]string{
		"store": "a command, run by go generate, that publishes the authoring tree into the store that is embedded",
	}},
	{5, "ratelimit", nil},
	{5, "ratelimit/limittest", nil},
	{5, "ratelimit/redislimit", nil},
	{5, "budget", nil},
	{5, "compress", nil},
	{6, "catalog", nil},
	{6, "view", nil},
	{7, "query", nil},
	{8, "httpapi", nil},
	{8, "mcpapi", nil},
	{8, "web", nil},
	{9, "server", nil},
	{10, "cmd/placard", nil},
	{outside, ".", nil}, // these tests
	{outside, "bench", nil},
	{outside, "source/realtree", nil},
}

// ioPackages are what pure floors must not import: whatever is below one of
// them counts too, unless harmless says otherwise.
var ioPackages = []string{
	"context", "database/sql", "net", "os", "path/filepath", "syscall",
	"github.com/minio", "github.com/rogpeppe/go-internal/lockedfile", "github.com/valkey-io",
}

var harmless = []string{"net/netip", "net/url"}

// vagueNames say nothing about what a file or folder holds.
var vagueNames = []string{"common", "helper", "helpers", "misc", "types", "util", "utils"}

func TestEveryPackageKeepsToItsFloor(t *testing.T) {
	for _, fault := range floorFaults(os.DirFS("."), floors) {
		t.Error(fault)
	}
}

// floorFaults says, one sentence each, what in a tree of Go packages does not
// fit the table.
func floorFaults(fsys fs.FS, table []room) []string {
	c := floorCheck{fsys: fsys, rooms: make(map[string]room), used: make(map[string]bool)}
	for _, r := range table {
		c.rooms[r.pkg] = r
	}
	if err := walkGo(fsys, c.file); err != nil {
		return []string{err.Error()}
	}
	for _, r := range table {
		for pkg := range r.beside {
			if c.used[r.pkg] && !c.used[r.pkg+" "+pkg] {
				c.fault("The table lets %s import %s, which it does not; remove that.", r.pkg, pkg)
			}
		}
	}
	slices.Sort(c.faults)
	return slices.Compact(c.faults)
}

// walkGo calls visit for the Go files that the go command would find.
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

type floorCheck struct {
	fsys   fs.FS
	rooms  map[string]room
	used   map[string]bool // rooms that have files, and "room package" for imports used from beside
	faults []string
}

func (c *floorCheck) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *floorCheck) file(name string) error {
	dir := path.Dir(name)
	base := strings.TrimSuffix(path.Base(name), ".go")
	if slices.Contains(vagueNames, strings.TrimSuffix(base, "_test")) || slices.Contains(vagueNames, path.Base(dir)) {
		c.fault("%s: the name says nothing; call files and folders after the concept in them.", name)
	}
	in, ok := c.rooms[dir]
	if !ok {
		c.fault("%s: the folder has no floor; add it to the table, and the reason to the commit.", dir)
		return nil
	}
	c.used[dir] = true
	if strings.HasSuffix(base, "_test") {
		return nil
	}
	if dir == "." {
		c.fault("%s: the root of the repository holds tests only.", name)
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
		c.imports(name, in, imported)
	}
	return nil
}

func (c *floorCheck) imports(name string, in room, imported string) {
	if in.floor <= pure && within(imported, ioPackages) && !within(imported, harmless) {
		c.fault("%s: %s stands on floor %d, where nothing imports %q.", name, in.pkg, in.floor, imported)
	}
	if !within(imported, []string{module}) {
		return
	}
	pkg := strings.TrimPrefix(imported, module+"/")
	if _, listed := in.beside[pkg]; listed {
		c.used[in.pkg+" "+pkg] = true
		return
	}
	other, ok := c.rooms[pkg]
	switch {
	case !ok:
		c.fault("%s: %q is not in the table.", name, imported)
	case testsOnly(other) && !testsOnly(in):
		c.fault("%s: %s is for tests only.", name, pkg)
	case other.floor < in.floor || in.floor == outside || within(in.pkg, []string{pkg}):
	default:
		c.fault("%s: %s (floor %d) must not import %s (floor %d).", name, in.pkg, in.floor, pkg, other.floor)
	}
}

// testsOnly reports whether a package must not become part of the program:
// what stands outside, and the subpackages called after what they test.
func testsOnly(r room) bool {
	return r.floor == outside || strings.Contains(r.pkg, "/") && strings.HasSuffix(r.pkg, "test")
}

// within reports whether pkg is one of roots or below one of them.
func within(pkg string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return pkg == root || strings.HasPrefix(pkg, root+"/")
	})
}

func TestFloorCheck(t *testing.T) {
	table := []room{
		{1, "low", nil},
		{4, "mid", nil},
		{5, "shop", nil},
		{5, "shop/shed", nil},
		{5, "shop/shoptest", nil},
		{5, "stall", map[string]string{"shop": "a reason"}},
		{6, "high", nil},
		{outside, ".", nil},
		{outside, "bench", nil},
	}
	for _, test := range []struct {
		name  string
		files string // one to a line: name, then what it imports
		want  []string
	}{
		{"imports go down, into the parent, and where listed", `
			high/high.go placard.dev/shop placard.dev/low net/http os context
			shop/shed/shed.go placard.dev/shop github.com/minio/minio-go/v7
			stall/stall.go placard.dev/shop placard.dev/mid
			mid/mid.go placard.dev/low net/url net/netip io/fs networks.example/net
			bench/bench.go placard.dev/high placard.dev/shop/shoptest`, nil},
		{"tests import what they like", `
			low/low_test.go placard.dev/high os net/http
			shop/shop_test.go placard.dev/shop/shoptest
			arch_test.go placard.dev/high`, nil},
		{"what the go command does not build is not looked at", `
			low/testdata/utils.go placard.dev/high
			.cache/mod/utils.go placard.dev/high
			_old/utils.go placard.dev/high
			tools/go.mod
			tools/utils.go placard.dev/high`, nil},
		{"an import that goes up", "low/low.go placard.dev/mid", []string{
			"low/low.go: low (floor 1) must not import mid (floor 4).",
		}},
		{"an import that goes sideways", "shop/shop.go placard.dev/stall", []string{
			"shop/shop.go: shop (floor 5) must not import stall (floor 5).",
		}},
		{"a parent that imports its child", "shop/shop.go placard.dev/shop/shed", []string{
			"shop/shop.go: shop (floor 5) must not import shop/shed (floor 5).",
		}},
		{"a name that only begins alike is no parent", "shop/shop.go placard.dev/shopping", []string{
			`shop/shop.go: "placard.dev/shopping" is not in the table.`,
		}},
		{"a folder without a floor", "attic/attic.go fmt", []string{
			"attic: the folder has no floor; add it to the table, and the reason to the commit.",
		}},
		{"a folder without a floor that has only tests", "attic/attic_test.go testing", []string{
			"attic: the folder has no floor; add it to the table, and the reason to the commit.",
		}},
		{"I/O on a pure floor", "mid/mid.go net net/http net/http/httptest os os/exec context github.com/minio/minio-go/v7", []string{
			`mid/mid.go: mid stands on floor 4, where nothing imports "context".`,
			`mid/mid.go: mid stands on floor 4, where nothing imports "github.com/minio/minio-go/v7".`,
			`mid/mid.go: mid stands on floor 4, where nothing imports "net".`,
			`mid/mid.go: mid stands on floor 4, where nothing imports "net/http".`,
			`mid/mid.go: mid stands on floor 4, where nothing imports "net/http/httptest".`,
			`mid/mid.go: mid stands on floor 4, where nothing imports "os".`,
			`mid/mid.go: mid stands on floor 4, where nothing imports "os/exec".`,
		}},
		{"what is for tests in the program", "high/high.go placard.dev/bench placard.dev/shop/shoptest", []string{
			"high/high.go: bench is for tests only.",
			"high/high.go: shop/shoptest is for tests only.",
		}},
		{"an exception that nobody uses", "stall/stall.go fmt", []string{
			"The table lets stall import shop, which it does not; remove that.",
		}},
		{"code at the root", "placard.go fmt", []string{
			"placard.go: the root of the repository holds tests only.",
		}},
		{"names that say nothing", "low/utils.go fmt\nlow/helpers_test.go testing\nhigh/types.go fmt", []string{
			"high/types.go: the name says nothing; call files and folders after the concept in them.",
			"low/helpers_test.go: the name says nothing; call files and folders after the concept in them.",
			"low/utils.go: the name says nothing; call files and folders after the concept in them.",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, floorFaults(madeUp(test.files), table), emptyIsNil); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// emptyIsNil compares lists by what is in them.
var emptyIsNil = cmp.Transformer("list", func(list []string) string { return strings.Join(list, "\n") })

// madeUp makes a tree of Go files of one line for each: its name and imports.
func madeUp(lines string) fstest.MapFS {
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

func TestFloorCheckRefusesWhatIsNotGo(t *testing.T) {
	fsys := fstest.MapFS{"low/low.go": {Data: []byte("not Go at all")}}
	if faults := floorFaults(fsys, []room{{1, "low", nil}}); len(faults) != 1 || !strings.HasPrefix(faults[0], "low/low.go:1:1:") {
		t.Errorf("faults = %q, want the parser's", faults)
	}
}

func TestArchitectureDocumentHasTheSameFloors(t *testing.T) {
	document, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| ([0-9]+|–) \\| `([^`]+)` \\|").FindAllSubmatch(document, -1) {
		documented = append(documented, fmt.Sprintf("%s %s", row[1], row[2]))
	}
	for _, r := range floors {
		switch {
		case r.pkg == ".":
		case r.floor == outside:
			want = append(want, "– "+r.pkg)
		default:
			want = append(want, fmt.Sprintf("%d %s", r.floor, r.pkg))
		}
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("ARCHITECTURE.md disagrees with the table here (-table +document):\n%s", diff)
	}
}
