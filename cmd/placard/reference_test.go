package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"placard/internal/serve/query"
)

var update = flag.Bool("update", false, "rewrite the generated documents")

// golden compares a generated document with the file, or rewrites the file with
// -update.
func golden(t *testing.T, file string, page []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(page)); diff != "" {
		t.Errorf("%s is stale; run make generate (-file +generated):\n%s", file, diff)
	}
}

func TestCommandLineReferenceIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	page.WriteString("# Command line\n\n<!-- Generated from the help texts by make generate. -->\n\n" +
		"`placard` is a single file; [how to get it](disclosure.md#get-the-program).\n")
	root := newRoot()
	listCommands(&page, root)
	describe(&page, root)
	golden(t, "../../docs/cli.md", page.Bytes())
}

// listCommands writes the table of contents.
func listCommands(w *bytes.Buffer, root *cobra.Command) {
	w.WriteString("\n| | |\n|---|---|\n")
	for _, group := range root.Groups() {
		var links []string
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				links = append(links, fmt.Sprintf("[%s](#placard-%s)", cmd.Name(), cmd.Name()))
			}
		}
		fmt.Fprintf(w, "| %s | %s |\n", strings.TrimSuffix(group.Title, ":"), strings.Join(links, ", "))
	}
}

func describe(w *bytes.Buffer, cmd *cobra.Command) {
	if cmd.HasParent() && !cmd.IsAvailableCommand() && cmd.Name() != "help" {
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

func TestCodeReferenceIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(`# Codes

<!-- Generated from the rule tables by make generate. -->

Every finding and every error has a code. Codes are stable: new ones may be
added, but none is ever renamed or removed. "placard explain CODE" prints a
single entry, and GET /api/v2/codes returns all of them.
`)
	for _, c := range query.Codes() {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n%s\n\nSeverity: %s. Raised by: %s.\n", c.Code, c.Title, c.Why, c.Severities(), strings.Join(c.RaisedBy, ", "))
		if c.Example != "" {
			title, text := describeExample(c.Example)
			fmt.Fprintf(&page, "\n%s:\n\n```\n%s\n```\n", title, strings.TrimRight(text, "\n"))
		}
	}
	golden(t, "../../docs/rules.md", page.Bytes())
}

// TestCodesOnlyGrow ensures that no code is renamed or removed.
func TestCodesOnlyGrow(t *testing.T) {
	const file = "testdata/codes.txt"
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	codes := codeNames()
	slices.Sort(codes)
	if duplicates := len(codes) - len(slices.Compact(slices.Clone(codes))); duplicates > 0 {
		t.Errorf("the tables contain %d duplicate codes", duplicates)
	}
	for code := range strings.Lines(string(known)) {
		if code = strings.TrimSpace(code); !slices.Contains(codes, code) {
			t.Errorf("%s was removed; codes are permanent", code)
		}
	}
	if *update && !t.Failed() {
		golden(t, file, []byte(strings.Join(codes, "\n")+"\n"))
	}
	for _, code := range codes {
		if !*update && !strings.Contains("\n"+string(known), "\n"+code+"\n") {
			t.Errorf("%s is new; run make generate to add it to %s", code, file)
		}
	}
}
