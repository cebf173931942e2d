package main

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

func TestCommandsSayWhatAnInterruptionLeaves(t *testing.T) {
	const nothing = "placard: Interrupted. Nothing was changed.\n"
	const unknown = "placard: Interrupted. The store may have been changed: \"placard history\" shows its last change.\n"
	const export = "placard: Interrupted. Every exported file is complete. Run the command again to finish the export.\n"
	const prune = "placard: Interrupted. Some files may have been deleted. Run the command again to delete the others.\n"
	for _, tc := range []struct {
		cmd                 *cobra.Command
		returned, abandoned string
	}{
		{newPublish(), nothing, unknown},
		{newRetire(), nothing, unknown},
		{newPrune(), prune, prune},
		{newExport(), export, export},
		{newCheck(), "", ""},
	} {
		for _, c := range []struct {
			err  error
			want string
		}{
			{interruption{syscall.SIGINT}, tc.returned},
			{abandonedError{interruption{syscall.SIGINT}}, tc.abandoned},
		} {
			var stderr bytes.Buffer
			printInterruption(&stderr, tc.cmd, c.err)
			if stderr.String() != c.want {
				t.Errorf("%s, %T: got %q, want %q", tc.cmd.Name(), c.err, &stderr, c.want)
			}
		}
	}
}
