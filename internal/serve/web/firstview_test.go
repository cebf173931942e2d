package web_test

import (
	"compress/gzip"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// addresses are pages of every kind of the built-in taxonomy.
var addresses = append(slices.Clone(kinds),
	"/?q=camera",
	"/?q=zzzzz",
	"/?lang=ja",
	"/compare/"+beta+"/"+stable+"?lang=fr",
	"/compare/"+stable+"/"+stable,
	"/docs?q=etag",
	"/docs/export?lang=ja",
	"/docs/codes/rate_limitd",
	"/docs/api-reference/validate?lang=fr",
	"/schemas/place@latest/element/"+strings.Repeat("x", 200),
	"/explore/"+beta,
	"/explore/"+beta+"?q=camxxera&category=data&lang=fr", // no hits
	"/explore/"+beta+"/kept_for?lang=ja",
)

// kinds has one page of each kind.
var kinds = []string{
	"/",
	"/mcp",
	"/compare",
	"/compare/" + stable + "/" + beta,
	"/docs",
	"/docs/adr/0013-raster",
	"/docs/codes",
	"/docs/codes/INSTANCE_VARIABLE_UNKNOWN",
	"/docs/none", // an error
	"/docs/api-reference",
	"/docs/api-reference/listElements",
	"/explore/" + beta + "?q=camera",
	"/explore/" + stable + "/face_template",
	"/explore/" + stable + "/worksheet",
	"/explore/" + stable + "/video_camra", // no such element
}

var assetReference = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// maxFirstView is the compressed size in bytes of everything that a browser loads
// before it draws a page.
const maxFirstView = 60_000

func TestFirstViewIsSmall(t *testing.T) {
	s := builtinService(t)
	for _, path := range addresses {
		page := s.do("GET", path, "Accept-Encoding", "gzip")
		size := len(page.body)
		for _, match := range assetReference.FindAllStringSubmatch(unzip(t, page), -1) {
			size += len(s.get(match[1], "Accept-Encoding", "gzip").body)
		}
		if t.Logf("%s: %d bytes", path, size); size > maxFirstView {
			t.Errorf("%s: got %d bytes, want at most %d", path, size, maxFirstView)
		}
	}
}

// unzip returns the decompressed body of a response.
func unzip(tb testing.TB, r response) string {
	tb.Helper()
	if r.header.Get("Content-Encoding") != "gzip" {
		return r.body
	}
	reader, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		tb.Fatal(err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		tb.Fatal(err)
	}
	return string(body)
}
