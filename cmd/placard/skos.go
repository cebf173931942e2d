package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/show/skos"
)

func newSKOS() *cobra.Command {
	var flags releaseFlags
	var publicURL, out string
	cmd := &cobra.Command{
		Use:   "skos VERSION --public-url URL",
		Short: "Write a release as linked data (SKOS)",
		Long: `Skos writes a release as a SKOS concept scheme, for registries of vocabularies and
other programs: as JSON-LD if --out ends in .jsonld, and as Turtle otherwise.
VERSION is an id or an alias. Without --source or --store, the built-in releases
are used.

Concepts have the addresses of the pages about them below --public-url, the URL at
which the taxonomy is served. They do not contain the version, so they remain the
same in later releases.`,
		Example: `  placard skos place@latest --public-url https://placard.example -o place.ttl
  placard skos place@beta --public-url https://placard.example --store /srv/placard -o place.jsonld`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isHTTPURL(publicURL) {
				return notAURL("--public-url", publicURL)
			}
			_, r, err := flags.loadRelease(cmd, "", args[0])
			if err != nil {
				return err
			}
			syntax := skos.Turtle
			if strings.EqualFold(filepath.Ext(out), ".jsonld") {
				syntax = skos.JSONLD
			}
			return writeOutput(cmd, out, skos.Write(syntax, r.Taxonomy, strings.TrimSuffix(publicURL, "/")+"/"))
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&publicURL, "public-url", "", "`URL` at which the taxonomy is served (required)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the document to `FILE` (default standard output)")
	mustMarkRequired(cmd, "public-url")
	return cmd
}
