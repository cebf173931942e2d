package scripts_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/scripts/envtest"
)

// machine is a simulated computer on which scripts run. Its only commands are
// those in its bin folder.
type machine struct {
	bin string
	log string // calls to apt-get, sudo and npm, one per line
}

// The fake programs log their calls. sudo and npm also print a line, so that
// tests see whether a script announces a command before running it.
const (
	fakeApt = `#!/usr/bin/env bash
echo "apt-get $*" >>"$LOG"
if [[ " $* " == *" install "* ]]; then
	if [ -n "${OFFLINE:-}" ]; then
		echo "E: Unable to fetch some archives" >&2
		exit 100
	fi
	for package in "$@"; do
		[ -e "$BIN/$package" ] || ln -s "$BIN/env" "$BIN/$package"
	done
fi
`
	fakeSudo = `#!/usr/bin/env bash
echo "(sudo asks for a password)" >&2
echo "sudo $*" >>"$LOG"
exec "$@"
`
	fakeID = `#!/usr/bin/env bash
echo "$FAKE_UID"
`
	fakeSystemctl = `#!/usr/bin/env bash
[ "$*" = list-units ] || echo "systemctl $*" >>"$LOG"
`
	fakeNPM = `#!/usr/bin/env bash
echo "(npm runs)"
echo "npm $*" >>"$LOG"
[ -z "${OFFLINE:-}" ]
`
)

// newMachine returns a machine with bash, the fake programs, links to the named
// system commands, and placeholders for the given programs. It skips the test if
// a command is missing.
func newMachine(t *testing.T, fakes map[string]string, commands, programs []string) machine {
	t.Helper()
	dir := t.TempDir()
	m := machine{bin: filepath.Join(dir, "bin"), log: filepath.Join(dir, "log")}
	if err := os.Mkdir(m.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"bash", "env"}, commands...) {
		if err := os.Symlink(envtest.Program(t, name), filepath.Join(m.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range programs {
		if err := os.Symlink(filepath.Join(m.bin, "env"), filepath.Join(m.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range fakes {
		if err := os.WriteFile(filepath.Join(m.bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// run runs a script and returns its output, the calls logged during this run,
// and whether it succeeded.
func (m machine) run(t *testing.T, env, script string, args ...string) (output, calls string, ok bool) {
	t.Helper()
	cmd := exec.Command(filepath.Join(m.bin, "bash"), append([]string{script}, args...)...)
	cmd.Env = append(strings.Fields(env), "PATH="+m.bin, "BIN="+m.bin, "LOG="+m.log)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	log, readErr := os.ReadFile(m.log)
	if readErr == nil {
		readErr = os.Remove(m.log)
	}
	if readErr != nil && !os.IsNotExist(readErr) {
		t.Fatal(readErr)
	}
	return out.String(), string(log), err == nil
}

const (
	aptOptions = "apt-get -qq -o DPkg::Lock::Timeout=300 "
	aptUpdate  = aptOptions + "update"
	aptInstall = aptOptions + "install -y --no-install-recommends "
	withEnv    = "env DEBIAN_FRONTEND=noninteractive "
	asRoot     = "FAKE_UID=0"
	asUser     = "FAKE_UID=1000"

	missingChromium = "Missing programs:\n  chromium        needed for browser tests\n"
)

// running returns the announcement of the two commands that install packages.
func running(prefix, packages string) string {
	return "Running:\n  " + prefix + withEnv + aptUpdate + "\n  " + prefix + withEnv + aptInstall + packages + "\n"
}

func TestSetup(t *testing.T) {
	apt := map[string]string{"apt-get": fakeApt, "id": fakeID}
	withSudo := map[string]string{"apt-get": fakeApt, "id": fakeID, "sudo": fakeSudo}
	for _, test := range []struct {
		name   string
		fakes  map[string]string
		absent string // a program that the machine lacks
		env    string
		args   []string
		output string
		calls  string
		fails  bool
	}{
		{name: "does nothing if nothing is missing", fakes: withSudo, env: asUser},
		{
			name: "installs missing programs as root", fakes: apt, env: asRoot, args: []string{"git", "chromium", "wrk"},
			output: missingChromium + "  wrk             needed for benchmarks\n" + running("", "chromium wrk"),
			calls:  aptUpdate + "\n" + aptInstall + "chromium wrk\n",
		},
		{
			name: "announces its commands before it calls sudo", fakes: withSudo, env: asUser, args: []string{"chromium"},
			output: missingChromium + running("sudo ", "chromium") +
				"(sudo asks for a password)\n(sudo asks for a password)\n",
			calls: "sudo " + withEnv + aptUpdate + "\n" + aptUpdate + "\n" +
				"sudo " + withEnv + aptInstall + "chromium\n" + aptInstall + "chromium\n",
		},
		{
			name: "explains what to do without sudo", fakes: apt, env: asUser, args: []string{"chromium"}, fails: true,
			output: missingChromium + "scripts/setup: Only root can install packages, and sudo is not available.\n" +
				"scripts/setup: Run as root: apt-get install chromium\n",
		},
		{
			name: "explains what to do without apt", env: asRoot, args: []string{"chromium"}, fails: true,
			output: missingChromium + "scripts/setup: apt-get is not available.\n" +
				"scripts/setup: Install these programs manually and try again.\n",
		},
		{
			name: "explains what to do without a network", fakes: apt, env: asRoot + " OFFLINE=yes", args: []string{"chromium"}, fails: true,
			output: missingChromium + running("", "chromium") + "E: Unable to fetch some archives\n" +
				"scripts/setup: apt-get failed.\n" +
				"scripts/setup: If this machine is offline, install the programs manually and try again.\n",
			calls: aptUpdate + "\n" + aptInstall + "chromium\n",
		},
		{
			name: "explains what to do without Go", fakes: apt, env: asRoot, absent: "go", fails: true,
			output: "scripts/setup: Go is not installed.\nscripts/setup: Install it from https://go.dev/dl/ and try again.\n",
		},
		{
			name: "installs what the tests need by default", fakes: apt, env: asRoot, absent: "gcc",
			output: "Missing programs:\n  gcc             needed for the race detector\n" + running("", "gcc libc6-dev"),
			calls:  aptUpdate + "\n" + aptInstall + "gcc libc6-dev\n",
		},
		{
			name: "disables the services of new packages", env: asUser, args: []string{"haproxy", "git", "redis-server"},
			fakes: map[string]string{"apt-get": fakeApt, "id": fakeID, "sudo": fakeSudo, "systemctl": fakeSystemctl},
			output: "Missing programs:\n  haproxy         needed for tests of several nodes behind a load balancer\n" +
				"  redis-server    needed for tests of state that nodes share\n" +
				running("sudo ", "haproxy redis-server") + "  sudo systemctl --quiet disable --now haproxy redis-server\n" +
				strings.Repeat("(sudo asks for a password)\n", 3),
			calls: "sudo " + withEnv + aptUpdate + "\n" + aptUpdate + "\n" +
				"sudo " + withEnv + aptInstall + "haproxy redis-server\n" + aptInstall + "haproxy redis-server\n" +
				"sudo systemctl --quiet disable --now haproxy redis-server\nsystemctl --quiet disable --now haproxy redis-server\n",
		},
		{
			name: "rejects unknown programs", fakes: apt, env: asRoot, args: []string{"chromium", "emacs"}, fails: true,
			output: "scripts/setup: Unknown program \"emacs\".\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs := []string{"go", "gcc", "git"}
			if len(test.args) == 0 {
				programs = append(programs, "flock", "curl", "chromium", "npm", "redis-server")
			}
			programs = slices.DeleteFunc(programs, func(name string) bool { return name == test.absent })
			m := newMachine(t, test.fakes, []string{"ln"}, programs)
			output, calls, ok := m.run(t, test.env, "setup", test.args...)
			if diff := cmp.Diff(test.output, output); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.calls, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if ok == test.fails {
				t.Errorf("success = %t, want %t", ok, !test.fails)
			}
			if test.fails {
				return
			}
			if output, calls, ok := m.run(t, test.env, "setup", test.args...); output+calls != "" || !ok {
				t.Errorf("second run: output = %q, calls = %q, success = %t; want none and success", output, calls, ok)
			}
		})
	}
}

// npmProject returns the path of setup-npm in a folder that has the files it
// reads.
func npmProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "scripts/envtest/npm"), os.DirFS("envtest/npm")); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("setup-npm")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "scripts", "setup-npm")
	if err := os.WriteFile(name, script, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSetupNPM(t *testing.T) {
	const (
		npm       = "npm --prefix .cache/npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error\n"
		announced = "Installing the npm packages in scripts/envtest/npm/package-lock.json into .cache/npm,\n" +
			"needed for MCP, OpenAPI, linked data, editor and accessibility tests. Running:\n  " + npm + "(npm runs)\n"
	)
	m := newMachine(t, map[string]string{"npm": fakeNPM},
		[]string{"cat", "cp", "dirname", "flock", "mkdir", "rm", "sha256sum"}, nil)
	script := npmProject(t)
	for _, test := range []struct {
		name   string
		env    string
		output string
		calls  string
		fails  bool
	}{
		{
			name: "fails without a network", env: "OFFLINE=yes", fails: true, calls: npm,
			output: announced + "scripts/setup-npm: npm failed.\n" +
				"scripts/setup-npm: If this machine is offline, connect it and run scripts/setup-npm again.\n",
		},
		{name: "announces and installs packages", output: announced, calls: npm},
		{name: "does nothing if packages are installed"},
	} {
		output, calls, ok := m.run(t, test.env, script)
		if diff := cmp.Diff(test.output, output); diff != "" {
			t.Errorf("%s: output (-want +got):\n%s", test.name, diff)
		}
		if calls != test.calls {
			t.Errorf("%s: calls = %q, want %q", test.name, calls, test.calls)
		}
		if ok == test.fails {
			t.Errorf("%s: success = %t, want %t", test.name, ok, !test.fails)
		}
	}
}
