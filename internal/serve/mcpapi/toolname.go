package mcpapi

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"placard/internal/core/problem"
)

// toolWords are words that agents use for a tool and that do not occur in its name.
var toolWords = map[string]string{
	"list_schema_versions": "releases taxonomies schemas aliases available",
	"get_schema":           "version taxonomy manifest authoring guide template help learn instructions vocabulary",
	"list_categories":      "questions sections topics",
	"list_elements":        "search find query lookup browse statements terms",
	"get_element":          "details describe info",
	"get_elements":         "batch several multiple many",
	"validate_datachain":   "check verify lint test " + writingWords,
	"resolve_datachain":    "expand snapshot embed export publish finalize finalise",
	"validate_resolved":    "drift",
	"render_datachain":     "show display draw view preview html page print visualize visualise sign",
	"get_icon_url":         "icons symbol image svg picture",
}

// writingWords are words for creating or storing a document, which no tool does.
const writingWords = "create write generate compose new make add build save store submit update edit"

// genericWords say little about the purpose of a tool.
var genericWords = []string{"get", "list", "datachain", "data", "chain"}

// Points for each word of an unknown name, and for each word of a tool's name that
// the unknown name lacks.
const (
	namePoints    = 6
	meaningPoints = 5
	genericPoints = 2
	lackingPoints = -1
)

// unknownToolHint returns the hint for a call of a tool that does not exist.
func unknownToolHint(name string) string {
	if slices.ContainsFunc(prompts, func(p prompt) bool { return p.name == name }) {
		return fmt.Sprintf("%q is a prompt. Get it with prompts/get, and follow its steps.", name)
	}
	words := splitName(problem.ClipTo(name, 200))
	var best *tool
	bestPoints := genericPoints - 1 // the points for a generic word alone
	for i := range tools {
		if points := tools[i].similarity(words); points > bestPoints {
			best, bestPoints = &tools[i], points
		}
	}
	names := toolNames()
	switch {
	case best == nil:
		if hint := problem.DidYouMean(name, names); hint != "" {
			return hint
		}
		return "The tools are " + problem.And(names) + "."
	case best.name == "validate_datachain" && slices.ContainsFunc(strings.Fields(writingWords), func(w string) bool { return slices.Contains(words, w) }):
		return `No tool writes or stores documents. Write the datachain yourself, using get_schema with include "authoring", and call validate_datachain.`
	}
	return fmt.Sprintf("Call %q instead: %s.", best.name, best.title)
}

// similarity returns the points of t for the words of an unknown name.
func (t *tool) similarity(words []string) (points int) {
	own, meaning := splitName(t.name), splitName(toolWords[t.name])
	for _, w := range words {
		switch {
		case slices.Contains(own, w) && slices.Contains(genericWords, w):
			points += genericPoints
		case slices.Contains(own, w):
			points += namePoints
		case slices.Contains(meaning, w):
			points += meaningPoints
		}
	}
	for _, w := range own {
		if !slices.Contains(words, w) {
			points += lackingPoints
		}
	}
	return points
}

// splitName splits a name in any usual style into its words, in lower case. A
// plural is listed after its singular.
func splitName(name string) (words []string) {
	var b strings.Builder
	flush := func() {
		w := strings.ToLower(b.String())
		b.Reset()
		switch {
		case w == "":
		case strings.HasSuffix(w, "ies"):
			words = append(words, w[:len(w)-3]+"y", w)
		case strings.HasSuffix(w, "s") && len(w) > 3:
			words = append(words, w[:len(w)-1], w)
		default:
			words = append(words, w)
		}
	}
	var before rune
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			flush()
		case unicode.IsUpper(c) && unicode.IsLower(before):
			flush()
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
		before = c
	}
	flush()
	return words
}

func toolNames() []string {
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].name
	}
	return names
}
