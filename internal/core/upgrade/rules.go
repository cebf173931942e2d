package upgrade

import "placard/internal/core/problem"

// Rules lists the rules that documents must follow to be upgraded.
var Rules = []problem.Rule{documentResolved, documentOfOtherType, documentNewer, renameCollision, pinnedVersionUnknown}

var (
	documentResolved = problem.Rule{
		Code: "DOCUMENT_RESOLVED", Severity: problem.Error,
		Title: "A document to upgrade must be thin.",
		Why:   "A resolved document is a record of what was disclosed, with the part of the taxonomy that it was written for.",
	}
	documentOfOtherType = problem.Rule{
		Code: "DOCUMENT_OF_OTHER_TYPE", Severity: problem.Error,
		Title: "A document must be upgraded to a version of its own type.",
		Why:   "The elements of different types have nothing in common.",
	}
	documentNewer = problem.Rule{
		Code: "DOCUMENT_NEWER", Severity: problem.Error,
		Title: "A document must be upgraded to a version that is not older than the one it pins.",
		Why:   "Versions declare the ids that elements had before, but not those that they will have.",
	}
	renameCollision = problem.Rule{
		Code: "RENAME_COLLISION", Severity: problem.Error,
		Title: "A document must not use the new id of an element, variable or option for something else.",
		Why:   "After the upgrade, a placement or a reference would mean something that its author did not write. The document is left as it is.",
	}
	pinnedVersionUnknown = problem.Rule{
		Code: "PINNED_VERSION_UNKNOWN", Severity: problem.Warning,
		Title: "The version that a document pins should be published.",
		Why:   "Without it, the upgrade relies on the newer versions only, and cannot list the elements that have been reworded.",
	}
)
