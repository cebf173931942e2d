package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/core/upgrade"
)

// version returns a version of the small taxonomy. The edits are made before it is
// derived again.
func version(t testing.TB, date string, edits ...func(x *taxonomy.Taxonomy)) upgrade.Version {
	t.Helper()
	x := releasetest.Taxonomy(t, "small@"+date)
	for _, edit := range edits {
		edit(x)
	}
	x.Derive()
	return upgrade.Version{Taxonomy: x, Schema: datachain.NewSchema(x)}
}

// rename gives the element another id and declares it.
func rename(from, to string) func(x *taxonomy.Taxonomy) {
	return func(x *taxonomy.Taxonomy) {
		i := slices.IndexFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == from })
		x.Elements[i].ID, x.Elements[i].Replaces = to, taxonomy.IDs{from}
	}
}

func remove(id string) func(x *taxonomy.Taxonomy) {
	return func(x *taxonomy.Taxonomy) {
		x.Elements = slices.DeleteFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == id })
	}
}

func replaces(id, old string) func(x *taxonomy.Taxonomy) {
	return func(x *taxonomy.Taxonomy) {
		i := slices.IndexFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == id })
		x.Elements[i].Replaces = taxonomy.IDs{old}
	}
}

// renameParts appends a suffix to the ids of the context values, variables and options.
func renameParts(suffix string) func(x *taxonomy.Taxonomy) {
	return func(x *taxonomy.Taxonomy) {
		rename := func(id *string, replaces *taxonomy.IDs) { *id, *replaces = *id+suffix, taxonomy.IDs{*id} }
		contexts := []*taxonomy.Context{x.Categories[1].Context, x.Elements[2].Context}
		for _, c := range contexts {
			for i := range c.Values {
				rename(&c.Values[i].ID, &c.Values[i].Replaces)
			}
		}
		for i := range x.Categories[1].Variables {
			v := &x.Categories[1].Variables[i]
			rename(&v.ID, &v.Replaces)
			for k := range v.Options {
				rename(&v.Options[k].ID, &v.Options[k].Replaces)
			}
		}
	}
}

// shows gives the category of an element the variables, which its description shows.
func shows(id string, variables ...string) func(x *taxonomy.Taxonomy) {
	return func(x *taxonomy.Taxonomy) {
		e := &x.Elements[slices.IndexFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == id })]
		c := &x.Categories[slices.IndexFunc(x.Categories, func(c taxonomy.Category) bool { return c.ID == e.CategoryID })]
		c.Variables = nil
		for _, v := range variables {
			c.Variables = append(c.Variables, taxonomy.Variable{ID: v, Kind: taxonomy.LocalizedText})
			e.Description[1].Value += " {{" + v + "}}"
		}
	}
}

// place returns a document with the given placements and other members. The variable
// note is required in the category of pictures and sound.
func place(version, placements, members string) string {
	placements = strings.NewReplacer(
		"PICTURES", `{"element_id": "pictures", "variables": [{"id": "note", "value": [{"locale": "en", "value": "At the gate"}]}], "context_type_id": "fine"}`,
		"SOUND", `{"element_id": "sound", "variables": [{"id": "note", "value": [{"locale": "en", "value": "At the gate"}]}], "context_type_id": "loud"`,
	).Replace(placements)
	return `{"id": "d", "schema_version": "small@` + version + `", "created_at": "2026-01-02T00:00:00Z", "elements": [{"element_id": "safety"}, ` + placements + `]` + members + `}`
}

// describe formats the edits and findings of a result.
func describe(r *upgrade.Result) []string {
	var lines []string
	for _, e := range r.Edits {
		lines = append(lines, fmt.Sprintf("%s: %s > %s", e.Path, e.Before, e.After))
	}
	for _, p := range r.Problems {
		lines = append(lines, fmt.Sprintf("%s %s at %s", p.Severity, p.Code, p.Path))
	}
	for _, id := range r.Reworded {
		lines = append(lines, "reworded "+id)
	}
	return lines
}

func TestDocumentsAreUpgraded(t *testing.T) {
	const first, second, third = "2026-01-01-stable", "2026-02-01-stable", "2026-03-01-stable"
	pin := func(to string) string { return "schema_version: small@" + first + " > small@" + to }
	for name, test := range map[string]struct {
		document string
		versions []upgrade.Version // the last is the target
		want     []string
	}{
		"nothing but the version": {
			place(first, "PICTURES", ""), []upgrade.Version{version(t, first), version(t, second)}, []string{pin(second)},
		},
		"already current": {place(second, "PICTURES", ""), []upgrade.Version{version(t, first), version(t, second)}, nil},
		"current, but with an element under its old id": {
			place(second, "SOUND}", ""),
			[]upgrade.Version{version(t, first), version(t, second, rename("sound", "audio"))},
			[]string{"elements[1].element_id: sound > audio"},
		},
		"elements that are merged into a new one": {
			place(second, "SOUND}, {\"element_id\": \"unknown\"}", ""),
			[]upgrade.Version{version(t, first), version(t, second, rename("sound", "audio"), func(x *taxonomy.Taxonomy) {
				i := slices.IndexFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == "audio" })
				x.Elements[i].Replaces = taxonomy.IDs{"noise", "sound"}
			})},
			[]string{"elements[1].element_id: sound > audio", "error INSTANCE_ELEMENT_UNKNOWN at elements[2].element_id"},
		},
		"current, but with an element that is removed": {
			place(second, "SOUND}", ""),
			[]upgrade.Version{version(t, first), version(t, second, remove("sound"))},
			[]string{"error INSTANCE_ELEMENT_UNKNOWN at elements[1].element_id"},
		},
		"an element in all places": {
			place(first, `SOUND, "element_instance_id": "mike"}, PICTURES`, `, "subchain_instances": [{"id": "sound", "subchain_id": "flow", "head_refs": ["sound", "mike"]}],
				"linked_instance_ids": ["sound"], "authoring_provenance": {"kind": "human", "element_provenance": {"sound": {}}}`),
			[]upgrade.Version{version(t, first), version(t, second, rename("sound", "audio"))},
			[]string{
				pin(second), "elements[1].element_id: sound > audio", "subchain_instances[0].head_refs[0]: sound > audio",
				"authoring_provenance.element_provenance.sound: sound > audio",
			},
		},
		"two renames, and versions in any order": {
			place(first, "SOUND}", ""),
			[]upgrade.Version{version(t, second, rename("sound", "audio")), version(t, first), version(t, third, rename("sound", "audio"), rename("audio", "noise"))},
			[]string{pin(third), "elements[1].element_id: sound > noise"},
		},
		"an element that replaces the oldest of two ids": {
			place(first, "SOUND}", ""),
			[]upgrade.Version{version(t, first), version(t, second, rename("sound", "audio")), version(t, third, rename("sound", "noise"))},
			[]string{pin(third), "elements[1].element_id: sound > noise"},
		},
		"an element that replaces the oldest of two ids, beside the newer one": {
			place(first, "SOUND}", ""),
			[]upgrade.Version{
				version(t, first), version(t, second, rename("sound", "audio")),
				version(t, third, rename("sound", "audio"), replaces("audio", ""), replaces("pictures", "sound")),
			},
			[]string{pin(third), "elements[1].element_id: sound > audio"},
		},
		"an element that is removed": {
			place(first, "SOUND}", ""),
			[]upgrade.Version{version(t, first), version(t, second, remove("sound"))},
			[]string{pin(second), "error INSTANCE_ELEMENT_UNKNOWN at elements[1].element_id"},
		},
		"a statement that is now required": {
			place(first, "PICTURES", ""),
			[]upgrade.Version{version(t, first), version(t, second, func(x *taxonomy.Taxonomy) { x.Elements[2].Required = true })},
			[]string{pin(second), "error element_required at elements"},
		},
		"a new warning": {
			place(first, "PICTURES, SOUND}", ""),
			[]upgrade.Version{version(t, first), version(t, second, func(x *taxonomy.Taxonomy) { x.Elements[1].Excludes = []string{"sound"} })},
			[]string{pin(second), "warning elements_exclude_each_other at elements[2].element_id"},
		},
		"an old warning": {
			place(first, "PICTURES", `, "titel": 1`), []upgrade.Version{version(t, first), version(t, second)}, []string{pin(second)},
		},
		"an element with new words": {
			place(first, "PICTURES", ""),
			[]upgrade.Version{version(t, first), version(t, second, func(x *taxonomy.Taxonomy) {
				x.Elements[1].Title[0].Value, x.Elements[2].Title[0].Value, x.Elements[0].Title[1].Value = "Videos", "Noise", "Sûreté"
			})},
			[]string{pin(second), "reworded pictures"},
		},
		"an unpublished version": {
			place(first, "SOUND}", ""),
			[]upgrade.Version{version(t, second, rename("sound", "audio"))},
			[]string{pin(second), "elements[1].element_id: sound > audio", "warning PINNED_VERSION_UNKNOWN at schema_version"},
		},
		"a newer version": {
			place(third, "PICTURES", ""), []upgrade.Version{version(t, third), version(t, second)}, []string{"error DOCUMENT_NEWER at schema_version"},
		},
		"a beta of the same day": {
			place("2026-02-01-beta", "PICTURES", ""),
			[]upgrade.Version{version(t, "2026-02-01-beta"), version(t, second)},
			[]string{"schema_version: small@2026-02-01-beta > small@2026-02-01-stable"},
		},
		"another type": {
			strings.Replace(place(first, "PICTURES", ""), "small@", "other@", 1),
			[]upgrade.Version{version(t, second)},
			[]string{"error DOCUMENT_OF_OTHER_TYPE at schema_version"},
		},
		"a resolved document": {
			place(first, "PICTURES", `, "schema_snapshot": {}`), []upgrade.Version{version(t, first), version(t, second)}, []string{"error DOCUMENT_RESOLVED at "},
		},
		"invalid JSON":         {"{", []upgrade.Version{version(t, second)}, []string{"error bad_request at "}},
		"values of wrong type": {place(first, "1", ""), []upgrade.Version{version(t, second)}, []string{"error parse_error at elements[1]"}},
		"an element_instance_id that is the new id": {
			place(first, `SOUND, "element_instance_id": "audio"}, SOUND}`, ""),
			[]upgrade.Version{version(t, first), version(t, second, rename("sound", "audio"))},
			[]string{"error RENAME_COLLISION at elements[1].element_id"},
		},
		"an element that replaces another one of the document": {
			place(first, `PICTURES, SOUND}`, ""),
			[]upgrade.Version{version(t, first), version(t, second, remove("sound"), replaces("pictures", "sound"))},
			[]string{"error RENAME_COLLISION at elements[2].element_id"},
		},
		"merged elements, one of them in a subchain instance": {
			place(first, `PICTURES, SOUND, "subchain_instance_id": "b"}`, `, "subchain_instances": [{"id": "b", "subchain_id": "flow"}]`),
			[]upgrade.Version{version(t, first), version(t, second, remove("sound"), replaces("pictures", "sound"))},
			[]string{
				pin(second), "elements[2].element_id: sound > pictures",
				"error ELEMENT_PLACED_TOO_OFTEN at elements[2].element_id", "error CONTEXT_TYPE_UNKNOWN at elements[2].context_type_id", "reworded pictures",
			},
		},
		"a head reference to the new element": {
			place(first, `SOUND}`, `, "subchain_instances": [{"id": "a", "subchain_id": "flow", "head_refs": ["pictures"]}]`),
			[]upgrade.Version{version(t, first), version(t, second, remove("sound"), replaces("pictures", "sound"))},
			[]string{"error RENAME_COLLISION at elements[1].element_id"},
		},
		"an element that replaces another one": {
			place(first, `PICTURES`, ""),
			[]upgrade.Version{version(t, first), version(t, second, remove("pictures"), replaces("sound", "pictures"))},
			[]string{
				pin(second), "elements[1].element_id: pictures > sound", "error CONTEXT_TYPE_UNKNOWN at elements[1].context_type_id",
				"reworded sound",
			},
		},
		"an old warning about an element that is renamed": {
			place(first, "SOUND}", `, "authoring_provenance": {"kind": "human", "element_provenance": {"sound": {"rationale": 1}}}`),
			[]upgrade.Version{version(t, first), version(t, second, rename("sound", "audio"))},
			[]string{
				pin(second), "elements[1].element_id: sound > audio", "authoring_provenance.element_provenance.sound: sound > audio",
			},
		},
		"parts of placements, renamed in two versions, of an element that is renamed as well": {
			place(first, `SOUND, "element_instance_id": "mike"}, {"element_id": "pictures", "context_type_id": "fine", "variables": [
				{"id": "note", "value": [{"locale": "en", "value": "note"}]}, {"id": "where", "value": ["here"]}]}`,
				`, "authoring_provenance": {"kind": "human", "element_provenance": {"mike": {"variable_rationale": {"note": "seen"}}}}`),
			[]upgrade.Version{version(t, first), version(t, second, renameParts("1")), version(t, third, renameParts("1"), rename("sound", "audio"), renameParts("2"))},
			[]string{
				pin(third), "elements[1].element_id: sound > audio", "elements[1].variables[0].id: note > note12", "elements[1].context_type_id: loud > loud12",
				"elements[2].context_type_id: fine > fine12", "elements[2].variables[0].id: note > note12",
				"elements[2].variables[1].id: where > where12", "elements[2].variables[1].value[0]: here > here12",
				"authoring_provenance.element_provenance.mike.variable_rationale.note: note > note12",
			},
		},
		"parts of placements that collide": {
			place(first, `{"element_id": "pictures", "context_type_id": "fine", "variables": [
				{"id": "note", "value": [{"locale": "en", "value": "A"}]}, {"id": "note1", "value": [{"locale": "en", "value": "B"}]}, {"id": "where", "value": ["here", "here1"]}]}`, ""),
			[]upgrade.Version{version(t, first), version(t, second, renameParts("1"))},
			[]string{"error RENAME_COLLISION at elements[1].variables[0].id", "error RENAME_COLLISION at elements[1].variables[2].value[0]"},
		},
		"a second warning in the same place": {
			place(first, `{"element_id": "safety"}`, ""),
			[]upgrade.Version{version(t, first, shows("safety", "who")), version(t, second, shows("safety", "who", "why"))},
			[]string{pin(second), "warning variable_not_filled_in at elements[0].variables", "warning variable_not_filled_in at elements[1].variables"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := test.versions[len(test.versions)-1]
			result, err := upgrade.New(target, test.versions).Upgrade([]byte(test.document))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, describe(result)); diff != "" {
				t.Errorf("edits and findings (-want +got):\n%s", diff)
			}
			if got, want := result.IsCurrent(), test.want == nil; got != want {
				t.Errorf("got current %v, want %v", got, want)
			}
			if len(result.Edits) == 0 && string(result.Text) != test.document {
				t.Errorf("got text %s, want the original", result.Text)
			}
		})
	}
}

func TestRemovedElementsAreExplained(t *testing.T) {
	versions := []upgrade.Version{
		version(t, "2026-01-01-stable"), version(t, "2026-02-01-stable", rename("sound", "audio")),
		version(t, "2026-03-01-stable", remove("sound")), version(t, "2026-04-01-stable", remove("sound"), remove("pictures")),
	}
	for target, want := range map[int][]string{
		2: {
			`Element "sound" was removed. The last version with it is small@2026-02-01-stable (as "audio"). Remove the placement, or use another element of the category: pictures. [small@2026-02-01-stable audio]`,
		},
		3: {
			`Element "pictures" was removed. The last version with it is small@2026-03-01-stable. Remove the placement. [small@2026-03-01-stable pictures]`,
			`Element "sound" was removed. The last version with it is small@2026-02-01-stable (as "audio"). Remove the placement. [small@2026-02-01-stable audio]`,
		},
	} {
		result, err := upgrade.New(versions[target], versions).Upgrade([]byte(place("2026-01-01-stable", "PICTURES, SOUND}", "")))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range result.Problems {
			got = append(got, fmt.Sprintf("%s %s [%s %s]", p.Message, p.FixHint, p.Call.Version, p.Call.Element))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", versions[target].Taxonomy.ID, diff)
		}
	}
}

// The report of the pinned version can be truncated as well.
func TestTruncatedFindingsAreReported(t *testing.T) {
	versions := []upgrade.Version{version(t, "2026-01-01-stable"), version(t, "2026-02-01-stable", remove("sound"))}
	var unknown strings.Builder
	for i := range 300 {
		fmt.Fprintf(&unknown, `, "unknown%d": 1`, i)
	}
	for name, document := range map[string]string{
		"removed elements":     place("2026-01-01-stable", strings.Repeat("SOUND}, ", 300)+"PICTURES", unknown.String()),
		"values of wrong type": place("2026-01-01-stable", strings.Repeat("1, ", 300)+"PICTURES", ""),
	} {
		result, err := upgrade.New(versions[1], versions).Upgrade([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		errs, warnings := result.Problems.Split()
		if len(errs) != 200 || len(warnings) != 1 || warnings[0].Code != "findings_truncated" {
			t.Errorf("%s: got %d errors and warnings %v, want 200 errors and findings_truncated", name, len(errs), []problem.Problem(warnings))
		}
	}
}

// TestEverythingElseStaysAsItIs draws documents with any white space, order and
// spelling. Undoing the renames in the upgraded text must restore every byte.
func TestEverythingElseStaysAsItIs(t *testing.T) {
	versions := []upgrade.Version{version(t, "2026-01-01-stable"), version(t, "2026-02-01-stable", rename("sound", "a"), rename("pictures", "a_much_longer_id"))}
	upgrader := upgrade.New(versions[1], versions)
	rapid.Check(t, func(t *rapid.T) {
		space := func() string { return rapid.SampledFrom([]string{"", " ", "\n", "\r\n\t", "  "}).Draw(t, "space") }
		var b strings.Builder
		write := func(tokens ...string) {
			for _, token := range tokens {
				b.WriteString(space() + token)
			}
		}
		write("{", `"instance_version"`, ":", rapid.SampledFrom([]string{"1.50", "1e2", `"\u0041"`}).Draw(t, "number"), ",", `"schema_version"`, ":", `"small@2026-01-01-stable"`, ",",
			`"id"`, ":", `"\u00e9 /"`, ",", `"created_at"`, ":", `"2026-01-02T00:00:00Z"`, ",", `"elements"`, ":", "[")
		for i, id := range rapid.SliceOfN(rapid.SampledFrom([]string{"safety", "sound", "pictures", `s\u006fund`, "unknown"}), 1, 6).Draw(t, "ids") {
			if i > 0 {
				write(",")
			}
			write("{", `"element_id"`, ":", `"`+id+`"`, "}")
		}
		write("]", "}", "")
		original := b.String()
		result, err := upgrader.Upgrade([]byte(original))
		if err != nil {
			t.Fatal(err)
		}
		var restored strings.Builder
		offset, grown := 0, 0
		for _, e := range result.Edits {
			start := e.Start + grown
			restored.WriteString(string(result.Text[offset:start]) + original[e.Start:e.End])
			offset = start + len(e.After) + 2
			grown = offset - e.End
			if got := string(result.Text[start:offset]); got != `"`+e.After+`"` {
				t.Fatalf("got %s in the upgraded text, want %q", got, e.After)
			}
			if got := result.Original(start); got != e.Start {
				t.Fatalf("offset %d: got original offset %d, want %d", start, got, e.Start)
			}
			if got := result.Original(offset); got != e.End {
				t.Fatalf("offset %d: got original offset %d, want %d", offset, got, e.End)
			}
		}
		restored.Write(result.Text[offset:])
		if restored.String() != original {
			t.Fatalf("got %q, want %q with other ids", result.Text, original)
		}
	})
}
