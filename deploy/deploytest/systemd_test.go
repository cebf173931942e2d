//go:build long

package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"placard/scripts/envtest"
)

// maxExposure is the exposure level that systemd-analyze may compute for the unit,
// times ten. Below 20, it calls a unit "OK".
const maxExposure = 15

func TestSystemdAcceptsTheUnit(t *testing.T) {
	begin(t)
	analyze := envtest.Program(t, "systemd-analyze")
	unit := filepath.Join(t.TempDir(), "placard.service")
	text := strings.ReplaceAll(readFile(t, "systemd/placard.service"), "/usr/local/bin/placard", placard(t))
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), analyze, "verify", unit)
	// Unknown settings are only warnings.
	if output, err := cmd.CombinedOutput(); err != nil || len(output) > 0 {
		t.Errorf("verify: %v\n%s", err, output)
	}
	run(t, nil, analyze, "security", "--no-pager", "--offline=true", "--threshold="+strconv.Itoa(maxExposure), unit)
}

// TestUnitStartsAServer starts the server with the environment of the unit, and
// stops it within the unit's time limit.
func TestUnitStartsAServer(t *testing.T) {
	begin(t)
	settings := make(map[string][]string)
	for line := range strings.Lines(readFile(t, "systemd/placard.service")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			settings[name] = append(settings[name], value)
		}
	}
	if limit := settings["StartLimitIntervalSec"]; len(limit) != 1 || limit[0] != "0" {
		t.Errorf("got the limits %q for restarts, want none", limit)
	}
	state := t.TempDir()
	run(t, nil, placard(t), "publish", root+"/builtin/tree", "--store", state+"/placard/store")
	var env []string
	replace := strings.NewReplacer("%S", state, "%C", state, ":8080", "127.0.0.1:0", "127.0.0.1:9090", "127.0.0.1:0")
	for _, variable := range strings.Fields(strings.Join(settings["Environment"], " ")) {
		env = append(env, replace.Replace(variable))
	}
	command := strings.Fields(settings["ExecStart"][0])
	cmd := exec.CommandContext(t.Context(), placard(t), command[1:]...)
	cmd.Env = env
	n := startNode(t, cmd)
	limit, err := time.ParseDuration(settings["TimeoutStopSec"][0] + "s")
	if err != nil {
		t.Fatal(err)
	}
	config := settingsOf(t, env, command[1:])
	if delays := config.duration(t, "drain-delay") + config.duration(t, "drain"); limit < delays+time.Second {
		t.Errorf("got TimeoutStopSec=%v, want more than a second above --drain-delay and --drain, %v", limit, delays)
	}
	if status := n.stop(t); status != 0 {
		t.Errorf("got exit status %d, want 0", status)
	}
}

// TestEnvironmentFileNamesSettings checks that every example in the environment file
// is a setting of the server or of the S3 client.
func TestEnvironmentFileNamesSettings(t *testing.T) {
	begin(t)
	examples := regexp.MustCompile(`(?m)^#?([A-Z_]+)=(.*)$`).FindAllStringSubmatch(readFile(t, "systemd/placard.env"), -1)
	if len(examples) == 0 {
		t.Fatal("got no examples")
	}
	var env []string
	for _, example := range examples {
		env = append(env, example[0][strings.Index(example[0], example[1]):])
	}
	checkSettings(t, env, []string{"serve"})
}
