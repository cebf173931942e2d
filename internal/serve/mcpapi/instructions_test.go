package mcpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/mcpapi"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

func (s *service) instructions() string {
	s.t.Helper()
	var result struct{ Instructions string }
	s.invoke("initialize", `{"protocolVersion":"2025-11-25"}`, &result)
	return result.Instructions
}

func TestInstructionsNameThePathAndThePublishedVersions(t *testing.T) {
	text := newService(t, mcpapi.Options{}).instructions()
	for _, want := range []string{
		`include "authoring"`, "1. get_schema", "2. validate_datachain", "3. render_datachain", "meta.handle", "do not guess", "suggested_elements", "Use a stable version if there is one", "render_datachain puts a readable text before",
		stable + " (also place@2026-06-01, place@latest, place@stable) in en, fr, es, ja; " + beta + " (also place@2026-10-19, place@beta)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the instructions lack %q:\n%s", want, text)
		}
	}
	if len(text) > 4000 {
		t.Errorf("got %d bytes, want at most 4000", len(text))
	}
}

func TestEveryTextSaysWhatToDoIfNobodyCanAnswer(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	g, _ := s.guide(`{"version":"place@latest","include":"authoring"}`)
	texts := map[string]string{"instructions": s.instructions(), "guide": strings.Join(g.Rules, "\n")}
	for _, tool := range listTools(t, s) {
		if tool.Name == "validate_datachain" {
			texts[tool.Name] = tool.Description
		}
	}
	for prompt, arguments := range map[string]string{"describe_system": `{"system":"A camera"}`, "review_datachain": `{"datachain":"{}"}`} {
		var result struct {
			Messages []struct{ Content struct{ Text string } }
		}
		s.invoke("prompts/get", `{"name":"`+prompt+`","arguments":`+arguments+`}`, &result)
		texts[prompt] = result.Messages[0].Content.Text
	}
	for name, text := range texts {
		for _, want := range []string{"ask the user", "hand over the draft with the open questions", "never fill in a placeholder or a likely value"} {
			if !strings.Contains(strings.ToLower(text), want) {
				t.Errorf("%s: got %q, want %q in it", name, text, want)
			}
		}
		if strings.Contains(text, "until ok is true") {
			t.Errorf("%s: the text asks for a valid document at any cost: %q", name, text)
		}
	}
	if len(texts) != 5 {
		t.Errorf("got %d texts, want 5", len(texts))
	}
}

func TestAgentsHandOverThePageAsAFile(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for name, text := range map[string]string{"instructions": s.instructions(), "describe_system": s.promptText("describe_system", `{"system":"A camera"}`)} {
		for _, want := range []string{"hand over two files", "resources/read", "resource_uri", "POST /api/v2/schemas/{version}/render"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %q, want %q in it", name, text, want)
			}
		}
	}
}

func TestInstructionsFollowTheCatalogAndStayShort(t *testing.T) {
	folder := store.OpenFolder(t.TempDir())
	s := serveReleases(t, folder, mcpapi.Options{})
	if text := s.instructions(); !strings.Contains(text, "list_schema_versions lists the published versions.") {
		t.Errorf("got %s", text)
	}
	for day := 1; day <= 20; day++ {
		tax := releasetest.Taxonomy(t, fmt.Sprintf("small@2026-01-%02d-stable", day))
		tax.Derive()
		r, err := release.Compile(tax)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.catalog.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := s.instructions()
	if !strings.Contains(text, "Published versions: small@2026-01-20-stable (also ") || !strings.Contains(text, "list_schema_versions lists 12 more.") || len(text) > 4000 {
		t.Errorf("got %d bytes: %s", len(text), text)
	}
}
