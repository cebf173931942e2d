package store

import "placard/internal/core/problem"

// Codes of the rules for the files of a store.
const (
	IndexDamaged   problem.Code = "STORE_INDEX_DAMAGED"
	JournalDamaged problem.Code = "STORE_JOURNAL_DAMAGED"
	ReleaseDamaged problem.Code = "STORE_RELEASE_DAMAGED"
	ReleaseMissing problem.Code = "STORE_RELEASE_MISSING"
	FileUnreadable problem.Code = "STORE_FILE_UNREADABLE"
	FileUnused     problem.Code = "STORE_FILE_UNUSED"
)

// stillOffered is the condition under which damage to a release is an error.
const stillOffered = "the release is published or retired"

var (
	indexDamaged = problem.Rule{
		Code: IndexDamaged, Severity: problem.Error,
		Title: "The index of a store must be intact.",
		Why:   "It lists the published releases. Servers keep serving the releases in memory, but cannot start or follow changes without it.",
	}
	journalDamaged = problem.Rule{
		Code: JournalDamaged, Severity: problem.Error,
		Title: "The journal of a store must be complete and match the index.",
		Why:   "A missing record is a gap in the history, and the index can be rebuilt only from a complete journal.",
	}
	releaseDamaged = problem.Rule{
		Code: ReleaseDamaged, Severity: problem.Warning, ErrorIf: stillOffered,
		Title: "The files of a release should be intact.",
		Why:   "A damaged release can be neither loaded nor restored. A warning concerns an earlier content of a beta.",
	}
	releaseMissing = problem.Rule{
		Code: ReleaseMissing, Severity: problem.Warning, ErrorIf: stillOffered,
		Title: "The files of a release should exist until they are pruned.",
		Why:   "A release without files can be neither loaded nor restored. A warning concerns an earlier content of a beta.",
	}
	fileUnreadable = problem.Rule{
		Code: FileUnreadable, Severity: problem.Error,
		Title: "The files of a store must be readable.",
		Why:   "Permissions or a failing disk prevent reading the file, so it cannot be verified. Its content may be intact.",
	}
	fileUnused = problem.Rule{
		Code: FileUnused, Severity: problem.Warning,
		Title: "Every file of a store should be in use.",
		Why:   "A publisher that was interrupted leaves files behind, and damaged files are kept when they are replaced. They do no harm, but take up space.",
	}
)
