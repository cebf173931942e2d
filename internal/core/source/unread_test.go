package source

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
)

// rename returns a tree in which a file or folder of the release has another name.
func rename(fsys fstest.MapFS, from, to string) fstest.MapFS {
	renamed := fstest.MapFS{}
	from, to = demo.Folder()+"/"+from, demo.Folder()+"/"+to
	for name, file := range fsys {
		switch {
		case name == from:
			name = to
		case len(name) > len(from) && name[:len(from)+1] == from+"/":
			name = to + name[len(from):]
		}
		renamed[name] = file
	}
	return renamed
}

func TestMisnamedFilesAreErrorsWithAHint(t *testing.T) {
	for _, test := range []struct{ from, to, hint string }{
		{"meta.yaml", "meta.yml", `Rename it to "meta.yaml".`},
		{"datachain-type.yaml", "datachain_type.yaml", `Rename it to "datachain-type.yaml".`},
		{"categories/place.yaml", "categories/place.yml", `Rename it to "place.yaml", or delete it.`},
		{"elements/street.yaml", "elements/street.yaml.txt", `Rename it to "street.yaml", or delete it.`},
		{"elements/street.yaml", "elements/inner/street.yaml", "Move its files to elements/, because folders in it are not read."},
		{"elements/street.yaml", "categories/street.yaml", "Move it to elements/."},
		{"categories/place.yaml", "elements/place.yaml", "Move it to categories/."},
		{"symbols/street.svg", "symbols/street.SVG", `Rename it to "street.svg", or delete it.`},
		{"elements", "Elements", `Rename it to "elements".`},
	} {
		result, found := Load(rename(overlay(demo, Minimal), test.from, test.to), demo)
		hasHint := slices.ContainsFunc(found, func(p problem.Problem) bool { return p.Code == fileUnexpected.Code && p.FixHint == test.hint })
		if result != nil || !found.HasErrors() || !hasHint {
			t.Errorf("%s as %s: got %v, want errors, and one finding with the hint %q", test.from, test.to, []problem.Problem(found), test.hint)
		}
	}
}

func TestOneMistakeInAnIDIsOneFinding(t *testing.T) {
	for name, test := range map[string]struct {
		tree, want, hint string
	}{
		"a category without its file": {
			replace(minimalType, "[place]", "[place, owner]") + "subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [owner]}]\n" +
				"-- elements/road.yaml --\n{id: road, category_id: owner, symbol_id: street, title: {en: Road, fr: Route}, description: {en: Road, fr: Route}}\n",
			"CATEGORY_UNKNOWN datachain-type.yaml:3:21", `Add the file "categories/owner.yaml".`,
		},
		"no elements": {
			"-- elements/street.yaml --\n" + minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}, required_for: [street]}]\n",
			"ELEMENTS_MISSING elements", "Add a file for each element to elements/.",
		},
		"a copied element": {
			replace(minimalElement, "street.yaml", "road.yaml"),
			"ID_DUPLICATE elements/road.yaml:1:5", `Change the id to "road", the name of the file.`,
		},
	} {
		_, found := Load(overlay(demo, Minimal, test.tree), demo)
		if diff := cmp.Diff([]string{test.want}, summary(found)); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", name, diff)
		} else if found[0].FixHint != test.hint || found[0].Severity != problem.Error {
			t.Errorf("%s: got %s with the hint %q, want an error with %q", name, found[0].Severity, found[0].FixHint, test.hint)
		}
	}
}

func TestInvalidIDsAreReportedOnce(t *testing.T) {
	for tree, want := range map[string]string{
		replace(minimalSymbol, "street.svg", "street (1).svg"):                                      "ID_INVALID symbols/street (1).svg",
		replace(replace(minimalCategory, "place.yaml", "owner.yaml"), "id: place", "id: the owner"): "ID_INVALID categories/owner.yaml:1:5",
	} {
		_, found := Load(overlay(demo, Minimal, tree), demo)
		if diff := cmp.Diff([]string{want}, summary(found)); diff != "" {
			t.Errorf("findings (-want +got):\n%s", diff)
		}
	}
}

func TestHintsDoNotSuggestInvalidIDs(t *testing.T) {
	road := replace(roadElement, "id: road", "id: the road")
	_, found := Load(overlay(demo, Minimal, minimalElement+"excludes: [the_road]\n"+road), demo)
	want := []string{"ID_INVALID elements/road.yaml:1:5", "EXCLUDED_ELEMENT_UNKNOWN elements/street.yaml:6:12"}
	if diff := cmp.Diff(want, summary(found)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	} else if want := "Use the id of an element of this release, or remove it."; found[1].FixHint != want {
		t.Errorf("got hint %q, want %q", found[1].FixHint, want)
	}
	for tree, want := range map[string]string{
		replace(minimalElement, "symbol_id: street", "symbol_id: a b"): "Use only a-z, A-Z, 0-9, _ and - in the id.",
		replace(minimalType, "[place]", "[place, a b]"):                "Use only a-z, A-Z, 0-9, _ and - in the id, or remove the id from the list.",
	} {
		if _, found := Load(overlay(demo, Minimal, tree), demo); len(found) != 1 || found[0].FixHint != want {
			t.Errorf("got %v, want the hint %q", []problem.Problem(found), want)
		}
	}
}
