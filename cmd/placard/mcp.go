package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"placard/internal/catalog"
	"placard/internal/mcpapi"
)

func newMCP() *cobra.Command {
	var releases releaseFlags
	var publicURL string
	cmd := &cobra.Command{
		Use:   "mcp [--source DIR | --store DIR] [--public-url URL]",
		Short: "Serve agents over standard input and output",
		Long: `Mcp answers the Model Context Protocol on standard input and output, one
message to a line, for programs that run their servers themselves. It offers
what "placard serve" offers at /mcp, and ends when its input does. Logs go to
standard error.

Without --source and --store it serves the built-in taxonomy; with either it
follows changes. get_icon_url gives addresses below --public-url, where a
"placard serve" answers; without it, addresses that hold the icon itself.`,
		Example: `  placard mcp
  placard mcp --source taxonomy`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			log := quietLog(cmd)
			if publicURL != "" && !isHTTP(publicURL) {
				return fmt.Errorf("--public-url: %q is not a URL such as https://placard.example", publicURL)
			}
			from, err := releases.open(log)
			if err != nil {
				return err
			}
			if err := serveStream(cmd, from, publicURL, log); err != nil {
				return failure{err}
			}
			return nil
		},
	}
	releases.add(cmd)
	cmd.Flags().StringVar(&publicURL, "public-url", "", "`URL` of a server with the same releases, for addresses in answers")
	return cmd
}

// errEnded stops the catalog when there is nobody left to serve.
var errEnded = errors.New("the input has ended")

// serveStream runs the catalog and answers until the input or the context ends.
func serveStream(cmd *cobra.Command, releases catalog.Store, publicURL string, log *slog.Logger) error {
	c := catalog.New(releases, catalog.Options{Poll: 500 * time.Millisecond, Log: log})
	// The first message may come at once, and finds the releases then. What
	// goes wrong is logged, and tried again.
	_ = c.Refresh(cmd.Context())
	s := mcpapi.New(mcpapi.Options{Catalog: c, Version: versionText(), PublicURL: publicURL, Log: log})
	group, ctx := errgroup.WithContext(cmd.Context())
	group.Go(func() error { return c.Run(ctx) })
	group.Go(func() error {
		err := s.ServeStream(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
		if err == nil {
			return errEnded
		}
		return err
	})
	err := group.Wait()
	if errors.Is(err, errEnded) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
