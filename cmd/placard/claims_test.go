package main

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
	"placard/internal/serve/server"
)

// prose returns the document without its code blocks, in one line per paragraph,
// list item or table row.
func (m markdown) prose() string {
	text := m.text
	for _, b := range m.blocks {
		text = strings.Replace(text, b.text, "", 1)
	}
	return lineBreak.ReplaceAllString(text, " $1")
}

// lineBreak matches the end of a line that the next line continues.
var lineBreak = regexp.MustCompile(`\n *([\w(\x60*"])`)

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// allFlags returns the flags of all commands by name.
func allFlags() map[string][]*pflag.Flag {
	flags := make(map[string][]*pflag.Flag)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = append(flags[f.Name], f) })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	return flags
}

// testVariables are environment variables that only tests read.
var testVariables = []string{"PLACARD_CHROMIUM", "PLACARD_REQUIRE_ALL", "PLACARD_REAL_TREE", "PLACARD_*"}

func TestDocumentsMentionExistingCommands(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	flags := allFlags()
	flagName := regexp.MustCompile(`^--([a-z0-9][a-z0-9-]*)`)
	for _, document := range documents(t, repositoryRoot(t)) {
		for _, span := range codeSpan.FindAllStringSubmatch(document.prose(), -1) {
			code := span[1]
			words := strings.Fields(code)
			switch {
			case len(words) == 0: // part of a span in double backquotes
			case words[0] == "placard" && len(words) > 1:
				cmd, args, err := newRoot().Find(words[1:])
				if err != nil || !cmd.HasParent() {
					t.Errorf("%s: `%s`: there is no such command (%v)", document.name, code, err)
					continue
				}
				cmd.InitDefaultHelpFlag()
				if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "--") && cmd.Flags().Lookup(args[last][2:]) != nil {
					args = args[:last] // mentioned without a value
				}
				if err := cmd.ParseFlags(args); err != nil {
					t.Errorf("%s: `%s`: %v", document.name, code, err)
				}
			case words[0] == "make" && len(words) > 1:
				if !strings.Contains(string(makefile), "\n"+words[1]+": ") {
					t.Errorf("%s: `%s`: there is no such target", document.name, code)
				}
			case flagName.MatchString(code):
				if flags[flagName.FindStringSubmatch(code)[1]] == nil {
					t.Errorf("%s: `%s`: there is no such flag", document.name, code)
				}
			case strings.HasPrefix(code, "PLACARD_"):
				name, _, _ := strings.Cut(code, "=")
				flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "PLACARD_"), "_", "-"))
				if flags[flag] == nil && !slices.Contains(testVariables, name) {
					t.Errorf("%s: `%s`: there is no such variable", document.name, code)
				}
			}
		}
	}
}

// severityClaim matches a statement about the severity of a code, such as "is an
// error (`CODE`)".
var severityClaim = regexp.MustCompile("\\b(error|warning) \\(?`([A-Za-z_]+)`")

// codeName matches names that only codes and environment variables have.
var codeName = regexp.MustCompile(`^[A-Z]+(_[A-Z0-9]+)+$`)

var variableName = regexp.MustCompile(`^(PLACARD|AWS|SSL)_`)

func TestDocumentsMentionExistingCodes(t *testing.T) {
	claims := 0
	for _, document := range documents(t, repositoryRoot(t)) {
		text := document.prose()
		for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
			name := span[1]
			if !codeName.MatchString(name) || variableName.MatchString(name) {
				continue
			}
			if _, ok := query.FindCode(problem.Code(name)); !ok {
				t.Errorf("%s: there is no code %s", document.name, name)
			}
		}
		for _, claim := range severityClaim.FindAllStringSubmatch(text, -1) {
			code, ok := query.FindCode(problem.Code(claim[2]))
			if !ok {
				t.Errorf("%s: there is no code %s", document.name, claim[2])
				continue
			}
			claims++
			if !strings.Contains(code.Severities(), claim[1]) {
				t.Errorf("%s: %s is described as %s, but its severity is %s", document.name, code.Code, claim[1], code.Severities())
			}
		}
	}
	if claims < 8 {
		t.Errorf("got %d statements about severities, want at least 8", claims)
	}
}

// tableRows returns the cells of the table rows that match a pattern.
func tableRows(t *testing.T, document, pattern string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
	if rows == nil {
		t.Fatalf("%s has no table rows that match %s", document, pattern)
	}
	return rows
}

func TestDocumentsListAllRoutes(t *testing.T) {
	data, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var openapi struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(data, &openapi); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for path, methods := range openapi.Paths {
		for method := range methods {
			want = append(want, strings.ToUpper(method)+" "+path)
		}
	}
	for _, row := range tableRows(t, "docs/api.md", "(?m)^\\| (GET|POST) \\| \\[?`(/[^`]+)`") {
		got = append(got, row[1]+" "+row[2])
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes in docs/api.md (-want +got):\n%s", diff)
	}
}

func TestDocumentsStateTheRealStatuses(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.ready()
	_, body := d.get("/api/v2/codes")
	var list struct {
		Codes []struct {
			Code   string `json:"code"`
			Status int    `json:"status"`
		} `json:"codes"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	statuses := make(map[string]int)
	for _, c := range list.Codes {
		statuses[c.Code] = c.Status
	}
	inText := tableRows(t, "docs/api.md", "`([a-z_]+)` \\((\\d{3})\\)")
	for _, row := range append(inText, tableRows(t, "docs/api.md", "(?m)^\\| `([a-z_]+)` \\| (\\d{3}) \\|")...) {
		if got := strconv.Itoa(statuses[row[1]]); got != row[2] {
			t.Errorf("docs/api.md says that %s has status %s, but it has %s", row[1], row[2], got)
		}
	}
}

func TestDocumentsListAllToolsAndPrompts(t *testing.T) {
	t.Parallel()
	d := start(t)
	d.ready()
	var want, got []string
	for _, kind := range []string{"tools", "prompts"} {
		status, _, body := d.post(`{"jsonrpc":"2.0","id":1,"method":"` + kind + `/list"}`)
		var list struct {
			Result map[string][]struct {
				Name string `json:"name"`
			} `json:"result"`
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK {
			t.Fatalf("%s: got status %d, error %v, want a list", kind, status, err)
		}
		for _, item := range list.Result[kind] {
			want = append(want, item.Name)
		}
	}
	for _, row := range tableRows(t, "docs/mcp.md", "(?m)^\\| ((?:`[a-z]+_[a-z_]+`(?:, )?)+) \\| [^|]+ \\| [^|]*\\|$") {
		for _, span := range codeSpan.FindAllStringSubmatch(row[1], -1) {
			got = append(got, span[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools and prompts in docs/mcp.md (-want +got):\n%s", diff)
	}
}

func TestDocumentsStateTheRealDefaults(t *testing.T) {
	flags := allFlags()
	for _, row := range tableRows(t, "docs/operating.md", "(?m)\\| `--([a-z-]+)` \\| (\\d\\S*) \\|$") {
		for _, flag := range flags[row[1]] {
			if flag.DefValue != row[2] {
				t.Errorf("docs/operating.md says that the default of --%s is %s, but it is %s", flag.Name, row[2], flag.DefValue)
			}
		}
	}
}

func TestLimitOfHeadersIsDocumented(t *testing.T) {
	rows := tableRows(t, "docs/api.md", `(?m)^\| Request line and headers \| (\d+) KiB together \|$`)
	if len(rows) != 1 || rows[0][1] != strconv.Itoa(server.DefaultMaxHeader>>10) {
		t.Errorf("got %v, want one row with %d KiB", rows, server.DefaultMaxHeader>>10)
	}
}
