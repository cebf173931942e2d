package source

import (
	"net/url"
	"strconv"
	"time"

	"placard/internal/problem"
)

var manifestRules = []Rule{versionMismatch, statusMismatch, typeMismatch, createdAtInvalid, sourceURLInvalid}

var versionMismatch = Rule{
	Rule: problem.Rule{
		Code:     "VERSION_MISMATCH",
		Severity: problem.Error,
		Title:    "The version in meta.yaml, where there is one, is that of the folder.",
		Why:      "A folder that was copied and not brought up to date would publish one release as another.",
		Example:  goodMeta + "version: demo@2025-12-24-beta\n",
	},
	check: func(t *tree, found finder) {
		if v := t.manifest.version; v != "" && v != t.id.String() {
			found(t.manifest.at("version"), "The version %q is not that of the folder, %s.", problem.Clip(v), t.id).
				FixHint = "Write " + t.id.String() + ", or remove the field."
		}
	},
}

var statusMismatch = Rule{
	Rule: problem.Rule{
		Code:     "STATUS_MISMATCH",
		Severity: problem.Error,
		Title:    "The status in meta.yaml, where there is one, is that of the folder.",
		Why:      "A beta may change and a stable release may not; it must be plain which one this is.",
		Example:  goodMeta + "status: stable\n",
	},
	check: func(t *tree, found finder) {
		if s := t.manifest.status; s != "" && s != string(t.id.Status) {
			found(t.manifest.at("status"), "The status %q is not that of the folder, %s.", problem.Clip(s), t.id.Status).
				FixHint = "Write " + string(t.id.Status) + ", or rename the folder."
		}
	},
}

var typeMismatch = Rule{
	Rule: problem.Rule{
		Code:     "TYPE_MISMATCH",
		Severity: problem.Error,
		Title:    "The type is named after the folder that the release is in, and categories that name a type name this one.",
		Why:      "A category copied from another type would ask the questions of that type.",
		Example:  goodCategory + "datachain_type: ai\n",
	},
	check: func(t *tree, found finder) {
		hint := "Write " + t.id.Type + ", or move it to where it belongs."
		if id := t.datachain.ID; id != "" && id != t.id.Type {
			found(t.datachain.at("id"), "The id of the type is %q, but the release is in the folder %q.", problem.Clip(id), t.id.Type).FixHint = hint
		}
		for _, c := range t.categories {
			if c.datachainType != "" && c.datachainType != t.id.Type {
				found(c.at("datachain_type"), "The category is of the type %q, but the release of %q.", problem.Clip(c.datachainType), t.id.Type).FixHint = hint
			}
		}
	},
}

var createdAtInvalid = Rule{
	Rule: problem.Rule{
		Code:     "CREATED_AT_INVALID",
		Severity: problem.Error,
		Title:    "created_at is a time written as in RFC 3339.",
		Why:      "Programs that read the manifest cannot make sense of any other form.",
		Example:  goodMeta + "created_at: last Tuesday\n",
	},
	check: func(t *tree, found finder) {
		if created := t.manifest.createdAt; created != "" {
			if _, err := time.Parse(time.RFC3339, created); err != nil {
				found(t.manifest.at("created_at"), "%q is not a time.", problem.Clip(created)).FixHint = "Write it like 2026-06-01T09:00:00Z."
			}
		}
	},
}

var sourceURLInvalid = Rule{
	Rule: problem.Rule{
		Code:     "SOURCE_URL_INVALID",
		Severity: problem.Warning,
		Title:    "The url of a source starts with http:// or https://.",
		Why:      "Nothing else can be followed from a web page.",
		Example:  goodCategory + "sources: [{type: law, title: Road traffic act, url: www.example.org/act}]\n",
	},
	check: func(t *tree, found finder) {
		for s, where := range t.sources {
			u, err := url.Parse(s.URL)
			if s.URL == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
				continue
			}
			p := found(where("url"), "%q is not an address on the web.", problem.Clip(s.URL))
			p.FixHint = "Write the whole address, or cite the source in citation."
			if err == nil && u.Scheme == "" {
				p.FixHint = "Did you mean " + strconv.Quote("https://"+problem.Clip(s.URL)) + "?"
			}
		}
	},
}
