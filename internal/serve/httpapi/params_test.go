package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestParamsAgreeWithParseQuery(t *testing.T) {
	pieces := []string{"&", "=", "a", "b", "%61", "%26", "%3D", "%3b", "+", "%", "%6", "%zz", ";", "é", "%C3%A9", "%C3", "%FF", "%00"}
	rapid.Check(t, func(t *rapid.T) {
		raw := ""
		for _, piece := range rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces") {
			raw += piece
		}
		want, wantErr := url.ParseQuery(raw)
		for name, values := range want {
			if wantErr == nil && !utf8.ValidString(name+"&"+strings.Join(values, "&")) {
				wantErr = errors.New("invalid UTF-8")
			}
		}
		err := checkQueryString(raw)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: got error %v, want %v", raw, err, wantErr)
		}
		if err != nil {
			return
		}
		got := paramsOf(&http.Request{URL: &url.URL{RawQuery: raw}})
		for _, name := range []string{"a", "b", "ab", "a b", "é", "&", "="} {
			if got.get(name) != want.Get(name) {
				t.Fatalf("parameter %q of %q: got %q, want %q", name, raw, got.get(name), want.Get(name))
			}
		}
	})
}
