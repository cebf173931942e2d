// Package link decides which addresses in a document may become links, and which
// are unsafe. Validation and pages share its definitions, so that pages show every
// valid address correctly.
// It knows nothing about documents or HTML.
package link

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Web returns address as a link if it is an https: URL with a host, or "". URLs
// with a user name are rejected, because they disguise the host.
func Web(address string) string {
	if u := parseWeb(address); u != nil && u.Scheme == "https" {
		return escape(u.String())
	}
	return ""
}

// Printed returns an http: or https: address in the ASCII form in which it is printed as
// a code, or "" if it is not a web address. Unlike browsers, not all readers of
// codes accept other characters in the host.
func Printed(address string) string {
	u := parseWeb(address)
	if u == nil {
		return ""
	}
	if name := u.Hostname(); strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		host, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return ""
		}
		u.Host = strings.Replace(u.Host, name, host, 1)
	}
	return escape(u.String())
}

// IsWeb reports whether address is a web address: an http: or https: URL with a
// host and without a user name.
func IsWeb(address string) bool { return parseWeb(address) != nil }

func parseWeb(address string) *url.URL {
	u, err := url.Parse(Clean(address))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return nil
	}
	return u
}

// Mail returns a mailto: link to one email address with an optional query, or "".
// The address may begin with mailto:.
func Mail(address string) string {
	mailbox, query, _ := strings.Cut(withoutScheme(Clean(address), "mailto"), "?")
	local, host, ok := strings.Cut(mailbox, "@")
	if !ok || local == "" || host == "" || strings.ContainsAny(mailbox, " \t<>,;:\"\\()[]") || strings.Contains(host, "@") {
		return ""
	}
	if query != "" {
		mailbox += "?" + query
	}
	return escape("mailto:" + mailbox)
}

// Phone returns a tel: link, or "". The number may contain the usual spaces, dots,
// slashes, hyphens and brackets, and may begin with tel:.
func Phone(number string) string {
	number = strings.TrimSpace(withoutScheme(Clean(number), "tel"))
	if strings.HasPrefix(number, "+") {
		// The 0 in +44 (0)1632 is dialled only within the country.
		number = strings.Replace(number, "(0)", "", 1)
	}
	var b strings.Builder
	for i, r := range number {
		switch {
		case '0' <= r && r <= '9' || r == '+' && i == 0:
			b.WriteRune(r)
		case !strings.ContainsRune(" .-()/\u00A0\u2009\u202F\u2010\u2011", r):
			return ""
		}
	}
	if b.Len() < 3 {
		return ""
	}
	return "tel:" + b.String()
}

// Any returns address as a link if it has one of the schemes https, mailto and
// tel, or "".
func Any(address string) string {
	scheme, _, _ := strings.Cut(Clean(address), ":")
	switch strings.ToLower(scheme) {
	case "https":
		return Web(address)
	case "mailto":
		return Mail(address)
	case "tel":
		return Phone(address)
	}
	return ""
}

// unsafeSchemes run scripts, contain a page, or read local files.
var unsafeSchemes = []string{
	"about", "blob", "data", "file", "filesystem", "jar", "javascript", "livescript", "vbscript", "view-source",
}

// UnsafeScheme returns the scheme of address if following the address could run a
// script or open a local file, or "". Browsers ignore some invisible characters in
// a scheme, so UnsafeScheme ignores all of them, and white space.
func UnsafeScheme(address string) string {
	scheme, _, ok := strings.Cut(address, ":")
	if !ok {
		return ""
	}
	scheme = strings.ToLower(strings.Map(func(r rune) rune {
		if isInvisible(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, scheme))
	if !slices.Contains(unsafeSchemes, scheme) {
		return ""
	}
	return scheme
}

// Clean removes the white space around an address, and the control and formatting
// characters in it, which could disguise it.
func Clean(address string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, address))
}

// isInvisible reports whether r is a control character, a formatting character or
// a noncharacter.
func isInvisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point)
}

// withoutScheme removes the scheme, in any case, from the start of address.
func withoutScheme(address, scheme string) string {
	if before, rest, ok := strings.Cut(address, ":"); ok && strings.EqualFold(before, scheme) {
		return rest
	}
	return address
}

// escape escapes all characters that are not allowed in URLs, so that neither
// templates nor scripts have to escape the link again.
func escape(address string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(address) {
		c := address[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		escaped := c == '%' && i+2 < len(address) && isHex(address[i+1]) && isHex(address[i+2])
		if letter || escaped || strings.IndexByte("!#$&*+,/:;=?@[]-._~", c) >= 0 {
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
