package mcpapi

import (
	"strings"
	"testing"
)

func TestUnknownToolHints(t *testing.T) {
	for name, want := range map[string]string{
		"search_elements":          "list_elements",
		"find_elements":            "list_elements",
		"searchElements":           "list_elements",
		"search":                   "list_elements",
		"query_taxonomy_elements":  "list_elements",
		"elements":                 "list_elements",
		"element":                  "get_element",
		"describe_element":         "get_element",
		"get_element_details":      "get_element",
		"get_multiple_elements":    "get_elements",
		"validate":                 "validate_datachain",
		"check_datachain":          "validate_datachain",
		"validate_document":        "validate_datachain",
		"lint":                     "validate_datachain",
		"validate_resolved_chain":  "validate_resolved",
		"resolve":                  "resolve_datachain",
		"resolveDatachain":         "resolve_datachain",
		"export_datachain":         "resolve_datachain",
		"render":                   "render_datachain",
		"show_datachain":           "render_datachain",
		"preview":                  "render_datachain",
		"render-html":              "render_datachain",
		"get_categories":           "list_categories",
		"list_category":            "list_categories",
		"getCategories":            "list_categories",
		"list_versions":            "list_schema_versions",
		"versions":                 "list_schema_versions",
		"list_schemas":             "list_schema_versions",
		"list_taxonomies":          "list_schema_versions",
		"get_schema_version":       "get_schema",
		"schema":                   "get_schema",
		"get_taxonomy":             "get_schema",
		"get_authoring_guide":      "get_schema",
		"get_manifest":             "get_schema",
		"get_icon":                 "get_icon_url",
		"icon":                     "get_icon_url",
		"get_symbol":               "get_icon_url",
		"placard.list_elements":    "list_elements",
		"mcp__placard__get_schema": "get_schema",
		"valdate_datachain":        "validate_datachain",
		"create_datachain":         "No tool writes or stores documents.",
		"save_datachain":           "No tool writes or stores documents.",
		"generate_disclosure":      "No tool writes or stores documents.",
		"describe_system":          "is a prompt",
		"weather":                  "The tools are",
		"get":                      "The tools are",
		"":                         "The tools are",
	} {
		hint := unknownToolHint(name)
		if first, _, _ := strings.Cut(hint, ":"); !strings.Contains(first, want) || strings.HasPrefix(hint, "The tools") != strings.HasPrefix(want, "The tools") {
			t.Errorf("%q: got hint %q, want %s", name, hint, want)
		}
	}
	unknownToolHint(strings.Repeat("é_", 1<<20)) // must not take long
}
