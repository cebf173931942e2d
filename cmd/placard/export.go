package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	embedded "placard"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/export"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/server"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

func newExport() *cobra.Command {
	var flags releaseFlags
	var out, publicURL string
	var all, dryRun, apiOnly, asJSON bool
	cmd := &cobra.Command{
		Use:   "export VERSION... --out DIR|s3://BUCKET/PREFIX",
		Short: "Write the responses of the API and the pages as files, for a CDN or a bucket",
		Long: `Export writes the responses to all GET requests that need no query to files with
the same paths and bytes, so that a CDN, a bucket or a web server can serve them,
and only searches, documents and MCP need "placard serve". It also writes every page
of the lists of all elements, of each category, and of all elements with all fields.

Export also writes the pages for people: explorer, examples and documentation, in
all languages, without searches and PNG pictures. They must be at the root of their
host. --api-only leaves them out.

VERSION is an id or an alias. A release is exported under its id and all its
aliases, and the list of versions contains exactly the exported releases. With
--all, all releases are exported. Without --source or --store, the built-in
releases are used.

In a folder, _headers and _redirects contain the headers and paths of the responses
for Netlify and Cloudflare Pages. In a bucket, the objects have them.
The folder must be new, empty or an export: the files of an earlier
export are replaced or removed, and any other file, unless it is hidden, is an error.
export.json lists the files. After an interruption, run the command again. With
--dry-run, the files that would be written and removed are listed.

A bucket must have no other objects below PREFIX at the first export.

Pages that the API refuses, such as icons.zip above 4 MiB, are left out and reported.`,
		Example: `  placard export place@latest -o site
  placard export place@latest -o site --public-url https://placard.example
  placard export --all -o site --store /srv/placard
  placard export place@beta -o site --dry-run
  placard export place@latest place@beta -o 's3://www.example.org?region=us-east-1'`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return problem.Failure("--all exports every release.").Hint("Write either versions or --all.")
			case !all && len(args) == 0:
				return problem.Failure("No version is given.").Hint("Write one or more versions, or --all.")
			}
			return nil
		},
		Annotations: map[string]string{interruptedNote: "Every exported file is complete. Run the command again to finish the export."},
		RunE: func(cmd *cobra.Command, args []string) error {
			if publicURL != "" && !isHTTPURL(publicURL) {
				return notAURL("--public-url", publicURL)
			}
			target, err := openTarget(out)
			if err != nil {
				return err
			}
			rs, err := flags.load(cmd, "")
			if err != nil {
				return err
			}
			ids, err := rs.exported(args)
			if err != nil {
				return err
			}
			report, err := rs.export(cmd.Context(), target, ids, out, publicURL, dryRun, apiOnly)
			if err != nil {
				return failure{err}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), exportJSON{true, dryRun, ids, out, report})
			}
			for _, name := range report.WrittenNames {
				fmt.Fprintf(cmd.OutOrStdout(), "write   %s\n", name)
			}
			for _, name := range report.RemovedNames {
				fmt.Fprintf(cmd.OutOrStdout(), "remove  %s\n", name)
			}
			for _, l := range report.LeftOut {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s is left out: %s\n", l.Path, l.Message)
			}
			for _, note := range report.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), note)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s, %s (%s) in %s: %d written, %d unchanged, %d removed.\n",
				problem.Count(len(ids), "release"), problem.Count(report.Files, "file"), describeSize(report.Bytes), out,
				report.Written, report.Unchanged, report.Removed)
			if dryRun {
				fmt.Fprintln(cmd.OutOrStdout(), "Dry run: nothing was changed.")
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the files to the folder or bucket `NAME` (required)")
	cmd.Flags().BoolVar(&all, "all", false, "export all releases")
	cmd.Flags().BoolVar(&apiOnly, "api-only", false, "leave out the pages for people")
	cmd.Flags().StringVar(&publicURL, "public-url", "", "`URL` of the host, for search engines and printed pages")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "list the files that would be written and removed, and change nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	mustMarkRequired(cmd, "out")
	return cmd
}

// exportJSON is the output of export --json.
type exportJSON struct {
	OK       bool          `json:"ok"`
	DryRun   bool          `json:"dry_run"`
	Versions []taxonomy.ID `json:"versions"`
	Out      string        `json:"out"`
	*export.Report
}

// openTarget returns the target of an export, a value of --out.
func openTarget(out string) (export.Target, error) {
	switch {
	case out == "":
		return nil, errNoOut
	case store.IsAddress(out):
		return export.Bucket(out)
	}
	return export.Folder(out), nil
}

// exported returns the ids of the releases with the given names, or of all releases if
// there are no names, in the order of the index.
func (rs *releases) exported(names []string) ([]taxonomy.ID, error) {
	if len(names) == 0 {
		for _, v := range rs.Versions() {
			names = append(names, v.ID.String())
		}
		if len(names) == 0 {
			return nil, failure{errors.New(nothingPublished(rs.flags.store, rs.Index()))}
		}
	}
	selected := make(map[taxonomy.ID]bool)
	for _, name := range names {
		r, err := rs.lookup("", name)
		if err != nil {
			return nil, err
		}
		selected[r.ID()] = true
	}
	var ids []taxonomy.ID
	for _, v := range rs.Versions() {
		if selected[v.ID] {
			ids = append(ids, v.ID)
		}
	}
	return ids, nil
}

// export writes the responses of a server about the given releases. It has the
// headers of a server with the default settings.
func (rs *releases) export(ctx context.Context, target export.Target, ids []taxonomy.ID, out, publicURL string, dryRun, apiOnly bool) (*export.Report, error) {
	isListed := func(id taxonomy.ID) bool { return slices.Contains(ids, id) }
	log := slog.New(slog.DiscardHandler)
	p := progressFrom(ctx)
	p.show("Reading %s", out)
	opts := export.Options{
		Handler: server.Handler(server.Options{
			Handler: httpapi.New(httpapi.Options{
				Catalog:   rs.catalog,
				Preview:   rs.flags.source != "",
				Unlimited: true,
				IsListed:  isListed,
				Log:       log,
			}),
			Log: log,
		}),
		DryRun:   dryRun,
		Progress: func(done, total int) { p.show("Writing %s: %d of %s", out, done, problem.Count(total, "file")) },
	}
	for r := range httpapi.Resources(rs.Snapshot, isListed) {
		opts.Resources = append(opts.Resources, export.Resource(r))
	}
	if !apiOnly {
		p.show("Reading the pages")
		if err := rs.addPages(ctx, &opts, ids, publicURL); err != nil {
			return nil, err
		}
	}
	return export.Export(ctx, target, opts)
}

// addPages adds the pages about the given releases to an export, including those at
// the addresses of concepts, which name no version. Pages without a language in their
// path are in that of the last release.
func (rs *releases) addPages(ctx context.Context, opts *export.Options, ids []taxonomy.ID, publicURL string) error {
	log := slog.New(slog.DiscardHandler)
	c := catalog.New(exportedStore{rs, ids}, catalog.Options{Log: log})
	if err := c.Refresh(ctx); err != nil {
		return err
	}
	pages := web.New(web.Options{Catalog: c, Version: versionText(), Docs: embedded.Docs, Examples: rs.flags.examples(), Static: true, Log: log})
	paths, language := []string{"/", "/favicon.ico"}, ""
	for _, id := range ids {
		r, err := rs.Find(id.String())
		if err != nil {
			return err
		}
		for i := range r.Taxonomy.Elements {
			paths = append(paths, "/explore/"+id.Type+"/"+r.Taxonomy.Elements[i].ID)
		}
		paths, language = append(paths, "/explore/"+id.Type), r.DefaultLocale()
	}
	slices.Sort(paths)
	return opts.WithPages(ctx, export.Site{Handler: pages, Serves: pages.Serves, Param: "lang", Language: language, PublicURL: strings.TrimSuffix(publicURL, "/")}, slices.Compact(paths)...)
}

// exportedStore is a store with only the exported releases.
type exportedStore struct {
	rs  *releases
	ids []taxonomy.ID
}

// Index implements [catalog.Store].
func (s exportedStore) Index(context.Context) (*store.Index, error) {
	index := *s.rs.Index()
	index.Releases = slices.DeleteFunc(slices.Clone(index.Releases), func(e store.Entry) bool { return !slices.Contains(s.ids, e.ID) })
	return &index, nil
}

// Load implements [catalog.Store].
func (s exportedStore) Load(_ context.Context, e store.Entry) (*release.Release, error) {
	return s.rs.Find(e.ID.String())
}
