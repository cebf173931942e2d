package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/show/iconpack"
)

func newIcons() *cobra.Command {
	var flags releaseFlags
	var options iconpack.Options
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "icons VERSION --out DIR|FILE.zip",
		Short: "Write the icons of a release as a folder or a zip archive",
		Long: `Icons writes a pack with every icon of a release in every variant, its symbols, a
page that shows all icons, index.html, and an index for programs, index.json.
VERSION is an id or an alias. Without --source or --store, the built-in releases
are used. With --png, the pack also has the icons as PNG images.

If --out ends in .zip, the pack is a zip archive; if it is -, the archive goes to
standard output. Otherwise it is a folder, which must be new, empty or a pack: the
files of an earlier pack are replaced, even edited ones, and a folder with any
other file is an error. The same release and flags always give the same bytes.`,
		Example: `  placard icons place@latest -o icons.zip
  placard icons place@latest -o icons --png 24,48,96
  placard icons place@beta -o icons --variant default,dark --store /srv/placard`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case out == "":
				return errNoOut
			case out == "-" && asJSON:
				return problem.Failure("--json and --out - both use standard output.").Hint("Write the pack to a file.")
			case out == "-" && terminalOf(cmd.OutOrStdout()) != nil:
				return problem.Failure("Standard output is a terminal.").Hint("Write the pack to a file.")
			}
			if err := checkLocal("--out", out); err != nil {
				return err
			}
			rs, r, err := flags.loadRelease(cmd, "", args[0])
			if err != nil {
				return err
			}
			pack, err := iconpack.New(r, options)
			if p, ok := errors.AsType[problem.Problem](err); ok && p.Code != "" {
				return rs.failure(err)
			}
			if err != nil {
				return prefixed("--png", err)
			}
			w := packWriter{pack: pack, step: cmd.Context().Err, progress: progressFrom(cmd.Context())}
			switch {
			case out == "-":
				err = pack.Zip(cmd.OutOrStdout(), w.step)
			case strings.EqualFold(filepath.Ext(out), ".zip"):
				err = w.archive(out)
			default:
				err = w.folder(out)
			}
			switch {
			case err != nil:
				return failure{err}
			case out == "-":
				return nil
			case asJSON:
				return printJSON(cmd.OutOrStdout(), packJSON{true, r.ID(), r.Hash(), out, len(pack.Files()), w.bytes})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", r.ID(), problem.Count(len(pack.Files()), "file"), out)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the pack to the folder or zip archive `NAME` (required)")
	cmd.Flags().StringSliceVar(&options.Variants, "variant", nil, "pack only the variants `NAMES`: default, dark or context values (default all)")
	cmd.Flags().IntSliceVar(&options.Sizes, "png", nil, "add PNG images with these `WIDTHS` in pixels, from 8 to 2048")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	mustMarkRequired(cmd, "out")
	return cmd
}

// packJSON is the output of icons --json.
type packJSON struct {
	OK          bool        `json:"ok"`
	Version     taxonomy.ID `json:"version"`
	ContentHash string      `json:"content_hash"`
	Out         string      `json:"out"`
	Files       int         `json:"files"`
	Bytes       int64       `json:"bytes"`
}

// packWriter writes a pack to the file system.
type packWriter struct {
	pack     *iconpack.Pack
	step     func() error
	progress *progress
	bytes    int64 // written so far
}

// archive writes the pack to a zip archive, which may exist.
func (w *packWriter) archive(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return problem.Failure("%q is not a file.", name).Hint("Choose another --out.")
	}
	w.progress.show("Writing %s", name)
	err := rewrite(name, func(out io.Writer) error { return w.pack.Zip(out, w.step) })
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	w.bytes = info.Size()
	return nil
}

// folder writes the pack to a temporary folder and renames it to dir.
func (w *packWriter) folder(dir string) error {
	if dir = filepath.Clean(dir); dir == "." {
		return problem.Failure("The current folder cannot be replaced.").Hint("Choose a folder in it.")
	}
	if err := checkPackReplaceable(dir); err != nil {
		return err
	}
	return replaceFolder(dir, func(staged string) error {
		files := w.pack.Files()
		for i, f := range files {
			w.progress.show("Writing %s: %d of %s", dir, i+1, problem.Count(len(files), "file"))
			data, err := f.Data(w.step)
			if err != nil {
				return err
			}
			if err := writeFile(filepath.Join(staged, filepath.FromSlash(f.Name)), data); err != nil {
				return err
			}
			w.bytes += int64(len(data))
			if err := w.step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkPackReplaceable returns an error if dir contains anything but a pack.
func checkPackReplaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(dir, iconpack.IndexFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	own, ok := iconpack.FilesOf(index)
	if !ok {
		return problem.Failure("%q is not empty and is not a pack of icons.", dir).Hint("Choose another --out.")
	}
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err == nil && !own[filepath.ToSlash(relative)] {
			err = problem.Failure("%q is not part of the pack.", name).Hint("Move it elsewhere, or choose another --out.")
		}
		return err
	})
}
