package main

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

func TestDiffFillsTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	cmd := new(cobra.Command)
	c := comparison{cmd: cmd}
	cmd.SetOut(&output{w: newTerminal(t).device})
	if got := c.columns(""); got != 40 {
		t.Errorf("got %d columns on a terminal, want 40", got)
	}
	if got := c.columns("changes.txt"); got != fileColumns {
		t.Errorf("got %d columns in a file, want %d", got, fileColumns)
	}
	cmd.SetOut(new(bytes.Buffer))
	if got := c.columns(""); got != fileColumns {
		t.Errorf("got %d columns in a pipe, want %d", got, fileColumns)
	}
}
