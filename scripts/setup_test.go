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
)

// machine is a made-up computer on which scripts/setup runs: it has the
// commands that are in its folder, and no others.
type machine struct {
	bin string
	log string // what was asked of apt-get and sudo
}

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
echo "sudo" >>"$LOG"
exec "$@"
`
	fakeID = `#!/usr/bin/env bash
echo "$FAKE_UID"
`
)

func newMachine(t *testing.T, fakes map[string]string, programs ...string) machine {
	t.Helper()
	dir := t.TempDir()
	m := machine{bin: filepath.Join(dir, "bin"), log: filepath.Join(dir, "log")}
	if err := os.Mkdir(m.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "env", "ln"} {
		found, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(found, filepath.Join(m.bin, name))
		}
		if err != nil {
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

// setup runs the script and returns what it printed, what it asked of the
// system since the last time, and whether it succeeded.
func (m machine) setup(t *testing.T, env string, args ...string) (printed, asked string, ok bool) {
	t.Helper()
	cmd := exec.Command(filepath.Join(m.bin, "bash"), append([]string{"setup"}, args...)...)
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
	aptOptions   = "apt-get -qq -o DPkg::Lock::Timeout=300 "
	aptUpdate    = aptOptions + "update\n"
	aptInstall   = aptOptions + "install -y --no-install-recommends "
	asRoot       = "FAKE_UID=0"
	asUser       = "FAKE_UID=1000"
	installingIt = "Installing chromium ...\n"
)

func TestSetup(t *testing.T) {
	apt := map[string]string{"apt-get": fakeApt, "id": fakeID}
	withSudo := map[string]string{"apt-get": fakeApt, "id": fakeID, "sudo": fakeSudo}
	for _, test := range []struct {
		name    string
		fakes   map[string]string
		absent  string // of the programs that the machine has otherwise
		env     string
		args    []string
		printed string
		asked   string
		fails   bool
	}{
		{name: "does nothing where nothing is missing", fakes: withSudo, env: asUser},
		{
			name: "installs what is missing, as root", fakes: apt, env: asRoot, args: []string{"git", "chromium", "redis-server"},
			printed: "Installing chromium redis-server ...\n", asked: aptUpdate + aptInstall + "chromium redis-server\n",
		},
		{
			name: "asks sudo where it is not root", fakes: withSudo, env: asUser, args: []string{"chromium"},
			printed: installingIt, asked: "sudo\n" + aptUpdate + "sudo\n" + aptInstall + "chromium\n",
		},
		{
			name: "says what to do where there is no sudo", fakes: apt, env: asUser, args: []string{"chromium"}, fails: true,
			printed: "scripts/setup: chromium not found, and only root can install it.\nscripts/setup: Run: apt-get install chromium\n",
		},
		{
			name: "says what to do where there is no apt", env: asRoot, args: []string{"chromium"}, fails: true,
			printed: "scripts/setup: chromium not found, and there is no apt-get to install it with.\nscripts/setup: Install it by hand and try again.\n",
		},
		{
			name: "says what to do where there is no network", fakes: apt, env: asRoot + " OFFLINE=yes", args: []string{"chromium"}, fails: true,
			printed: installingIt + "E: Unable to fetch some archives\n" +
				"scripts/setup: chromium could not be installed; apt-get says why above.\n" +
				"scripts/setup: If this machine is offline, install it by hand and try again.\n",
			asked: aptUpdate + aptInstall + "chromium\n",
		},
		{
			name: "says what to do where there is no Go", fakes: apt, env: asRoot, absent: "go", fails: true,
			printed: "scripts/setup: Go is not found.\nscripts/setup: Install it from https://go.dev/dl/ and try again.\n",
		},
		{
			name: "brings what the tests need", fakes: apt, env: asRoot, absent: "gcc",
			printed: "Installing gcc libc6-dev ...\n", asked: aptUpdate + aptInstall + "gcc libc6-dev\n",
		},
		{
			name: "refuses programs that it does not know", fakes: apt, env: asRoot, args: []string{"chromium", "emacs"}, fails: true,
			printed: "scripts/setup: \"emacs\" is not a program that it knows how to install.\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs := []string{"go", "gcc", "git"}
			if len(test.args) == 0 {
				programs = append(programs, "chromium", "npm")
			}
			programs = slices.DeleteFunc(programs, func(name string) bool { return name == test.absent })
			m := newMachine(t, test.fakes, programs...)
			printed, asked, ok := m.setup(t, test.env, test.args...)
			if diff := cmp.Diff(test.printed, printed); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.asked, asked); diff != "" {
				t.Errorf("asked of the system (-want +got):\n%s", diff)
			}
			if ok == test.fails {
				t.Errorf("success = %t", ok)
			}
			if test.fails {
				return
			}
			if printed, asked, ok := m.setup(t, test.env, test.args...); printed+asked != "" || !ok {
				t.Errorf("The second time it printed %q, asked %q, success = %t.", printed, asked, ok)
			}
		})
	}
}
