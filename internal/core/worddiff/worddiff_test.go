package worddiff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/worddiff"
)

// marked returns spans as text, in the notation of git diff --word-diff.
func marked(spans []worddiff.Span) string {
	var b strings.Builder
	for _, s := range spans {
		switch s.Op {
		case worddiff.Equal:
			b.WriteString(s.Text)
		case worddiff.Delete:
			b.WriteString("[-" + s.Text + "-]")
		case worddiff.Insert:
			b.WriteString("{+" + s.Text + "+}")
		case worddiff.Omit:
			b.WriteString("…")
		}
	}
	return b.String()
}

func TestCompareMarksChangedWords(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"both empty", "", "", ""},
		{"equal", "A camera.", "A camera.", "A camera."},
		{"only old", "A camera.", "", "[-A camera.-]"},
		{"only new", "", "A camera.", "{+A camera.+}"},
		{"one word", "A thermal camera counts people.", "A video camera counts people.", "A [-thermal-]{+video+} camera counts people."},
		{"two distant words", "A thermal camera counts people.", "A video camera follows people.", "A [-thermal-]{+video+} camera [-counts-]{+follows+} people."},
		{"insertion", "Counts people.", "Counts people and bicycles.", "Counts people{+ and bicycles+}."},
		{"deletion", "Counts people and bicycles.", "Counts people.", "Counts people[- and bicycles-]."},
		{"punctuation", "Yes, always", "Yes: always", "Yes[-,-]{+:+} always"},
		{"adjacent words form a phrase", "Kept for two weeks.", "Kept until the end.", "Kept [-for two weeks-]{+until the end+}."},
		{"a common word does not divide a phrase", "It records sound and keeps the recordings for a year.", "It counts how many people pass and sends one number an hour.", "It [-records sound and keeps the recordings for a year-]{+counts how many people pass and sends one number an hour+}."},
		{"apostrophe", "Don't stop.", "Do stop.", "[-Don't-]{+Do+} stop."},
		{"case", "wi-fi", "Wi-Fi", "[-wi-fi-]{+Wi-Fi+}"},
		{"Japanese", "カメラが人数を数えます。", "センサーが人数を数えます。", "[-カメラ-]{+センサー+}が人数を数えます。"},
		{"Japanese character", "映像は三十日間保存されます。", "映像は七日間保存されます。", "映像は[-三十-]{+七+}日間保存されます。"},
		{"Thai", "กล้อง", "กลอง", "ก[-ล้-]{+ล+}อง"},
		{"Arabic", "كاميرا حرارية هنا", "كاميرا فيديو هنا", "كاميرا [-حرارية-]{+فيديو+} هنا"},
		{"family emoji stays whole", "a 👩‍👩‍👧 b", "a 👩‍👩‍👦 b", "a [-👩‍👩‍👧-]{+👩‍👩‍👦+} b"},
		{"white space", "a  b", "a b", "a[-  -]{+ +}b"},
		{"paragraph", "One.\n\nTwo.", "One.\n\nNew.\n\nTwo.", "One.\n\n{+New.\n\n+}Two."},
		{"invalid UTF-8", "a \xff b", "a \xfe b", "a [-\xff-]{+\xfe+} b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, marked(worddiff.Compare(c.old, c.new))); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// sides returns the two texts that spans describe.
func sides(spans []worddiff.Span) (before, after string) {
	var b, a strings.Builder
	for _, s := range spans {
		if s.Op != worddiff.Insert {
			b.WriteString(s.Text)
		}
		if s.Op != worddiff.Delete {
			a.WriteString(s.Text)
		}
	}
	return b.String(), a.String()
}

func TestSpansFormBothTexts(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "the", "camera", " ", " ", ", ", ".", "\n", "人", "数", "の", "カメラ", "é", "e\u0301", "\xff", "👩‍👩‍👧"})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "old"), text.Draw(t, "new")
		spans := worddiff.Compare(before, after)
		if gotBefore, gotAfter := sides(spans); gotBefore != before || gotAfter != after {
			t.Fatalf("got %q and %q, want %q and %q", gotBefore, gotAfter, before, after)
		}
		for i, s := range spans {
			if s.Text == "" {
				t.Fatalf("span %d of %q is empty", i, marked(spans))
			}
			if i > 0 && spans[i-1].Op >= s.Op && s.Op != worddiff.Equal {
				t.Fatalf("span %d of %q is out of order", i, marked(spans))
			}
			if i > 0 && spans[i-1].Op == s.Op {
				t.Fatalf("span %d of %q could be joined", i, marked(spans))
			}
		}
		if before == after && len(spans) > 1 {
			t.Fatalf("equal texts have differences: %q", marked(spans))
		}
	})
}

// Without a limit, these texts would take time and memory proportional to the
// square of their length: hours and terabytes.
func TestHugeTextsAreComparedInBoundedTime(t *testing.T) {
	const n = 200_000
	for name, texts := range map[string][2]string{
		"nothing in common":  {strings.Repeat("old ", n), strings.Repeat("new\t", n)},
		"every second word":  {strings.Repeat("same old ", n), strings.Repeat("same new ", n)},
		"shifted":            {strings.Repeat("a b c ", n), "x " + strings.Repeat("c a b ", n)},
		"one very long word": {strings.Repeat("a", 4*n), strings.Repeat("a", 4*n-1)},
		"Japanese":           {strings.Repeat("人数", n), strings.Repeat("映像", n)},
	} {
		t.Run(name, func(t *testing.T) {
			spans := worddiff.Compare(texts[0], texts[1])
			if before, after := sides(spans); before != texts[0] || after != texts[1] {
				t.Error("the spans do not form the texts")
			}
			if len(spans) > 3000 {
				t.Errorf("got %d spans, want at most 3000", len(spans))
			}
		})
	}
}

func TestTheBeginningOfHugeTextsIsComparedFinely(t *testing.T) {
	spans := worddiff.Compare("One thermal camera. "+strings.Repeat("old ", 5000)+"end", "One video camera. "+strings.Repeat("new\t", 5000)+"end")
	want := []worddiff.Span{{worddiff.Equal, "One "}, {worddiff.Delete, "thermal"}, {worddiff.Insert, "video"}, {worddiff.Equal, " camera. "}}
	if diff := cmp.Diff(want, spans[:min(4, len(spans))]); diff != "" {
		t.Errorf("first spans (-want +got):\n%s", diff)
	}
	if last := spans[len(spans)-1]; last != (worddiff.Span{Op: worddiff.Equal, Text: "end"}) {
		t.Errorf("got last span %q, want the common end", last.Text)
	}
}

func TestExcerptKeepsTheSurroundingsOfChanges(t *testing.T) {
	long := "The camera is on a pole and looks down at the crossing, where it counts the people who wait"
	for _, c := range []struct{ name, old, new, want string }{
		{"equal", long, long, "…"},
		{"short", "A thermal camera.", "A video camera.", "A [-thermal-]{+video+} camera."},
		{"end", long + " old", long + " new", "…who wait [-old-]{+new+}"},
		{"start", "old " + long, "new " + long, "[-old-]{+new+} The camera…"},
		{"middle", "old " + long + " old", "new " + long + " new", "[-old-]{+new+} The camera…who wait [-old-]{+new+}"},
		{"Japanese", "映像は保存されますが、音声は録音されませんし、どこにも送信されないことになっています。古", "映像は保存されますが、音声は録音されませんし、どこにも送信されないことになっています。新", "…とになっています。[-古-]{+新+}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := marked(worddiff.Excerpt(worddiff.Compare(c.old, c.new), 9))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("excerpt (-want +got):\n%s", diff)
			}
		})
	}
}
