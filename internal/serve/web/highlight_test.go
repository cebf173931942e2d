package web

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"placard/internal/core/search"
)

func TestExcerpts(t *testing.T) {
	long := strings.Repeat("many words before it ", 20) + "the match, and " + strings.Repeat("many words after it ", 20)
	q := &request{ui: textsFor(nil)}
	for _, tt := range []struct{ name, text, query, want string }{
		{"empty", "", "match", ""},
		{"short", "A match.", "match", "A [match]."},
		{"without a match", "Nothing here.", "match", "Nothing here."},
		{"white space", "A\n  match.", "match", "A [match]."},
	} {
		if got := marks(q.excerpt(Text{Value: tt.text}, tt.query)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	got := marks(q.excerpt(Text{Value: long}, "match"))
	if !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || !strings.Contains(got, "it the [match], and many") || len(got) > 200 {
		t.Errorf("long: got %q", got)
	}
	start := marks(q.excerpt(Text{Value: long}, "nothing"))
	if !strings.HasPrefix(start, "many words") || !strings.HasSuffix(start, " …") {
		t.Errorf("long, without a match: got %q", start)
	}
	russian := marks(q.excerpt(Text{Value: strings.Repeat("распознавание ", 30), Lang: "ru", Dir: "ltr"}, "нет"))
	if !strings.HasSuffix(russian, "распознавание …") {
		t.Errorf("Russian: got %q, want whole words", russian)
	}
	japanese := marks(q.excerpt(Text{Value: strings.Repeat("道路、駅、公園、広場", 30) + "顔認証", Lang: "ja", Dir: "ltr"}, "顔認証"))
	if !strings.HasSuffix(japanese, "[顔認証]") || utf8.RuneCountInString(japanese) > 100 {
		t.Errorf("Japanese: got %q", japanese)
	}
}

// marks returns a text with its matches in brackets.
func marks(m markedText) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.IsMatch {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestExcerptsAreParts(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "camera", "CAMERA", "é", "e\u0301", " ", "  ", "、", "顔認証", "ห้อง", strings.Repeat("x", 300), "\U0001f3a5"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 200).Draw(t, "text"), "")
		spans := search.Highlight("en", text, "camera 顔認証")
		start, end := cutExcerpt(text, spans)
		if start < 0 || end < start || len(text) < end || !utf8.ValidString(text[start:end]) {
			t.Fatalf("got the excerpt %d to %d of %q", start, end, text)
		}
		if len(spans) > 0 && (spans[0].Start < start || end < spans[0].Start) {
			t.Fatalf("the excerpt %d to %d omits the match at %d", start, end, spans[0].Start)
		}
		if end-start > excerptSize {
			t.Fatalf("the excerpt %d to %d is too long", start, end)
		}
	})
}
