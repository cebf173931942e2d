package datachain

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestActionLink(t *testing.T) {
	for _, tc := range []struct{ kind, target, want string }{
		{"url", "https://example.org/a?b=c&d=%20#e", "https://example.org/a?b=c&d=%20#e"},
		{"url", "HTTPS://Example.org", "https://Example.org"},
		{"url", " https://example.org\n", "https://example.org"},
		{"url", "https://example.org/\u202Egro.live", "https://example.org/gro.live"},
		{"url", `https://example.org/"><script>`, "https://example.org/%22%3E%3Cscript%3E"},
		{"url", "https://ex\u00E4mple.org/\u00FC", "https://ex%C3%A4mple.org/%C3%BC"},
		{"url", "https://bank.example@evil.example/", ""},
		{"url", "https:example.org", ""},
		{"url", "https://", ""},
		{"url", "http://example.org", ""},
		{"url", "javascript:alert(1)", ""},
		{"url", "ht\ttps://example.org", "https://example.org"},
		{"url", "java\nscript:alert(1)", ""},
		{"url", "data:text/html,x", ""},
		{"url", "//example.org", ""},
		{"url", "/etc/passwd", ""},
		{"url", "", ""},
		{"form", "https://example.org/form", "https://example.org/form"},
		{"email", "someone@example.org", "mailto:someone@example.org"},
		{"email", "mailto:someone@example.org?subject=A b", "mailto:someone@example.org?subject=A%20b"},
		{"email", "MAILTO:someone@example.org", "mailto:someone@example.org"},
		{"email", "someone", ""},
		{"email", "a@b, c@d", ""},
		{"email", "javascript:alert(1)@example.org", ""},
		{"email", "https:someone@example.org", ""},
		{"phone", "+44 1632 960001", "tel:+441632960001"},
		{"phone", "(01632) 960-001", "tel:01632960001"},
		{"phone", "tel:+441632960001", "tel:+441632960001"},
		{"phone", "112", "tel:112"},
		{"phone", "call me", ""},
		{"phone", "1", ""},
		{"phone", "44+1632", ""},
		{"phone", "javascript:alert(1)", ""},
		{"postal", "1 High Street", ""},
		{"postal", "https://example.org", "https://example.org"},
		{"other", "someone@example.org", ""},
	} {
		if got := (&Action{Type: tc.kind, Target: tc.target}).Link(); got != tc.want {
			t.Errorf("%s %q: got %q, want %q", tc.kind, tc.target, got, tc.want)
		}
	}
}

func TestActionLinkHasAllowedScheme(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &Action{
			Type:   rapid.SampledFrom([]string{"url", "form", "email", "phone", "postal"}).Draw(t, "type"),
			Target: rapid.SampledFrom([]string{"", "https://", "mailto:", "tel:", "javascript:", "ht\ttps:"}).Draw(t, "scheme") + rapid.String().Draw(t, "rest"),
		}
		link := a.Link()
		switch scheme, _, _ := strings.Cut(link, ":"); scheme {
		case "", "https", "mailto", "tel":
		default:
			t.Fatalf("link %q has scheme %s", link, scheme)
		}
		if strings.ContainsAny(link, "<>\"' \n") {
			t.Fatalf("link %q is not escaped", link)
		}
	})
}
