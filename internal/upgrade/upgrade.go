// Package upgrade rewrites thin documents for a newer version of their taxonomy. It
// makes the changes that the taxonomy declares and lists the others. It knows
// nothing about files and stores.
package upgrade

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"placard/internal/compat"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// Version is a published version of a taxonomy.
type Version struct {
	Taxonomy *taxonomy.Taxonomy
	Schema   *datachain.Schema
}

func (v Version) id() taxonomy.ID { return v.Taxonomy.ID }

// Upgrader upgrades documents to one version.
type Upgrader struct {
	target    Version
	published []Version // those of the type, from the oldest to the newest
	origins   map[taxonomy.ID]*origin
}

// origin is a version that documents pin.
type origin struct {
	version    *Version             // nil if it is not published
	newer      []*taxonomy.Taxonomy // from the oldest to the target
	succession *compat.Succession
	reworded   map[string]bool // elements of the target whose title or description has other words
}

// New returns an upgrader to the target, which is one of the published versions.
func New(target Version, published []Version) *Upgrader {
	u := &Upgrader{target: target, origins: make(map[taxonomy.ID]*origin)}
	for _, v := range published {
		if v.id().Type == target.id().Type {
			u.published = append(u.published, v)
		}
	}
	slices.SortFunc(u.published, func(a, b Version) int { return a.id().Compare(b.id()) })
	return u
}

// Result describes the upgrade of one document.
type Result struct {
	From taxonomy.ID // the version that the document pins; zero if it cannot be read
	// Edits are the changes that were made in Text, in the order of the text. There
	// are none if the document is refused.
	Edits []Edit
	// Text is the upgraded document: the original text with the edits.
	Text []byte
	// Problems are the errors that remain to be fixed by hand, and the warnings that
	// the document did not get in the version that it pinned. Their paths are those
	// in Text.
	Problems problem.List
	// Reworded are the elements in Text whose title or description has other words
	// in the main locale than in the version that the document pinned.
	Reworded []string
}

// Edit is the replacement of one id in the text of a document.
type Edit struct {
	Path       problem.Path // in the original document
	Start, End int          // offsets in the original text
	Before     string
	After      string
}

// IsCurrent reports whether the document pins the target and is valid in it.
func (r *Result) IsCurrent() bool { return len(r.Edits) == 0 && len(r.Problems) == 0 }

// Original returns the offset in the original text that corresponds to an offset in
// Text.
func (r *Result) Original(offset int) int {
	grown := 0
	for _, e := range r.Edits {
		start := e.Start + grown
		if offset < start {
			break
		}
		end := start + len(quoted(e.After))
		if offset < end {
			return e.Start
		}
		grown += end - start - (e.End - e.Start)
	}
	return offset - grown
}

func quoted(id string) string { return strconv.Quote(id) } // Ids of a release need no escapes.

// Upgrade upgrades a thin document. The document is refused, with an error in the
// result, if it is not valid JSON, resolved, of another type or newer than the
// target, or if it already uses the new id of an element.
func (u *Upgrader) Upgrade(body []byte) (*Result, error) {
	result := &Result{Text: body}
	refuse := func(problems ...problem.Problem) (*Result, error) {
		result.Problems = problems
		return result, nil
	}
	if datachain.IsResolved(body) {
		return refuse(documentResolved.Found("The document is resolved: it contains the part of the taxonomy that it was written for.").
			Hint("Upgrade the thin document that it was made from, and resolve that again."))
	}
	d, report, err := datachain.ParseFor(body, u.target.Schema, nil)
	if invalid, ok := errors.AsType[problem.Problem](err); ok {
		invalid.Severity = problem.Error
		return refuse(invalid)
	}
	if err != nil {
		return nil, err
	}
	if !report.OK() {
		return refuse(report.Errors...)
	}
	defer d.Release()
	result.From = d.SchemaVersion
	from, to := d.SchemaVersion, u.target.id()
	version := d.VersionReference()
	switch {
	case from.Type != to.Type:
		return refuse(documentOfOtherType.Found("The document is of type %q, but %s is of type %q.", problem.Clip(from.Type), to, to.Type).
			Hint("Choose a version of its type.").In(version.Path))
	case from.Compare(to) > 0:
		return refuse(documentNewer.Found("The document is written for %s, which is newer than %s.", from, to).
			Hint("Choose a newer version. To go back, change schema_version by hand and validate the document.").In(version.Path))
	}
	origin, err := u.origin(from)
	if err != nil {
		return nil, err
	}
	references := d.ElementReferences()
	if collisions := findCollisions(d, references, origin.succession); len(collisions) > 0 {
		return refuse(collisions...)
	}
	if from != to {
		result.edit(version, to.String())
	}
	for _, r := range references {
		if id, _ := origin.succession.Find(r.ID); id != r.ID {
			result.edit(r, id)
		}
	}
	result.apply(body)
	return result, u.check(result, d, origin)
}

func (r *Result) edit(ref datachain.Reference, after string) {
	r.Edits = append(r.Edits, Edit{ref.Path, ref.Start, ref.End, ref.ID, after})
}

// apply sets the text to that of the original with the edits.
func (r *Result) apply(original []byte) {
	slices.SortFunc(r.Edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	r.Text = make([]byte, 0, len(original)+64*len(r.Edits))
	end := 0
	for _, e := range r.Edits {
		r.Text = append(append(r.Text, original[end:e.Start]...), quoted(e.After)...)
		end = e.End
	}
	r.Text = append(r.Text, original[end:]...)
}

// origin returns the version that a document pins. Documents often pin the same
// one.
func (u *Upgrader) origin(id taxonomy.ID) (*origin, error) {
	if o := u.origins[id]; o != nil {
		return o, nil
	}
	o := &origin{reworded: make(map[string]bool)}
	for i := range u.published {
		v := &u.published[i]
		switch {
		case v.id() == id:
			o.version = v
		case v.id().Compare(id) > 0 && v.id().Compare(u.target.id()) <= 0:
			o.newer = append(o.newer, v.Taxonomy)
		}
	}
	if id == u.target.id() {
		// A document that was copied into a new version may use the ids of the old one.
		o.newer = append(o.newer, u.target.Taxonomy)
	}
	o.succession = compat.NewSuccession(o.newer...)
	if o.version != nil {
		between := o.newer[:len(o.newer)-1]
		c, err := compat.Compare(o.version.Taxonomy, u.target.Taxonomy, between...)
		if err != nil {
			return nil, err
		}
		for _, change := range c.Changes {
			if change.Kind == compat.Reworded && change.Subject.Kind == compat.Element && (change.Field == "title" || change.Field == "description") {
				o.reworded[change.Subject.ID] = true
			}
		}
	}
	u.origins[id] = o
	return o, nil
}

// findCollisions reports elements whose new id already has another meaning in the
// document.
func findCollisions(d *datachain.Document, references []datachain.Reference, succession *compat.Succession) problem.List {
	instances := make(map[string]int)
	for i, p := range d.Elements {
		if p.ElementInstanceID != "" {
			instances[p.ElementInstanceID] = i
		}
	}
	now := func(id string) string {
		to, _ := succession.Find(id)
		return to
	}
	users := make(map[string]string) // by new id: the first id that becomes it, but an id that stays the same takes precedence
	for _, r := range references {
		if to := now(r.ID); users[to] == "" || r.ID == to {
			users[to] = r.ID
		}
	}
	var collisions problem.List
	reported := make(map[string]bool)
	for _, r := range references {
		to := now(r.ID)
		if to == r.ID || reported[r.ID] {
			continue
		}
		if i, ok := instances[to]; ok {
			reported[r.ID] = true
			collisions = append(collisions, renameCollision.Found("Element %q is now %q, which is the element_instance_id of elements[%d].", problem.Clip(r.ID), to, i).
				Hint("Change that element_instance_id and the references to it, and upgrade again.").In(r.Path))
			continue
		}
		if other := users[to]; other != r.ID {
			reported[r.ID] = true
			collisions = append(collisions, renameCollision.Found("Elements %q and %q are both %q now.", problem.Clip(r.ID), problem.Clip(other), to).
				Hint("Decide which of them to keep, remove the other, and upgrade again.").In(r.Path))
		}
	}
	return collisions
}

// check validates the upgraded document.
func (u *Upgrader) check(result *Result, original *datachain.Document, o *origin) error {
	d, report, err := datachain.ParseFor(result.Text, u.target.Schema, nil)
	if err != nil {
		return err
	}
	if !report.OK() {
		result.Problems = report.Errors
		return nil
	}
	defer d.Release()
	if report, err = datachain.Validate(d, u.target.Schema, nil); err != nil {
		return err
	}
	references := d.ElementReferences()
	u.explainRemoved(report.Errors, references, o)
	result.Problems = append(result.Problems, report.Errors...)
	if o.version == nil {
		result.Problems = append(result.Problems, pinnedVersionUnknown.Found("The document is written for %s, which is not published.", result.From).
			Hint("Check that the elements of the document still say what is meant: changes of their words cannot be listed.").In(d.VersionReference().Path))
	} else {
		before, err := datachain.Validate(original, o.version.Schema, nil)
		if err != nil {
			return err
		}
		report.Warnings = slices.DeleteFunc(report.Warnings, func(p problem.Problem) bool {
			return slices.ContainsFunc(before.Warnings, func(q problem.Problem) bool { return p.Code == q.Code && p.Path == q.Path })
		})
	}
	result.Problems = append(result.Problems, report.Warnings...)
	seen := make(map[string]bool)
	for _, r := range references {
		if o.reworded[r.ID] && !seen[r.ID] {
			seen[r.ID] = true
			result.Reworded = append(result.Reworded, r.ID)
		}
	}
	return nil
}

// explainRemoved says of unknown elements which version was the last that had them, and
// what can take their place.
func (u *Upgrader) explainRemoved(errs problem.List, references []datachain.Reference, o *origin) {
	unknown := make(map[string]string) // by path
	for i := range errs {
		if errs[i].Code == datachain.CodeElementUnknown {
			unknown[errs[i].Path.String()] = ""
		}
	}
	if len(unknown) == 0 {
		return
	}
	var ids []string
	for _, r := range references {
		if _, ok := unknown[r.Path.String()]; ok {
			unknown[r.Path.String()] = r.ID
			ids = append(ids, r.ID)
		}
	}
	last := o.lastVersions(ids)
	hints := make(map[string]string)
	for i := range errs {
		p := &errs[i]
		id := unknown[p.Path.String()]
		found, ok := last[id]
		if !ok {
			continue
		}
		p.Message = fmt.Sprintf("Element %q was removed. The last version with it is %s.", problem.Clip(id), found.version.ID)
		if found.id != id {
			p.Message = fmt.Sprintf("Element %q was removed. The last version with it is %s (as %q).", problem.Clip(id), found.version.ID, found.id)
		}
		if hints[id] == "" {
			hints[id] = u.suggestReplacement(found)
		}
		p.FixHint = hints[id]
		p.Call = problem.ShowElement(found.version.ID.String(), found.id)
	}
}

// versionElement is an element of a version.
type versionElement struct {
	version *taxonomy.Taxonomy
	id      string
}

// suggestReplacement returns a hint with the elements of the target in the category that
// a removed element had.
func (u *Upgrader) suggestReplacement(removed versionElement) string {
	i := slices.IndexFunc(removed.version.Elements, func(e taxonomy.Element) bool { return e.ID == removed.id })
	var others []string
	for _, e := range u.target.Taxonomy.Elements {
		if e.CategoryID == removed.version.Elements[i].CategoryID {
			others = append(others, e.ID)
		}
	}
	if len(others) == 0 {
		return "Remove the placement."
	}
	return fmt.Sprintf("Remove the placement, or use another element of the category: %s.", problem.Listing(others, 5))
}

// lastVersions maps elements that the target lacks to the newest version that has
// them, possibly under another id.
func (o *origin) lastVersions(ids []string) map[string]versionElement {
	last := make(map[string]versionElement)
	note := func(t *taxonomy.Taxonomy, find func(id string) (string, bool)) {
		for _, id := range ids {
			if _, noted := last[id]; noted {
				continue
			}
			if now, ok := find(id); ok {
				last[id] = versionElement{t, now}
			}
		}
	}
	for k := len(o.newer) - 1; k > 0; k-- {
		note(o.newer[k-1], compat.NewSuccession(o.newer[:k]...).Find)
	}
	if o.version != nil {
		note(o.version.Taxonomy, compat.NewSuccession(o.version.Taxonomy).Find)
	}
	return last
}
