package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

func newCopy() *cobra.Command {
	var singleWriter, asJSON bool
	cmd := &cobra.Command{
		Use:   "copy STORE STORE",
		Short: "Copy a store, for a backup or to move it",
		Long: `Copy makes the second store a copy of the first: every release, the journal and,
last, the index. Each of the two is a folder or s3://bucket/prefix. The second must
be empty or an earlier copy of the first, and only what it lacks is copied, so an
interrupted copy continues where it stopped. Every release is verified after it is
written. Servers can follow either store at any time.`,
		Example: `  placard copy /srv/placard backup
  placard copy /srv/placard 's3://releases/public?region=us-east-1'`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := openExistingStore(args[0], store.Options{})
			if err != nil {
				return err
			}
			to, err := openStore(args[1], store.Options{SingleWriter: singleWriter})
			if err != nil {
				return err
			}
			show := progressFrom(cmd.Context())
			copied, err := to.CopyFrom(cmd.Context(), from, func(done, total int, e store.Entry) {
				show.show("Copying %s (%d of %d)", e.ID, done+1, total)
			})
			if err != nil {
				return storeFailure(args[0], err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), struct {
					OK       bool `json:"ok"`
					Copied   int  `json:"copied"`
					Present  int  `json:"present"`
					Records  int  `json:"records"`
					Revision int  `json:"revision"`
				}{true, copied.Releases, copied.Present, copied.Records, copied.Index.Journal.Revision})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s and %s copied, %s already there; %s is at revision %d.\n",
				problem.Count(copied.Releases, "release"), problem.Count(copied.Records, "record"), problem.Count(copied.Present, "release"),
				storeLabel(args[1]), copied.Index.Journal.Revision)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&singleWriter, "single-writer", false, "write to a bucket whose server has no conditional writes; only one process may do so at a time")
	return cmd
}
