package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// changeFlags are the flags of the commands that change a store.
type changeFlags struct {
	store   string
	by      string
	message string
	dryRun  bool
	asJSON  bool

	allowBreaking bool
	singleWriter  bool
}

func (f *changeFlags) add(cmd *cobra.Command, effect string) {
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", effect+" "+storeMeta+" (required)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would change, and change nothing")
	f.addRecorded(cmd)
	mustMarkRequired(cmd, "store")
	cmd.Annotations = map[string]string{interruptedNote: nothingChanged}
}

// addRecorded adds the flags of all commands that add a record to the journal.
func (f *changeFlags) addRecorded(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.by, "by", "", "record `NAME` as the author of the change (default user@host)")
	flags.StringVarP(&f.message, "message", "m", "", "record `TEXT` as the reason for the change")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.BoolVar(&f.singleWriter, "single-writer", false, "change a bucket whose server has no conditional writes; only one process may do so at a time")
}

func (f *changeFlags) addAllowBreaking(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.allowBreaking, "allow-breaking", false, "publish a stable release even if it breaks documents of the one before it")
}

// options returns the options for opening the store.
func (f changeFlags) options() store.Options { return store.Options{SingleWriter: f.singleWriter} }

// intent returns the author and the reason of the change.
func (f changeFlags) intent() (store.Intent, error) {
	intent := store.Intent{By: cmp.Or(f.by, defaultAuthor()), Note: f.message, DryRun: f.dryRun, AllowBreaking: f.allowBreaking}
	return intent, intent.Check()
}

// defaultAuthor returns user@host. In a container, the user may have no name, and
// the host may be unknown.
func defaultAuthor() string {
	var name string
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if name = cmp.Or(name, os.Getenv("USER"), os.Getenv("LOGNAME")); name == "" {
		name = "uid-" + strconv.Itoa(os.Getuid())
	}
	if host, err := os.Hostname(); err == nil && host != "" {
		name += "@" + host
	}
	return problem.Clip(printable(strings.ToValidUTF8(name, "\uFFFD")))
}

// change is one change of a store by a command.
type change struct {
	changeFlags
	cmd    *cobra.Command
	store  *store.Store
	intent store.Intent
	// origins are the folders or betas of releases that are being published, by id.
	// Until then, the releases are not in the store.
	origins map[string]string
}

// begin opens the store, which must exist.
func (f changeFlags) begin(cmd *cobra.Command) (*change, error) {
	s, err := openExistingStore(f.store, f.options())
	if err != nil {
		return nil, err
	}
	intent, err := f.intent()
	return &change{changeFlags: f, cmd: cmd, store: s, intent: intent}, err
}

// find returns the id of the published release called name, an id or an alias.
func (c *change) find(name string) (taxonomy.ID, error) { return c.resolve(name, catalog.Resolve) }

func (c *change) resolve(name string, resolve func(*store.Index, taxonomy.Ref) (taxonomy.ID, error)) (taxonomy.ID, error) {
	index, err := c.store.Index(c.cmd.Context())
	if err != nil {
		return taxonomy.ID{}, c.refused(err)
	}
	ref, err := taxonomy.ParseRef(name)
	if err != nil {
		return taxonomy.ID{}, notAVersion("", name, catalog.Malformed(index, name).Render(c.sentence))
	}
	id, err := resolve(index, ref)
	if p, ok := errors.AsType[problem.Problem](err); ok && len(index.Releases) == 0 && len(index.Retired) == 0 {
		p.FixHint = nothingPublished(c.changeFlags.store, index)
		err = p
	}
	if err != nil {
		return taxonomy.ID{}, c.refused(err)
	}
	return id, nil
}

// refused returns the error of a command whose change was refused.
func (c *change) refused(err error) error {
	problems := problemsOf(err)
	if len(problems) == 0 {
		return c.failed(err)
	}
	problems.Render(c.sentence)
	var contents []contentJSON
	if choice, ok := errors.AsType[*store.ChoiceError](err); ok {
		if contents = describeContents(choice.Contents); !c.asJSON {
			problems[0].FixHint += listContents(contents)
		}
	}
	if !c.asJSON {
		var all []error
		for _, p := range problems {
			all = append(all, p)
		}
		return failure{errors.Join(all...)}
	}
	errs, warnings := splitFindings(problems)
	if err := printJSON(c.cmd.OutOrStdout(), refusalJSON{Errors: errs, Warnings: warnings, Contents: contents}); err != nil {
		return err
	}
	return errFindings
}

// failed returns the failure of a command that the system or a server prevented from
// changing the store, such as by a full disk.
func (c *change) failed(err error) error {
	p := problemIn(c.changeFlags.store, err)
	if _, unknown := errors.AsType[*store.OutcomeUnknownError](err); unknown {
		return failure{problem.Failure("%s It is not known whether the store was changed.", p.Message).
			Hint(`"placard history --limit 1 --store %s" shows its last change.`, shellWord(c.changeFlags.store))}
	}
	_, system := describeSystem(c.changeFlags.store, err)
	_, server := errors.AsType[store.Unavailable](err)
	if (system || server) && c.cmd.Name() != "prune" && !errors.Is(err, syscall.EIO) {
		// All of them occur before the index is replaced.
		p.FixHint = "Nothing was changed. " + p.FixHint
	}
	return failure{p}
}

// refusalJSON is the output of a command with --json whose change was refused.
type refusalJSON struct {
	OK       bool          `json:"ok"` // false
	Errors   problem.List  `json:"errors"`
	Warnings problem.List  `json:"warnings"`
	Contents []contentJSON `json:"contents,omitzero"` // to choose from
}

// problemsOf returns the problems in an error, which may be a [problem.List].
func problemsOf(err error) problem.List {
	if list, ok := errors.AsType[problem.List](err); ok {
		return slices.Clone(list)
	}
	if f, ok := err.(failure); ok {
		err = f.error
	}
	if joined, ok := err.(joinedError); ok {
		var all problem.List
		for _, err := range joined.Unwrap() {
			all = append(all, problemsOf(err)...)
		}
		return all
	}
	if p, ok := errors.AsType[problem.Problem](err); ok && p.Code != "" {
		return problem.List{p}
	}
	return nil
}

// sentence returns the sentence about a call, with the store of the change.
func (c *change) sentence(call problem.Call) string {
	if call.Operation == problem.OpCompare || call.Operation == problem.OpContinue {
		if call.Base != call.Version {
			call.Base = cmp.Or(c.origins[call.Base], call.Base)
		}
		call.Version = cmp.Or(c.origins[call.Version], call.Version)
	}
	return storeSentence(c.changeFlags.store)(call)
}

// changedRelease is one release in the output of a command.
type changedRelease struct {
	ID           taxonomy.ID    `json:"id"`
	Outcome      outcome        `json:"outcome"`
	ContentHash  string         `json:"content_hash"`
	PreviousHash string         `json:"previous_hash,omitzero"` // of the content that was replaced
	WasRetired   bool           `json:"was_retired,omitzero"`
	Notes        string         `json:"notes,omitzero"` // of a release that is promoted
	Comparison   *changeSummary `json:"comparison,omitzero"`
}

// outcome says what happened to a release.
type outcome string

const (
	published outcome = "published"
	retired   outcome = "retired"
	restored  outcome = "restored"
	unchanged outcome = "unchanged"
	skipped   outcome = "skipped" // it is retired
)

// plans are the words for outcomes that are only planned.
var plans = map[outcome]string{published: "publish", retired: "retire", restored: "restore", unchanged: "unchanged", skipped: "skip"}

// changeJSON is the output of a command with --json.
type changeJSON struct {
	OK       bool                `json:"ok"`
	DryRun   bool                `json:"dry_run"`
	Changed  bool                `json:"changed"`
	Revision int                 `json:"revision,omitzero"` // of the record in the journal
	Releases []changedRelease    `json:"releases"`
	Aliases  []store.AliasChange `json:"aliases"`
	Warnings problem.List        `json:"warnings"`
}

// print prints the result of the change and the releases that are concerned.
func (c *change) print(result store.Result, releases ...changedRelease) error {
	aliases := aliasChanges(result)
	warnings := slices.Clone(result.Warnings).Render(c.sentence)
	if c.asJSON {
		output := changeJSON{OK: true, DryRun: c.dryRun, Changed: result.Changed(), Releases: releases, Aliases: aliases, Warnings: warnings}
		if result.Changed() && !c.dryRun {
			output.Revision = result.Record.Revision
		}
		return printJSON(c.cmd.OutOrStdout(), output)
	}
	out := c.cmd.OutOrStdout()
	if result.Changed() && result.Before.Journal.Record == "" {
		word := "created"
		if c.dryRun {
			word = "create"
		}
		fmt.Fprintf(out, "%-9s  a new store, %s\n", word, storeLabel(c.changeFlags.store))
	}
	for _, r := range releases {
		word := string(r.Outcome)
		if c.dryRun {
			word = plans[r.Outcome]
		}
		fmt.Fprintf(out, "%-9s  %s  %s", word, r.ID, r.ContentHash)
		if r.PreviousHash != "" {
			fmt.Fprintf(out, "  (was %s)", shortHash(r.PreviousHash))
		}
		switch {
		case r.Outcome == skipped:
			fmt.Fprint(out, "  (retired)")
		case r.WasRetired:
			fmt.Fprint(out, "  (was retired)")
		}
		fmt.Fprintln(out)
		for line := range strings.Lines(r.Notes) {
			fmt.Fprintf(out, "%11snotes: %s\n", "", printable(strings.TrimRight(line, "\n")))
		}
		if r.Comparison.print(out, c.dryRun) {
			fmt.Fprintf(out, "%11s%s\n", "", c.sentence(problem.Compare(r.Comparison.Base.String(), r.ID.String())))
		}
	}
	width := 0
	for _, a := range aliases {
		width = max(width, len(a.Alias))
	}
	for _, a := range aliases {
		fmt.Fprintf(out, "%-9s  %-*s  %s\n", "alias", width, a.Alias, arrow(a.Old, a.New, taxonomy.ID.String))
	}
	for _, w := range warnings {
		printMessage(c.cmd.ErrOrStderr(), fmt.Sprintf("warning: %s [%s]", w.Message, w.Code), w.FixHint)
	}
	if c.dryRun {
		fmt.Fprintln(out, "Dry run: nothing was changed.")
	}
	return nil
}

// shortHash returns the start of a content hash, which is enough to recognize it.
func shortHash(hash string) string { return fmt.Sprintf("%.19s", hash) }

// arrow describes a change. What did not exist before or after it is zero.
func arrow[T comparable](before, after T, text func(T) string) string {
	var zero T
	switch {
	case before == zero:
		return "→ " + text(after)
	case after == zero:
		return text(before) + " → none"
	}
	return text(before) + " → " + text(after)
}

// aliasChanges returns the changes of computed and pinned aliases. A pin that is
// removed after its release was retired changes no target.
func aliasChanges(result store.Result) []store.AliasChange {
	if !result.Changed() {
		return nil
	}
	changes := catalog.AliasChanges(result.Before, result.After)
	for _, pin := range result.Record.Aliases {
		if !slices.ContainsFunc(changes, func(c store.AliasChange) bool { return c.Alias == pin.Alias }) {
			changes = append(changes, pin)
		}
	}
	slices.SortFunc(changes, func(a, b store.AliasChange) int { return cmp.Compare(a.Alias, b.Alias) })
	return changes
}

// changedReleases returns the releases of a result that got the given outcome.
func changedReleases(result store.Result, o outcome) []changedRelease {
	if !result.Changed() {
		return nil
	}
	var changed []changedRelease
	for _, r := range result.Record.Releases {
		c := changedRelease{ID: r.ID, Outcome: o}
		switch {
		case r.New == nil:
			c.ContentHash = r.Old.ContentHash
		case r.Old != nil && r.Old.ContentHash != r.New.ContentHash:
			c.ContentHash, c.PreviousHash = r.New.ContentHash, r.Old.ContentHash
		default:
			c.ContentHash = r.New.ContentHash
		}
		changed = append(changed, c)
	}
	return changed
}

// publishedReleases returns the releases of a result of publishing, in the order of
// their publication.
func publishedReleases(result store.Result) []changedRelease {
	var all []changedRelease
	for _, o := range result.Outcomes {
		r := changedRelease{ID: o.ID, Outcome: unchanged, ContentHash: o.ContentHash, WasRetired: o.WasRetired}
		switch {
		case !o.Published && o.WasRetired:
			r.Outcome = skipped
		case o.Published:
			r.Outcome, r.Comparison = published, summarize(o.Comparison)
			if old, ok := result.Before.Find(o.ID); ok && old.ContentHash != o.ContentHash {
				r.PreviousHash = old.ContentHash
			}
		}
		all = append(all, r)
	}
	return all
}
