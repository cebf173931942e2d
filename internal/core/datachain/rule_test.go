package datachain

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
)

var update = flag.Bool("update", false, "update golden files")

// with returns the valid example with changes applied.
func with(changes ...change) string { return changed(exampleDocument, changes...) }

// resolvedWith returns the resolved valid example with changes applied.
func resolvedWith(changes ...change) string { return changed(exampleResolved(), changes...) }

func changed(document string, changes ...change) string {
	for _, c := range changes {
		document = c.apply(document)
	}
	return document
}

// exampleWithWholeSchema returns the valid example with a snapshot of the whole
// example taxonomy.
func exampleWithWholeSchema() string {
	s := exampleSchema()
	all := func(b []byte) string { return "[" + string(b) + "]" }
	categories := s.categoryFragments.appendSelected(nil, slices.Repeat([]bool{true}, s.categoryFragments.len()))
	elements := s.elementFragments.appendSelected(nil, slices.Repeat([]bool{true}, s.elementFragments.len()))
	return with(change{"schema_snapshot", `{"datachain_type": ` + string(s.typeFragment) +
		`, "categories": ` + all(categories) + `, "elements": ` + all(elements) + `}`})
}

// mustRun runs an operation on a document of the example taxonomy.
func mustRun(t *testing.T, op Operation, document string) Report {
	t.Helper()
	report, err := run(op, []byte(document), exampleSchema(), nil)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return report
}

func run(op Operation, body []byte, s *Schema, step Step) (Report, error) {
	if op == OpValidateResolved {
		d, report, err := ParseResolved(body, step)
		if err != nil || !report.OK() {
			return report, err
		}
		defer d.Release()
		return ValidateResolved(d, s, step)
	}
	d, report, err := Parse(body, step)
	if err != nil || !report.OK() {
		return report, err
	}
	defer d.Release()
	if op == OpValidate {
		return Validate(d, s, step)
	}
	r, err := Resolve(d, s, step)
	r.Release()
	return r.Report, err
}

// codesAt returns the findings of a report in the form "code path", errors first.
func codesAt(r Report) []string {
	var found []string
	for _, p := range slices.Concat(r.Errors, r.Warnings) {
		found = append(found, string(p.Code)+" "+p.Path.String())
	}
	return found
}

func codes(list problem.List) []problem.Code {
	var codes []problem.Code
	for _, p := range list {
		codes = append(codes, p.Code)
	}
	return slices.Compact(codes)
}

func TestExampleDocumentViolatesNoRule(t *testing.T) {
	for _, op := range onThin {
		if found := codesAt(mustRun(t, op, exampleDocument)); found != nil {
			t.Errorf("%s: got findings %v, want none", op, found)
		}
	}
	if found := codesAt(mustRun(t, OpValidateResolved, exampleResolved())); found != nil {
		t.Errorf("%s: got findings %v, want none", OpValidateResolved, found)
	}
}

func TestExamplesViolateOnlyTheirRule(t *testing.T) {
	for _, r := range Rules() {
		t.Run(string(r.Code), func(t *testing.T) {
			for _, op := range r.RaisedBy {
				document := r.Example
				if op == OpValidateResolved && r.RaisedBy[0] != OpValidateResolved {
					document = changed(exampleWithWholeSchema(), r.changes...)
				}
				report := mustRun(t, op, document)
				errors, warnings := []problem.Code{r.Code}, []problem.Code(nil)
				switch {
				case r.Code == findingsTruncated.Code:
					errors, warnings = []problem.Code{parseError.Code}, errors
				case r.ErrorIf == "the document is resolved" && op == OpResolve:
				case r.Severity == problem.Warning:
					errors, warnings = warnings, errors
				}
				if diff := cmp.Diff(errors, codes(report.Errors)); diff != "" {
					t.Errorf("errors of %s (-want +got):\n%s", op, diff)
				}
				if diff := cmp.Diff(warnings, codes(report.Warnings)); diff != "" {
					t.Errorf("warnings of %s (-want +got):\n%s", op, diff)
				}
				for _, p := range slices.Concat(report.Errors, report.Warnings) {
					if p.FixHint == "" || !strings.HasSuffix(p.Message, ".") || p.Severity == "" {
						t.Errorf("%s: got %+v, want a sentence, a hint and a severity", op, p)
					}
				}
			}
		})
	}
}

func TestEveryRuleIsDocumented(t *testing.T) {
	for _, r := range Rules() {
		if !strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Why, ".") || r.Example == "" || len(r.RaisedBy) == 0 {
			t.Errorf("%s: got %+v, want a title, a reason, an example and operations", r.Code, r)
		}
		if r.check == nil && r.Code != parseError.Code && r.Code != findingsTruncated.Code {
			t.Errorf("%s has no check", r.Code)
		}
		verb := map[problem.Severity]string{problem.Error: " must ", problem.Warning: " should "}[r.Severity]
		if r.Code != findingsTruncated.Code && !strings.Contains(r.Title, verb) {
			t.Errorf("the title of the %s %s does not contain %q: %s", r.Severity, r.Code, verb, r.Title)
		}
	}
}
