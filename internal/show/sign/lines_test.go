package sign

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func setLines(s string, em float64, maxLines int) string {
	b := newText(s, "", false, regular, ink).set(1, em, maxLines)
	var lines []string
	for _, l := range b.lines() {
		lines = append(lines, l.text)
	}
	return strings.Join(lines, "|")
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		text     string
		width    float64 // in em
		maxLines int
		want     string
	}{
		{"", 10, 2, ""},
		{"Thermal camera", 10, 2, "Thermal camera"},
		{"Thermal camera", 5, 2, "Thermal|camera"},
		{"One two three four five", 8, 3, "One two|three four five"}, // balanced
		{"Kept for\u00A090\u00A0days", 6, 2, "Kept|for\u00A090\u00A0days"},
		{"Verkehrs-Zählung", 5, 2, "Verkehrs-|Zählung"},
		{"Decision: Fully automatic", 8, 2, "Decision:|Fully automatic"},
		{"Decision: Confirmed by a person", 11, 2, "Decision:|Confirmed by a person"},
		{"Decision: Confirmed by a person", 9.5, 2, "Decision: Confirmed|by a person"},
		{"Sensor in the road\u00A0· When triggered\u00A0· and\u00A01\u00A0more", 14, 2, "Sensor in the road\u00A0·|When triggered\u00A0· and\u00A01\u00A0more"},
		{"Sensor in the road\u00A0· When triggered\u00A0· and\u00A01\u00A0more", 12, 2, "Sensor in the road\u00A0· When|triggered\u00A0· and\u00A01\u00A0more"},
		{"Geschwindigkeit", 5, 3, "Geschwin-|digkeit"},
		{"One two three four five six", 5, 2, "One two|three…"},
		{"リンデン大通りのスマート横断歩道", 8, 3, "リンデン大通りの|スマート横断歩道"},
		{"サーマルカメラ\u00A0+2、5年間保存", 10, 3, "サーマルカメラ\u00A0+2、|5年間保存"},
		{"「個人」は、識別できません。", 8, 3, "「個人」は、|識別できません。"},
		{"林登大道智能人行横道。", 4, 3, "林登大道|智能人行|横道。"},
		{"아무도 식별할 수 없음", 5, 3, "아무도|식별할|수 없음"},
	} {
		if diff := cmp.Diff(test.want, setLines(test.text, test.width, test.maxLines)); diff != "" {
			t.Errorf("%q, %v em (-want +got):\n%s", test.text, test.width, diff)
		}
	}
}

func TestAddressesAreNotBrokenAtHyphens(t *testing.T) {
	for address, want := range map[string]string{
		"data-protection@example.org":   "data-protection@|example.org",
		"privacy@north-west.example.uk": "privacy@|north-west|.example.uk",
		"example.org/privacy/contact":   "example.org/|privacy/contact",
		"informationszentrumwest":       "informationszent|rumwest",
	} {
		b := newAddress(address, regular, ink).set(1, 8, 4)
		var lines []string
		for _, l := range b.lines() {
			lines = append(lines, l.text)
		}
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
