//go:build long

// Package deploytest tests the files in the deploy folder with the programs and
// parsers that use them, and with the real server.
package deploytest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"placard/scripts/envtest"
)

// The root of the repository, and the folder with the tested files.
const (
	root   = "../.."
	deploy = root + "/deploy"
)

// TestMain removes the programs that the tests build.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "deploytest")
	if err != nil {
		panic(err)
	}
	programs = dir
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

var programs string

// begin begins a test that runs in parallel with others.
func begin(t *testing.T) {
	t.Helper()
	t.Parallel()
	if err := lookAtFiles(); err != nil {
		t.Fatal(err)
	}
}

// lookAtFiles looks at the files that only other programs read. The go command
// repeats the cached result of a test unless files have changed that the test itself
// has looked at.
var lookAtFiles = sync.OnceValue(func() error {
	for _, dir := range []string{"builtin", "cmd", "deploy", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(name)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
})

// buildPlacard builds the program as "make build" does, so that they share the
// build cache.
var buildPlacard = sync.OnceValues(func() (string, error) {
	return build("placard", root, "-trimpath", "./cmd/placard")
})

const parserModule = "testdata/parse"

var buildParser = sync.OnceValues(func() (string, error) {
	return build("parse", parserModule, ".")
})

// build builds a program in the module in dir.
func build(name, dir string, args ...string) (string, error) {
	program := filepath.Join(programs, name)
	cmd := exec.Command("go", append([]string{"build", "-C", dir, "-o", program}, args...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(output))
	}
	return program, nil
}

// placard returns the path of the program.
func placard(t *testing.T) string {
	t.Helper()
	program, err := buildPlacard()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// parse decodes the output of testdata/parse, which has additional environment
// variables, into value.
func parse(t *testing.T, value any, env []string, args ...string) {
	t.Helper()
	envtest.Modules(t, parserModule)
	program, err := buildParser()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(run(t, env, program, args...)), value); err != nil {
		t.Fatal(err)
	}
}

// run runs a program with additional environment variables and returns its standard
// output. The test fails if the program does.
func run(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, output, &stderr)
	}
	return string(output)
}

// readFile returns the content of a file in the deploy folder.
func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deploy, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// node is a running placard serve.
type node struct {
	addr, admin string
	cmd         *exec.Cmd
}

// startNode starts a command that runs placard serve with an admin address, and
// waits until the server is ready. It is killed when the test ends.
func startNode(t *testing.T, cmd *exec.Cmd) *node {
	t.Helper()
	cmd.Stderr = t.Output()
	cmd.Env = append(cmd.Environ(), "PLACARD_LOG_FORMAT=text") // which prints the addresses
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	n := &node{cmd: cmd}
	lines := bufio.NewReader(stdout)
	for _, addr := range []*string{&n.addr, &n.admin} {
		line, err := lines.ReadString('\n')
		_, rest, ok := strings.Cut(strings.TrimSpace(line), "http://")
		if err != nil || !ok {
			t.Fatalf("got %q (%v), want a listening address", line, err)
		}
		*addr = strings.TrimSuffix(rest, "/metrics")
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	waitFor(t, "the server to be ready", func() bool {
		status, _ := get(t, "http://"+n.admin+"/readyz")
		return status == http.StatusOK
	})
	return n
}

// stop terminates the server and returns its exit status.
func (n *node) stop(t *testing.T) int {
	t.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = n.cmd.Wait()
	return n.cmd.ProcessState.ExitCode()
}

// get returns the status and the body of a response, or 0 if there is none.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(data)
}

// waitFor waits until a condition is true.
func waitFor(t *testing.T, description string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout while waiting for %s", description)
		}
	}
}
