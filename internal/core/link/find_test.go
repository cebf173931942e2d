package link

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAddressesAreFoundInTexts(t *testing.T) {
	for text, want := range map[string][]string{
		"streets@example.org":                                {"streets@example.org > mailto:streets@example.org"},
		"Write to ask@example.org, or call +44 1632 960144.": {"ask@example.org > mailto:ask@example.org", "+44 1632 960144 > tel:+441632960144"},
		"See https://example.org/a_(b), (https://example.org/c).": {
			"https://example.org/a_(b) > https://example.org/a_%28b%29", "https://example.org/c > https://example.org/c",
		},
		"詳しくはhttps://example.org/jaをご覧になるか、a@example.orgまで。": {"https://example.org/ja > https://example.org/ja", "a@example.org > mailto:a@example.org"},
		"+44 (0)1632 960144; +81-3-1234-5678":                {"+44 (0)1632 960144 > tel:+441632960144", "+81-3-1234-5678 > tel:+81312345678"},
		"Call +44 1632 960001 24/7.":                         nil, // the digits may be part of the number
		"+44 1632 960001 24 hours a day":                     nil,
		"+44 1632 960001 (24 hours), +47 22123456/57":        nil,
		"Call +44 1632 960001. 112 in an emergency.":         {"+44 1632 960001 > tel:+441632960001"},
		"Le +33 1 99 00 12 34 en semaine, +41 44 123 45 67 oder +49 30/123456-78 werktags": {
			"+33 1 99 00 12 34 > tel:+33199001234", "+41 44 123 45 67 > tel:+41441234567", "+49 30/123456-78 > tel:+493012345678",
		},
		"https://example.org/straße":                                           nil, // the part before ß leads elsewhere
		"müller@example.org":                                                   nil,
		"https://user@example.org/":                                            nil,
		"http://example.org javascript:alert(1) data.example.org":              nil,
		"From +5 to +12 degrees, 1632 960144, me@localhost, @everyone, 5+5=10": nil,
		"+4416329.desk@example.org":                                            {"+4416329.desk@example.org > mailto:+4416329.desk@example.org"},
		"https://example.org/])].":                                             {"https://example.org/ > https://example.org/"},
		strings.Repeat("a", 65) + "@example.org":                               nil,
		"a@" + strings.Repeat("example.", 32) + "org":                          nil,
		"+1234567890123456":                                                    nil, // longer than any number
		"":                                                                     nil,
	} {
		var got []string
		for a := range Find(text) {
			got = append(got, text[a.Start:a.End]+" > "+a.Href)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestFoundAddressesAreInOrderAndSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{"https://", "a@b.cd", "+44 1632 960144", "(", ")", ".", "@", "+", "/", " ", "\"", "<", "ß", "日"}), rapid.String(),
		)).Draw(t, "parts"), "")
		end := 0
		for a := range Find(text) {
			if a.Start < end || a.End <= a.Start || a.End > len(text) {
				t.Fatalf("got %+v after %d", a, end)
			}
			end = a.End
			if Any(a.Href) != a.Href {
				t.Fatalf("got %q, which is not a safe link", a.Href)
			}
		}
	})
}

func TestLongTextsAreSearchedInLinearTime(t *testing.T) {
	const size = 1 << 20
	for name, text := range map[string]string{
		"brackets":   "https://example.org/" + strings.Repeat(")", size),
		"one word":   strings.Repeat("a", size) + "@",
		"host names": strings.Repeat("a@b-c.", size/6),
		"plus signs": strings.Repeat("+", size),
	} {
		start := time.Now()
		for range Find(text) {
		}
		// Time that grows with the square of the length would be more than a minute.
		if got, limit := time.Since(start), 5*time.Second; got > limit {
			t.Errorf("%s: got %v, want less than %v", name, got, limit)
		}
	}
}
