package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the generated pages of docs anew")

// golden compares a generated page with the one in docs.
func golden(t *testing.T, file string, page []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), string(page)); diff != "" {
		t.Errorf("%s is stale; run make generate: %s", file, diff)
	}
}

func TestTheCommandLineReferenceIsFresh(t *testing.T) {
	var page bytes.Buffer
	page.WriteString("# Command line\n\n<!-- Generated from the commands' own help; run make generate. -->\n")
	root := newRoot()
	root.InitDefaultHelpCmd()
	describe(&page, root)
	golden(t, "../../docs/cli.md", page.Bytes())
}

func describe(w *bytes.Buffer, cmd *cobra.Command) {
	if !cmd.IsAvailableCommand() && cmd.HasParent() || cmd.Name() == "help" {
		return
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(w, "\n## %s\n\n%s\n", cmd.CommandPath(), text)
	if cmd.Runnable() {
		fmt.Fprintf(w, "\n```\n%s\n```\n", cmd.UseLine())
	}
	if flags := cmd.NonInheritedFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\n```\n%s```\n", flags.FlagUsages())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n\n```\n%s\n```\n", cmd.Example)
	}
	for _, sub := range cmd.Commands() {
		describe(w, sub)
	}
}
