package datachain

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"placard/internal/core/taxonomy"
)

func TestActionLink(t *testing.T) {
	for _, tc := range []struct{ kind, target, want string }{
		{"url", "https://example.org/a?b=c&d=%20#e", "https://example.org/a?b=c&d=%20#e"},
		{"url", "HTTPS://Example.org", "https://Example.org"},
		{"url", " https://example.org\n", "https://example.org"},
		{"url", "https://example.org/\u202Egro.live", "https://example.org/gro.live"},
		{"url", `https://example.org/"><script>`, "https://example.org/%22%3E%3Cscript%3E"},
		{"url", "https://ex\u00E4mple.org/\u00FC", "https://ex%C3%A4mple.org/%C3%BC"},
		{"url", "https://bank.example@evil.example/", ""},
		{"url", "https:example.org", ""},
		{"url", "https://", ""},
		{"url", "http://example.org", ""},
		{"url", "javascript:alert(1)", ""},
		{"url", "ht\ttps://example.org", "https://example.org"},
		{"url", "java\nscript:alert(1)", ""},
		{"url", "data:text/html,x", ""},
		{"url", "//example.org", ""},
		{"url", "/etc/passwd", ""},
		{"url", "", ""},
		{"form", "https://example.org/form", "https://example.org/form"},
		{"email", "someone@example.org", "mailto:someone@example.org"},
		{"email", "mailto:someone@example.org?subject=A b", "mailto:someone@example.org?subject=A%20b"},
		{"email", "MAILTO:someone@example.org", "mailto:someone@example.org"},
		{"email", "someone", ""},
		{"email", "a@b, c@d", ""},
		{"email", "javascript:alert(1)@example.org", ""},
		{"email", "https:someone@example.org", ""},
		{"phone", "+44 1632 960001", "tel:+441632960001"},
		{"phone", "(01632) 960-001", "tel:01632960001"},
		{"phone", "tel:+441632960001", "tel:+441632960001"},
		{"phone", "112", "tel:112"},
		{"phone", "call me", ""},
		{"phone", "1", ""},
		{"phone", "44+1632", ""},
		{"phone", "javascript:alert(1)", ""},
		{"postal", "1 High Street", ""},
		{"postal", "https://example.org", "https://example.org"},
		{"other", "someone@example.org", ""},
	} {
		if got := (&Action{Type: tc.kind, Target: tc.target}).Link(); got != tc.want {
			t.Errorf("%s %q: got %q, want %q", tc.kind, tc.target, got, tc.want)
		}
	}
}

func TestActionLinkHasAllowedScheme(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &Action{
			Type:   rapid.SampledFrom([]string{"url", "form", "email", "phone", "postal"}).Draw(t, "type"),
			Target: rapid.SampledFrom([]string{"", "https://", "mailto:", "tel:", "javascript:", "ht\ttps:"}).Draw(t, "scheme") + rapid.String().Draw(t, "rest"),
		}
		link := a.Link()
		switch scheme, _, _ := strings.Cut(link, ":"); scheme {
		case "", "https", "mailto", "tel":
		default:
			t.Fatalf("link %q has scheme %s", link, scheme)
		}
		if strings.ContainsAny(link, "<>\"' \n") {
			t.Fatalf("link %q is not escaped", link)
		}
	})
}

func TestAddressesMatchTheTypeOfTheirAction(t *testing.T) {
	for _, test := range []struct{ kind, target, want string }{
		{"email", "ask@example.org", ""},
		{"email", "mailto:ask@example.org?subject=Gate%207", ""},
		{"email", "ask at example.org", "ask@example.org"},
		{"email", "a@example.org, b@example.org", "one action for each"},
		{"email", "https://example.org/ask", "ask@example.org"},
		{"email", "+44 1632 960001", "ask@example.org"},
		{"url", "https://example.org/ask", ""},
		{"url", "http://example.org", ""},
		{"url", "www.example.org/ask", "https://example.org/ask"},
		{"url", "ask@example.org", "https://example.org/ask"},
		{"url", "ask us", "https://example.org/ask"},
		{"url", "https://", "https://example.org/ask"},
		{"url", "ftp://example.org", "https://example.org/ask"},
		{"form", "/forms/7", "https://example.org/ask"},
		{"phone", "+44 (0)1632 960001", ""},
		{"phone", "tel:112", ""},
		{"phone", "ask the desk", "+44 1632 960001"},
		{"phone", "ask@example.org", "+44 1632 960001"},
		{"postal", "1 High Street\\nGrimsby", ""},
	} {
		report := mustRun(t, OpValidate, with(change{"elements[2].actions[0]", `{"type": "` + test.kind + `", "label": [{"locale": "en", "value": "Write to us"}], "target": "` + test.target + `"}`}))
		if !report.OK() || len(report.Warnings) > 1 {
			t.Fatalf("%s %q: got %v, want at most one warning", test.kind, test.target, report)
		}
		var hint string
		for _, p := range report.Warnings {
			hint = p.FixHint
		}
		if !strings.Contains(hint, test.want) || (hint == "") != (test.want == "") {
			t.Errorf("%s %q: got hint %q, want %q", test.kind, test.target, hint, test.want)
		}
	}
}

func TestUnsafeAddressesAreErrorsInEveryOperation(t *testing.T) {
	for _, target := range []string{`javascript:alert(1)`, ` Java\tScript\n:alert(1)`, `\u0001vbscript:x`, `data:text/html,x`, `file:///etc/passwd`, `blob:x`} {
		for _, kind := range ActionTypes {
			action := change{"elements[2].actions[0]", `{"type": "` + kind + `", "label": [{"locale": "en", "value": "Write to us"}], "target": "` + target + `"}`}
			for op, document := range map[Operation]string{
				OpValidate: with(action), OpResolve: with(action), OpValidateResolved: resolvedWith(action),
			} {
				if got := codesAt(mustRun(t, op, document)); !slices.Equal(got, []string{"address_unsafe elements[2].actions[0].target"}) {
					t.Errorf("%s, %s %q: got %v, want address_unsafe", op, kind, target, got)
				}
			}
		}
	}
	suggested := resolvedWith(
		change{"authoring_provenance", `{"kind": "ai_generated"}`},
		change{"suggested_elements", `[{"id": "lidar", "title": [], "category_id": "sensing", "sources": [{"type": "", "title": "", "url": "javascript:x"}]}]`},
	)
	if got := codesAt(mustRun(t, OpValidateResolved, suggested)); !slices.Equal(got, []string{"address_unsafe suggested_elements[0].sources[0].url"}) {
		t.Errorf("got %v, want address_unsafe in a suggested element", got)
	}
}

// A release that was published with such a URL must still resolve to valid
// documents.
func TestURLsInSnapshotsAreNotChecked(t *testing.T) {
	tax := ExampleTaxonomy()
	tax.Categories[0].Sources = []taxonomy.Source{{Type: "law", Title: "Act", URL: "javascript:x"}}
	schema := NewSchema(tax)
	d, _, err := Parse([]byte(exampleDocument), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(d, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := run(OpValidateResolved, r.Document(), schema, nil); err != nil || !report.OK() {
		t.Errorf("got %v, error %v, want no errors", report, err)
	}
}
