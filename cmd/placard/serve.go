package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"placard.dev/builtin"
	"placard.dev/catalog"
	"placard.dev/httpapi"
	"placard.dev/server"
	"placard.dev/store"
)

// serveFlags are the flags of placard serve.
type serveFlags struct {
	addr   string
	source string
	store  string
}

func newServe() *cobra.Command {
	var f serveFlags
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
			source, err := f.open(log)
			if err != nil {
				return err
			}
			listener, err := net.Listen("tcp", f.addr)
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
	cmd.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	cmd.Flags().StringVar(&f.source, "source", "", "serve this authoring tree, following its changes")
	cmd.Flags().StringVar(&f.store, "store", "", "serve what is published in this store")
	cmd.MarkFlagsMutuallyExclusive("source", "store")
	return cmd
}

// open returns the store that the flags name.
func (f serveFlags) open(log *slog.Logger) (catalog.Store, error) {
	switch {
	case f.source != "":
		info, err := os.Stat(f.source)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s is not a folder", f.source)
		}
		return catalog.NewTree(os.DirFS(f.source), log), nil
	case f.store != "":
		return store.OpenFolder(f.store), nil
	}
	return builtin.Store(), nil
}

// serve runs the catalog and the server until ctx ends.
func serve(ctx context.Context, listener net.Listener, releases catalog.Store, log *slog.Logger) error {
	c := catalog.New(releases, catalog.Options{Poll: 500 * time.Millisecond, Log: log})
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.Run(ctx) })
	group.Go(func() error {
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
