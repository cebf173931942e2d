package release

import "fmt"

// Layout is the version of the stored form: the files of a release, their
// formats, and the index of a store. It is incremented when any of
// them changes.
const Layout = 2

// CheckLayout returns an error if the layout of a stored file is not [Layout].
func CheckLayout(file string, layout int) error {
	switch {
	case layout < Layout:
		return fmt.Errorf("%s has layout %d, which this version of Placard no longer reads (it reads layout %d); publish the releases again, into an empty store, with this version", file, layout, Layout)
	case layout > Layout:
		return fmt.Errorf("%s has layout %d, which this version of Placard does not read (it reads layout %d); use a newer version of Placard", file, layout, Layout)
	}
	return nil
}
