//go:build long

package deploytest

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// otherVariables are the variables in the deploy folder that are not flags.
var otherVariables = []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GOMEMLIMIT"}

// setting is the value of a flag and where it was set.
type setting struct{ value, origin string }

// settings maps the flags of placard serve to their values.
type settings map[string]setting

// settingsOf returns the settings of a server with the given environment and
// arguments. The test fails if the server does not accept them.
func settingsOf(t *testing.T, env, args []string) settings {
	t.Helper()
	all := make(settings)
	for line := range strings.Lines(run(t, env, placard(t), append(args, "--print-config")...)) {
		if words := strings.Fields(line); len(words) == 3 {
			all[strings.TrimPrefix(words[0], "--")] = setting{words[1], words[2]}
		}
	}
	return all
}

func (s settings) duration(t *testing.T, flag string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(s[flag].value)
	if err != nil {
		t.Fatalf("--%s: %v", flag, err)
	}
	return d
}

// checkSettings checks that a server accepts an environment and arguments, and that
// every variable in the environment is the setting of a flag or a known variable.
func checkSettings(t *testing.T, env, args []string) settings {
	t.Helper()
	all := settingsOf(t, env, args)
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "PLACARD_"), "_", "-"))
		if value != "" && all[flag].origin != name && !slices.Contains(otherVariables, name) {
			t.Errorf("%s is not a setting of the server", name)
		}
	}
	return all
}
