// Command placard checks, compiles, publishes and serves taxonomies.
package main

//go:generate go test . -run (IsUpToDate|OnlyGrow)$ -update

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	_ "placard/internal/storage/store/s3store" // registers the scheme s3
)

// Exit statuses of every subcommand.
const (
	exitOK      = 0
	exitFailure = 1 // the command found errors, or failed
	exitUsage   = 2 // the command line or the environment is invalid
)

func main() { os.Exit(run()) }

// run executes the command line of the process and returns its exit status.
func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go handleSignals(signals, cancel, os.Exit)
	return execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := newProgress(stderr)
	defer p.stop()
	stderr = p.guard(stderr)
	root := newRoot()
	root.SetArgs(args)
	out := &output{w: p.guard(stdout)}
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(withProgress(ctx, p))
	var interrupted interruption
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &interrupted) {
		printInterruption(stderr, cmd, err)
		return interrupted.status()
	}
	if out.err != nil {
		err = failure{out.err}
	}
	var failed failure
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFailure // already printed
	case errors.Is(err, errUnreadable):
		return exitUsage // already printed
	case errors.As(err, &failed):
		problems := problemsOf(failed)
		if len(problems) == 0 || !printsJSON(cmd) || out.written || printFindingsJSON(out, problems, false) != nil {
			printError(stderr, failed.error)
		}
		return exitFailure
	}
	printError(stderr, err)
	if _, system := describeSystem("", err); !system {
		printUsageHint(stderr, cmd)
	}
	return exitUsage
}

// output records the first write error. Commands need not check every write,
// and still fail if their output is incomplete.
type output struct {
	w       io.Writer
	err     error
	written bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err, o.written = err, true
	return n, err
}

func (o *output) unwrap() io.Writer { return o.w }

func init() {
	// Help texts list the commands in the order of commandGroups.
	cobra.EnableCommandSorting = false
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "placard COMMAND",
		Short: "Publish taxonomies; validate, resolve and render disclosures written in them",
		Long: `Placard publishes versioned taxonomies, and validates, resolves and renders the
disclosure documents (datachains) written in them.

Flags can also be set in the environment: PLACARD_STORE sets --store, and
PLACARD_MAX_BODY sets --max-body. The command line takes precedence.

With --json, a command prints one JSON object. Its member ok is true if and only if
the exit status is 0; otherwise errors says why. Errors in the command line and of
the system are text on standard error, as without --json. check --watch prints one
object per line, and resolve prints findings to standard error.

Exit status: 0 success, 1 errors found or failure, 2 invalid usage. After SIGINT
or SIGTERM, commands exit within a second, with status 130 or 143 if they have not
finished; serve finishes requests first, and serve, mcp and check --watch exit
with status 0.`,
		Example: `  placard serve                                    # serve the built-in taxonomy
  placard new parks@2026-12-01                     # start a taxonomy
  placard check taxonomy                           # check an authoring tree
  placard publish taxonomy --store /srv/placard    # compile and publish it
  placard validate crossing.json                   # validate a datachain`,
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := setFromEnvironment(cmd, os.LookupEnv); err != nil {
				return err
			}
			return checkFlags(cmd)
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(describeFlag)
	root.SetVersionTemplate(versionLine())
	for _, group := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
			if cmd.Name() != "serve" { // which finishes requests first
				interruptible(cmd)
			}
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID(otherCommands)
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // InitDefaultHelpCmd has added it
	}
	help.Use = "help [COMMAND]"
	help.Short = "Print the help text of a command"
	help.Long = "Help prints the help text of a command, or a list of all commands."
	help.Example = "  placard help publish"
	help.Args = cobra.MaximumNArgs(2)
	help.Run = nil
	help.RunE = func(cmd *cobra.Command, args []string) error {
		described, rest, err := root.Find(args)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return unknownCommand(described, rest[0])
		}
		return described.Help()
	}
	addCompletion(root)
	checkArgs(root)
	return root
}

// commandGroup is a list of commands under a common title.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// otherCommands is the title of the last group, which also contains help.
const otherCommands = "Other commands"

// commandGroups returns new commands in the order of their use.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Write a taxonomy", []*cobra.Command{newNew(), newCheck(), newDiff(), newTranslate(), newSchema(), newBuild()}},
		{"Publish and maintain releases", []*cobra.Command{
			newPublish(), newPromote(), newRetire(), newRestore(), newAlias(), newList(), newShow(), newHistory(), newIcons(), newSKOS(), newExport(),
			newVerify(), newCopy(), newPrune(),
		}},
		{"Work with documents", []*cobra.Command{newValidate(), newUpgrade(), newResolve(), newRender(), newSign()}},
		{"Serve", []*cobra.Command{newServe(), newMCP(), newHealth()}},
		{otherCommands, []*cobra.Command{newExplain(), newCompletion(), newVersion()}},
	}
}

// errFindings is returned by commands that have printed their findings.
var errFindings = errors.New("findings")

// errUnreadable is returned by commands that have reported files that cannot be read.
var errUnreadable = errors.New("unreadable files")

// failure is an error during execution. Any other error is a usage error.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// failureOf returns err as a failure, or nil.
func failureOf(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}
