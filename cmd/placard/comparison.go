package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// comparison holds the two versions that a command compares.
type comparison struct {
	cmd    *cobra.Command
	flags  releaseFlags
	asJSON bool
	// failOnBreaking makes breaking changes fail the command.
	failOnBreaking bool
	old, new       operand
	releases       *releases // the published releases; nil if none are needed
}

// operand is one of the two versions: a published release or one in a folder.
type operand struct {
	arg      string
	tree     tree // zero for a published release
	taxonomy *taxonomy.Taxonomy
	origin   string // where it is, for [diffview.Version]
}

// load loads the versions that one or two arguments name.
func (c *comparison) load(args []string) error {
	operands := []*operand{&c.new}
	if len(args) == 2 {
		operands = []*operand{&c.old, &c.new}
	}
	for i, o := range operands {
		o.arg = args[i]
		if err := c.open(o); err != nil {
			return err
		}
	}
	var problems problem.List
	for _, o := range operands {
		if o.taxonomy != nil {
			continue
		}
		id, err := o.tree.single(o.arg, c.typeID())
		if err != nil {
			return err
		}
		o.tree.only = id
		all, found := o.tree.check(progressFrom(c.cmd.Context()))
		o.taxonomy = all[0].taxonomy
		o.origin = "in " + filepath.Join(o.tree.dir, filepath.FromSlash(o.tree.only.Folder()))
		problems = append(problems, found...)
	}
	if problems.HasErrors() {
		return c.printErrors(problems)
	}
	if len(args) == 1 {
		return c.findLatest()
	}
	return nil
}

// open finds the published release or opens the folder that an argument names.
func (c *comparison) open(o *operand) error {
	ref, err := taxonomy.ParseRef(o.arg)
	if err == nil {
		return c.find(o, ref)
	}
	o.tree, err = openTree(o.arg)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(o.arg, `/\`) {
		if err := c.loadReleases(); err != nil {
			return err
		}
		p := c.releases.Malformed(o.arg).Render(c.releases.sentences(document{}))
		return problem.Failure("%q is neither a version nor a folder.", problem.Clip(o.arg)).Hint("%s", p.FixHint)
	}
	return err
}

// find finds the published release that ref refers to.
func (c *comparison) find(o *operand, ref taxonomy.Ref) error {
	if err := c.loadReleases(); err != nil {
		return err
	}
	r, err := c.releases.find(ref)
	if err != nil {
		return err
	}
	o.taxonomy = r.Taxonomy
	o.origin = c.flags.place()
	return nil
}

func (c *comparison) loadReleases() (err error) {
	if c.releases == nil {
		c.releases, err = c.flags.load(c.cmd, "")
	}
	return err
}

// typeID returns the type of the versions if one of them is known, or "".
func (c *comparison) typeID() string {
	for _, o := range []*operand{&c.old, &c.new} {
		switch {
		case o.taxonomy != nil:
			return o.taxonomy.ID.Type
		case !o.tree.only.IsZero():
			return o.tree.only.Type
		}
	}
	return ""
}

// printErrors prints the findings of trees with errors and returns the error of the
// command. In text, the warnings are omitted.
func (c *comparison) printErrors(problems problem.List) error {
	if c.asJSON {
		if err := printFindingsJSON(c.cmd.OutOrStdout(), problems, false); err != nil {
			return failure{err}
		}
		return errFindings
	}
	errs, _ := problems.Split()
	printFindings(c.cmd.ErrOrStderr(), errs)
	fmt.Fprintf(c.cmd.ErrOrStderr(), "Nothing was compared: %s.\n", problem.Count(len(errs), "error"))
	return errFindings
}

// findLatest sets the old version to the one before the new one.
func (c *comparison) findLatest() error {
	if err := c.loadReleases(); err != nil {
		return err
	}
	before := c.releaseBefore()
	if before == nil {
		return c.releases.failure(problem.New(problem.NotFound, "There is no release before %s to compare with.", c.new.taxonomy.ID).
			Hint("Name the version to compare with: placard diff OLD %s.", shellWord(c.new.arg)).See(problem.ListVersions()))
	}
	c.old.taxonomy = before
	c.old.origin = fmt.Sprintf("%s, the %s release before it", c.flags.place(), before.ID.Status)
	return nil
}

// releaseBefore returns the newest published stable release that is older than the new
// version or, if there is none, the newest such beta, or nil. A version in a folder can
// be compared with its published content.
func (c *comparison) releaseBefore() *taxonomy.Taxonomy {
	var found *taxonomy.Taxonomy
	for _, r := range c.releases.Releases() {
		t := r.Taxonomy
		order := t.ID.Compare(c.new.taxonomy.ID)
		isOlder := t.ID.Type == c.new.taxonomy.ID.Type && (order < 0 || order == 0 && c.new.tree.fsys != nil)
		if isOlder && (found == nil || t.ID.Status == taxonomy.Stable || found.ID.Status == taxonomy.Beta) {
			found = t
		}
	}
	return found
}

// remarkOrder says that the first version is newer than the second.
func (c *comparison) remarkOrder() {
	if c.old.taxonomy.ID.Compare(c.new.taxonomy.ID) <= 0 || c.old.arg == "" {
		return
	}
	printMessage(c.cmd.ErrOrStderr(), fmt.Sprintf("warning: %s is newer than %s, so the changes are those of going back.", c.old.taxonomy.ID, c.new.taxonomy.ID),
		fmt.Sprintf("Name the older version first: placard diff %s %s.", shellWord(c.new.arg), shellWord(c.old.arg)))
}

// place says where the releases selected by the flags are.
func (f releaseFlags) place() string {
	switch {
	case f.source != "":
		return "in " + f.source
	case f.store != "":
		return "in " + f.store
	}
	return "built in"
}

// between returns the published versions between the two, whose renames also apply.
func (c *comparison) between() []*taxonomy.Taxonomy {
	if c.releases == nil {
		return nil
	}
	var all []*taxonomy.Taxonomy
	for _, r := range c.releases.Releases() {
		id := r.ID()
		if id.Type == c.new.taxonomy.ID.Type && id.Compare(c.old.taxonomy.ID) > 0 && id.Compare(c.new.taxonomy.ID) < 0 {
			all = append(all, r.Taxonomy)
		}
	}
	return all
}
