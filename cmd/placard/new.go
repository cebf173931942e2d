package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"placard/internal/core/docschema"
	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// defaultTree is the authoring tree of new releases that continue no other.
const defaultTree = "taxonomy"

func newNew() *cobra.Command {
	var n newRelease
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new TYPE@DATE [DIR]",
		Short: "Start a taxonomy, or the next release of one",
		Long: `New creates the folder of a new release, a beta unless TYPE@DATE ends in -stable,
in the authoring tree DIR. It never changes existing files.

Without --from, the release is a small, commented taxonomy with an example
document, for you to change. Its texts are in English, French, Spanish or Japanese;
in other locales they are empty, and "placard check" reports them until they are
translated. With --from, the release is a copy of another one:

- A release folder, or the newest release of the type in a tree, is copied file by
  file. Examples pin the new release, and the notes of the old one are omitted.
- A published release is written as YAML and SVG files, without examples. VERSION
  is an id or an alias. Without --source or --store, the built-in releases are used.

DIR is created if necessary. By default, it is the tree that --from is in, or else
the folder "taxonomy".`,
		Example: `  placard new parks@2026-12-01
  placard new parks@2026-12-01 --locales en,fr
  placard new place@2026-12-01 --from taxonomy/place/2026-10-19-beta
  placard new place@2026-12-01 --from place@latest copy
  placard new place@2026-12-01 --from place@stable --store /srv/placard --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case n.from == "" && cmd.Flags().Changed("from"):
				return problem.Failure("--from is empty.").Hint("Write --from VERSION, or --from DIR.")
			case n.from != "" && cmd.Flags().Changed("locales"):
				return problem.Failure("--locales is for new taxonomies. A copy has the locales of the release that it is made from.").
					Hint("Copy the release without --locales, and add the locale to the list in its meta.yaml. \"placard check\" then lists the files that need a translation.")
			case len(args) > 1 && args[1] == "":
				return problem.Failure("DIR is empty.").Hint("Write the name of a folder, or omit it.")
			}
			now := time.Now()
			id, err := parseNewID(args[0], now)
			if err != nil {
				return err
			}
			n.id, n.created = id, now
			if err := n.read(cmd); err != nil {
				return err
			}
			if len(args) > 1 {
				n.dir = args[1]
			}
			if err := checkLocal("DIR", n.dir); err != nil {
				return err
			}
			if err := n.create(cmd.Context()); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), n.json())
			}
			return n.print(cmd)
		},
	}
	cmd.Flags().StringVar(&n.from, "from", "", "copy the release `VERSION|DIR`")
	cmd.Flags().StringSliceVar(&n.locales, "locales", []string{"en"}, "use these `LOCALES`, separated by commas")
	n.flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// newRelease is a release being created.
type newRelease struct {
	from    string // the value of --from
	locales []string
	flags   releaseFlags // select the release that from names

	id      taxonomy.ID
	created time.Time
	origin  taxonomy.ID // the release that is copied, or zero
	dir     string      // the root of the authoring tree
	content releaseWriter
	schemas bool     // write the schemas for editors
	files   []string // the files that were written, by their paths in the release folder
	remarks []string
}

// releaseWriter passes the files of a release to write and returns its first error.
// The names of files are relative to the release folder.
type releaseWriter func(write func(name string, data []byte) error) error

// writeAll writes the files of a map.
func writeAll(files map[string][]byte) releaseWriter {
	return func(write func(name string, data []byte) error) error {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := write(name, files[name]); err != nil {
				return err
			}
		}
		return nil
	}
}

// read sets the content of the release and the default of its tree.
func (n *newRelease) read(cmd *cobra.Command) error {
	n.dir = defaultTree
	if n.from == "" {
		for i, locale := range n.locales {
			n.locales[i] = strings.TrimSpace(locale)
		}
		files, err := source.Skeleton(n.id, n.locales)
		if err != nil {
			return prefixed("--locales", err)
		}
		n.setFiles(files)
		return nil
	}
	var err error
	_, statErr := os.Stat(n.from)
	missing := errors.Is(statErr, fs.ErrNotExist)
	switch {
	case isVersion(n.from), missing && strings.Contains(n.from, "@") && !strings.ContainsAny(n.from, `/\`):
		err = n.readVersion(cmd)
	case missing:
		err = statErr
	default:
		err = n.readFolder(n.from)
	}
	if err != nil {
		return err
	}
	if n.origin.Type == n.id.Type && n.id.Compare(n.origin) < 0 {
		n.remarks = append(n.remarks, fmt.Sprintf("%s is older than %s. Aliases such as %s@latest refer to the newest date.", n.id, n.origin, n.id.Type))
	}
	return nil
}

// setFiles sets the content to files in which comments for editors name the schemas.
func (n *newRelease) setFiles(files map[string][]byte) {
	for name, data := range files {
		files[name] = docschema.AddSchemaComment(name, data)
	}
	n.content, n.schemas = writeAll(files), true
}

// readVersion reads the published release to copy.
func (n *newRelease) readVersion(cmd *cobra.Command) error {
	_, r, err := n.flags.loadRelease(cmd, "--from", n.from)
	if err != nil {
		return err
	}
	if n.flags.source != "" {
		return n.readFolder(filepath.Join(n.flags.source, filepath.FromSlash(r.ID().Folder())))
	}
	n.origin = r.ID()
	files, err := source.Write(source.Rename(r.Taxonomy, n.id, n.created))
	if err != nil {
		return failure{fmt.Errorf("%s cannot be written as an authoring tree: %w", r.ID(), err)}
	}
	n.setFiles(files)
	n.remarks = append(n.remarks, "A published release contains no example documents, so there are none.")
	return nil
}

// readFolder reads the release in a release folder, or the newest one of the type in
// a tree. If the tree has only one release, its type does not matter.
func (n *newRelease) readFolder(dir string) error {
	t, err := openTree(dir)
	if err != nil {
		return err
	}
	if n.origin, err = t.single(dir, n.id.Type); err != nil {
		return err
	}
	n.dir = t.dir
	_, err = fs.Stat(t.fsys, path.Join(n.origin.Folder(), docschema.SchemaFolder))
	n.schemas = err == nil
	n.content = func(write func(name string, data []byte) error) error {
		return source.Copy(t.fsys, n.origin, n.id, n.created, write)
	}
	return nil
}

// folder returns the path of the release folder.
func (n *newRelease) folder() string { return filepath.Join(n.dir, filepath.FromSlash(n.id.Folder())) }

// create writes the release in one step: its files are written to a temporary
// folder, beside the topmost folder that does not exist yet, which is then renamed.
func (n *newRelease) create(ctx context.Context) error {
	if store.IsFolder(n.dir) {
		return problem.Failure("%q is a store.", n.dir).Hint("Choose another folder for the authoring tree.")
	}
	folder := n.folder()
	if _, err := os.Lstat(folder); err == nil {
		return failure{problem.Failure("%q already exists.", folder).Hint("Edit it, or choose another date.")}
	}
	top := folder
	for parent := filepath.Dir(top); parent != top; parent = filepath.Dir(top) {
		if _, err := os.Lstat(parent); err == nil {
			break
		}
		top = parent
	}
	staged, err := os.MkdirTemp(filepath.Dir(top), ".placard-new-")
	if err != nil {
		return failure{errorAbout(folder, err)}
	}
	defer os.RemoveAll(staged)
	// The new tree, and the part of it that becomes top.
	tree := filepath.Join(staged, "tree")
	renamed := tree
	if relative, err := filepath.Rel(n.dir, top); err == nil && filepath.IsLocal(relative) {
		renamed = filepath.Join(tree, relative)
	} else if relative, err := filepath.Rel(top, n.dir); err == nil {
		tree = filepath.Join(tree, relative)
	}
	if err := n.write(ctx, tree); err != nil {
		return failure{err}
	}
	return failureOf(os.Rename(renamed, top))
}

// write writes the release to a temporary tree.
func (n *newRelease) write(ctx context.Context, tree string) error {
	folder := filepath.Join(tree, filepath.FromSlash(n.id.Folder()))
	write := func(name string, data []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		n.files = append(n.files, name)
		name = filepath.FromSlash(name)
		return errorAbout(filepath.Join(n.folder(), name), writeFile(filepath.Join(folder, name), data))
	}
	if err := n.content(write); err != nil {
		return err
	}
	if n.schemas {
		outline := source.Outline(os.DirFS(tree), n.id)
		if err := writeAll(docschema.SchemaFiles(outline))(write); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"README.md": n.readme(), ".gitattributes": "* text=auto eol=lf\n"} {
		if err := writeFile(filepath.Join(tree, name), []byte(text)); err != nil {
			return errorAbout(filepath.Join(n.dir, name), err)
		}
	}
	return nil
}

// readme returns the README of a new tree.
func (n *newRelease) readme() string {
	return strings.NewReplacer("FOLDER", n.id.Folder(), "TYPE", n.id.Type).Replace(`# Taxonomies

This folder contains taxonomies for Placard. Each release has a folder, such as FOLDER, with

- categories, the questions that a disclosure answers,
- elements, the possible answers,
- symbols, the drawings in the icons, and
- examples, documents that show how to use the taxonomy.

Run these commands in this folder:

    placard check . --watch
    placard show TYPE@latest --source .
    placard icons TYPE@latest --source . --out ../icons
    placard publish . --store ../store

The first finds mistakes whenever you save a file, the second lists the categories and elements, the third draws the icons, which
you can see in icons/index.html, and the last one publishes the releases. A stable release never changes after it is published. This
command starts the next one, with the date that you give it:

    placard new TYPE@DATE --from FOLDER
`)
}

// next returns the commands to run next, with their purposes.
func (n *newRelease) next() [][2]string {
	dir := shellWord(n.dir)
	target := shellWord(filepath.Join(n.dir, "..", "store"))
	if n.flags.store != "" {
		target = shellWord(n.flags.store)
	}
	return [][2]string{
		{"placard check " + dir + " --watch", "Find mistakes whenever you save a file."},
		n.preview(),
		{"placard publish " + shellWord(n.folder()) + " --store " + target, "Publish the release."},
	}
}

// preview returns the command that shows what the release looks like, with its
// purpose.
func (n *newRelease) preview() [2]string {
	for _, name := range n.files {
		if path.Dir(name) == "examples" && path.Ext(name) == ".json" {
			example := shellWord(filepath.Join(n.folder(), filepath.FromSlash(name)))
			return [2]string{"placard render " + example + " --source " + shellWord(n.dir) + " -o example.html", "Render the example as a page, example.html."}
		}
	}
	return [2]string{"placard icons " + n.id.String() + " --source " + shellWord(n.dir) + " -o icons", "Draw the icons. The page icons/index.html shows them."}
}

// firstFile returns the file to open first, and why.
func (n *newRelease) firstFile() (name, reason string) {
	if n.origin.IsZero() {
		return filepath.Join(n.folder(), "datachain-type.yaml"), "Comments explain each key where it first appears."
	}
	return filepath.Join(n.folder(), "meta.yaml"), "Describe the release in its notes."
}

// newReleaseJSON is the output of the command with --json.
type newReleaseJSON struct {
	OK      bool        `json:"ok"`
	ID      taxonomy.ID `json:"id"`
	From    taxonomy.ID `json:"from,omitzero"`
	Folder  string      `json:"folder"`
	Files   []string    `json:"files"`
	Remarks []string    `json:"remarks"`
	Open    string      `json:"open"` // the file to open first
	Next    []string    `json:"next"`
}

func (n *newRelease) json() newReleaseJSON {
	result := newReleaseJSON{OK: true, ID: n.id, From: n.origin, Folder: n.folder(), Files: n.files, Remarks: n.remarks}
	result.Open, _ = n.firstFile()
	for _, command := range n.next() {
		result.Next = append(result.Next, command[0])
	}
	return result
}

// summary returns the number of files in each folder of the release.
func (n *newRelease) summary() string {
	count := map[string]int{}
	for _, name := range n.files {
		count[path.Dir(name)]++
	}
	var counts []string
	for _, folder := range []struct{ singular, plural string }{{"category", "categories"}, {"element", "elements"}, {"symbol", "symbols"}, {"example", "examples"}} {
		noun := folder.plural
		if count[folder.plural] == 1 {
			noun = folder.singular
		}
		counts = append(counts, fmt.Sprint(count[folder.plural], " ", noun))
	}
	return problem.AllOf(counts)
}

func (n *newRelease) print(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, printable(fmt.Sprintf("created  %s  %s", n.id, n.folder())))
	fmt.Fprintf(out, "         %s\n", n.summary())
	for _, remark := range n.remarks {
		fmt.Fprintln(out, printable("         "+remark))
	}
	name, reason := n.firstFile()
	fmt.Fprintf(out, "\n%s\n", printable(fmt.Sprintf("Open %s first. %s", name, reason)))
	fmt.Fprintln(out, "\nNext:")
	for _, command := range n.next() {
		fmt.Fprintf(out, "  # %s\n  %s\n", command[1], printable(command[0]))
	}
	return nil
}
