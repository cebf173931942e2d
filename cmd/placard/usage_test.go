package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// foreignWords matches the words of cobra, pflag, Go and the operating system in
// errors.
var foreignWords = regexp.MustCompile(`arg\(s\)|flag\(s\)|unknown (command|flag|shorthand)|needs an argument: -|invalid argument|flags in the group|were all set|bad flag syntax|` +
	`strconv\.|invalid syntax|invalid duration|no such file|permission denied|is a directory|not a directory|no space left|read-only file system|` +
	`address already in use|cannot assign|no such host|\b(stat|open|lstat|mkdir|bind|listen tcp) `)

// execPlacard runs a command line and returns its exit status and its errors.
func execPlacard(t *testing.T, args ...string) (status int, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = execute(t.Context(), args, &out, &errs)
	if foreign := foreignWords.FindString(errs.String()); foreign != "" {
		t.Errorf("placard %s: got %q, which contains the foreign words %q", strings.Join(args, " "), errs.String(), foreign)
	}
	return status, errs.String()
}

func TestUsageErrors(t *testing.T) {
	for args, want := range map[string]string{
		"chek":                          "There is no command \"chek\".\n      = hint: Did you mean \"check\"?\nUsage: placard COMMAND [flags]\nRun \"placard help\" for details.",
		"unpublish":                     "Did you mean \"retire\"?",
		"zzz":                           "There is no command \"zzz\".\n      = hint: \"placard help\" lists the commands.",
		"help chek":                     "Did you mean \"check\"?",
		"help check build":              `There is no command "check build".`,
		"check":                         "\"placard check\" takes DIR, but got 0 arguments.\nUsage: placard check DIR [flags]\nRun \"placard help check\" for details.",
		"check a b":                     `"placard check" takes DIR, but got 2 arguments.`,
		"validate":                      `"placard validate" takes FILE..., but got 0 arguments.`,
		"version x":                     `"placard version" takes no arguments, but got 1 argument.`,
		"check --formt json a":          "\"placard check\" has no flag --formt.\n      = hint: Did you mean \"--format\"?",
		"serve --port 8393":             `"placard serve" has no flag --port.`,
		"check --port 8393 a":           `"placard check" has no flag --port.`,
		"check -x a":                    `"placard check" has no flag -x.`,
		"--nope":                        `"placard" has no flag --nope.`,
		"check a --format":              "The flag --format needs a value.\nUsage: ",
		"render a -o":                   "The flag --out needs a value.",
		"check --format xml a":          "--format: \"xml\" is not one of text, json.\n      = hint: Use text or json.",
		"list --store a --json=perhaps": `--json: "perhaps" is neither true nor false.`,
		"serve --drain soon":            "--drain: \"soon\" is not a duration.\n      = hint: Use the form 500ms, 10s or 2m.",
		"serve --max-in-flight many":    `--max-in-flight: "many" is not a whole number.`,
		"serve --max-in-flight 99999999999999999999": `--max-in-flight: "99999999999999999999" is out of range.`,
		"serve --=x":                         `"--=x" is not a flag.`,
		"serve --source a --store b":         "--source and --store cannot be used together.\n      = hint: Use only one of them, on the command line or in the environment.",
		"publish a":                          "\"placard publish\" needs --store.\nUsage: placard publish DIR --store STORE [flags]",
		"build a":                            "\"placard build\" needs --out.\nUsage: placard build DIR --out DIR [flags]",
		"explain NOPE_NOPE":                  "There is no code \"NOPE_NOPE\".\n      = hint: Run \"placard explain\" for a list.",
		"completion tcsh":                    `There is no completion for the shell "tcsh".`,
		"serve --addr nowhere --drain never": "2 settings are invalid:",
		"alias set place@pilot":              `"placard alias set" takes ALIAS VERSION, but got 1 argument.`,
		"show a b c":                         `"placard show" takes VERSION [ELEMENT], but got 3 arguments.`,
		"alias show":                         "There is no command \"alias show\".\n      = hint: \"placard help alias\" lists the commands.",
		"schema element --write taxonomy":    "--write writes the schemas of all YAML files, so it takes no FILE.\n      = hint: Omit \"element\".",
		"publish taxonomy store":             `"placard publish" takes DIR, but got 2 arguments.`,
		"chek --formt":                       `There is no command "chek".`,
		"diff a b --format md":               "--format: \"md\" is not one of text, json, markdown, html.\n      = hint: Use text, json, markdown or html.",
		"check a --format JSON":              "Did you mean \"json\"?",
		"upgrade a.json":                     "\"placard upgrade\" needs --to.\nUsage: placard upgrade FILE... --to VERSION [flags]",
	} {
		status, stderr := execPlacard(t, strings.Fields(args)...)
		if status != exitUsage || !strings.Contains(stderr, "placard: "+want) && !strings.Contains(stderr, "hint: "+want) {
			t.Errorf("placard %s: got status %d and %q, want status %d and %q", args, status, stderr, exitUsage, want)
		}
		if !strings.Contains(stderr, "\nUsage: placard ") || !strings.Contains(stderr, "\nRun \"placard help") {
			t.Errorf("placard %s: got %q, want a usage line and a next step", args, stderr)
		}
	}
}

// TestEveryCommandDescribesUsageErrors also covers commands that the tests above do
// not list.
func TestEveryCommandDescribesUsageErrors(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		for _, args := range [][]string{{"--nonsense"}, {"-Z"}, {"--=x"}, {"a", "b", "c", "--nonsense=x"}} {
			if status, stderr := execPlacard(t, append([]string{cmd.Name()}, args...)...); status != exitUsage {
				t.Errorf("placard %s %v: got status %d and %q, want %d", cmd.Name(), args, status, stderr, exitUsage)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal == "" {
				execPlacard(t, cmd.Name(), "--"+f.Name)
			}
		})
	}
}

func TestRequiredFlagsAreInTheUsageLine(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if isRequired(f) && (!strings.Contains(cmd.Use, " --"+f.Name+" ") || !strings.HasSuffix(f.Usage, "(required)")) {
				t.Errorf("%s: got the usage line %q and the description %q of --%s, want the flag and (required)", cmd.CommandPath(), cmd.Use, f.Usage, f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRoot())
}

func TestFlagsThatExcludeEachOtherInTheEnvironment(t *testing.T) {
	t.Setenv("PLACARD_SOURCE", "taxonomy")
	t.Setenv("PLACARD_STORE", "store")
	want := "placard: --source and --store cannot be used together.\n      = hint: Use only one of them, on the command line or in the environment.\n"
	if status, stderr := execPlacard(t, "list"); status != exitUsage || !strings.HasPrefix(stderr, want) {
		t.Errorf("got status %d and %q, want status %d and %q", status, stderr, exitUsage, want)
	}
}

func TestErrorsInTheEnvironmentAreReportedOneByOne(t *testing.T) {
	t.Setenv("PLACARD_FORMAT", "md")
	t.Setenv("PLACARD_FAIL_ON", "all")
	_, stderr := execPlacard(t, "diff", "a", "b")
	for _, want := range []string{
		"placard: PLACARD_FORMAT: \"md\" is not one of text, json, markdown, html.\n      = hint: Use text, json, markdown or html.\n",
		"placard: PLACARD_FAIL_ON: \"all\" is not one of never, breaking.\n      = hint: Use never or breaking.\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("got %q, want %q", stderr, want)
		}
	}
}

// TestMessagesHaveOneStyle ensures that errors are a sentence and a hint. An error may
// start with the name or the value of a flag.
func TestMessagesHaveOneStyle(t *testing.T) {
	// The position of the message among the arguments.
	functions := map[string]int{"errors.New": 0, "fmt.Errorf": 0, "problem.Failure": 0}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			position, ok := functions[types.ExprString(call.Fun)]
			if !ok {
				return true
			}
			literal, ok := call.Args[position].(*ast.BasicLit)
			if !ok {
				return true
			}
			found++
			message, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(message, ";") || 'a' <= message[0] && message[0] <= 'z' && !slices.Contains(unseenMessages, message) {
				t.Errorf("%s: got the message %q, want a sentence without advice", files.Position(call.Pos()), message)
			}
			return true
		})
	}
	if found < 50 {
		t.Errorf("got %d messages, want at least 50", found)
	}
}

// unseenMessages are errors that no command prints.
var unseenMessages = []string{"findings", "unreadable files", "no release is published"}

func TestSystemErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := listener.Addr().String()
	missing := filepath.Join(dir, "nowhere")
	long := filepath.Join(dir, strings.Repeat("x", 300))
	const tree = "../../builtin/tree"
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"check", missing}, 2, `nowhere" does not exist.`},
		{[]string{"check", missing + "/deeper"}, 2, `deeper" does not exist.` + "\n      = hint: Check the spelling of the path.\n"},
		{[]string{"validate", missing + "/deeper"}, 2, `deeper" does not exist.`},
		{[]string{"diff", tree + "/place/2026-06-01-stable", tree + "/place/2026-10-19-beta", "-o", missing + "/deeper"}, 1, `deeper" does not exist.` + "\n      = hint: Check the spelling of the path."},
		{[]string{"check", file}, 2, `file" is a file, not a folder.`},
		{[]string{"check", file + "/x"}, 2, "a part of the path is a file"},
		{[]string{"check", loop}, 2, "links form a loop."},
		{[]string{"check", long}, 2, "too long for a path."},
		{[]string{"build", missing, "--out", dir}, 2, `nowhere" does not exist.`},
		{[]string{"build", tree, "--out", file}, 1, `file" is a file, not a folder.`},
		{[]string{"build", tree, "--out", "/proc"}, 1, `/proc`},
		{[]string{"publish", missing, "--store", dir}, 2, `nowhere" does not exist.`},
		{[]string{"publish", tree, "--store", file}, 1, `file" is a file, not a folder.`},
		{[]string{"list", "--store", missing}, 2, `nowhere" does not exist.`},
		{[]string{"list", "--store", file}, 2, `file" is a file, not a folder.`},
		{[]string{"validate", missing, dir}, 2, dir + `" is a folder, not a file.`},
		{[]string{"validate", missing, "--source", dir + "/gone"}, 2, `gone" does not exist.`},
		{[]string{"validate", missing, "--store", dir + "/gone"}, 2, `gone" does not exist.`},
		{[]string{"resolve", missing}, 2, `nowhere" does not exist.`},
		{[]string{"resolve", dir}, 2, `is a folder, not a file.`},
		{[]string{"resolve", missing, "--store", file}, 2, `file" is a file, not a folder.`},
		{[]string{"render", missing}, 2, `nowhere" does not exist.`},
		{[]string{"render", missing, "--store", dir + "/gone"}, 2, `gone" does not exist.`},
		{[]string{"serve", "--source", missing}, 2, `nowhere" does not exist.`},
		{[]string{"mcp", "--source", missing}, 2, `nowhere" does not exist.`},
		{[]string{"serve", "--addr", taken}, 1, "Another program is listening on " + taken + "."},
		{[]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr", taken}, 1, "Another program is listening on " + taken + "."},
		{[]string{"serve", "--addr", "192.0.2.1:0"}, 1, "192.0.2.1:0 is not an address of this machine."},
		{[]string{"serve", "--addr", "127.0.0.1:99999"}, 1, `The port "99999" is not valid.`},
	} {
		if status, stderr := execPlacard(t, test.args...); status != test.status || !strings.Contains(stderr, test.want) {
			t.Errorf("placard %v: got status %d and %q, want status %d and %q", test.args, status, stderr, test.status, test.want)
		}
	}
}

// TestErrorsOfTheSystemHaveMessages covers errors that tests cannot cause on every
// machine.
func TestErrorsOfTheSystemHaveMessages(t *testing.T) {
	for _, m := range fileErrors {
		want := fmt.Sprintf(m.message, `"data"`)
		for name, err := range map[string]error{
			"":     &fs.PathError{Op: "open", Path: "data", Err: m.err},
			"link": &os.LinkError{Op: "rename", Old: "old", New: "data", Err: m.err},
			"data": &fs.PathError{Op: "stat", Path: "index.json", Err: m.err},
		} {
			if name == "link" {
				name = ""
			}
			if p, ok := describeSystem(name, err); !ok || p.Message != want || p.FixHint != m.hint || !errors.Is(p, m.err) {
				t.Errorf("%v: got %q and hint %q, want %q and hint %q", err, p.Message, p.FixHint, want, m.hint)
			}
		}
	}
	for _, m := range listenErrors {
		err := &net.OpError{Op: "listen", Net: "tcp", Addr: &net.TCPAddr{Port: 80}, Err: os.NewSyscallError("bind", m.err)}
		if m.err == fs.ErrPermission {
			err.Err = os.NewSyscallError("bind", syscall.EACCES)
		}
		if p, ok := describeSystem("", err); !ok || !strings.Contains(p.Message, ":80") || p.FixHint == "" {
			t.Errorf("%v: got %v, want a message about the address", err, p)
		}
	}
	dns := &net.OpError{Op: "listen", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
	if p, _ := describeSystem("", dns); !strings.Contains(p.Message, `"nowhere.invalid" is unknown`) {
		t.Errorf("got %v, want the host name", p)
	}
	full := failure{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}
	if p, _ := describeSystem("", full); p.Message != "The output cannot be written, because the disk is full." {
		t.Errorf("got %v", p)
	}
	if _, ok := describeSystem("", errors.New("other")); ok {
		t.Error("an error that is not of the system has a message")
	}
}
