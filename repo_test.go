package placard_test

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// fileRule is one thing that holds for every file of the repository that
// matches files. The examples are written so that this file itself keeps it.
type fileRule struct {
	title  string
	files  string           // a pattern for the file's name, without its folder
	except []string         // files in which it need not hold
	broken func([]byte) int // the line where it does not hold, or 0
	keeps  []string
	breaks []string
}

var fileRules = []fileRule{
	{
		title:  "No file names a path of one machine.",
		files:  "*",
		except: []string{"go.sum", "internal/tools/go.sum"},
		broken: firstMatch(`(^|[^\w.])(/(work|root|home|Users)/|[A-Z]:\\Users\\)`),
		keeps:  []string{"https://example.org/home/x", "framework/root/x", "$WORK/x", "./root/x"},
		breaks: []string{"/" + "work/x", "at /" + "home/x", "\"/" + "root/x\"", "file:///" + "Users/x", `C:\` + `Users\x`},
	},
	{
		title:  "No Go file carries a mark of unfinished work.",
		files:  "*.go",
		broken: firstMatch(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`),
		keeps:  []string{"// Everything is done.", "XX" + "XX"},
		breaks: []string{"// TO" + "DO: finish", "context.TO" + "DO()", "// FIX" + "ME", "/* XX" + "X */"},
	},
	{
		title:  "Only package testenv skips tests.",
		files:  "*_test.go",
		broken: firstMatch(`\b(t|b|f|tb)\.Skip(f|Now)?\(`),
		keeps:  []string{"decoder.Skip()", "t.Skipped()", "part.Skip()"},
		breaks: []string{"t." + "Skip()", "b." + "Skipf(s)", "f." + "SkipNow()", "tb." + "Skip()"},
	},
	{
		title:  "Every Go file is formatted.",
		files:  "*.go",
		broken: unformatted,
		keeps:  []string{"package p\n\nvar x = 1\n"},
		breaks: []string{"package p\n\nvar  x = 1\n", "package p\n\nvar x = 1", "not Go"},
	},
}

// firstMatch returns a check that finds the first line that matches.
func firstMatch(pattern string) func([]byte) int {
	re := regexp.MustCompile("(?m)" + pattern)
	return func(data []byte) int {
		at := re.FindIndex(data)
		if at == nil {
			return 0
		}
		return 1 + bytes.Count(data[:at[1]-1], []byte("\n"))
	}
}

func unformatted(data []byte) int {
	formatted, err := format.Source(data)
	if err != nil {
		return 1
	}
	for i := range data {
		if i >= len(formatted) || data[i] != formatted[i] {
			return 1 + bytes.Count(data[:i], []byte("\n"))
		}
	}
	if len(formatted) > len(data) {
		return 1 + bytes.Count(data, []byte("\n"))
	}
	return 0
}

func (r *fileRule) applies(name string) bool {
	matched, err := path.Match(r.files, path.Base(name))
	if err != nil {
		panic(err) // a faulty pattern in the table
	}
	return matched && !slices.Contains(r.except, name)
}

func TestEveryFileOfTheRepositoryKeepsTheRules(t *testing.T) {
	for _, name := range repositoryFiles(t) {
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, and the deletion not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range fileRules {
			if !rule.applies(name) {
				continue
			}
			if line := rule.broken(data); line != 0 {
				t.Errorf("%s:%d: %s", name, line, rule.title)
			}
		}
	}
}

func TestEveryFileRuleCanFail(t *testing.T) {
	for _, rule := range fileRules {
		for _, text := range rule.keeps {
			if line := rule.broken([]byte(text)); line != 0 {
				t.Errorf("%s But %q breaks it on line %d.", rule.title, text, line)
			}
		}
		for _, text := range rule.breaks {
			if line := rule.broken([]byte(text)); line == 0 {
				t.Errorf("%s But %q keeps it.", rule.title, text)
			}
		}
		if len(rule.keeps) == 0 || len(rule.breaks) == 0 {
			t.Errorf("%s It has no examples.", rule.title)
		}
	}
}

func TestFileRulesNameTheLine(t *testing.T) {
	if got := fileRules[0].broken([]byte("one\ntwo\n/" + "home/x\n")); got != 3 {
		t.Errorf("A path in line 3 is found in line %d.", got)
	}
	if got := unformatted([]byte("package p\n\nvar  x = 1\n")); got != 3 {
		t.Errorf("A fault in line 3 is found in line %d.", got)
	}
}

func TestFileRulesApplyByName(t *testing.T) {
	rule := fileRule{files: "*.go", except: []string{"a/b.go"}}
	for name, want := range map[string]bool{"b.go": true, "a/c.go": true, "a/b.go": false, "a/c.svg": false} {
		if rule.applies(name) != want {
			t.Errorf("applies(%q) = %t", name, !want)
		}
	}
}

// repositoryFiles lists the files that git tracks, or all that are there where
// there is no git or no history.
func repositoryFiles(t *testing.T) []string {
	t.Helper()
	_, noHistory := os.Stat(".git")
	_, noGit := exec.LookPath("git")
	if noHistory == nil && noGit == nil {
		out, err := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z").Output()
		if err != nil {
			t.Fatalf("git ls-files: %v", err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	var names []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "bin" || name == ".cache":
			return fs.SkipDir
		case d.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, fault := range uncommented(os.DirFS(".")) {
		t.Error(fault)
	}
}

// uncommented says which packages below fsys have no package comment, or one
// that does not begin as godoc expects.
func uncommented(fsys fs.FS) []string {
	comments := make(map[string]string) // by "folder package"
	err := walkGo(fsys, func(name string) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		comments[path.Dir(name)+" "+file.Name.Name] += file.Doc.Text()
		return nil
	})
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for key, comment := range comments {
		dir, name, _ := strings.Cut(key, " ")
		opening := "Package " + name + " "
		if name == "main" {
			opening = "Command " + path.Base(dir) + " "
		}
		if !strings.HasPrefix(comment, opening) {
			faults = append(faults, fmt.Sprintf("%s: the package comment does not begin %q.", dir, opening))
		}
	}
	slices.Sort(faults)
	return faults
}

func TestPackageCommentsAreMissed(t *testing.T) {
	fsys := fstest.MapFS{
		"good/good.go":   {Data: []byte("// Package good is good.\npackage good\n")},
		"good/more.go":   {Data: []byte("package good\n")},
		"good/x_test.go": {Data: []byte("package good_test\n")},
		"cmd/run/a.go":   {Data: []byte("// Command run runs.\npackage main\n")},
		"bare/bare.go":   {Data: []byte("package bare\n")},
		"apart/apart.go": {Data: []byte("// Package apart is not attached.\n\npackage apart\n")},
		"cmd/walk/a.go":  {Data: []byte("// Package main walks.\npackage main\n")},
	}
	want := []string{
		`apart: the package comment does not begin "Package apart ".`,
		`bare: the package comment does not begin "Package bare ".`,
		`cmd/walk: the package comment does not begin "Command walk ".`,
	}
	if diff := cmp.Diff(want, uncommented(fsys)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	for _, name := range repositoryFiles(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range localLinks(document) {
			if _, err := os.Stat(path.Join(path.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s, which is not there.", name, target)
			}
		}
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// localLinks returns the files that a Markdown document links to.
func localLinks(document []byte) []string {
	var targets []string
	for _, link := range markdownLink.FindAllSubmatch(document, -1) {
		target, _, _ := strings.Cut(string(link[1]), "#")
		if target != "" && !strings.Contains(target, ":") {
			targets = append(targets, target)
		}
	}
	return targets
}

func TestLocalLinks(t *testing.T) {
	got := localLinks([]byte("[a](docs/a.md), [b](../b.md#part), [c](#part), [d](https://example.org/d), `f(x)`"))
	if diff := cmp.Diff([]string{"docs/a.md", "../b.md"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
