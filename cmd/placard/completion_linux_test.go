//go:build long

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"placard/scripts/envtest"
)

// shellEnvironment returns the environment of a shell that finds the test binary as
// placard.
func shellEnvironment(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "placard")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "TERM=dumb", runAsPlacard+"=1")
}

// completedLines are command lines with a tab at the end, and the start of the output
// of the completed command.
var completedLines = []struct{ line, want string }{
	{"placard show place@lat\t", "place@2026-06-01-stable: "},
	{"placard show place@2026-10-19-b\t", "place@2026-10-19-beta: "},
	{"placard show --source ../../docs/example library@l\t", "library@2026-09-01-beta: "},
	{"placard validate --against place@sta\t- </dev/null", "<stdin>"},
	{"placard validate --against=place@sta\t- </dev/null", "<stdin>"},
	{"placard explain FIELD_UNKN\t", "FIELD_UNKNOWN ("},
	{"placard expl\tFIELD_UNKNOWN", "FIELD_UNKNOWN ("},
}

// testShell types lines into an interactive shell and waits for the output.
func testShell(t *testing.T, setup []string, shell ...string) {
	terminal := newTerminal(t)
	terminal.resize(200, 50)
	ctx, cancel := context.WithTimeout(t.Context(), processTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	cmd.Env = shellEnvironment(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal.device, terminal.device, terminal.device
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	// The prompt is written in a way that the terminal does not echo.
	for _, line := range append(setup, "PS1='ready''> '") {
		fmt.Fprintln(terminal.display, line)
	}
	for _, tc := range completedLines {
		terminal.until("ready> ")
		before, after, _ := strings.Cut(tc.line, "\t")
		fmt.Fprintf(terminal.display, "%s\t%s\n", before, after)
		terminal.until("\n")
		if got := terminal.until("\n"); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%q: got the output %q, want %q", tc.line, got, tc.want)
		}
	}
}

func TestBashCompletesVersions(t *testing.T) {
	for _, option := range []string{"-u", "-s"} {
		// With the option hostcomplete, an @ separates words. Loading bash-completion
		// disables it.
		testShell(t, []string{"source " + envtest.BashCompletion(t), "shopt " + option + " hostcomplete", "source <(placard completion bash)"},
			envtest.Program(t, "bash"), "--norc", "--noprofile", "-i")
	}
}

func TestZshCompletesVersions(t *testing.T) {
	testShell(t, []string{"autoload -U compinit; compinit -u -D", "source <(placard completion zsh)"},
		envtest.Program(t, "zsh"), "-f", "-i")
}

func TestFishCompletesVersions(t *testing.T) {
	fish := envtest.Program(t, "fish")
	for _, tc := range completedLines {
		before, _, _ := strings.Cut(tc.line, "\t")
		words := strings.Fields(before)
		prefix := words[len(words)-1]
		cmd := exec.CommandContext(t.Context(), fish, "--no-config", "-c",
			"placard completion fish | source; complete -C "+"'"+before+"'")
		cmd.Env = shellEnvironment(t)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		completion, _, _ := strings.Cut(string(out), "\t")
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); len(lines) != 1 || !strings.HasPrefix(completion, prefix) || completion == prefix {
			t.Errorf("%q: got %q, want one completion", before, out)
		}
	}
}
