package compress

import (
	"net/http"
	"testing"
)

func TestKnownTag(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header []string
		want   bool
	}{
		{"no header", nil, false},
		{"an empty header", []string{""}, false},
		{"the tag", []string{`"a"`}, true},
		{"a weak tag", []string{`W/"a"`}, true},
		{"another tag", []string{`"b"`}, false},
		{"a longer tag", []string{`"aa"`}, false},
		{"a list", []string{`"b", W/"c" ,"a"`}, true},
		{"a tag with a comma", []string{`"b,c", "a"`}, true},
		{"several headers", []string{`"b"`, `"a"`}, true},
		{"any tag", []string{"*"}, true},
		{"an asterisk in a tag", []string{`"*"`}, false},
		{"a tag without quotes", []string{"a"}, false},
		{"an open quote", []string{`"a`}, false},
		{"only separators", []string{" ,\t, "}, false},
	} {
		r := &http.Request{Header: http.Header{}}
		if tt.header != nil {
			r.Header["If-None-Match"] = tt.header
		}
		if got := KnownTag(r, `"a"`) != ""; got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTagsDifferBetweenCodings(t *testing.T) {
	if got := tagInCoding(`"a"`, Identity); got != `"a"` {
		t.Errorf("identity: got %s, want the tag itself", got)
	}
	if got := tagInCoding(`"a"`, Brotli); got != `"a-br"` {
		t.Errorf("br: got %s, want %s", got, `"a-br"`)
	}
}

func TestTagsInAnyCodingAreKnown(t *testing.T) {
	for header, want := range map[string]string{
		`"a"`:             `"a"`,
		`"a-br"`:          `"a-br"`,
		`"b", W/"a-zstd"`: `"a-zstd"`,
		`"ab-br", "b"`:    "",
		"*":               `"a"`,
		"":                "",
	} {
		r := &http.Request{Header: http.Header{"If-None-Match": {header}}}
		if got := KnownTag(r, `"a"`); got != want {
			t.Errorf("%s: got %s, want %s", header, got, want)
		}
	}
}
