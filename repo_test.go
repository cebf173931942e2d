package placard_test

import (
	"bytes"
	"fmt"
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
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// fileRule is a rule for all files in the repository with matching names. Strings
// in the examples are split so that this file does not violate the rule.
type fileRule struct {
	title     string
	files     string           // pattern for the base name
	except    []string         // files that are exempt
	violation func([]byte) int // returns the line of the first violation, or 0
	valid     []string         // examples that satisfy the rule
	invalid   []string         // examples that violate it
}

var fileRules = []fileRule{
	{
		title:     "Files must not contain paths of a particular machine.",
		files:     "*",
		except:    []string{"go.sum", "scripts/tools/go.sum", "deploy/deploytest/testdata/parse/go.sum"},
		violation: firstMatch(`(^|[^\w.])(/(work|root|home|Users)/|[A-Z]:\\Users\\)`),
		valid:     []string{"https://example.org/home/x", "framework/root/x", "$WORK/x", "./root/x"},
		invalid:   []string{"/" + "work/x", "at /" + "home/x", "\"/" + "root/x\"", "file:///" + "Users/x", `C:\` + `Users\x`},
	},
	{
		title:     "Go files must not contain markers of unfinished work.",
		files:     "*.go",
		violation: firstMatch(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`),
		valid:     []string{"// Everything is done.", "XX" + "XX"},
		invalid:   []string{"// TO" + "DO: finish", "context.TO" + "DO()", "// FIX" + "ME", "/* XX" + "X */"},
	},
	{
		title:     "Only package envtest may skip tests.",
		files:     "*_test.go",
		violation: firstMatch(`\b(t|b|f|tb)\.Skip(f|Now)?\(`),
		valid:     []string{"decoder.Skip()", "t.Skipped()", "part.Skip()"},
		invalid:   []string{"t." + "Skip()", "b." + "Skipf(s)", "f." + "SkipNow()", "tb." + "Skip()"},
	},
	{
		title:     "Files without NUL bytes must be valid UTF-8.",
		files:     "*",
		violation: invalidText,
		valid:     []string{"", "Caf\u00e9\n", "\x89PNG\x00"},
		invalid:   []string{"Caf\xe9\n", "\u00e9\xc3"},
	},
}

// firstMatch returns a function that returns the line of the first match of a
// pattern, or 0.
func firstMatch(pattern string) func([]byte) int {
	re := regexp.MustCompile("(?m)" + pattern)
	return func(data []byte) int {
		match := re.FindIndex(data)
		if match == nil {
			return 0
		}
		return 1 + bytes.Count(data[:match[1]-1], []byte("\n"))
	}
}

// invalidText returns the first line of a text file that is not valid UTF-8, or 0.
func invalidText(data []byte) int {
	if bytes.IndexByte(data, 0) >= 0 {
		return 0
	}
	line := 1
	for text := range bytes.Lines(data) {
		if !utf8.Valid(text) {
			return line
		}
		line++
	}
	return 0
}

func (r *fileRule) applies(name string) bool {
	matched, err := path.Match(r.files, path.Base(name))
	if err != nil {
		panic(err) // an invalid pattern in the table
	}
	return matched && !slices.Contains(r.except, name)
}

func TestFilesSatisfyTheRules(t *testing.T) {
	for _, name := range repositoryFiles(t) {
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, but the deletion is not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range fileRules {
			if !rule.applies(name) {
				continue
			}
			if line := rule.violation(data); line != 0 {
				t.Errorf("%s:%d: %s", name, line, rule.title)
			}
		}
	}
}

func TestFileRuleExamples(t *testing.T) {
	for _, rule := range fileRules {
		for _, text := range rule.valid {
			if line := rule.violation([]byte(text)); line != 0 {
				t.Errorf("%s %q violates it in line %d, want no violation", rule.title, text, line)
			}
		}
		for _, text := range rule.invalid {
			if line := rule.violation([]byte(text)); line == 0 {
				t.Errorf("%s %q satisfies it, want a violation", rule.title, text)
			}
		}
		if len(rule.valid) == 0 || len(rule.invalid) == 0 {
			t.Errorf("%s The rule has no examples.", rule.title)
		}
	}
}

func TestFileRulesReportLines(t *testing.T) {
	if got := fileRules[0].violation([]byte("one\ntwo\n/" + "home/x\n")); got != 3 {
		t.Errorf("path: got line %d, want 3", got)
	}
}

func TestFileRuleApplies(t *testing.T) {
	rule := fileRule{files: "*.go", except: []string{"a/b.go"}}
	for name, want := range map[string]bool{"b.go": true, "a/c.go": true, "a/b.go": false, "a/c.svg": false} {
		if got := rule.applies(name); got != want {
			t.Errorf("applies(%q) = %t, want %t", name, got, want)
		}
	}
}

// repositoryFiles lists the files tracked by git, or all files if git is not
// available.
func repositoryFiles(t *testing.T) []string {
	t.Helper()
	_, statErr := os.Stat(".git")
	_, lookErr := exec.LookPath("git")
	if statErr == nil && lookErr == nil {
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
		case d.IsDir() && (name == ".git" || name == ".cache" || name == "bin"):
			return fs.SkipDir
		case d.Type().IsRegular() && name != ".git": // a file in a worktree
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPackagesHaveComments(t *testing.T) {
	for _, violation := range uncommented(os.DirFS(".")) {
		t.Error(violation)
	}
}

// uncommented reports packages without a package comment, or with one that does
// not begin in the usual way.
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
	var violations []string
	for key, comment := range comments {
		dir, name, _ := strings.Cut(key, " ")
		opening := "Package " + name + " "
		if name == "main" {
			opening = "Command " + path.Base(dir) + " "
		}
		if !strings.HasPrefix(comment, opening) {
			violations = append(violations, fmt.Sprintf("%s: the package comment does not begin %q.", dir, opening))
		}
	}
	slices.Sort(violations)
	return violations
}

func TestMissingPackageCommentsAreReported(t *testing.T) {
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
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestDocumentsLinkToExistingFiles(t *testing.T) {
	for _, name := range repositoryFiles(t) {
		if path.Ext(name) != ".md" {
			continue
		}
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range localLinks(document) {
			file, anchor, _ := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, file)
				continue
			}
			if anchor == "" {
				continue
			}
			text, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(anchors(string(text)), anchor) {
				t.Errorf("%s links to %s, but %s has no such heading", name, link, target)
			}
		}
		for _, match := range repositoryPath.FindAllSubmatch(document, -1) {
			mentioned := string(match[1])
			_, err := os.Stat(mentioned)
			_, internalErr := os.Stat(path.Join("internal", mentioned))
			if err != nil && internalErr != nil {
				t.Errorf("%s mentions %s, which does not exist", name, mentioned)
			}
		}
	}
}

// repositoryPath matches file and package names in Markdown code, relative to the
// root or to the internal folder.
var repositoryPath = regexp.MustCompile("`((?:bench|builtin|cmd|deploy|docs|internal|scripts)/[\\w./-]+)`")

var markdownLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// localLinks returns the files and headings that a Markdown document links to.
func localLinks(document []byte) []string {
	var targets []string
	for _, link := range markdownLink.FindAllSubmatch(document, -1) {
		if target := string(link[1]); !strings.Contains(target, ":") {
			targets = append(targets, target)
		}
	}
	return targets
}

func TestLocalLinks(t *testing.T) {
	got := localLinks([]byte("[a](docs/a.md), [b](../b.md#part), [c](#part), [d](https://example.org/d), `f(x)`"))
	if diff := cmp.Diff([]string{"docs/a.md", "../b.md#part", "#part"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

var (
	heading     = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fencedBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors returns the anchors of the headings of a Markdown document, as code
// hosting sites generate them.
func anchors(document string) []string {
	var all []string
	count := make(map[string]int)
	for _, match := range heading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(document, ""), -1) {
		anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")
		if n := count[anchor]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			all = append(all, anchor)
		}
		count[anchor]++
	}
	return all
}

func TestAnchors(t *testing.T) {
	got := anchors("# One two\n\n```\n# not a heading\n```\n\n## GET /a/{b_c}\n### `meta.yaml`\n## One, two\n")
	if diff := cmp.Diff([]string{"one-two", "get-ab_c", "metayaml", "one-two-1"}, got); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
}
