package source

import "placard/internal/problem"

var fileRules = []Rule{
	releaseFolderInvalid, fileMissing, fileUnexpected, fileUnreadable, fileTooLarge, fileNotUTF8,
	yamlSyntax, yamlEmpty, yamlMultipleDocuments, yamlDuplicateKey, yamlMergeKey, yamlAliasExpansion,
}

var releaseFolderInvalid = Rule{Rule: problem.Rule{
	Code:     "RELEASE_FOLDER_INVALID",
	Severity: problem.Error,
	Title:    "The folder of a release is named <type>/<YYYY-MM-DD>-<status>.",
	Why:      "The name of the folder is the id of the release; one that is no id cannot be published or found.",
	Example:  "-- ../2026-02-30-beta/meta.yaml --\nlocales: [en]\n",
}}

var fileMissing = Rule{Rule: problem.Rule{
	Code:     "FILE_MISSING",
	Severity: problem.Error,
	Title:    "A release has a meta.yaml and a datachain-type.yaml.",
	Why:      "They say what the release is and in which order its categories come.",
	Example:  "-- meta.yaml --\n",
}}

var fileUnexpected = Rule{Rule: problem.Rule{
	Code:     "FILE_UNEXPECTED",
	Severity: problem.Warning,
	Title:    "A release holds only what is read.",
	Why:      "A file in the wrong place or with the wrong ending is left out without anyone noticing.",
	Example:  "-- elements/square.yml --\nid: square\n",
}}

var fileUnreadable = Rule{Rule: problem.Rule{
	Code:     "FILE_UNREADABLE",
	Severity: problem.Error,
	Title:    "The files of a release are regular files that can be read.",
	Why:      "A link may point outside the tree and to something else on every machine.",
	Example:  "-- elements/square.yaml/note.txt --\nThis makes square.yaml a folder.\n",
}}

var fileTooLarge = Rule{Rule: problem.Rule{
	Code:     "FILE_TOO_LARGE",
	Severity: problem.Error,
	Title:    "A file of a release is at most 1 MiB.",
	Why:      "No text that people write by hand is larger, so something else is in the file.",
}}

var fileNotUTF8 = Rule{Rule: problem.Rule{
	Code:     "FILE_NOT_UTF8",
	Severity: problem.Error,
	Title:    "The files of a release are UTF-8.",
	Why:      "In any other encoding accents and other scripts would come out wrong.",
	Example:  goodMeta + "notes: Caf\xE9\n",
}}

var yamlSyntax = Rule{Rule: problem.Rule{
	Code:     "YAML_SYNTAX",
	Severity: problem.Error,
	Title:    "The .yaml files are YAML.",
	Why:      "Nothing can be read from a file whose indentation, quotes or brackets do not add up.",
	Example:  goodMeta + "notes: Drafted in June: not reviewed\n",
}}

var yamlEmpty = Rule{Rule: problem.Rule{
	Code:     "YAML_EMPTY",
	Severity: problem.Error,
	Title:    "A .yaml file says something.",
	Why:      "An empty file is one that somebody forgot to fill in or to save.",
	Example:  "-- meta.yaml --\n# To be written.\n",
}}

var yamlMultipleDocuments = Rule{Rule: problem.Rule{
	Code:     "YAML_MULTIPLE_DOCUMENTS",
	Severity: problem.Error,
	Title:    "A .yaml file holds one document.",
	Why:      "What follows a line of --- is a document of its own and would be left out.",
	Example:  goodMeta + "---\nnotes: Draft\n",
}}

var yamlDuplicateKey = Rule{Rule: problem.Rule{
	Code:     "YAML_DUPLICATE_KEY",
	Severity: problem.Error,
	Title:    "A field stands once.",
	Why:      "Of two fields with one name, one would be lost.",
	Example:  goodMeta + "notes: Draft\nnotes: Final\n",
}}

var yamlMergeKey = Rule{Rule: problem.Rule{
	Code:     "YAML_MERGE_KEY",
	Severity: problem.Error,
	Title:    "Fields are written where they belong, without merge keys.",
	Why:      "Programs disagree on what a merge key (<<) overrides, and readers have to hunt for the values.",
	Example:  goodMeta + "<<: {notes: Draft}\n",
}}

var yamlAliasExpansion = Rule{Rule: problem.Rule{
	Code:     "YAML_ALIAS_EXPANSION",
	Severity: problem.Error,
	Title:    "The aliases of a file repeat at most 10000 values.",
	Why:      "Aliases of aliases multiply, and one inside its own anchor never ends.",
	Example:  goodMeta + "notes: &notes [*notes]\n",
}}
