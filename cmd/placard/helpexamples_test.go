package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"placard/scripts/envtest"
)

// TestCommandLineExamplesWork runs the examples in the help texts, which are also
// those of docs/cli.md.
func TestCommandLineExamplesWork(t *testing.T) {
	store, small := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "small")
	for _, args := range [][]string{
		{"publish", builtinTree, "--store", store},
		{"alias", "set", "place@pilot", "place@beta", "--store", store},
		{"publish", smallTree(t), "--store", small},
	} {
		if status, output := placard(t, "", args...); status != exitOK {
			t.Fatalf("%v: got status %d, want 0\n%s", args, status, output)
		}
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Runnable() && cmd.Example == "" {
			t.Errorf("%s has no examples", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			line = strings.TrimSpace(line)
			t.Run(line, func(t *testing.T) {
				if cmd.Name() == "export" || cmd.Name() == "icons" { // which write thousands of files for the built-in taxonomy
					t.Setenv("PLACARD_STORE", "srv")
					t.Setenv("PLACARD_API_ONLY", strconv.FormatBool(!strings.Contains(line, "--public-url")))
					runExample(t, line, small)
					return
				}
				runExample(t, line, store)
			})
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
}

// bucketAddress matches the start of the address of a bucket up to its parameters.
var bucketAddress = regexp.MustCompile(`s3://([\w.-]+)[^?' ]*\?`)

// runExample runs one example, with a copy of the given store instead of
// /srv/placard.
func runExample(t *testing.T, line, store string) {
	line, _, _ = strings.Cut(line, " | Out-String") // a command of PowerShell
	if script, ok := strings.CutPrefix(line, "source <("); ok {
		line = strings.TrimSuffix(script, ")")
	}
	words := strings.Fields(line)
	var env []string
	for strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	t.Setenv("HOME", t.TempDir())
	root := repositoryRoot(t)
	if words[1] == "serve" && !slices.Contains(words, "--print-config") {
		if i := slices.Index(words, "taxonomy"); i >= 0 {
			words[i] = filepath.Join(root, "builtin", "tree")
		}
		serveExample(t, env, words[2:])
		return
	}
	if words[1] == "health" {
		healthExample(t, env, words[1:])
		return
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "srv"), os.DirFS(store)); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"builtin/tree": "taxonomy",
		"builtin/tree/place/2026-06-01-stable/examples/smart_crossing.json": "crossing.json",
		"builtin/tree/place/2026-06-01-stable/examples/station_gates.json":  "gates.json",
	} {
		from, to = filepath.Join(root, filepath.FromSlash(from)), filepath.Join(dir, to)
		link := os.Symlink
		if words[1] == "new" || words[1] == "translate" || slices.Contains(words, "--write") { // which change files
			link = copyPath
		}
		if err := link(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"texts.csv": "id,source en,target de\nmeta.title,Sensing in public places,Sensoren im öffentlichen Raum\n",
		"texts.xlf": `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"/>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(os.Getenv("HOME"), ".config", "fish", "completions"), 0o755); err != nil {
		t.Fatal(err)
	}
	if address := bucketAddress.FindStringSubmatch(line); address != nil {
		t.Setenv("AWS_ACCESS_KEY_ID", envtest.S3AccessKey)
		t.Setenv("AWS_SECRET_ACCESS_KEY", envtest.S3SecretKey)
		server := envtest.S3(t, address[1])
		line = strings.Replace(line, address[0], address[0]+"endpoint=http://"+server.Addr+"&", 1)
	}
	cmd := exec.CommandContext(t.Context(), envtest.Program(t, "bash"), "-c", strings.ReplaceAll(line, "/srv/placard", "srv"))
	cmd.Dir = dir
	if slices.Contains(words, "--watch") {
		interruptExample(t, cmd, line)
		return
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// healthExample runs an example of health for a server on a free port.
func healthExample(t *testing.T, env, args []string) {
	d := start(t)
	d.ready()
	addr := strings.TrimPrefix(d.url, "http://")
	t.Setenv("PLACARD_ADDR", addr)
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		t.Setenv(name, addr)
	}
	if i := slices.Index(args, "--addr"); i >= 0 {
		args[i+1] = addr
	}
	if status, output := placard(t, "", args...); status != exitOK {
		t.Errorf("got status %d, want 0\n%s", status, output)
	}
}

// copyPath copies a file or a folder.
func copyPath(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// interruptExample runs an example that continues until it is interrupted, which
// happens after its first output.
func interruptExample(t *testing.T, cmd *exec.Cmd, line string) {
	t.Helper()
	cmd.Args[len(cmd.Args)-1] = "exec " + line
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, readErr := output.Read(make([]byte, 1))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, output)
	if err := cmd.Wait(); err != nil || readErr != nil {
		t.Errorf("%v, %v\n%s", err, readErr, &stderr)
	}
}
