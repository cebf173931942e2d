package datachain

import (
	"slices"
	"sync"

	"placard/internal/problem"
)

// Operation is something that can be asked about a document.
type Operation string

// The operations, by the names callers know them under.
const (
	OpValidate         Operation = "validate"
	OpResolve          Operation = "resolve"
	OpValidateResolved Operation = "validate_resolved"
)

var (
	onThin     = []Operation{OpValidate, OpResolve}
	onResolved = []Operation{OpValidateResolved}
	onAny      = []Operation{OpValidate, OpResolve, OpValidateResolved}
)

// Rule is one rule that documents keep. Its example is a document in terms of
// [ExampleTaxonomy] that breaks this rule and no other; where only
// validate_resolved asks for the rule, it is a resolved document.
type Rule struct {
	problem.Rule
	RaisedBy []Operation

	changes []change // what sets the example apart from the good document
	check   func(*run, *Rule)
}

// These two have no check of their own: the first is raised by [Parse], the
// second by the end of a report.
var (
	parseError = Rule{
		Rule: problem.Rule{
			Code: "parse_error", Severity: problem.Error,
			Title: "Every member has the shape that documents have.",
			Why:   "What a member of another shape means cannot be known, so that no other rule can be checked.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].priority", `"high"`}},
	}
	findingsTruncated = Rule{
		Rule: problem.Rule{
			Code: "findings_truncated", Severity: problem.Warning,
			Title: "A report lists at most 200 errors and 200 warnings.",
			Why: "The rest is counted but not listed: that many findings usually have one cause. " +
				"The example breaks another rule 201 times.",
		},
		RaisedBy: onAny,
		changes:  []change{{"linked_instance_ids", manyZeros}},
	}
)

// rules are all rules, in the order they are explained in.
var rules = slices.Concat(
	[]Rule{parseError},
	categoryRules,
	placementRules,
	variableRules,
	identityRules,
	documentRules,
	provenanceRules,
	resolvedRules,
	[]Rule{findingsTruncated},
)

// checks are the rules that each operation checks.
var checks = func() map[Operation][]*Rule {
	of := make(map[Operation][]*Rule)
	for i := range rules {
		for _, op := range rules[i].RaisedBy {
			if rules[i].check != nil {
				of[op] = append(of[op], &rules[i])
			}
		}
	}
	return of
}()

// Rules returns every rule that documents keep. The caller must not change them.
func Rules() []Rule { return illustrated() }

var illustrated = sync.OnceValue(func() []Rule {
	list := slices.Clone(rules)
	for i := range list {
		list[i].Example = list[i].example()
	}
	return list
})
