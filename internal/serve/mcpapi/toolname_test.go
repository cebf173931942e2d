package mcpapi

import (
	"strings"
	"testing"
)

func TestUnknownToolHints(t *testing.T) {
	for name, want := range map[string]string{
		"elements":                 `Did you mean "get_elements"`,
		"validate":                 `"validate_datachain"`,
		"resolveDatachain":         `Did you mean "resolve_datachain"`,
		"get_categories":           `Did you mean "list_categories"`,
		"mcp__placard__get_schema": `"get_schema"`,
		"valdate_datachain":        `Did you mean "validate_datachain"`,
		"describe_system":          "is a prompt",
		"weather":                  "The tools are",
		"":                         "The tools are",
	} {
		hint := unknownToolHint(name)
		if !strings.Contains(hint, want) || strings.HasPrefix(hint, "The tools") != strings.HasPrefix(want, "The tools") {
			t.Errorf("%q: got hint %q, want %s", name, hint, want)
		}
		if want != "is a prompt" && !strings.Contains(hint, `"get_icon_url"`) {
			t.Errorf("%q: got hint %q, want the list of all tools", name, hint)
		}
	}
	unknownToolHint(strings.Repeat("é_", 1<<20)) // must not take long
}
