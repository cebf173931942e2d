package datachain

import (
	"slices"
	"sync"

	"placard/internal/core/problem"
)

// Operation is an operation on a document.
type Operation string

// The operations, by their public names.
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

// Rule is one rule for documents. Its example is a document for [ExampleTaxonomy]
// that violates this rule and no other. It is a resolved document if only
// validate_resolved checks the rule.
type Rule struct {
	problem.Rule
	RaisedBy []Operation

	changes []change // turn the valid document into the example
	check   func(*checker, *Rule)
}

// Rules without a check: the first is reported by [Parse], the second when a report
// is complete.
var (
	parseError = Rule{
		Rule: problem.Rule{
			Code: "parse_error", Severity: problem.Error,
			Title: "Every value must have the right type.",
			Why:   "A value of the wrong type cannot be interpreted, so no other rule can be checked.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].priority", `"high"`}},
	}
	findingsTruncated = Rule{
		Rule: problem.Rule{
			Code: "findings_truncated", Severity: problem.Warning,
			Title: "A report lists at most 200 errors and 200 warnings.",
			Why: "The rest are only counted, because so many findings usually have one cause. " +
				"The example violates another rule 201 times.",
		},
		RaisedBy: onAny,
		changes:  []change{{"linked_instance_ids", manyZeros}},
	}
)

// rules lists every rule, in the order of the documentation.
var rules = slices.Concat(
	[]Rule{parseError},
	categoryRules,
	placementRules,
	variableRules,
	placeholderRules,
	addressRules,
	identityRules,
	subchainRules,
	documentRules,
	provenanceRules,
	resolvedRules,
	[]Rule{findingsTruncated},
)

// checks maps operations to the rules they check.
var checks = func() map[Operation][]*Rule {
	byOperation := make(map[Operation][]*Rule)
	for i := range rules {
		for _, op := range rules[i].RaisedBy {
			if rules[i].check != nil {
				byOperation[op] = append(byOperation[op], &rules[i])
			}
		}
	}
	return byOperation
}()

// Rules returns every rule, with its example. The caller must not modify the
// slice.
func Rules() []Rule { return rulesWithExamples() }

var rulesWithExamples = sync.OnceValue(func() []Rule {
	list := slices.Clone(rules)
	for i := range list {
		list[i].Example = list[i].example()
	}
	return list
})
