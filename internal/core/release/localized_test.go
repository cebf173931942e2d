package release_test

import (
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
)

func TestAppendInLocales(t *testing.T) {
	tax := releasetest.Taxonomy(t, id)
	tax.Locales = []string{"en", "fr", "pt-BR"}
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	const (
		en  = `{"locale":"en","value":"A"}`
		fr  = `{"locale":"fr","value":"B \"C\\"}`
		pt  = `{"locale":"pt-BR","value":"{\"locale\":\"en\",\"value\":\"D\"}"}`
		all = `[` + en + `,` + fr + `,` + pt + `]`

		enWords = `{"locale":"en","value":["A]","\"B, C\\"]}`
		frWords = `{"locale":"fr","value":["{\"locale\":\"en\",\"value\":[\"D\"]}"]}`
	)
	for _, test := range []struct {
		json    string
		locales []string // nil: all
		want    string
	}{
		{all, nil, all},
		{all, []string{}, `[]`},
		{all, []string{"en"}, `[` + en + `]`},
		{all, []string{"FR"}, `[` + fr + `]`},
		{all, []string{"pt-br"}, `[` + pt + `]`},
		{all, []string{"pt-BR", "en"}, `[` + en + `,` + pt + `]`},
		{`{"a":` + all + `,"b":[],"c":{"d":` + all + `}}`, []string{"xx"}, `{"a":[],"b":[],"c":{"d":[]}}`},
		{`{"a":[` + en + `],"b":[` + fr + `]}`, []string{"fr"}, `{"a":[],"b":[` + fr + `]}`},
		{`{"k":[` + enWords + `,` + frWords + `],"a":` + all + `}`, []string{"fr"}, `{"k":[` + frWords + `],"a":[` + fr + `]}`},
		{`{"k":[` + enWords + `,` + frWords + `]}`, []string{"en"}, `{"k":[` + enWords + `]}`},
		{`{"k":[{"locale":"en","value":[]},` + frWords + `]}`, []string{"fr"}, `{"k":[` + frWords + `]}`},
		{`{"k":[` + enWords + `]}`, []string{"fr"}, `{"k":[]}`},
		{`{"a":"[{\"locale\":\"en\",\"value\":\"A\"}]"}`, []string{"fr"}, `{"a":"[{\"locale\":\"en\",\"value\":\"A\"}]"}`},
	} {
		var set release.LocaleSet
		if test.locales != nil {
			set = r.Locales(test.locales)
		}
		if got := string(r.AppendInLocales([]byte(":"), []byte(test.json), set)); got != ":"+test.want {
			t.Errorf("%s in locales %q:\ngot  %s\nwant %s", test.json, test.locales, got[1:], test.want)
		}
	}
}
