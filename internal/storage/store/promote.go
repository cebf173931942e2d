package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Promote publishes the content of a beta as the stable release of the same day.
func (s *Store) Promote(ctx context.Context, intent Intent, beta taxonomy.ID, pins ...string) (Result, error) {
	if beta.Status != taxonomy.Beta {
		return Result{}, notABeta.Found("%s is not a beta.", beta).Hint("Only a beta can be promoted; its stable release has the same date.")
	}
	for _, name := range pins {
		if err := checkPin(name); err != nil {
			return Result{}, err
		}
	}
	var outcome Outcome
	var warnings problem.List
	result, err := s.update(ctx, Promote, intent, func(ix *Index) error {
		e, err := ix.mustFind(beta)
		if err != nil {
			return err
		}
		if err := ix.checkUnpromoted(e); err != nil {
			return err
		}
		r, err := s.Load(ctx, e)
		if err != nil {
			return err
		}
		if err := checkTranslated(r.Taxonomy); err != nil {
			return err
		}
		if err := checkIgnored(r.Taxonomy); err != nil {
			return err
		}
		t := *r.Taxonomy
		t.ID.Status = taxonomy.Stable
		if intent.ReleaseNotes != nil {
			t.Notes = *intent.ReleaseNotes
		}
		if r, err = release.Compile(&t); err != nil {
			return err
		}
		before := ix.Clone()
		if err := s.checkCompatible(ctx, before, r, intent); err != nil {
			return promotionBreaks(err)
		}
		if outcome, err = s.publish(ctx, before, ix, Publication{Release: r, Pins: pins}, intent); err != nil {
			return err
		}
		if !outcome.Published && intent.ReleaseNotes != nil {
			return stableImmutable.Found("%s was published before, and its notes never change.", outcome.ID).Hint("Promote it without notes.")
		}
		warnings = s.remarks(ctx, before, outcome)
		return nil
	})
	result.Outcomes, result.Warnings = []Outcome{outcome}, warnings
	return result, err
}

// checkIgnored returns an error if the files of a beta contain anything that is not read.
// In an authoring tree, that is an error for stable releases only.
func checkIgnored(t *taxonomy.Taxonomy) error {
	if t.Ignored.Count == 0 {
		return nil
	}
	findings := strings.Join(t.Ignored.Findings, " ")
	if more := t.Ignored.Count - len(t.Ignored.Findings); more > 0 {
		findings += fmt.Sprintf(" There are %d more.", more)
	}
	return betaIgnored.Found("%s contains what would be %s in a stable release. %s", t.ID, problem.Count(t.Ignored.Count, "error"), findings).
		Hint("Correct its authoring tree, where \"placard check\" lists them, and publish the beta again before you promote it.")
}

// checkUnpromoted returns an error if the stable release of a beta has been published
// with different content.
func (ix *Index) checkUnpromoted(beta Entry) error {
	stable, ok := ix.stableOf(beta.ID)
	if !ok || stable.ContentHash == beta.ContentHash {
		return nil
	}
	return stableImmutable.Found("%s was published with different content (%s), and a stable release never changes.", stable.ID, stable.ContentHash).
		Hint("%s changed after it was promoted. Continue it under a new date.", beta.ID).
		See(problem.Compare(stable.ID.String(), beta.ID.String())).AndSee(problem.Continue(beta.ID.Type, beta.ID.String()))
}

// stableOf returns the entry of the stable release with the date of a beta, which
// may have been retired.
func (ix *Index) stableOf(beta taxonomy.ID) (Entry, bool) {
	id := beta
	id.Status = taxonomy.Stable
	if e, ok := ix.Find(id); ok {
		return e, true
	}
	return ix.FindRetired(id)
}

// promotionBreaks changes the hint of an error of checkCompatible: the release is
// already a beta.
func promotionBreaks(err error) error {
	list, ok := errors.AsType[problem.List](err)
	if !ok {
		return err
	}
	for i := range list {
		if list[i].Code == StableBreaking {
			list[i].FixHint = "Undo these changes in the authoring tree, and publish the beta again. If documents may break, add --allow-breaking."
		}
	}
	return list
}
