package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// interruptGrace is the time that a command has to return after a signal.
// Afterwards, the process exits without waiting for it.
const interruptGrace = 500 * time.Millisecond

// interruption is the cause of a context that was canceled by a signal.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return fmt.Sprintf("interrupted by signal: %v", i.signal) }

// Is makes an interruption a [context.Canceled].
func (i interruption) Is(target error) bool { return target == context.Canceled }

// interruptedNote is the annotation of commands that change a store, or write an
// export. It says in which state an interrupted command leaves them.
const interruptedNote = "interrupted"

// nothingChanged is the note of commands that make one change at their end.
const nothingChanged = "Nothing was changed."

// abandonedError is the cause of an interruption of a command that did not return in
// time.
type abandonedError struct{ error }

func (e abandonedError) Unwrap() error { return e.error }

// printInterruption prints the note of an interrupted command, if it has one. A command
// that did not return in time may still have made its change.
func printInterruption(w io.Writer, cmd *cobra.Command, err error) {
	note := cmd.Annotations[interruptedNote]
	if note == "" {
		return
	}
	if note == nothingChanged && errors.As(err, new(abandonedError)) {
		note = `The store may have been changed: "placard history" shows its last change.`
	}
	printMessage(w, "Interrupted. "+note, "")
}

// status returns the status that a shell reports for a process killed by the
// signal.
func (i interruption) status() int {
	number, _ := i.signal.(syscall.Signal)
	return 128 + int(number)
}

// handleSignals calls cancel at the first signal and exit at the second. With
// [signal.NotifyContext], a second signal would be lost if it arrived before the
// default behaviour is restored.
func handleSignals(signals <-chan os.Signal, cancel context.CancelCauseFunc, exit func(status int)) {
	cancel(interruption{<-signals})
	exit(interruption{<-signals}.status())
}

// interruptible makes a command return shortly after a signal, even while it
// waits for a file or computes.
func interruptible(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return runInterruptible(cmd.Context(), interruptGrace, func() error { return run(cmd, args) })
	}
	return cmd
}

// runInterruptible calls f and returns its error. If f is still running when ctx
// has been done for the duration of grace, runInterruptible returns the cause.
// The caller must then exit: a read of a FIFO or of a stalled file system cannot
// be canceled, and f may continue.
func runInterruptible(ctx context.Context, grace time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return abandonedError{context.Cause(ctx)}
	}
}
