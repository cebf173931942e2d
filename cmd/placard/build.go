package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

func newBuild() *cobra.Command {
	var out string
	var strict strictFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "build DIR --out DIR",
		Short: "Compile an authoring tree into releases",
		Long: `Build checks the authoring tree in DIR, or a single release folder in it, and
writes each compiled release to <out>/<type>/<date>-<status>. Builds are
reproducible: the same tree always produces the same files. An existing release
is replaced as a whole. If the tree has errors, nothing is written.`,
		Example: `  placard build taxonomy --out compiled
  placard build taxonomy --out compiled --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return errNoOut
			}
			if err := checkLocal("--out", out); err != nil {
				return err
			}
			t, err := openTree(args[0])
			if err != nil {
				return err
			}
			releases, warnings, err := compile(cmd, t, args[0], strict, "written", asJSON)
			if err != nil {
				return err
			}
			var built []builtRelease
			for i, r := range releases {
				progressFrom(cmd.Context()).show("Writing %s: %d of %d", r.ID(), i+1, len(releases))
				if err := cmd.Context().Err(); err != nil {
					return failure{err}
				}
				dir := filepath.Join(out, filepath.FromSlash(r.ID().Folder()))
				if err := writeRelease(dir, r); err != nil {
					return failure{err}
				}
				built = append(built, builtRelease{r.ID(), r.Hash(), dir})
				if !asJSON {
					fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", r.ID(), r.Hash(), dir)
				}
			}
			if !asJSON {
				return nil
			}
			return printJSON(cmd.OutOrStdout(), struct {
				OK       bool           `json:"ok"`
				Releases []builtRelease `json:"releases"`
				Warnings problem.List   `json:"warnings"`
			}{true, built, warnings.Render(sentence)})
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write releases to `DIR` (required)")
	strict.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	mustMarkRequired(cmd, "out")
	return cmd
}

var errNoOut = problem.Failure("--out is empty.").Hint("Write --out DIR.")

// builtRelease describes a compiled release in the JSON output.
type builtRelease struct {
	ID          taxonomy.ID `json:"id"`
	ContentHash string      `json:"content_hash"`
	Folder      string      `json:"folder"`
}

// writeRelease writes the files of r to a temporary folder and renames it to dir.
func writeRelease(dir string, r *release.Release) error {
	files, err := r.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	if err := checkReplaceable(dir); err != nil {
		return err
	}
	return replaceFolder(dir, func(staged string) error {
		for name, data := range files {
			if err := writeFile(filepath.Join(staged, filepath.FromSlash(name)), data); err != nil {
				return err
			}
		}
		return nil
	})
}

// replaceFolder replaces dir, which need not exist, by a folder that write fills.
// If write fails or the program is killed, dir stays as it was.
func replaceFolder(dir string, write func(staged string) error) error {
	staged, err := os.MkdirTemp(filepath.Dir(dir), ".placard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	if err := write(filepath.Join(staged, "new")); err != nil {
		return err
	}
	old := filepath.Join(staged, "old")
	if err := os.Rename(dir, old); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(filepath.Join(staged, "new"), dir); err != nil {
		if restoreErr := os.Rename(old, dir); !os.IsNotExist(restoreErr) {
			err = errors.Join(err, restoreErr)
		}
		return err
	}
	return nil
}

// writeFile writes a file, and creates its folder if necessary.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// checkReplaceable returns an error if dir contains anything but a release.
func checkReplaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, release.HeaderFile)); err != nil {
		return problem.Failure("%q is not empty and is not a release.", dir).Hint("Choose another --out.")
	}
	for _, e := range entries {
		if !release.IsFile(e.Name()) {
			return problem.Failure("%q is not part of a release.", filepath.Join(dir, e.Name())).Hint("Remove it, or choose another --out.")
		}
	}
	return nil
}
