package mcpapi

import (
	"embed"
	"strings"
	"text/template"
)

var (
	versionArgument = promptArgument{"version", "Schema version, such as place@latest. If omitted, the agent chooses one.", false}
	localeArgument  = promptArgument{"locale", "Locale to write in, such as en. If omitted, the language of the request.", false}
)

// prompts lists all prompts.
var prompts = []prompt{
	{
		Name: "describe_system", Title: "Describe a system as a datachain",
		Description: "Write a valid datachain for a system from a description or notes, and show it.",
		Arguments: []promptArgument{
			{"system", "What the system is and does: a description, notes, or text from its documentation.", true},
			versionArgument, localeArgument,
		},
	},
	{
		Name: "review_datachain", Title: "Review a datachain",
		Description: "Check a datachain for errors, gaps and unclear statements, and propose improvements.",
		Arguments: []promptArgument{
			{"datachain", "The datachain as JSON, thin or resolved.", true},
			versionArgument,
		},
	},
	{
		Name: "propose_element", Title: "Propose an element",
		Description: "Find out whether a taxonomy can express a statement, and propose a new element if it cannot.",
		Arguments: []promptArgument{
			{"need", "The statement that the existing elements cannot express.", true},
			versionArgument,
			{"element_id", "The closest existing element, if you know one.", false},
		},
	},
	{
		Name: "translate_content", Title: "Translate content",
		Description: "Translate the texts of a datachain, or of an element, into another locale.",
		Arguments: []promptArgument{
			{"locale", "Locale to translate into, such as fr or pt-BR.", true},
			{"datachain", "The datachain as JSON. If omitted, an element is translated.", false},
			{"element_id", "The element to translate if no datachain is given.", false},
			versionArgument,
		},
	},
}

//go:embed prompts
var promptFiles embed.FS

// promptTexts are the texts of the prompts, by file name. Each is a template of the
// arguments.
var promptTexts = template.Must(template.New("").Funcs(template.FuncMap{
	"fence":             fence,
	"untrustedNotice":   func() string { return untrustedNotice },
	"openQuestions":     func() string { return openQuestions },
	"handOver":          func() string { return handOver },
	"suggestedElements": func() string { return suggestedElements },
}).ParseFS(promptFiles, "prompts/*.txt"))

// text returns the text of p with the given arguments.
func (p *prompt) text(args map[string]string) (string, error) {
	var b strings.Builder
	err := promptTexts.ExecuteTemplate(&b, p.Name+".txt", args)
	return strings.TrimSuffix(b.String(), "\n"), err
}
