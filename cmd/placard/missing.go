package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// explain completes the error of a release that is not published or cannot be read,
// with the way to get it.
func (rs *releases) explain(ref taxonomy.Ref, err error) error {
	p, ok := errors.AsType[problem.Problem](err)
	switch {
	case !ok:
		return err
	case rs.flags.store != "" && p.Code == problem.UpstreamError:
		return rs.explainDamage(p, ref, err)
	case p.Code != problem.NotFound:
		return err
	case rs.flags.store != "":
		return rs.explainRetired(p, ref)
	case rs.flags.source != "":
		return err
	}
	p.FixHint += " Use --store or --source for other releases."
	return p
}

// explainDamage names the damaged file of a release.
func (rs *releases) explainDamage(p problem.Problem, ref taxonomy.Ref, err error) error {
	damage, ok := errors.AsType[*release.DamageError](err)
	if !ok {
		return err
	}
	id, resolveErr := catalog.Resolve(rs.Index(), ref)
	if resolveErr != nil {
		return err
	}
	entry, _ := rs.Index().Find(id)
	file := filepath.Join(rs.flags.store, filepath.FromSlash(entry.Path), damage.File)
	p.Message = fmt.Sprintf("%s cannot be read, because %q is damaged: %v.", id, file, damage.Err)
	p.FixHint = "Publish the release again from its folder in the authoring tree."
	return p.See(problem.Verify())
}

// explainRetired says how to restore a release that was retired.
func (rs *releases) explainRetired(p problem.Problem, ref taxonomy.Ref) problem.Problem {
	index := rs.Index()
	_, err := catalog.Resolve(index, ref)
	if call := callOf(err); call.Operation == problem.OpRestore {
		p.FixHint, p.Call = storeSentence(rs.flags.store)(call), problem.Call{}
		return p
	}
	if len(index.Releases) == 0 {
		p.FixHint = nothingPublished(rs.flags.store, index)
	}
	return p
}

func callOf(err error) problem.Call {
	p, _ := errors.AsType[problem.Problem](err)
	return p.Call
}

// nothingPublished says why a store has no published releases.
func nothingPublished(name string, index *store.Index) string {
	switch n := len(index.Retired); n {
	case 0:
		return "Nothing has been published in " + storeLabel(name) + "."
	case 1:
		return fmt.Sprintf("The only release is retired. %q lists it.", "placard list --retired --store "+shellWord(name))
	default:
		return fmt.Sprintf("All %d releases are retired. %q lists them.", n, "placard list --retired --store "+shellWord(name))
	}
}
