package source

import "placard/internal/core/problem"

var fieldRules = []rule{fieldUnknown, fieldMissing, fieldKind, fieldTwoNames, numberNegative}

var fieldUnknown = rule{errorInStable: true, Rule: problem.Rule{
	Code:     "FIELD_UNKNOWN",
	Severity: problem.Warning,
	ErrorIf:  stableRelease,
	Title:    "A file should contain only fields that Placard reads.",
	Why:      "The content of an unknown field is lost, and if the name is misspelt, the default value is used instead.",
	Example:  minimalElement + "max_placement: 1\n",
}}

var fieldMissing = rule{Rule: problem.Rule{
	Code:     "FIELD_MISSING",
	Severity: problem.Error,
	Title:    "Required fields must be present and not empty.",
	Why:      "Without them, the item cannot be named, found or drawn.",
	Example:  replace(minimalCategory, "shape: circle\n", ""),
}}

var fieldKind = rule{Rule: problem.Rule{
	Code:     "FIELD_KIND",
	Severity: problem.Error,
	Title:    "A field must contain the right kind of value.",
	Why:      "A list cannot be used as text or a word as a number, and guessing would hide a mistake.",
	Example:  replace(minimalElement, "symbol_id: street", "symbol_id: [street]"),
}}

var fieldTwoNames = rule{Rule: problem.Rule{
	Code:     "FIELD_TWO_NAMES",
	Severity: problem.Error,
	Title:    "A field that has two names must be written under only one of them.",
	Why:      "It is unclear which of the two values is meant.",
	Example:  minimalElement + "guidance: {en: Name it, fr: Nommez-la}\nauthoring_guidance: {en: Say which, fr: Dites laquelle}\n",
}}

var numberNegative = rule{Rule: problem.Rule{
	Code:     "NUMBER_NEGATIVE",
	Severity: problem.Error,
	Title:    "Counts and order numbers must not be negative.",
	Why:      "A negative count has no meaning.",
	Example:  minimalElement + "max_placements: -1\n",
}}
