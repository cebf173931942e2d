package mcpapi

import (
	"cmp"
	"strings"
)

var (
	versionArgument = promptArgument{"version", "Schema version, such as place@latest. If omitted, the agent chooses one.", false}
	localeArgument  = promptArgument{"locale", "Locale to write in, such as en. If omitted, the language of the request.", false}
)

// prompts lists all prompts.
var prompts = []prompt{
	{
		name: "describe_system", title: "Describe a system as a datachain",
		description: "Write a valid datachain for a system from a description or notes, and show it.",
		arguments: []promptArgument{
			{"system", "What the system is and does: a description, notes, or text from its documentation.", true},
			versionArgument, localeArgument,
		},
		text: func(args map[string]string) string {
			return task("Write a datachain that discloses the system described below, so that the people it affects can understand it.",
				steps(
					chooseVersion(args),
					`Call get_schema with the version, include "authoring" and the locale `+cmp.Or(args["locale"], "you write in")+` in locales. It returns the categories with all their elements, the rules of the document, and an example.`,
					`For each category, decide what the description says about it, and choose elements by their descriptions, not only by their titles. If two are close, read their full records with get_elements.`,
					`Write the document. Every statement must be based on the description. If it says nothing about a required category or variable, ask the user; do not guess. `+openQuestions+` Fill in context_type_id and variables where the category has them; write texts in `+cmp.Or(args["locale"], "the user's language")+`.`,
					`Add authoring_provenance with kind "ai_generated", and for each placement a rationale, a confidence (high, medium or low) and the passage it is based on in source_references.`,
					`Call validate_datachain. Fix each error using its path and fix_hint, with facts from the description or the user only, and call it again. Consider the warnings.`,
					suggestedElements,
					`Call render_datachain with meta.handle as datachain, then tell the user in a few sentences what the datachain says, what you were unsure of, and which questions remain open. `+handOver,
				),
				fence("system", args["system"]))
		},
	},
	{
		name: "review_datachain", title: "Review a datachain",
		description: "Check a datachain for errors, gaps and unclear statements, and propose improvements.",
		arguments: []promptArgument{
			{"datachain", "The datachain as JSON, thin or resolved.", true},
			versionArgument,
		},
		text: func(args map[string]string) string {
			return task("Review the datachain below from the point of view of its most careful reader: a person who is affected by the system and knows nothing about it.",
				steps(
					`If it has a schema_snapshot, call validate_resolved; otherwise call validate_datachain with version `+cmp.Or(args["version"], "the document's schema_version")+`. Explain each error and warning in plain words, and how to fix it. If that needs a fact that the document does not have, ask the user; do not guess. `+openQuestions,
					`Call get_schema with that version and include "authoring". Which categories that matter for such a system are empty? Would a reader ask a question that the document does not answer?`,
					`Call get_elements with the ids of the placed elements. Does each element fit its use in the document? If not, search for a better one with list_elements and query.`,
					`Read the texts in variables and labels. Are they short, concrete and free of jargon, and do they say the same in all locales?`,
					`Report first what must change (errors), then what should (gaps, ill-fitting elements), then what could. Give the path and the exact replacement for each change. If the user agrees, make the changes for which you know the facts, and validate the result with validate_datachain.`,
				),
				fence("datachain", args["datachain"]))
		},
	},
	{
		name: "propose_element", title: "Propose an element",
		description: "Find out whether a taxonomy can express a statement, and propose a new element if it cannot.",
		arguments: []promptArgument{
			{"need", "The statement that the existing elements cannot express.", true},
			versionArgument,
			{"element_id", "The closest existing element, if you know one.", false},
		},
		text: func(args map[string]string) string {
			hint := ""
			if id := args["element_id"]; id != "" {
				hint = " Start with get_element for " + id + ", which the user considers the closest."
			}
			return task("Find out whether the taxonomy can already express the statement below, and if it cannot, propose one element that would.",
				steps(
					chooseVersion(args),
					`Search with list_elements and query, using several wordings, and read the closest matches with get_elements.`+hint+` If one of them, with its context or a variable, expresses the statement, recommend it with an example placement and stop here.`,
					`Otherwise call list_categories with locales ["en"], choose the category, and read two of its elements with get_elements as models for style and length.`,
					`Write the element: id ([a-z0-9_], no period), category_id, title and description in every locale of the version (get_schema lists them under manifest.locales), and one sentence on how it differs from the closest existing element. Describe facts neutrally; do not judge them.`,
					`To use the element before it is published, put it in suggested_elements of a resolved datachain whose authoring_provenance.kind is "ai_generated": take a document from resolve_datachain with locales "*", add the element and a placement, and validate with validate_resolved.`,
				),
				fence("need", args["need"]))
		},
	},
	{
		name: "translate_content", title: "Translate content",
		description: "Translate the texts of a datachain, or of an element, into another locale.",
		arguments: []promptArgument{
			{"locale", "Locale to translate into, such as fr or pt-BR.", true},
			{"datachain", "The datachain as JSON. If omitted, an element is translated.", false},
			{"element_id", "The element to translate if no datachain is given.", false},
			versionArgument,
		},
		text: func(args map[string]string) string {
			target := args["locale"]
			if args["datachain"] == "" {
				return task("Translate an element of a taxonomy into the locale "+target+", for the people who will read it in public.",
					steps(
						chooseVersion(args),
						`Call get_element for `+cmp.Or(args["element_id"], "the element that the user names")+`. If it already has texts in `+target+`, review them instead.`,
						`Call list_elements with locales ["`+target+`"] and the category_id of the element, to see how the taxonomy words related elements in that locale. If there are no such texts, call list_elements with another locale of the same language.`,
						`Translate title, description, guidance and the labels of its variables. Keep {{variables}} in double braces exactly as they are. Write as plainly and briefly as the original. Do not translate keywords: list the words that people search for in `+target+`.`,
						`Return the result as localized strings, [{"locale", "value"}], and list the terms you were unsure of.`,
					))
			}
			return task("Translate the datachain below into the locale "+target+", for the people who will read it in public.",
				steps(
					`Call get_elements for the placed elements, with version `+cmp.Or(args["version"], "the document's schema_version")+`, the original's locale and `+target+` in locales, and fields ["title", "description"]: they show how the taxonomy itself words them in `+target+`. Use its terms.`,
					`Add one text in `+target+` to each localized string of the document: title, description, labels, the values of text variables, the labels of actions. Do not translate option ids, other ids, URLs, addresses, or names of people and places. Change nothing else.`,
					`Call validate_datachain and fix the problems in your translation. List the others for the user; do not fill in missing facts. A LOCALE_UNKNOWN warning means that the taxonomy does not list `+target+`: tell the user that readers are not offered that locale.`,
					`Call render_datachain with meta.handle as datachain and locale `+target+`, and list the terms you were unsure of.`,
				),
				fence("datachain", args["datachain"]))
		},
	},
}

// task returns the text of a prompt: the goal, the steps, and the fenced input, if
// any.
func task(goal, steps string, input ...string) string {
	text := goal + "\n\n" + steps
	if len(input) > 0 {
		text += "\n\n" + untrustedNotice + "\n\n" + strings.Join(input, "\n\n")
	}
	return text
}

// steps returns a numbered list.
func steps(list ...string) string {
	var b strings.Builder
	for i, s := range list {
		b.Write(appendInt(nil, i+1))
		b.WriteString(". " + s + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func chooseVersion(args map[string]string) string {
	if version := args["version"]; version != "" {
		return "Use schema version " + version + "; meta.version of every result is its canonical id."
	}
	return "Choose a schema version: the one that the user names, or else a stable one if there is one. The instructions of this server list the published ones, as does list_schema_versions."
}
