package source

import "placard/internal/problem"

var fieldRules = []Rule{fieldUnknown, fieldMissing, fieldKind, fieldTwoNames, numberNegative}

var fieldUnknown = Rule{Rule: problem.Rule{
	Code:     "FIELD_UNKNOWN",
	Severity: problem.Warning,
	Title:    "Every field is one that is read.",
	Why:      "A misspelt field is left out, and its default counts instead.",
	Example:  goodElement + "max_placement: 1\n",
}}

var fieldMissing = Rule{Rule: problem.Rule{
	Code:     "FIELD_MISSING",
	Severity: problem.Error,
	Title:    "The fields that everything has are there and not empty.",
	Why:      "Without them the part cannot be named, found or drawn.",
	Example:  change(goodCategory, "shape: circle\n", ""),
}}

var fieldKind = Rule{Rule: problem.Rule{
	Code:     "FIELD_KIND",
	Severity: problem.Error,
	Title:    "A field holds the kind of value it is for.",
	Why:      "A list is not a text and a word is not a number; guessing would hide a mistake.",
	Example:  change(goodElement, "symbol_id: street", "symbol_id: [street]"),
}}

var fieldTwoNames = Rule{Rule: problem.Rule{
	Code:     "FIELD_TWO_NAMES",
	Severity: problem.Error,
	Title:    "A field that has two names is written under one of them.",
	Why:      "There is no telling which of the two values is meant.",
	Example:  goodElement + "guidance: {en: Name it, fr: Nommez-la}\nauthoring_guidance: {en: Say which, fr: Dites laquelle}\n",
}}

var numberNegative = Rule{Rule: problem.Rule{
	Code:     "NUMBER_NEGATIVE",
	Severity: problem.Error,
	Title:    "Counts and places in an order are not negative.",
	Why:      "There is no placing something less than no times.",
	Example:  goodElement + "max_placements: -1\n",
}}
