package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"placard.dev/catalog"
	"placard.dev/httpapi"
	"placard.dev/server"
)

func newServe() *cobra.Command {
	var addr string
	var releases releaseFlags
	cmd := &cobra.Command{
		Use:   "serve [--addr HOST:PORT] [--source DIR | --store DIR]",
		Short: "Serve releases over HTTP",
		Long: `Serve answers the REST API on the given address, until it is told to stop.

Without --source and --store it serves the built-in taxonomy. With --store it
serves what is published there, and follows what is published later. With
--source it compiles an authoring tree and follows its changes: a faulty edit
keeps the last good release and logs the findings.

/healthz says whether the process lives, /readyz whether it can answer.`,
		Example: `  placard serve
  placard serve --addr 127.0.0.1:9000 --source taxonomy
  placard serve --addr :8080 --store /srv/placard`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			source, err := releases.open(log)
			if err != nil {
				return err
			}
			listener, err := net.Listen("tcp", addr)
			if err != nil {
				return failure{err}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Placard listens on http://%s\n", listener.Addr())
			if err := serve(cmd.Context(), listener, source, log); err != nil {
				return failure{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	releases.add(cmd)
	return cmd
}

// serve runs the catalog and the server until ctx ends.
func serve(ctx context.Context, listener net.Listener, releases catalog.Store, log *slog.Logger) error {
	c := catalog.New(releases, catalog.Options{Poll: 500 * time.Millisecond, Log: log})
	group, ctx := errgroup.WithContext(ctx)
	loaded := make(chan struct{})
	group.Go(func() error {
		// A failure is logged, and Run tries again.
		_ = c.Refresh(ctx)
		close(loaded)
		return c.Run(ctx)
	})
	group.Go(func() error {
		// Callers who come before the first releases are loaded wait a little
		// rather than get an error.
		select {
		case <-loaded:
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
		return server.Run(ctx, listener, server.Options{
			Handler: httpapi.New(httpapi.Options{Catalog: c, Log: log}),
			Ready:   func() error { return ready(c) },
			Log:     log,
		})
	})
	return group.Wait()
}

// ready says why nothing can be served yet.
func ready(c *catalog.Catalog) error {
	snapshot, err := c.Current()
	if err != nil {
		return err
	}
	if len(snapshot.Releases()) == 0 {
		return errors.New("no release is published")
	}
	return nil
}
