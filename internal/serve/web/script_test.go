package web_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"placard/scripts/envtest"
)

func TestScriptsAreTypeChecked(t *testing.T) {
	compiler := filepath.Join(envtest.NPM(t), "node_modules", "typescript", "bin", "tsc")
	output, err := exec.CommandContext(t.Context(), envtest.Node(t), compiler, "--project", "script").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
