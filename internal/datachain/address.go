package datachain

import "placard/internal/link"

// Link returns the target of the action as a https:, mailto: or tel: link, or ""
// if it is none. Links with other schemes are never returned, whatever the type of
// the action.
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
