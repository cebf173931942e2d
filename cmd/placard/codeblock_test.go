package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block is a fenced code block of a document.
type block struct {
	document string
	line     int    // of the first line of text
	kind     string // the language of the block
	text     string
	// continued is set if the block is marked with a comment: its commands run in
	// the folder of the block before it.
	continued bool
}

// continuedComment marks a block of commands that continues the one before it.
const continuedComment = "<!-- continued -->"

// fileComment matches the comment at the start of a block that is a file.
var fileComment = regexp.MustCompile(`^// ([\w.]+)\n`)

// fileName returns the name of the file that the block shows, if any.
func (b block) fileName() (string, bool) {
	match := fileComment.FindStringSubmatch(b.text)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// markdown is a Markdown document of the repository.
type markdown struct {
	name   string
	text   string
	blocks []block
}

func repositoryRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// documents returns the documents for users and contributors.
func documents(t *testing.T, root string) []markdown {
	t.Helper()
	var all []markdown
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", ".github/*.md", ".github/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: got %d documents (%v), want at least one", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			name, err = filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, markdown{name, string(text), codeBlocks(name, string(text))})
		}
	}
	return all
}

// codeBlocks returns the fenced code blocks of a document. The indentation of a
// block in a list is removed.
func codeBlocks(document, text string) []block {
	var blocks []block
	inside, indentation, number, previous := false, "", 0, ""
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case !inside && strings.HasPrefix(trimmed, "```"):
			inside, indentation = true, line[:len(line)-len(trimmed)]
			blocks = append(blocks, block{document: document, line: number + 1, kind: strings.TrimSpace(trimmed[3:]), continued: previous == continuedComment})
		case inside && strings.TrimSpace(line) == "```":
			inside = false
		case inside:
			blocks[len(blocks)-1].text += strings.TrimPrefix(line, indentation)
		}
		if trimmed = strings.TrimSpace(trimmed); trimmed != "" {
			previous = trimmed
		}
	}
	return blocks
}

func TestCodeBlocks(t *testing.T) {
	got := codeBlocks("a.md", "Text.\n\n```sh\nmake\n```\n\n- item\n\n  ```json\n  {\n    \"a\": 1\n  }\n  ```\n\n```\n```\n\n<!-- continued -->\n\n```sh\n```\n")
	want := []block{
		{document: "a.md", line: 4, kind: "sh", text: "make\n"},
		{document: "a.md", line: 10, kind: "json", text: "{\n  \"a\": 1\n}\n"},
		{document: "a.md", line: 16},
		{document: "a.md", line: 21, kind: "sh", continued: true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(block{})); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}
