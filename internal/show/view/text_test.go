package view

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/datachain"
	"placard/internal/core/taxonomy"
)

func TestLocaleOfPage(t *testing.T) {
	withTitles := func(locales ...string) *datachain.Document {
		d := new(datachain.Document)
		for _, l := range locales {
			d.Title = append(d.Title, taxonomy.Text{Locale: l, Value: "x"})
		}
		return d
	}
	for _, tc := range []struct {
		preferred string
		document  []string
		taxonomy  []string
		want, dir string
	}{
		{"fr", []string{"en", "fr"}, nil, "fr", "ltr"},
		{"FR", []string{"en", "fr"}, nil, "fr", "ltr"},
		{"fr-CA", []string{"en", "fr"}, nil, "fr", "ltr"},
		{"pt", []string{"en", "pt-BR"}, nil, "pt-BR", "ltr"},
		{"zh-Hant-TW", []string{"zh-Hans", "zh-Hant"}, nil, "zh-Hant", "ltr"},
		{"zh-TW", []string{"zh-Hans", "zh-Hant"}, nil, "zh-Hant", "ltr"},
		{"zh-TW", []string{"zh", "zh-Hant"}, nil, "zh-Hant", "ltr"},
		{"zh-TW", []string{"en", "zh-Hans"}, nil, "zh-Hans", "ltr"},
		{"sr-Latn", []string{"en", "sr"}, nil, "sr", "ltr"},
		{"sr-Latn-RS", []string{"sr", "sr-Latn-BA"}, nil, "sr-Latn-BA", "ltr"},
		{"fr", []string{"ar"}, []string{"en", "fr"}, "fr", "ltr"}, // only the taxonomy is in French
		{"de", []string{"ja", "en"}, []string{"en"}, "ja", "ltr"},
		{"", []string{"ar", "en"}, []string{"en"}, "ar", "rtl"},
		{"", nil, []string{"en"}, "en", "ltr"},
		{"de", nil, nil, "en", "ltr"},
		{"ur", []string{"ur"}, nil, "ur", "rtl"},
		{"az-Arab", []string{"az-Arab"}, nil, "az-Arab", "rtl"},
		{"az", []string{"az"}, nil, "az", "ltr"},
		{"he-IL", []string{"he"}, nil, "he", "rtl"},
		{"dv", []string{"dv"}, nil, "dv", "rtl"},
		{"frr", []string{"fr", "en"}, nil, "fr", "ltr"}, // the first locale; North Frisian is not French
	} {
		lz := newLocalizer(tc.preferred, withTitles(tc.document...), tc.taxonomy)
		if lz.locale != tc.want || lz.dir != tc.dir {
			t.Errorf("%q of %v and %v: got %s, %s, want %s, %s", tc.preferred, tc.document, tc.taxonomy, lz.locale, lz.dir, tc.want, tc.dir)
		}
	}
}

func TestListSeparators(t *testing.T) {
	for locale, want := range map[string]string{"en": "\u00a0· ", "fr-CA": "\u00a0· ", "ar": "\u00a0· ", "ja-JP": "、", "zh-Hant-TW": "、"} {
		if got := listSeparator(locale); got != want {
			t.Errorf("%s: got %q, want %q", locale, got, want)
		}
	}
}

func TestPagesHaveEveryScriptOfALanguage(t *testing.T) {
	d := new(datachain.Document)
	for _, l := range []string{"en", "zh-Hans", "en-GB", "zh-Hant", "zh-TW", "zh-CN", "sr", "sr-Latn", "sr-Cyrl"} {
		d.Title = append(d.Title, taxonomy.Text{Locale: l, Value: "x"})
	}
	want := []string{"zh-Hant", "en", "zh-Hans", "sr", "sr-Latn"}
	if diff := cmp.Diff(want, pageLocales(d, "zh-Hant")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLanguageName(t *testing.T) {
	for locale, want := range map[string]string{
		"fr": "Français", "ja": "日本語", "ka": "ქართული", "el": "Ελληνικά", "zh-Hans": "简体中文", "zh-Hant": "繁體中文", "x-own": "x-own",
	} {
		if got := LanguageName(locale); got != want {
			t.Errorf("%s: got %q, want %q", locale, got, want)
		}
	}
}

func TestTextFallsBackToFirstLocaleThenEnglish(t *testing.T) {
	lz := &localizer{locale: "fr", dir: LeftToRight, fallbacks: []string{"ar", english}}
	localized := func(pairs ...string) taxonomy.Localized {
		var l taxonomy.Localized
		for i := 0; i < len(pairs); i += 2 {
			l = append(l, taxonomy.Text{Locale: pairs[i], Value: pairs[i+1]})
		}
		return l
	}
	for _, tc := range []struct {
		texts taxonomy.Localized
		want  Text
	}{
		{localized("en", "two", "fr", "deux"), Text{Text: "deux", Dir: "ltr"}},
		{localized("en", "two", "fr-CA", "deux"), Text{Text: "deux", Lang: "fr-CA", Dir: "ltr"}},
		{localized("en", "two", "fr", " \n"), Text{Text: "two", Lang: "en", Dir: "ltr"}},
		{localized("en", "two", "ar", "اثنان"), Text{Text: "اثنان", Lang: "ar", Dir: "rtl"}},
		{localized("de", "zwei", "en", "two"), Text{Text: "two", Lang: "en", Dir: "ltr"}},
		{localized("de", "zwei", "ja", "二"), Text{Text: "zwei", Lang: "de", Dir: "ltr"}},
		{localized("no locale", "x"), Text{Text: "x"}},
		{localized("en", ""), Text{}},
		{nil, Text{}},
	} {
		value, locale := lz.choose(tc.texts)
		if diff := cmp.Diff(tc.want, lz.textIn(locale, value)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tc.texts, diff)
		}
	}
}

func TestEveryLanguageHasAllLabels(t *testing.T) {
	for i := range languages {
		row := reflect.ValueOf(languages[i])
		for k := range row.NumField() {
			if row.Field(k).String() == "" {
				t.Errorf("%s has no label for %q", languages[i].locale, row.Type().Field(k).Name)
			}
		}
	}
	for locale, want := range map[string]string{"en": "en", "fr-CH": "fr", "es": "es", "ja-JP": "ja", "de": "en", "": "en"} {
		if got := labelsFor(locale).locale; got != want {
			t.Errorf("labels for %q are in %q, want %q", locale, got, want)
		}
	}
}

func TestSanitize(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"plain", "plain"},
		{"  two\r\nlines\rand\ttab ", "two\nlines\nand\ttab"},
		{"a\x00b\x1Bc\x7Fd\u0085e", "abcde"},
		{"a\u2028b\u2029c", "a\u2028b\u2029c"},
		{"open \u202Eoverride", "open \u202Eoverride\u202C"},
		{"closed \u202Eoverride\u202C.", "closed \u202Eoverride\u202C."},
		{"\u2069out of it", "out of it"},
		{"\u2067in\u202Bside", "\u2067in\u202Bside\u202C\u2069"},
		{"\u2067crossed\u202C\u2069", "\u2067crossed\u2069"},
		{"مرحبا\u200F!", "مرحبا\u200F!"},
	} {
		if got := sanitize(tc.text); got != tc.want {
			t.Errorf("sanitize(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestSanitizeBalancesBidiFormatting(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069", "\r", "\x00",
	}))
	rapid.Check(t, func(t *rapid.T) {
		clean := sanitize(strings.Join(rapid.SliceOf(piece).Draw(t, "text"), ""))
		if again := sanitize(clean); again != clean {
			t.Fatalf("sanitize(%q) = %q, want no change", clean, again)
		}
		depth := 0
		for _, r := range clean {
			switch r {
			case lre, rle, lro, rlo, lri, rli, fsi:
				depth++
			case pdf, pdi:
				depth--
			case '\r', 0:
				t.Fatalf("%q contains control character %q", clean, r)
			}
			if depth < 0 {
				t.Fatalf("%q has an unmatched closing character", clean)
			}
		}
		if depth != 0 || !utf8.ValidString(clean) {
			t.Fatalf("%q is unbalanced or not valid UTF-8", clean)
		}
	})
}

func TestNoColonFollowsQuestions(t *testing.T) {
	for label, want := range map[string]string{
		"":                  "",
		"Purpose":           "Purpose:",
		"Can it see me?":    "Can it see me?",
		"Can it see me? ":   "Can it see me? ",
		"私を識別できますか？":        "私を識別できますか？",
		"هل يتعرف عليّ؟":    "هل يتعرف عليّ؟",
		"Με αναγνωρίζει;":   "Με αναγνωρίζει;",
		"First; or not so;": "First; or not so;:",
		"Purpose:":          "Purpose:",
		"目的：":               "目的：",
	} {
		if got := withColon(Text{Text: label}).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	p := Placement{
		Values:  []Fact{{Label: Text{Text: "How long?"}, Value: Text{Text: "A day"}}},
		Actions: []Action{{Label: Text{Text: "Any questions?"}, Target: Text{Text: "112"}}},
	}
	if got, want := p.summaryValues(), "How long? A day, Any questions? 112"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoticesAboutOtherLocales(t *testing.T) {
	for _, test := range []struct {
		locale, original, requested string
		isIn                        bool
		want                        string
	}{
		{"en", "", "", false, ""},
		{"en", "", "en-GB", true, ""},
		{"zh-Hant", "", "zh-TW", true, ""},
		{"zh-Hans", "", "zh-TW", false, `Neither the document nor its taxonomy has texts in "zh-TW", so "zh-Hans" is used.`},
		{"en", "", "de", false, `Neither the document nor its taxonomy has texts in "de", so "en" is used.`},
		{"fr", "en", "fr-CA", true, `The document has no texts in "fr-CA": its own texts are in "en", those of its taxonomy in "fr".`},
		{"fr", "en", "", false, ""},
	} {
		m := &Model{Locale: test.locale, OriginalLocale: test.original}
		if got := m.LocaleNotice(test.requested); got != test.want {
			t.Errorf("%q in %q: got %q, want %q", test.requested, test.locale, got, test.want)
		}
		if follows := NewPage([]*Model{m}, test.requested).FollowsReader; follows == test.isIn {
			t.Errorf("%q in %q: the page follows the reader: %t, want %t", test.requested, test.locale, follows, !test.isIn)
		}
	}
}
