package store

import "placard/internal/core/problem"

// Rule is a rule for the contents of a store, and the commands that apply it.
type Rule struct {
	problem.Rule
	RaisedBy []string
}

// Rules are the rules for stores.
var Rules = []Rule{
	{stableImmutable, []string{"publish", "promote"}},
	{stableBreaking, []string{"publish", "promote"}},
	{aliasInvalid, []string{"publish", "promote", "alias set"}},
	{notABeta, []string{"promote"}},
	{betaUntranslated, []string{"promote"}},
	{betaIgnored, []string{"promote"}},
	{releaseRetired, []string{"publish"}},
	{stableNotLatest, []string{"publish", "promote"}},
	{betaSuperseded, []string{"publish"}},
	{restoreUndone, []string{"publish"}},
	{lastRelease, []string{"retire"}},
	{contentAmbiguous, []string{"restore"}},
	{contentUnknown, []string{"restore"}},
	{contentGone, []string{"restore"}},
	{conditionalWrites, []string{"publish", "promote", "retire", "restore", "alias set", "alias remove", "prune", "verify"}},
	{indexDamaged, []string{"verify"}},
	{journalDamaged, []string{"verify", "prune", "history"}},
	{releaseDamaged, []string{"verify"}},
	{releaseMissing, []string{"verify"}},
	{fileUnreadable, []string{"verify"}},
	{fileUnused, []string{"verify"}},
}

// Codes of the rules.
const (
	StableImmutable  problem.Code = "STABLE_IMMUTABLE"
	StableBreaking   problem.Code = "STABLE_BREAKING"
	AliasInvalid     problem.Code = "ALIAS_INVALID"
	NotABeta         problem.Code = "NOT_A_BETA"
	BetaUntranslated problem.Code = "BETA_UNTRANSLATED"
	BetaIgnored      problem.Code = "BETA_IGNORED"
	ReleaseRetired   problem.Code = "RELEASE_RETIRED"
	StableNotLatest  problem.Code = "STABLE_NOT_LATEST"
	BetaSuperseded   problem.Code = "BETA_SUPERSEDED"
	RestoreUndone    problem.Code = "RESTORE_UNDONE"
	LastRelease      problem.Code = "LAST_RELEASE"
	ContentAmbiguous problem.Code = "CONTENT_AMBIGUOUS"
	ContentUnknown   problem.Code = "CONTENT_UNKNOWN"
	ContentGone      problem.Code = "CONTENT_GONE"

	ConditionalWrites problem.Code = "CONDITIONAL_WRITES"
)

var (
	stableImmutable = problem.Rule{
		Code: StableImmutable, Severity: problem.Error,
		Title: "The content of a stable release must never change.",
		Why:   "Documents pin it, and caches keep it for a year.",
	}
	stableBreaking = problem.Rule{
		Code: StableBreaking, Severity: problem.Error,
		Title: "A stable release must not break documents of the stable release before it, unless that is allowed explicitly.",
		Why:   "The alias latest moves to the new release, and documents that were valid would no longer be.",
	}
	aliasInvalid = problem.Rule{
		Code: AliasInvalid, Severity: problem.Error,
		Title: "An alias must have a valid name that is not reserved.",
		Why:   "The aliases latest, stable, beta and dates are computed from the published releases; another alias with the same name would be ambiguous.",
	}
	notABeta = problem.Rule{
		Code: NotABeta, Severity: problem.Error,
		Title: "A release to promote must be a beta.",
		Why:   "Promoting publishes the content of a beta as the stable release of the same day; a stable release is final.",
	}
	betaUntranslated = problem.Rule{
		Code: BetaUntranslated, Severity: problem.Error,
		Title: "A beta to promote must be translated into all of its locales.",
		Why:   "A translation that is missing in a stable release can never be added to it.",
	}
	betaIgnored = problem.Rule{
		Code: BetaIgnored, Severity: problem.Error,
		Title: "A beta to promote must not contain keys or files that Placard does not read.",
		Why:   "What they were meant to say is missing in the release, and can never be added to a stable one.",
	}
	releaseRetired = problem.Rule{
		Code: ReleaseRetired, Severity: problem.Warning,
		Title: "A tree to publish should not contain retired releases.",
		Why:   "A retired release stays retired when the tree is published, because its folder may have been left there by accident. Publishing only its folder publishes it again.",
	}
	stableNotLatest = problem.Rule{
		Code: StableNotLatest, Severity: problem.Warning,
		Title: "A new stable release should be newer than the published ones.",
		Why:   "The aliases latest and stable refer to the stable release with the newest date, not to the one published last.",
	}
	betaSuperseded = problem.Rule{
		Code: BetaSuperseded, Severity: problem.Warning,
		Title: "A beta should not change after its stable release was published.",
		Why:   "The stable release of the same date is final, so the change can never become stable under this date.",
	}
	restoreUndone = problem.Rule{
		Code: RestoreUndone, Severity: problem.Warning,
		Title: "A content that was replaced by restoring another one should not be published again.",
		Why:   "Restoring changes the store, not the authoring tree. Publishing the tree undoes it.",
	}
	lastRelease = problem.Rule{
		Code: LastRelease, Severity: problem.Warning,
		Title: "A type should keep at least one published release.",
		Why:   "Without one, its aliases refer to nothing, and documents of the type cannot be validated.",
	}
	contentAmbiguous = problem.Rule{
		Code: ContentAmbiguous, Severity: problem.Error,
		Title: "The content to restore must be unambiguous.",
		Why:   "A beta that was published several times has several contents.",
	}
	contentUnknown = problem.Rule{
		Code: ContentUnknown, Severity: problem.Error,
		Title: "The content to restore must be one that the release had.",
		Why:   "Only contents in the journal of the store can be restored.",
	}
	contentGone = problem.Rule{
		Code: ContentGone, Severity: problem.Error,
		Title: "The files of a release to restore must be in the store.",
		Why:   "A retired release keeps its files until they are pruned. Without them, only its authoring tree has the content.",
	}
	conditionalWrites = problem.Rule{
		Code: ConditionalWrites, Severity: problem.Error,
		Title: "The server of a bucket must honour conditional writes.",
		Why:   "Publishers replace the index only if nobody else has. A server that ignores the condition loses the changes of one of two publishers.",
	}
)

// NoConditionalWrites returns the problem of a bucket whose server ignores the
// conditions of writes.
func NoConditionalWrites(name string) problem.Problem {
	return conditionalWrites.Found("The server of %s does not honour conditional writes, so two publishers could overwrite each other's changes.", name).
		Hint("Use a server that supports If-Match and If-None-Match with PUT, or --single-writer if only one process at a time changes this store.")
}
