package view

import (
	"net/url"
	"strings"

	"placard/internal/datachain"
)

// actionLink returns where an action leads, or nothing where a reader can only
// be shown its target. Whatever the action says it is, only mailto:, tel: and
// https: links come out.
func actionLink(a *datachain.Action) string {
	target := straight(a.Target)
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

// webLink returns target where it is an https: address of a host. One with a
// user name in front of the host is not: those are made to be misread.
func webLink(target string) string {
	u, err := url.Parse(straight(target))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	return normal(u.String())
}

// mailLink returns a link to one address, perhaps with a subject after it.
func mailLink(address string) string {
	box, query, _ := strings.Cut(address, "?")
	local, host, ok := strings.Cut(box, "@")
	if !ok || local == "" || host == "" || strings.ContainsAny(box, " \t<>,;:\"\\()[]") || strings.Contains(host, "@") {
		return ""
	}
	if query != "" {
		box += "?" + query
	}
	return normal("mailto:" + box)
}

// phoneLink returns a link that dials number, which may be written with the
// usual spaces, dots, hyphens and brackets.
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

// normal escapes what may not stand in an address as it is, so that every way
// of writing the address into a page leaves it unchanged.
func normal(address string) string {
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
