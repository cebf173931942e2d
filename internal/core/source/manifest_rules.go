package source

import (
	"net/url"
	"strconv"
	"time"

	"placard/internal/core/link"
	"placard/internal/core/problem"
)

var manifestRules = []rule{versionMismatch, statusMismatch, typeMismatch, createdAtInvalid, sourceURLInvalid}

var versionMismatch = rule{
	Rule: problem.Rule{
		Code:     "VERSION_MISMATCH",
		Severity: problem.Error,
		Title:    "If meta.yaml gives a version, it must match the folder.",
		Why:      "A copied folder that was not updated would be published as the wrong release.",
		Example:  minimalMeta + "version: demo@2025-12-24-beta\n",
	},
	check: func(t *tree, report reportFunc) {
		renamed := t.id
		renamed.Type = t.datachain.ID
		// If the version matches the type id, the type folder is reported.
		if v := t.manifest.version; v != "" && v != t.id.String() && v != renamed.String() {
			report(t.manifest.pos("version"), "The version %q does not match the version of the folder, %s.", problem.Clip(v), t.id).
				FixHint = "Change it to " + t.id.String() + ", or remove the field."
		}
	},
}

var statusMismatch = rule{
	Rule: problem.Rule{
		Code:     "STATUS_MISMATCH",
		Severity: problem.Error,
		Title:    "If meta.yaml gives a status, it must match the folder.",
		Why:      "A beta may change and a stable release may not, so the status must be unambiguous.",
		Example:  minimalMeta + "status: stable\n",
	},
	check: func(t *tree, report reportFunc) {
		if s := t.manifest.status; s != "" && s != string(t.id.Status) {
			report(t.manifest.pos("status"), "The status %q does not match the status of the folder, %s.", problem.Clip(s), t.id.Status).
				FixHint = "Change it to " + string(t.id.Status) + ", or rename the folder."
		}
	},
}

var typeMismatch = rule{
	Rule: problem.Rule{
		Code:     "TYPE_MISMATCH",
		Severity: problem.Error,
		Title:    "The type id must match the type folder, and so must datachain_type in a category.",
		Why:      "A category copied from another type would ask that type's questions.",
		Example:  minimalCategory + "datachain_type: ai\n",
	},
	check: func(t *tree, report reportFunc) {
		hint := "Change it to " + t.id.Type + ", or move the file to the right folder."
		if id := t.datachain.ID; id != "" && id != t.id.Type {
			report(t.datachain.pos("id"), "The type id is %q, but the release is in the folder %q.", problem.Clip(id), t.id.Type).
				FixHint = renameTypeHint(t.id.Type, id)
		}
		for _, c := range t.categories {
			if c.datachainType != "" && c.datachainType != t.id.Type {
				report(c.pos("datachain_type"), "The category is of type %q, but the release is of type %q.", problem.Clip(c.datachainType), t.id.Type).FixHint = hint
			}
		}
	},
}

// renameTypeHint returns the hint for a type id that does not match the folder.
func renameTypeHint(folder, id string) string {
	if !isValidID(id) {
		return "Change it to " + folder + "."
	}
	return "Change it to " + folder + ", or rename the folder to " + strconv.Quote(id) + "."
}

var createdAtInvalid = rule{
	Rule: problem.Rule{
		Code:     "CREATED_AT_INVALID",
		Severity: problem.Error,
		Title:    "created_at must be a time in RFC 3339 format.",
		Why:      "Programs that read the manifest expect this format.",
		Example:  minimalMeta + "created_at: last Tuesday\n",
	},
	check: func(t *tree, report reportFunc) {
		if created := t.manifest.createdAt; created != "" {
			if _, err := time.Parse(time.RFC3339, created); err != nil {
				report(t.manifest.pos("created_at"), "%q is not a valid time.", problem.Clip(created)).FixHint = "Write a date and time such as 2026-06-01T09:00:00Z."
			}
		}
	},
}

var sourceURLInvalid = rule{
	Rule: problem.Rule{
		Code:     "SOURCE_URL_INVALID",
		Severity: problem.Warning,
		Title:    "The url of a source should start with http:// or https://.",
		Why:      "Other addresses cannot be opened from a web page.",
		Example:  minimalCategory + "sources: [{type: law, title: Road traffic act, url: www.example.org/act}]\n",
	},
	check: func(t *tree, report reportFunc) {
		for s, pos := range t.sources {
			if s.URL == "" || link.IsWeb(s.URL) {
				continue
			}
			p := report(pos("url"), "%q is not a web address.", problem.Clip(s.URL))
			p.FixHint = "Write the full address, or use the citation field instead."
			if u, err := url.Parse(s.URL); err == nil && u.Scheme == "" {
				p.FixHint = "Did you mean " + strconv.Quote("https://"+problem.Clip(s.URL)) + "?"
			}
		}
	},
}
