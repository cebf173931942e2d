package release

import "placard/internal/core/problem"

// Layout is the version of the stored form: the files of a release, their
// formats, and the index of a store. It is incremented when any of
// them changes.
const Layout = 2

// CheckLayout returns an error if the layout of a stored file is not [Layout].
func CheckLayout(file string, layout int) error {
	switch {
	case layout < Layout:
		return problem.Failure("%s has layout %d, which this version of Placard no longer reads (it reads layout %d).", file, layout, Layout).
			Hint("Publish the releases again, into an empty store, with this version.")
	case layout > Layout:
		return problem.Failure("%s has layout %d, which this version of Placard does not read (it reads layout %d).", file, layout, Layout).
			Hint("Use a newer version of Placard.")
	}
	return nil
}
