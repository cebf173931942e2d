package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"placard/internal/core/docschema"
	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// datachainSchema is the name of the schema of the documents of a release.
const datachainSchema = "datachain"

func newSchema() *cobra.Command {
	var flags releaseFlags
	var write string
	var asJSON bool
	names := append(authoringNames(), datachainSchema)
	cmd := &cobra.Command{
		Use:   "schema FILE [VERSION]",
		Short: "Print the JSON Schema of a file, or write those of a tree for editors",
		Long: `Schema prints a JSON Schema, with which an editor completes and checks a file while
you write it. FILE is meta, type, category or element, for the YAML files of an
authoring tree, or datachain, for the documents of a release.

With --source, the schema of a YAML file also has the ids and locales of the
release: DIR is a release folder, or a tree with its newest release. The schema of
documents needs a VERSION, an id or an alias. Without --source or --store, the
built-in releases are used.

With --write, schema writes the schemas of the YAML files to the folder .schema of
every release in DIR, and adds a comment that names the schema to every YAML file
without one. The content of the releases does not change. Run it again when ids
or locales have changed; placard check --watch also updates the schemas.`,
		Example: `  placard schema element
  placard schema element --source taxonomy/place/2026-06-01-stable
  placard schema --write taxonomy
  placard schema datachain place@latest > place.schema.json`,
		ValidArgs: names,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("write") {
				if len(args) > 0 {
					return problem.Failure("--write writes the schemas of all YAML files, so it takes no FILE.").
						Hint("Omit %s.", strconv.Quote(problem.Clip(args[0])))
				}
				return nil
			}
			return checkSchemaArgs(args, names)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return writeSchemas(cmd, write, asJSON)
			case asJSON:
				return problem.Failure("--json describes what --write has written.").Hint("Schemas are JSON already; remove --json.")
			case args[0] == datachainSchema:
				return printDatachainSchema(cmd, flags, args[1])
			case flags.store != "" && flags.store != os.Getenv(envName("store")): // a variable is for all commands
				return problem.Failure("--store has no YAML files.").Hint("Use --source, or placard schema datachain VERSION.")
			}
			outline, err := outlineOf(flags.source)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(docschema.Authoring(docschema.AuthoringFile(args[0]), outline))
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&write, "write", "", "write the schemas of the releases in the authoring tree in `DIR`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --write, print JSON")
	cmd.MarkFlagsMutuallyExclusive("write", "source")
	cmd.MarkFlagsMutuallyExclusive("write", "store")
	return cmd
}

func authoringNames() []string {
	var names []string
	for _, file := range docschema.AuthoringFiles {
		names = append(names, string(file))
	}
	return names
}

// checkSchemaArgs checks that args are the name of a schema and, for documents, a
// version.
func checkSchemaArgs(args, names []string) error {
	switch {
	case len(args) == 0 || !slices.Contains(names, args[0]):
		return problem.Failure(`"placard schema" needs the name of a file.`).Hint("Use %s, or --write DIR.", problem.OneOf(names))
	case len(args) != 1 && args[0] != datachainSchema, len(args) != 2 && args[0] == datachainSchema:
		return problem.Failure("The schema of documents needs a version, and others have none.").Hint("For example, run: placard schema datachain place@latest")
	}
	return nil
}

func printDatachainSchema(cmd *cobra.Command, flags releaseFlags, version string) error {
	_, r, err := flags.loadRelease(cmd, "", version)
	if err != nil {
		return err
	}
	schema, err := r.DatachainSchema(cmd.Context().Err)
	if err != nil {
		return failure{err}
	}
	_, err = cmd.OutOrStdout().Write(schema)
	return err
}

// outlineOf returns the outline of the release in dir: a release folder, or a tree
// with releases of one type. It is nil if dir is empty.
func outlineOf(dir string) (*taxonomy.Taxonomy, error) {
	if dir == "" {
		return nil, nil
	}
	t, err := openTree(dir)
	if err != nil {
		return nil, err
	}
	id, err := t.single(dir, "")
	if err != nil {
		return nil, err
	}
	return t.outline(id)
}

// outline returns the outline of a release, which may have errors.
func (t tree) outline(id taxonomy.ID) (*taxonomy.Taxonomy, error) {
	outline := source.Outline(t.fsys, id)
	if outline == nil {
		return nil, problem.Failure("%q cannot be read.", filepath.Join(t.dir, filepath.FromSlash(id.Folder()))).
			Hint("\"placard check %s\" says why.", shellWord(t.dir))
	}
	return outline, nil
}

// writtenSchemas is the result of writing the schemas of one release.
type writtenSchemas struct {
	Release   taxonomy.ID `json:"release"`
	Folder    string      `json:"folder"`
	Schemas   int         `json:"schemas"`   // schema files that were written
	Commented int         `json:"commented"` // YAML files that got a comment
}

// writeSchemas writes the schemas of the releases in dir and adds the comments that
// name them.
func writeSchemas(cmd *cobra.Command, dir string, asJSON bool) error {
	if dir == "" {
		return problem.Failure("--write is empty.").Hint("Write --write DIR, with the folder of an authoring tree.")
	}
	t, err := openTree(dir)
	if err != nil {
		return err
	}
	ids, _ := t.releases()
	if len(ids) == 0 {
		return noRelease(dir)
	}
	all := []writtenSchemas{}
	for i, id := range ids {
		progressFrom(cmd.Context()).show("Writing the schemas of %s: %d of %d", id, i+1, len(ids))
		if err := cmd.Context().Err(); err != nil {
			return failure{err}
		}
		outline, err := t.outline(id)
		if err != nil {
			return failure{err}
		}
		written := writtenSchemas{Release: id, Folder: filepath.Join(t.dir, filepath.FromSlash(id.Folder()))}
		if err := os.MkdirAll(filepath.Join(written.Folder, docschema.SchemaFolder), 0o777); err != nil {
			return failure{err}
		}
		if written.Schemas, err = writeSchemaFiles(written.Folder, outline); err != nil {
			return failure{err}
		}
		if written.Commented, err = addSchemaComments(written.Folder); err != nil {
			return failure{err}
		}
		all = append(all, written)
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), struct {
			OK       bool             `json:"ok"`
			Releases []writtenSchemas `json:"releases"`
		}{true, all})
	}
	for _, w := range all {
		outcome := "unchanged"
		if w.Schemas+w.Commented > 0 {
			outcome = "written"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%-9s  %s  %s, %s\n", outcome, w.Release, problem.Count(w.Schemas, "schema"), problem.Count(w.Commented, "comment"))
	}
	return nil
}
