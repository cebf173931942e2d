package release

import "testing"

func TestFirstSentence(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", ""},
		{"One sentence", "One sentence"},
		{"One sentence, complete. ", "One sentence, complete."},
		{"短い文です。", "短い文です。"},
		{"One sentence. And another.", "One sentence. …"},
		{"It  ends\nhere! Then more.", "It ends here! …"},
		{"A sensor, e.g. a camera. More.", "A sensor, e.g. a camera. …"},
		{"Version 2.0 of it. More.", "Version 2.0 of it. …"},
		{"Longer than forty letters, with a clause and then more words.", "Longer than forty letters…"},
		{"Longer than forty letters without any punctuation at all.", "Longer than forty letters without any…"},
		{"Pneumonoultramicroscopicsilicovolcanoconiosis", "Pneumonoultramicroscopicsilicovolcanocon…"},
		{"短い文です。次の文です。", "短い文です。…"},
		{"これはとても長い文で、途中で区切る必要がありますが、それでもまだ続いているので、どこかで切らなければなりません。", "これはとても長い文で…"},
		{"Does it end? Yes.", "Does it end? …"},
		{"L’idée : « voir » puis. Fin.", "L’idée : « voir » puis. …"},
	} {
		if got := firstSentence(tc.text, 40); got != tc.want {
			t.Errorf("firstSentence(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}
