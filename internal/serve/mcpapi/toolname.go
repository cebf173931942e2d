package mcpapi

import (
	"fmt"
	"slices"

	"placard/internal/core/problem"
)

// unknownToolHint returns the hint for a call of a tool that does not exist.
func unknownToolHint(name string) string {
	if slices.ContainsFunc(prompts, func(p prompt) bool { return p.Name == name }) {
		return fmt.Sprintf("%q is a prompt. Get it with prompts/get, and follow its steps.", name)
	}
	return joinSentences(problem.DidYouMean(problem.ClipTo(name, 200), toolNames()), "The tools are "+problem.And(toolNames())+".")
}

func toolNames() []string {
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].name
	}
	return names
}
