package taxonomy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"placard/internal/core/taxonomy"
)

func TestWordsAreEncodedAsTheirList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.Just(strings.Repeat("é", 100)))).Draw(t, "words")
		words := taxonomy.NewWords(want...)
		if got := words.List(); !slices.Equal(got, want) {
			t.Fatalf("the list is %q, want %q", got, want)
		}
		got, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(slices.Concat([]string{}, want))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(encoded) {
			t.Fatalf("the JSON is %s, want %s", got, encoded)
		}
		var decoded taxonomy.Words
		if err := json.Unmarshal(got, &decoded); err != nil {
			t.Fatal(err)
		}
		if decoded != words {
			t.Fatalf("decoded %q, want %q", decoded.List(), want)
		}
	})
}

func TestWordsStopEarly(t *testing.T) {
	for word := range taxonomy.NewWords("one", "two").All() {
		if word != "one" {
			t.Errorf("got word %q after the loop ended", word)
		}
		break
	}
}

func TestWordsMustBeAListOfStrings(t *testing.T) {
	for _, data := range []string{`"word"`, `null`, `{}`, `["a", 1]`, `["a", null]`, `[["a"]]`, `["a"`, `["a",`, ``} {
		var words taxonomy.Words
		if err := json.Unmarshal([]byte(data), &words); err == nil {
			t.Errorf("%s is accepted as %q, want an error", data, words.List())
		}
	}
}
