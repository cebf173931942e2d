package view_test

import (
	"strings"
	"testing"

	"placard/internal/show/view"
)

func TestDatesAreInTheFormOfTheReader(t *testing.T) {
	for _, test := range []struct{ locale, date, want string }{
		{"en", "2026-10-21", "21 October 2026"},
		{"en-GB", "2026-10-01", "1 October 2026"},
		{"fr", "2026-10-21", "21 octobre 2026"},
		{"fr", "2026-10-01", "1er octobre 2026"},
		{"es", "2026-10-21", "21 de octubre de 2026"},
		{"ja", "2026-10-21", "2026年10月21日"},
		{"de", "2026-10-21", "2026-10-21"},
	} {
		document := strings.NewReplacer("2026-02-03", test.date, `"locale": "en"`, `"locale": "`+test.locale+`"`).Replace(string(file(t, "everything.json")))
		m, err := view.Resolved(resolved(t, []byte(document)), demo(t)).Model(test.locale, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Updated.Value.String(); got != test.want {
			t.Errorf("%s in %s: got %q, want %q", test.date, test.locale, got, test.want)
		}
	}
}
