package datachain

import (
	"placard/internal/core/link"
	"placard/internal/core/problem"
)

// address is an address in a document that a page may show as a link.
type address struct {
	node ref
	kind string // the type of an action, or sourceURL
}

// sourceURL is the kind of the URLs of sources.
const sourceURL = "source"

// isValid reports whether text has the form that its kind requires. Postal
// addresses may have any form.
func (a address) isValid(text string) bool {
	switch a.kind {
	case "email":
		return link.Mail(text) != ""
	case "phone":
		return link.Phone(text) != ""
	case "url", "form", sourceURL:
		return link.IsWeb(text)
	}
	return true
}

// Link returns the target of the action as an https:, mailto: or tel: link, or ""
// if it is not one. Links with other schemes are never returned, whatever the type
// of the action.
func (a *Action) Link() string {
	if l := link.Any(a.Target); l != "" {
		return l
	}
	switch a.Type {
	case "email":
		return link.Mail(a.Target)
	case "phone":
		return link.Phone(a.Target)
	}
	return ""
}

// describe returns a finding of r about an invalid text.
func (a address) describe(r *Rule, text string) problem.Problem {
	quoted := problem.Clip(text)
	switch a.kind {
	case "email":
		return r.Found("%q is not an email address.", quoted).
			Hint("Write one address, such as ask@example.org, and use one action for each address.")
	case "phone":
		return r.Found("%q is not a phone number.", quoted).
			Hint("Write one number in digits, such as +44 1632 960001.")
	}
	return r.Found("%q is not a web address.", quoted).
		Hint("Write the whole address with https:// and the name of the server, such as https://example.org/ask.")
}
