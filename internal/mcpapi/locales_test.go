package mcpapi

import (
	"testing"

	"placard/internal/query"
)

func TestAppendInLocalesOmitsOtherLocales(t *testing.T) {
	const all = `[{"locale":"en","value":"A"},{"locale":"fr","value":"B \"C\\"},{"locale":"pt-BR","value":"{\"locale\":\"en\",\"value\":\"D\"}"}]`
	for _, test := range []struct {
		json    string
		locales query.Locales
		want    string
	}{
		{all, nil, all},
		{all, query.Locales{}, `[]`},
		{all, query.Locales{"en"}, `[{"locale":"en","value":"A"}]`},
		{all, query.Locales{"FR"}, `[{"locale":"fr","value":"B \"C\\"}]`},
		{all, query.Locales{"pt-br"}, `[{"locale":"pt-BR","value":"{\"locale\":\"en\",\"value\":\"D\"}"}]`},
		{all, query.Locales{"pt-BR", "en"}, `[{"locale":"en","value":"A"},{"locale":"pt-BR","value":"{\"locale\":\"en\",\"value\":\"D\"}"}]`},
		{`{"a":` + all + `,"b":[],"c":{"d":` + all + `}}`, query.Locales{"xx"}, `{"a":[],"b":[],"c":{"d":[]}}`},
		{`[[],{"locale":"fr","value":"A"},7]`, query.Locales{"en"}, `[[],7]`},

		// Objects that are not texts of a localized string are kept.
		{`{"locale":"fr","value":"A"}`, query.Locales{"en"}, `{"locale":"fr","value":"A"}`},
		{`{"a":{"locale":"fr","value":"A"}}`, query.Locales{"en"}, `{"a":{"locale":"fr","value":"A"}}`},
		{`[{"locale":"fr"}]`, query.Locales{"en"}, `[{"locale":"fr"}]`},
		{`[{"locale":7,"value":"A"}]`, query.Locales{"en"}, `[{"locale":7,"value":"A"}]`},
		{`[{"locale":"fr","value":7}]`, query.Locales{"en"}, `[{"locale":"fr","value":7}]`},
		{`[{"locale":"fr","value":"A","b":[{"locale":"fr","value":"A"}]}]`, query.Locales{"en"}, `[{"locale":"fr","value":"A","b":[]}]`},
	} {
		if got := string(appendInLocales([]byte(":"), []byte(test.json), test.locales)); got != ":"+test.want {
			t.Errorf("%s in %q:\ngot  %s\nwant %s", test.json, test.locales, got[1:], test.want)
		}
	}
}
