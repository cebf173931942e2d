// Package envtest provides programs and files that tests need. Some of them are
// not part of the repository. A test that needs a missing one is skipped or, if
// PLACARD_REQUIRE_ALL=1 is set, fails.
//
// Tests that take long run only with the build tag "long" or, better, try a sample of
// their cases without it; see [Long] and [Sample].
package envtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// skipOrFail skips or fails a test because a component is missing. The remedy
// completes the message.
func skipOrFail(tb testing.TB, component, remedy string) {
	tb.Helper()
	if os.Getenv("PLACARD_REQUIRE_ALL") == "1" {
		tb.Fatalf("%s is missing and PLACARD_REQUIRE_ALL=1 is set; %s", component, remedy)
	}
	tb.Skipf("%s is missing; %s", component, remedy)
}

// Sample returns all cases of a test if [Long] is true, and the first n otherwise.
func Sample[T any](n int, cases []T) []T {
	if Long {
		return cases
	}
	return cases[:n]
}

// Program returns the path of a program that scripts/setup installs.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skipOrFail(tb, name, "run scripts/setup "+name)
	}
	return path
}

// Modules checks that the modules are present, or can be downloaded, that the Go
// program in dir needs. It is for programs with a go.mod of their own.
func Modules(tb testing.TB, dir string) {
	tb.Helper()
	if output, err := exec.Command("go", "list", "-C", dir, "-deps", ".").CombinedOutput(); err != nil {
		skipOrFail(tb, "a Go module of "+dir, fmt.Sprintf("connect to the network (%v)\n%s", err, output))
	}
}

// BashCompletion returns the path of the script that loads bash-completion.
func BashCompletion(tb testing.TB) string {
	tb.Helper()
	const script = "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(script); err != nil {
		skipOrFail(tb, "bash-completion", "run scripts/setup bash-completion")
	}
	return script
}

// NPM returns the folder in which scripts/setup-npm installs packages.
func NPM(tb testing.TB) string {
	tb.Helper()
	lock, err := os.ReadFile(filepath.Join(root(), "scripts", "envtest", "npm", "package-lock.json"))
	if err != nil {
		tb.Fatal(err)
	}
	dir := filepath.Join(root(), ".cache", "npm")
	installed, err := os.ReadFile(filepath.Join(dir, ".installed"))
	switch {
	case err != nil:
		skipOrFail(tb, "the npm package set", "run scripts/setup-npm")
	case !strings.HasPrefix(string(installed), fmt.Sprintf("%x ", sha256.Sum256(lock))):
		skipOrFail(tb, "the current npm package set", "run scripts/setup-npm")
	}
	return dir
}

// Node returns the path of a Node.js binary that is new enough for the npm
// packages: the one installed with them, if the platform has one, or the
// system's.
func Node(tb testing.TB) string {
	tb.Helper()
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	name := filepath.Join(NPM(tb), "node_modules", "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(name); err == nil {
		return name
	}
	name, err := exec.LookPath("node")
	if err != nil {
		skipOrFail(tb, "Node.js", "install it and run scripts/setup-npm")
	}
	return name
}

// RealTree returns the root of an authoring tree published by another project,
// from PLACARD_REAL_TREE or from a folder beside the repository. Without it, the
// test is skipped even if PLACARD_REQUIRE_ALL=1 is set. If PLACARD_REAL_TREE is
// set and the tree is missing, the test fails.
func RealTree(tb testing.TB) string {
	tb.Helper()
	dir, set := os.LookupEnv("PLACARD_REAL_TREE")
	if !set {
		dir = filepath.Join(root(), "..", "shared", "data", "dtpr")
	}
	if _, err := os.Stat(dir); err != nil {
		if set {
			tb.Fatalf("PLACARD_REAL_TREE is set but the taxonomy is missing: %v", err)
		}
		tb.Skipf("the real taxonomy is missing; set PLACARD_REAL_TREE to its folder: %v", err)
	}
	return dir
}

// BuiltinTree returns the authoring tree of the built-in taxonomy.
func BuiltinTree() fs.FS { return os.DirFS(filepath.Join(root(), "builtin", "tree")) }

// root returns the root of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Font returns the content of an installed TrueType font, such as
// LiberationSans-Regular.ttf.
func Font(tb testing.TB, name string) []byte {
	tb.Helper()
	files, err := filepath.Glob("/usr/share/fonts/truetype/liberation*/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	if len(files) == 0 {
		skipOrFail(tb, name, "run scripts/setup fonts")
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
