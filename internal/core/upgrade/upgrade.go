// Package upgrade rewrites thin documents for a newer version of their taxonomy. It
// makes the changes that the taxonomy declares and lists the others. It knows
// nothing about files and stores.
package upgrade

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
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
	for i := range r.Edits {
		e := &r.Edits[i]
		start := e.Start + grown
		if offset < start {
			break
		}
		end := start + len(e.After) + len(`""`)
		if offset < end {
			return e.Start
		}
		grown += end - start - (e.End - e.Start)
	}
	return offset - grown
}

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
	d, report, err := datachain.Parse(body, nil)
	if invalid, ok := errors.AsType[problem.Problem](err); ok {
		invalid.Severity = problem.Error
		return refuse(invalid)
	}
	if err != nil {
		return nil, err
	}
	if !report.OK() {
		return refuse(append(report.Errors, report.Warnings...)...)
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
	references := d.References()
	now := make([]string, len(references))
	for i, r := range references {
		now[i] = origin.succession.Now(compat.Subject{Kind: compat.SubjectKind(r.Kind), ID: r.ID, ElementID: r.Element, VariableID: r.Variable})
	}
	if collisions := findCollisions(d, references, now); len(collisions) > 0 {
		return refuse(collisions...)
	}
	if from != to {
		result.edit(version, to.String())
	}
	for i, r := range references {
		if now[i] != r.ID {
			result.edit(r, now[i])
		}
	}
	result.apply(body)
	return result, u.check(result, body, d, origin)
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
		// The ids of a release need no escapes.
		r.Text = append(append(r.Text, original[end:e.Start]...), `"`+e.After+`"`...)
		end = e.End
	}
	r.Text = append(r.Text, original[end:]...)
}

// findCollisions reports references whose new id already has another meaning in the
// document.
func findCollisions(d *datachain.Document, references []datachain.Reference, now []string) problem.List {
	instances := make(map[string]int)
	for i, p := range d.Elements {
		if p.ElementInstanceID != "" {
			instances[p.ElementInstanceID] = i
		}
	}
	type use struct {
		place int
		id    string
	}
	users := make(map[use]string) // by new id: the first id that becomes it, but an id that stays the same takes precedence
	for i, r := range references {
		if to := (use{r.Place, now[i]}); users[to] == "" || r.ID == to.id {
			users[to] = r.ID
		}
	}
	var collisions problem.List
	reported := make(map[use]bool)
	for k, r := range references {
		to, old := now[k], use{r.Place, r.ID}
		if to == r.ID || reported[old] {
			continue
		}
		if i, ok := instances[to]; ok && r.Element == "" {
			reported[old] = true
			collisions = append(collisions, renameCollision.Found("Element %q is now %q, which is the element_instance_id of elements[%d].", problem.Clip(r.ID), to, i).
				Hint("Change that element_instance_id and the references to it, and upgrade again.").In(r.Path))
			continue
		}
		if other := users[use{r.Place, to}]; other != r.ID {
			reported[old] = true
			noun := strings.ToUpper(r.Kind[:1]) + r.Kind[1:] + "s"
			collisions = append(collisions, renameCollision.Found("%s %q and %q are both %q now.", noun, problem.Clip(r.ID), problem.Clip(other), to).
				Hint("Decide which of them to keep, remove the other, and upgrade again.").In(r.Path))
		}
	}
	return collisions
}
