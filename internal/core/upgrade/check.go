package upgrade

import (
	"fmt"
	"slices"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// check validates the upgraded document. The original is the parsed body.
func (u *Upgrader) check(result *Result, body []byte, original *datachain.Document, o *origin) error {
	d, report, err := datachain.Parse(result.Text, nil)
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
	u.explainRemoved(report.Errors, d.References(), o)
	result.Problems = append(result.Problems, report.Errors...)
	if o.version == nil {
		result.Problems = append(result.Problems, pinnedVersionUnknown.Found("The document is written for %s, which is not published.", result.From).
			Hint("Check that the elements of the document still fit: changes to their texts cannot be listed.").In(d.VersionReference().Path))
	} else {
		before, err := datachain.Validate(original, o.version.Schema, nil)
		if err != nil {
			return err
		}
		report.Warnings = result.newWarnings(report.Warnings, body, before.Warnings)
	}
	result.Problems = append(result.Problems, report.Warnings...)
	listed := make(map[string]bool)
	for _, r := range original.References() {
		if id, _ := o.succession.Find(r.ID); r.Element == "" && o.reworded[r.ID] && !listed[id] {
			listed[id] = true
			result.Reworded = append(result.Reworded, id)
		}
	}
	return nil
}

// newWarnings returns the warnings in Text except for those that the original text,
// body, had in the same places. Paths cannot be compared, because they contain ids.
func (r *Result) newWarnings(warnings problem.List, body []byte, old problem.List) problem.List {
	if len(warnings) == 0 || len(old) == 0 {
		return warnings
	}
	type place struct {
		code   problem.Code
		offset int // in body
	}
	known := make(map[place]int)
	locator := datachain.NewLocator(body)
	for _, p := range old {
		start, _ := locator.Locate(p.Path)
		known[place{p.Code, start}]++
	}
	locator = datachain.NewLocator(r.Text)
	return slices.DeleteFunc(warnings, func(p problem.Problem) bool {
		if p.Path.IsZero() {
			return false // It is about the report, which is not complete.
		}
		start, _ := locator.Locate(p.Path)
		at := place{p.Code, r.Original(start)}
		known[at]--
		return known[at] >= 0
	})
}

// explainRemoved names the last version with an element in the errors about elements
// that the target lacks, and suggests others.
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
