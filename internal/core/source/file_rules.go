package source

import "placard/internal/core/problem"

var fileRules = []rule{
	releaseFolderInvalid, fileMissing, fileUnexpected, fileUnreadable, fileTooLarge, fileNotUTF8,
	yamlSyntax, yamlEmpty, yamlMultipleDocuments, yamlDuplicateKey, yamlMergeKey, yamlAliasExpansion,
}

var releaseFolderInvalid = rule{Rule: problem.Rule{
	Code:     "RELEASE_FOLDER_INVALID",
	Severity: problem.Error,
	Title:    "A release folder must be named <type>/<YYYY-MM-DD>-<status>.",
	Why:      "The folder name is the id of the release, and a release without a valid id cannot be published.",
	Example:  "-- ../2026-02-30-beta/meta.yaml --\nlocales: [en]\n",
}}

var fileMissing = rule{Rule: problem.Rule{
	Code:     "FILE_MISSING",
	Severity: problem.Error,
	Title:    "A release must contain meta.yaml and datachain-type.yaml.",
	Why:      "They describe the release and give the order of its categories.",
	Example:  "-- meta.yaml --\n",
}}

var fileUnexpected = rule{errorInStable: true, Rule: problem.Rule{
	Code:     "FILE_UNEXPECTED",
	Severity: problem.Warning,
	ErrorIf:  stableRelease + " or the file is in the folder of another kind",
	Title:    "A release should contain only files that Placard reads.",
	Why:      "The content of a file in the wrong folder or with the wrong extension is lost, which is easily overlooked.",
	Example:  "-- elements/square.yml --\nid: square\n",
}}

var fileUnreadable = rule{Rule: problem.Rule{
	Code:     "FILE_UNREADABLE",
	Severity: problem.Error,
	Title:    "Every file of a release must be a readable regular file.",
	Why:      "Links are not followed, because they can point outside the tree and lead to a different file on every machine.",
	Example:  "-- elements/square.yaml/note.txt --\nThis makes square.yaml a folder.\n",
}}

var fileTooLarge = rule{Rule: problem.Rule{
	Code:     "FILE_TOO_LARGE",
	Severity: problem.Error,
	Title:    "A file must not be larger than 1 MiB.",
	Why:      "Hand-written files are never this large, so the file probably contains something else.",
}}

var fileNotUTF8 = rule{Rule: problem.Rule{
	Code:     "FILE_NOT_UTF8",
	Severity: problem.Error,
	Title:    "Files must be encoded in UTF-8.",
	Why:      "In any other encoding, accented letters and non-Latin scripts would be garbled.",
	Example:  minimalMeta + "notes: Caf\xE9\n",
}}

var yamlSyntax = rule{Rule: problem.Rule{
	Code:     "YAML_SYNTAX",
	Severity: problem.Error,
	Title:    "A .yaml file must be valid YAML.",
	Why:      "A file with wrong indentation, quotes or brackets cannot be read.",
	Example:  minimalMeta + "notes: Drafted in June: not reviewed\n",
}}

var yamlEmpty = rule{Rule: problem.Rule{
	Code:     "YAML_EMPTY",
	Severity: problem.Error,
	Title:    "A .yaml file must not be empty.",
	Why:      "An empty file was probably never filled in or saved.",
	Example:  "-- meta.yaml --\n# To be written.\n",
}}

var yamlMultipleDocuments = rule{Rule: problem.Rule{
	Code:     "YAML_MULTIPLE_DOCUMENTS",
	Severity: problem.Error,
	Title:    "A .yaml file must contain only one YAML document.",
	Why:      "A --- line starts a second document, which would be ignored.",
	Example:  minimalMeta + "---\nnotes: Draft\n",
}}

var yamlDuplicateKey = rule{Rule: problem.Rule{
	Code:     "YAML_DUPLICATE_KEY",
	Severity: problem.Error,
	Title:    "A field must not be repeated.",
	Why:      "Only one of the values would be used.",
	Example:  minimalMeta + "notes: Draft\nnotes: Final\n",
}}

var yamlMergeKey = rule{Rule: problem.Rule{
	Code:     "YAML_MERGE_KEY",
	Severity: problem.Error,
	Title:    "Merge keys (<<) must not be used.",
	Why:      "Programs disagree on which values a merge key overrides, and people have to look for the values elsewhere.",
	Example:  minimalMeta + "<<: {notes: Draft}\n",
}}

var yamlAliasExpansion = rule{Rule: problem.Rule{
	Code:     "YAML_ALIAS_EXPANSION",
	Severity: problem.Error,
	Title:    "The aliases in a file must not expand to more than 10000 values.",
	Why:      "Aliases of aliases multiply, and an alias inside its own anchor expands without end.",
	Example:  minimalMeta + "notes: &notes [*notes]\n",
}}
