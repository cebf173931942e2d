// Command placard checks, compiles, publishes and serves taxonomies.
package main

//go:generate go test . -run (IsFresh|OnlyGrow)$ -update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses of every subcommand.
const (
	exitOK       = 0
	exitFindings = 1 // the work was done and found fault, or failed
	exitUsage    = 2 // the command line asks for something impossible
)

func main() { os.Exit(run()) }

// run is main without the exit, so that tests can call it.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &output{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if out.err != nil {
		err = failure{out.err}
	}
	var failed failure
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings // they have been printed
	case errors.As(err, &failed):
		printError(stderr, failed.error)
		return exitFindings
	}
	printError(stderr, err)
	fmt.Fprintln(stderr, `Run "placard help" or "placard help <command>" for usage.`)
	return exitUsage
}

// output remembers that something could not be written, so that commands need
// not look after each line and yet none of them ends well with half an answer.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "placard",
		Short: "Publish taxonomies; check, resolve and draw the disclosures written in them",
		Long: `Placard publishes versioned taxonomies and checks, resolves and draws the
disclosures (datachains) that people write in them.

Every flag can be set in the environment too: PLACARD_STORE stands for --store,
PLACARD_MAX_BODY for --max-body. The command line wins.

Exit status: 0 all is well, 1 findings or failure, 2 wrong usage.`,
		Example: `  placard serve                                    # serve the built-in taxonomy
  placard check taxonomy                           # find every fault in an authoring tree
  placard publish taxonomy --store /srv/placard    # compile it and publish it
  placard validate crossing.json                   # find every fault in a datachain`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return fromEnvironment(cmd, os.LookupEnv)
		},
	}
	root.AddCommand(
		newServe(), newMCP(), newCheck(), newBuild(), newPublish(), newList(),
		newValidate(), newResolve(), newRender(), newExplain(), newVersion(),
	)
	return root
}

// errFindings ends a command whose findings have been printed.
var errFindings = errors.New("findings")

// failure is an error of the work itself; any other is one of usage.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }
