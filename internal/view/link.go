package view

import (
	"net/url"
	"strings"

	"placard/internal/datachain"
)

// actionLink returns the mailto:, tel: or https: link of an action, or "" if its
// target is not a link. Links with other schemes are never returned, whatever the
// type of the action.
func actionLink(a *datachain.Action) string {
	target := cleanAddress(a.Target)
	scheme, rest, _ := strings.Cut(target, ":")
	switch scheme = strings.ToLower(scheme); {
	case scheme == "https":
		return webLink(target)
	case scheme == "mailto":
		return mailLink(rest)
	case scheme == "tel":
		return phoneLink(rest)
	case a.Type == "email":
		return mailLink(target)
	case a.Type == "phone":
		return phoneLink(target)
	}
	return ""
}

// webLink returns target if it is an https: URL with a host. URLs with a user name
// are rejected, because they disguise the host.
func webLink(target string) string {
	u, err := url.Parse(cleanAddress(target))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	return escapeURL(u.String())
}

// mailLink returns a mailto: link to one address with an optional query.
func mailLink(address string) string {
	mailbox, query, _ := strings.Cut(address, "?")
	local, host, ok := strings.Cut(mailbox, "@")
	if !ok || local == "" || host == "" || strings.ContainsAny(mailbox, " \t<>,;:\"\\()[]") || strings.Contains(host, "@") {
		return ""
	}
	if query != "" {
		mailbox += "?" + query
	}
	return escapeURL("mailto:" + mailbox)
}

// phoneLink returns a tel: link. The number may contain the usual spaces, dots,
// slashes, hyphens and brackets.
func phoneLink(number string) string {
	var b strings.Builder
	for i, r := range strings.TrimSpace(number) {
		switch {
		case '0' <= r && r <= '9' || r == '+' && i == 0:
			b.WriteRune(r)
		case !strings.ContainsRune(" .-()/\u00A0\u2009\u202F\u2010\u2011", r):
			return ""
		}
	}
	if len(b.String()) < 3 {
		return ""
	}
	return "tel:" + b.String()
}

// escapeURL escapes all characters that are not allowed in URLs, so that neither
// the template nor the script has to escape the link again.
func escapeURL(address string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(address) {
		c := address[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		escape := c == '%' && i+2 < len(address) && isHex(address[i+1]) && isHex(address[i+2])
		if letter || escape || strings.IndexByte("!#$&*+,/:;=?@[]-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
