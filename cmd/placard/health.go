package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/storage/catalog"
)

func newHealth() *cobra.Command {
	var f healthFlags
	cmd := &cobra.Command{
		Use:   "health [--addr HOST:PORT | --admin-addr HOST:PORT] [flags]",
		Short: "Check whether a server on this machine is ready",
		Long: `Health asks a running "placard serve" on this machine whether it can serve
requests, and exits with status 0 if it can. It is meant for health checks in
images without a shell or curl.

Its flags have the names that they have for serve, so in the environment of the
server it needs none. The admin address is asked if there is one, because
--allowed-hosts does not apply to it.

A server that serves some releases out of date is ready, and is reported as
degraded, with the reasons. With --live, health only checks that the process responds.`,
		Example: `  placard health
  placard health --addr :9000 --live
  PLACARD_ADMIN_ADDR=:9090 placard health --timeout 1s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.addr, "addr", defaultAddr, "`address` of the server")
	flags.StringVar(&f.adminAddr, "admin-addr", "", "admin `address` of the server, instead of --addr (default none)")
	flags.BoolVar(&f.live, "live", false, "check only that the process responds")
	flags.DurationVar(&f.timeout, "timeout", 2*time.Second, "time limit for the response")
	return cmd
}

// healthFlags are the flags of placard health.
type healthFlags struct {
	addr, adminAddr string
	live            bool
	timeout         time.Duration
}

func (f *healthFlags) run(cmd *cobra.Command) error {
	flag, addr := "addr", f.addr
	if f.adminAddr != "" {
		flag, addr = "admin-addr", f.adminAddr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" || port == "0" {
		return problem.Failure("--%s: %q is not the address of a server.", flag, problem.Clip(addr)).
			Hint("Use host:port or :port, with the port of the server.")
	}
	if f.timeout <= 0 {
		return problem.Failure("--timeout: %v is not positive.", f.timeout)
	}
	// A server that listens on all addresses also listens on the loopback address.
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	path := "/readyz"
	if f.live {
		path = "/healthz"
	}
	status, err := f.ask(cmd.Context(), "http://"+net.JoinHostPort(host, port)+path)
	if err != nil {
		return failure{err}
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), status)
	return err
}

// ask returns the state of the server with the given health URL, or an error if it
// is not healthy.
func (f *healthFlags) ask(ctx context.Context, url string) (state string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.timeout, problem.Failure("%s did not respond within %v.", url, f.timeout))
	defer cancel()
	defer func() {
		// The parent's cause is the signal that interrupts the command.
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	// Neither proxies nor redirects: the answer must come from the server itself.
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return "", problem.Failure("%s cannot be reached: %v.", url, rootCause(err)).
			Hint(`Check that "placard serve" is running, and --addr or --admin-addr.`)
	}
	defer resp.Body.Close()
	const maxResponse = 1 << 20
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return "", problem.Failure("%s sent an incomplete response: %v.", url, rootCause(err))
	}
	var answer struct {
		OK       bool                      `json:"ok"`
		Degraded []catalog.DegradedRelease `json:"degraded"`
		Errors   []struct {
			Message string `json:"message"`
			FixHint string `json:"fix_hint"`
		} `json:"errors"`
	}
	err = json.Unmarshal(body, &answer)
	switch {
	case err == nil && !answer.OK && len(answer.Errors) > 0:
		return "", problem.Failure("%s says: %s", url, answer.Errors[0].Message).Hint("%s", answer.Errors[0].FixHint)
	case err != nil || !answer.OK || resp.StatusCode != http.StatusOK:
		return "", problem.Failure("%s sent an unexpected response with status %d.", url, resp.StatusCode).
			Hint("Check that the address is that of a Placard server.")
	case f.live:
		return "alive", nil
	case len(answer.Degraded) > 0:
		state = "ready, degraded"
		for _, d := range answer.Degraded {
			state += "\n" + printable(d.Summary())
		}
		return state, nil
	}
	return "ready", nil
}

// rootCause returns the innermost error that err wraps.
func rootCause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
