package link

import (
	"testing"

	"pgregory.net/rapid"
)

func TestWebAddresses(t *testing.T) {
	for address, want := range map[string]struct {
		link  string
		isWeb bool
	}{
		"https://example.org/a?b#c":       {"https://example.org/a?b#c", true},
		"http://example.org":              {"", true},
		"https://[2001:db8::1]:8443/":     {"https://[2001:db8::1]:8443/", true},
		"example.org":                     {"", false},
		"www.example.org/form":            {"", false},
		"https:/example.org":              {"", false},
		"https://":                        {"", false},
		"https://:443/":                   {"", false},
		"https://user@example.org":        {"", false},
		"https://example.org:port":        {"", false},
		"ftp://example.org":               {"", false},
		"mailto:someone@example.org":      {"", false},
		"\u200Bhttps://example.org\u00A0": {"https://example.org", true},
		"":                                {"", false},
	} {
		if link, isWeb := Web(address), IsWeb(address); link != want.link || isWeb != want.isWeb {
			t.Errorf("%q: got %q, %t, want %q, %t", address, link, isWeb, want.link, want.isWeb)
		}
	}
}

func TestPhoneNumbers(t *testing.T) {
	for number, want := range map[string]string{
		"+44 1632 960001":          "tel:+441632960001",
		"+44 (0)1632 960001":       "tel:+441632960001",
		"tel:+44\u00A0(0)1632/960": "tel:+441632960",
		"(01632) 960-001":          "tel:01632960001",
		"(0)1632 960001":           "tel:01632960001",
		"112":                      "tel:112",
		"11":                       "",
		"+(0)":                     "",
		"44+1632":                  "",
		"ask the desk":             "",
		"":                         "",
	} {
		if got := Phone(number); got != want {
			t.Errorf("%q: got %q, want %q", number, got, want)
		}
	}
}

func TestUnsafeSchemesAreRecognized(t *testing.T) {
	for address, want := range map[string]string{
		"javascript:alert(1)":             "javascript",
		"JavaScript:alert(1)":             "javascript",
		" \t\njava\r\nscript\t:alert(1)":  "javascript",
		"\x01java\x00script:alert(1)":     "javascript",
		"java\u200Bscript\u2028:alert(1)": "javascript",
		"data:text/html,x":                "data",
		"vbscript:x":                      "vbscript",
		"file:///etc/passwd":              "file",
		"blob:https://example.org/1":      "blob",
		"view-source:https://example.org": "view-source",
		"https://example.org":             "",
		"https://example.org/javascript:": "",
		"mailto:data@example.org":         "",
		"javascript":                      "",
		"1 File Street: ask for the data": "",
		"":                                "",
	} {
		if got := UnsafeScheme(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

func TestLinksAreEscaped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := rapid.SampledFrom([]string{"", "https://", "mailto:a@", "tel:"}).Draw(t, "scheme") + rapid.String().Draw(t, "rest")
		for _, link := range []string{Web(address), Mail(address), Phone(address), Any(address)} {
			if escape(link) != link || UnsafeScheme(link) != "" {
				t.Fatalf("link %q is unsafe or not escaped", link)
			}
		}
	})
}
