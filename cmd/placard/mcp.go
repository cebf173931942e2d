package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"placard/internal/serve/mcpapi"
	"placard/internal/storage/catalog"
)

func newMCP() *cobra.Command {
	var releases releaseFlags
	var publicURL string
	cmd := &cobra.Command{
		Use:   "mcp [--source DIR | --store STORE] [--public-url URL]",
		Short: "Serve MCP over standard input and output",
		Long: `Mcp runs a Model Context Protocol server on standard input and output, one
message per line, for clients that start their servers themselves. It provides
the same tools as "placard serve" at /mcp, and exits at the end of its input.
Logs go to standard error.

Without --source or --store, it serves the built-in taxonomy; with either, it
follows changes. The tool get_icon_url returns URLs below --public-url, the URL
of a "placard serve" with the same releases; by default it returns data: URLs
that contain the icon.`,
		Example: `  placard mcp
  placard mcp --source taxonomy`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			log := errorLogger(cmd)
			if publicURL != "" && !isHTTPURL(publicURL) {
				return notAURL("--public-url", publicURL)
			}
			store, err := releases.open(log)
			if err != nil {
				return err
			}
			c := catalog.New(store, releases.catalogOptions(log))
			return failureOf(serveStream(cmd, c, publicURL, log))
		},
	}
	releases.add(cmd)
	cmd.Flags().StringVar(&publicURL, "public-url", "", "`URL` of a server with the same releases, for icon URLs")
	return cmd
}

// serveStream runs the catalog and the MCP server until the input ends or the
// command's context is done.
func serveStream(cmd *cobra.Command, c *catalog.Catalog, publicURL string, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	go c.Run(ctx) // see serve
	select {
	case <-c.Loaded():
	case <-ctx.Done():
	}
	s := mcpapi.New(mcpapi.Options{Catalog: c, Version: versionText(), PublicURL: publicURL, Log: log})
	err := s.ServeStream(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
