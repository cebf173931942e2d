package diffview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrapBreaksLinesBetweenWords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{""}},
		{"short", "A camera.", []string{"A camera."}},
		{"words", "A camera counts people.", []string{"A camera", "counts", "people."}},
		{"punctuation stays with its word", "(One), [-two-]{+three+} four", []string{"(One),", "[-two-]{+three+}", "four"}},
		{"long word", "a supercalifragilistic b", []string{"a", "supercalifragilistic", "b"}},
		{"paragraphs", "One.\n\nTwo.", []string{"One.", "", "Two."}},
		{"spaces collapse", "a   b\tc", []string{"a b c"}},
		{"wide characters take two columns", "映像は 保存 されます。", []string{"映像は", "保存", "されます。"}},
		{"marks take no column", "e\u0301e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301", []string{"e\u0301e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, wrap(c.text, 10)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrapKeepsHugeTextsComplete(t *testing.T) {
	text := strings.Repeat("word ", 100_000) + strings.Repeat("-x", 100_000)
	if got := strings.Join(wrap(text, 80), " "); got != text {
		t.Errorf("got %d bytes, want %d", len(got), len(text))
	}
}

func TestOneLongCellDoesNotWidenItsColumn(t *testing.T) {
	long := strings.Repeat("long ", 100)
	got := align([][]string{{"element", "b", long, "x"}, {"element", "a", "Sound", "x"}, {"element", "c", "Pictures", "x"}})
	want := []string{
		"element  b  " + long + "  x",
		"element  a  Sound     x",
		"element  c  Pictures  x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestAlignPadsColumns(t *testing.T) {
	got := align([][]string{{"element", "a", "映像", "x"}, {"option", "long_id", "Sound", ""}, {"symbol", "b", "", ""}})
	want := []string{
		"element  a        映像   x",
		"option   long_id  Sound",
		"symbol   b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
