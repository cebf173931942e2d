package source

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var demo = taxonomy.ID{Type: "demo", Date: "2026-01-31", Status: taxonomy.Beta}

// overlay returns a tree with the files of txtar archives in a release folder.
// Later files replace earlier ones, and an empty file deletes the earlier one.
func overlay(id taxonomy.ID, archives ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, archive := range archives {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			name := path.Join(id.Folder(), f.Name)
			if len(f.Data) == 0 {
				delete(fsys, name)
			} else {
				fsys[name] = &fstest.MapFile{Data: f.Data}
			}
		}
	}
	return fsys
}

// summary formats findings as "CODE file:line:column", with files relative to the
// release folder.
func summary(found problem.List) []string {
	var lines []string
	for _, p := range found {
		p.Pos.File = strings.TrimPrefix(p.Pos.File, demo.Folder()+"/")
		lines = append(lines, fmt.Sprintf("%s %s", p.Code, p.Pos))
	}
	return lines
}

func mustLoad(t testing.TB, fsys fs.FS, id taxonomy.ID) *taxonomy.Taxonomy {
	t.Helper()
	result, found := Load(fsys, id)
	if result == nil {
		t.Fatalf("%v", []problem.Problem(found))
	}
	return result
}

func TestMinimalTreeIsValid(t *testing.T) {
	got, found := Load(overlay(demo, Minimal), demo)
	if len(found) > 0 {
		t.Fatal(found)
	}
	text := func(en, fr string) taxonomy.Localized {
		return taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: fr}}
	}
	want := &taxonomy.Taxonomy{
		ID:      demo,
		Locales: []string{"en", "fr"},
		Title:   text("Demonstration", "Démonstration"),
		Type: taxonomy.DatachainType{
			ID:         "demo",
			Name:       text("Demonstration", "Démonstration"),
			Categories: []string{"place"},
			Locales:    []string{"en", "fr"},
		},
		Categories: []taxonomy.Category{{
			ID:          "place",
			Name:        text("Place", "Lieu"),
			Description: text("Where the system is", "Où se trouve le système"),
			Shape:       taxonomy.Circle,
			Order:       1,
		}},
		Elements: []taxonomy.Element{{
			ID:           "street",
			CategoryID:   "place",
			Title:        text("Street", "Rue"),
			Description:  text("Out in the street", "Dans la rue"),
			SymbolID:     "street",
			Shape:        taxonomy.Circle,
			IconVariants: []string{"default", "dark"},
		}},
		Symbols: map[string][]byte{"street": txtar.Parse([]byte(minimalSymbol)).Files[0].Data},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// positions holds the position at which the example of each rule breaks it.
var positions = map[problem.Code]string{
	"RELEASE_FOLDER_INVALID":      "demo/2026-02-30-beta",
	"FILE_MISSING":                "meta.yaml",
	"FILE_UNEXPECTED":             "elements/square.yml",
	"FILE_UNREADABLE":             "elements/square.yaml",
	"FILE_TOO_LARGE":              "meta.yaml",
	"FILE_NOT_UTF8":               "meta.yaml:2:11",
	"YAML_SYNTAX":                 "meta.yaml:2:23",
	"YAML_EMPTY":                  "meta.yaml:1:1",
	"YAML_MULTIPLE_DOCUMENTS":     "meta.yaml:2:1",
	"YAML_DUPLICATE_KEY":          "meta.yaml:3:1",
	"YAML_MERGE_KEY":              "meta.yaml:2:1",
	"YAML_ALIAS_EXPANSION":        "meta.yaml:2:16",
	"FIELD_UNKNOWN":               "elements/street.yaml:6:1",
	"FIELD_MISSING":               "categories/place.yaml:1:1",
	"FIELD_KIND":                  "elements/street.yaml:5:12",
	"FIELD_TWO_NAMES":             "elements/street.yaml:7:21",
	"NUMBER_NEGATIVE":             "elements/street.yaml:6:17",
	"TEXT_BLANK":                  "elements/street.yaml:3:25",
	"TEXT_UNQUOTED":               "elements/street.yaml:3:21",
	"TEXT_COMMENT":                "elements/street.yaml:4:7",
	"TEXT_CURLY_QUOTES":           "elements/street.yaml:3:13",
	"LOCALE_MALFORMED":            "elements/street.yaml:3:30",
	"LOCALE_DUPLICATE":            "elements/street.yaml:3:30",
	"LOCALE_UNLISTED":             "elements/street.yaml:3:30",
	"TRANSLATION_MISSING":         "elements/street.yaml:3:8",
	"TRANSLATION_NOT_INDENTED":    "elements/street.yaml:5:1",
	"LOCALES_MISSING":             "meta.yaml:1:10",
	"LOCALES_DISAGREE":            "datachain-type.yaml:4:10",
	"VARIABLE_REFERENCE_UNKNOWN":  "elements/street.yaml:3:13",
	"VARIABLE_REFERENCE_DIFFERS":  "elements/street.yaml:3:36",
	"ID_INVALID":                  "categories/place.yaml:5:18",
	"ID_DUPLICATE":                "categories/place.yaml:5:58",
	"ID_FILE_MISMATCH":            "elements/road.yaml:1:5",
	"REPLACED_ELEMENT_UNKNOWN":    "elements/street.yaml:6:11",
	"VERSION_MISMATCH":            "meta.yaml:2:10",
	"STATUS_MISMATCH":             "meta.yaml:2:9",
	"TYPE_MISMATCH":               "categories/place.yaml:5:17",
	"CREATED_AT_INVALID":          "meta.yaml:2:13",
	"SOURCE_URL_INVALID":          "categories/place.yaml:5:53",
	"CATEGORIES_MISSING":          "datachain-type.yaml:3:13",
	"CATEGORY_UNKNOWN":            "datachain-type.yaml:3:21",
	"CATEGORY_NOT_LISTED":         "categories/owner.yaml:1:5",
	"CATEGORY_LISTED_TWICE":       "datachain-type.yaml:3:21",
	"CATEGORY_ORDER_DUPLICATE":    "categories/place.yaml:5:8",
	"ELEMENT_TITLE_DUPLICATE":     "elements/street.yaml:3:25",
	"CATEGORY_EMPTY":              "categories/owner.yaml:1:5",
	"SUBCHAIN_CATEGORY_UNKNOWN":   "datachain-type.yaml:4:70",
	"SHAPE_UNKNOWN":               "categories/place.yaml:4:8",
	"MIN_ABOVE_MAX":               "categories/place.yaml:5:15",
	"ELEMENTS_MISSING":            "elements",
	"ELEMENT_CATEGORY_UNKNOWN":    "elements/street.yaml:2:14",
	"ELEMENT_SYMBOL_UNKNOWN":      "elements/street.yaml:5:12",
	"SYMBOL_UNUSED":               "symbols/road.svg",
	"CONTEXT_VALUE_RESERVED":      "categories/place.yaml:10:12",
	"COLOR_INVALID":               "categories/place.yaml:10:65",
	"COLOR_LOW_CONTRAST":          "categories/place.yaml:10:65",
	"COLOR_TOO_SIMILAR":           "categories/place.yaml:10:65",
	"VARIABLE_KIND_UNKNOWN":       "categories/place.yaml:5:58",
	"VARIABLE_OPTIONS_MISSING":    "categories/place.yaml:5:13",
	"VARIABLE_OPTIONS_UNEXPECTED": "categories/place.yaml:5:63",
	"OPTION_ELEMENT_UNKNOWN":      "categories/place.yaml:9:72",
	"EXCLUDED_ELEMENT_UNKNOWN":    "elements/street.yaml:6:12",
	"EXCLUDED_ELEMENT_ITSELF":     "elements/street.yaml:6:12",
	"EXCLUDED_ELEMENT_DUPLICATE":  "elements/street.yaml:6:18",
	"REPLACED_ELEMENT_EXISTS":     "elements/street.yaml:6:11",
	"REPLACED_ELEMENT_DUPLICATE":  "elements/street.yaml:6:11",
	"DEPRECATION_UNCLEAR":         "elements/street.yaml:6:13",
	"VARIABLE_ELEMENT_UNKNOWN":    "categories/place.yaml:5:67",
	"KEYWORD_DUPLICATE":           "elements/street.yaml:6:23",
	"KEYWORD_TOO_LONG":            "elements/street.yaml:6:17",
	"KEYWORDS_TOO_MANY":           "elements/street.yaml:6:16",

	"VARIABLE_REFERENCE_MALFORMED": "elements/street.yaml:3:13",
}

func TestEachExampleBreaksOnlyItsRule(t *testing.T) {
	remaining := maps.Clone(positions)
	for _, rule := range rules {
		t.Run(string(rule.Code), func(t *testing.T) {
			pos, ok := remaining[rule.Code]
			if !ok {
				t.Fatal("the code is duplicated or has no entry in positions")
			}
			delete(remaining, rule.Code)
			example := rule.Example
			if rule.Code == fileTooLarge.Code {
				example = minimalMeta + strings.Repeat("# padding\n", MaxFileSize/10+1)
			}
			fsys := overlay(demo, Minimal, example)
			_, folderFindings := Releases(fsys)
			result, found := Load(fsys, demo)
			found = append(folderFindings, found...)
			if diff := cmp.Diff([]string{string(rule.Code) + " " + pos}, summary(found)); diff != "" {
				t.Fatalf("findings (-want +got):\n%s%v", diff, found)
			}
			if len(folderFindings) == 0 && (result == nil) != (rule.Severity == problem.Error) {
				t.Errorf("got taxonomy %v for severity %s", result, rule.Severity)
			}
			if found[0].Severity != rule.Severity || found[0].FixHint == "" {
				t.Errorf("wrong severity or no hint: %+v", found[0])
			}
			for _, sentence := range []string{rule.Title, rule.Why, found[0].Message} {
				if !strings.HasSuffix(sentence, ".") {
					t.Errorf("%q is not a sentence", sentence)
				}
			}
		})
	}
	if len(remaining) > 0 {
		t.Errorf("no rules for %v", slices.Collect(maps.Keys(remaining)))
	}
}

func TestCodesAreUnique(t *testing.T) {
	seen := map[problem.Code]bool{}
	for _, rule := range Rules() {
		if seen[rule.Code] {
			t.Errorf("duplicate code %s", rule.Code)
		}
		seen[rule.Code] = true
	}
	if !seen["SYMBOL_SCRIPT"] || !seen["ID_DUPLICATE"] {
		t.Error("the rules for symbols or trees are missing")
	}
}

func TestTitlesMatchSeverities(t *testing.T) {
	verbs := map[problem.Severity]string{problem.Error: " must ", problem.Warning: " should "}
	for _, rule := range Rules() {
		if verb := verbs[rule.Severity]; !strings.Contains(rule.Title, verb) {
			t.Errorf("the title of the %s %s does not contain %q: %s", rule.Severity, rule.Code, verb, rule.Title)
		}
	}
}

func TestReleasesAreSorted(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, file := range []string{
		"place/2026-06-01-stable/meta.yaml", "place/2026-06-01-beta/meta.yaml", "ai/2026-08-12-beta/meta.yaml",
		"place/2025-01-01-beta/elements/a.yaml", "README.md", "docs/guide/intro.md", ".git/2026-01-01-beta/meta.yaml",
		"place/notes.txt", "place/drafts/plan.md", "docs/site.yaml", "place/drone.yml", "place/symbols/drone.svg", "place/2026-07-01-beta",
		"place/2026-06-01-draft/meta.yaml", "place/2026-6-1-beta/meta.yaml", "place/next/datachain-type.yaml", "my type/2026-06-01-beta/meta.yaml",
	} {
		fsys[file] = &fstest.MapFile{Data: []byte("x")}
	}
	ids, found := Releases(fsys)
	var got []string
	for _, id := range ids {
		got = append(got, id.String())
	}
	want := []string{"ai@2026-08-12-beta", "place@2025-01-01-beta", "place@2026-06-01-beta", "place@2026-06-01-stable"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("releases (-want +got):\n%s", diff)
	}
	wantFound := []string{
		"RELEASE_FOLDER_INVALID my type/2026-06-01-beta",
		"RELEASE_FOLDER_INVALID place/2026-06-01-draft",
		"FILE_UNREADABLE place/2026-07-01-beta",
		"RELEASE_FOLDER_INVALID place/2026-6-1-beta",
		"FILE_UNEXPECTED place/drone.yml",
		"RELEASE_FOLDER_INVALID place/next",
		"FILE_UNEXPECTED place/symbols",
	}
	if diff := cmp.Diff(wantFound, summary(found)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestMissingReleaseGivesOneFinding(t *testing.T) {
	result, found := Load(fstest.MapFS{}, demo)
	if diff := cmp.Diff([]string{"FILE_MISSING demo/2026-01-31-beta"}, summary(found)); result != nil || diff != "" {
		t.Errorf("got taxonomy %v, findings (-want +got):\n%s", result, diff)
	}
}

func TestEmptyReleaseLacksRequiredFiles(t *testing.T) {
	for _, file := range []string{"", "/.gitkeep"} {
		fsys := fstest.MapFS{demo.Folder() + file: &fstest.MapFile{Mode: fs.ModeDir}}
		result, found := Load(fsys, demo)
		want := []string{"FILE_MISSING datachain-type.yaml", "ELEMENTS_MISSING elements", "FILE_MISSING meta.yaml"}
		if diff := cmp.Diff(want, summary(found)); result != nil || diff != "" {
			t.Errorf("got taxonomy %v, findings (-want +got):\n%s", result, diff)
		}
	}
}

func TestUnreadableFoldersAreReported(t *testing.T) {
	fsys := overlay(demo, Minimal)
	fsys["place/2026-06-01-beta/meta.yaml"] = &fstest.MapFile{Data: []byte("x")}
	for folder, want := range map[string][]taxonomy.ID{
		"place": {demo},
		".":     nil,
	} {
		ids, found := Releases(deniedFS{fsys, folder})
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("releases (-want +got):\n%s", diff)
		}
		if len(found) != 1 || found[0].Code != "FILE_UNREADABLE" || found[0].Pos != (problem.Pos{File: folder}) {
			t.Errorf("got findings %v, want one FILE_UNREADABLE at %s", found, folder)
		}
	}
}

func TestIgnored(t *testing.T) {
	original := map[string]bool{"street.yaml": true, "street.svg": true, "meta.yaml": true, "2026-01-31-beta": true}
	for name, want := range map[string]bool{
		".git": true, ".DS_Store": true, ".#drone.yaml": true, ".drone.yaml.swp": true, "README": true, "ReadMe.md": true, "LICENSE": true,
		"CHANGELOG.md": true, "README.md~": true, "Thumbs.db": true,
		"#street.yaml#": true, "street.yaml~": true, "street.yaml.~12~": true, "street.svg.BAK": true, "street.yaml.orig": true, "street.yaml.tmp": true,
		"street.bak": true, "street.yaml.bak~": true, "meta.yaml.bak": true, "2026-01-31-beta.bak": true,
		"#drone.yaml#": false, "drone.yaml~": false, "drone.yaml.~12~": false, "drone.svg.BAK": false, "drone.yaml.orig": false, "drone.yaml.tmp": false,
		"drone.bak": false, "drone.yaml.bak~": false, "street.yml~": false, "2026-02-01-beta.bak": false, "~": false, "#": false, "##": false,
		"street.yaml": false, "street.yml": false, "readme.yaml": false, "license.svg": false, "meta.yaml": false, "2026-01-31-beta": false, "demo": false,
	} {
		if got := Ignored(name, func(sibling string) bool { return original[sibling] }); got != want {
			t.Errorf("Ignored(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestOutlineOfAReleaseWithErrors(t *testing.T) {
	fsys := overlay(demo, Minimal,
		replace(minimalElement, "category_id: place", "category_id: [palce]"),
		"-- elements/broken.yaml --\nid: [\n-- elements/a.b.yaml --\nid: a.b\n-- symbols/unused.svg --\n<script/>\n")
	if tax, _ := Load(fsys, demo); tax != nil {
		t.Fatal("the release has no errors")
	}
	want := &taxonomy.Taxonomy{
		ID:         demo,
		Locales:    []string{"en", "fr"},
		Categories: []taxonomy.Category{{ID: "place", Name: taxonomy.Localized{{Locale: "en", Value: "Place"}, {Locale: "fr", Value: "Lieu"}}}},
		Elements: []taxonomy.Element{
			{ID: "broken"},
			{ID: "street", Title: taxonomy.Localized{{Locale: "en", Value: "Street"}, {Locale: "fr", Value: "Rue"}}},
		},
		Symbols: map[string][]byte{"street": nil, "unused": nil},
	}
	if diff := cmp.Diff(want, Outline(fsys, demo)); diff != "" {
		t.Errorf("outline (-want +got):\n%s", diff)
	}
	if got := Outline(fstest.MapFS{}, demo); got != nil {
		t.Errorf("got %v for a missing folder, want nil", got)
	}
}
