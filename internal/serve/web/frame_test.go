package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"placard/internal/core/taxonomy"
	"placard/internal/serve/web"
	"placard/internal/storage/builtin"
)

var (
	crumbList = regexp.MustCompile(`(?s)<nav class="crumbs".*?</nav>`)
	crumbLink = regexp.MustCompile(`<a href="([^"]+)">(.*?)</a>`)
	markup    = regexp.MustCompile(`<[^>]*>`)
)

func TestPagesLinkToThoseAboveThem(t *testing.T) {
	s := builtinService(t)
	const release = "/explore/" + stable
	for path, want := range map[string]string{
		"/":                                "",
		release:                            "/ Home",
		release + "?q=camera":              "/ Home, " + release + " Sensing in public places",
		release + "?category=data&lang=fr": "/?lang=fr Accueil, " + release + "?lang=fr Capteurs dans l’espace public",
		release + "/radar":                 "/ Home, " + release + " Sensing in public places, " + release + "#question-sensing Which devices does it use?",
		release + "/worksheet":             "/ Home, " + release + " Sensing in public places",
		"/compare":                         "/ Home",
		"/compare/" + stable + "/" + beta:  "/ Home, /explore/" + beta + " Sensing in public places",
		"/docs":                            "/ Home",
		"/docs/api":                        "/ Home, /docs Documentation",
		"/docs/adr/0013-raster":            "/ Home, /docs Documentation, /docs/adr Decisions",
		"/docs/codes":                      "/ Home, /docs Documentation",
		"/docs/codes/PAGE":                 "/ Home, /docs Documentation, /docs/codes Error codes",
		"/docs/codes/rate_limited":         "/ Home, /docs Documentation, /docs/codes#requests Error codes",
		"/docs/api-reference/render":       "/ Home, /docs Documentation, /docs/api-reference#documents API reference",
	} {
		var got []string
		for _, match := range crumbLink.FindAllStringSubmatch(crumbList.FindString(s.do("GET", path).body), -1) {
			got = append(got, match[1]+" "+html.UnescapeString(markup.ReplaceAllString(match[2], "")))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: got the links %q, want %q", path, got, want)
		}
	}
}

var currentSection = regexp.MustCompile(`aria-current="(\w+)">(Signs|Documentation)</a>`)

func TestHeaderMarksTheCurrentSection(t *testing.T) {
	s := builtinService(t)
	for path, want := range map[string]string{
		"/": "page Signs", "/?q=camera": "true Signs", "/explore/" + stable: "page Signs", "/explore/" + stable + "/radar": "true Signs",
		"/compare": "true Signs", "/docs": "page Documentation", "/docs/api": "true Documentation", "/docs/codes/rate_limited": "true Documentation",
	} {
		var got []string
		for _, match := range currentSection.FindAllStringSubmatch(s.get(path).body, -1) {
			got = append(got, match[1]+" "+match[2])
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestListOfGuidesMarksTheDecisions(t *testing.T) {
	s := builtinService(t)
	for path, current := range map[string]string{"/docs/adr": "page", "/docs/adr/0013-raster": "true"} {
		s.get(path).contains(t, `<a href="/docs/adr" lang="en" aria-current="`+current+`">Decisions</a>`)
	}
}

func TestFooterNamesThePublisherAndTheLicence(t *testing.T) {
	builtinService(t).get("/").lacks(t, "Published by", "Texts and icons:")
	s := newService(t, builtin.Store(), web.Options{
		Publisher:   web.Link{Name: "<City>", Address: "https://city.example"},
		Licence:     web.Link{Name: "CC0"},
		FooterLinks: []web.Link{{Name: "Contact", Address: "mailto:info@city.example"}},
		Version:     "v1.2.3",
	})
	for _, path := range []string{"/", "/docs", "/explore/" + stable} {
		s.get(path).contains(t, `Published by <a href="https://city.example">&lt;City&gt;</a>`, "Texts and icons: CC0</li>",
			`<a href="mailto:info@city.example">Contact</a>`, "Placard v1.2.3")
	}
	s.get("/?lang=fr").contains(t, "Publié par <a", "Textes et icônes : CC0")
}

var elementID = regexp.MustCompile(` id="([^"]+)"`)

func TestIDsOfCategoriesAreNotThoseOfThePage(t *testing.T) {
	r := compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		rename := func(before, after string) {
			for i := range x.Categories {
				if x.Categories[i].ID == before {
					x.Categories[i].ID = after
				}
			}
			for i := range x.Elements {
				if x.Elements[i].CategoryID == before {
					x.Elements[i].CategoryID = after
				}
			}
			for i := range x.Type.Categories {
				if x.Type.Categories[i] == before {
					x.Type.Categories[i] = after
				}
			}
		}
		rename(x.Categories[0].ID, "main")
		rename(x.Categories[1].ID, "results")
	})
	s := publishedService(t, r)
	for _, path := range []string{"/explore/" + r.Name(), "/explore/" + r.Name() + "/worksheet"} {
		seen := make(map[string]bool)
		for _, id := range submatches(elementID, s.get(path).body) {
			if seen[id] {
				t.Errorf("%s: the id %s occurs twice", path, id)
			}
			seen[id] = true
		}
		if !seen["question-main"] {
			t.Errorf("%s: got the ids %v, want question-main", path, seen)
		}
	}
}

func TestErrorsAreExplainedInTheReadersLanguage(t *testing.T) {
	s := builtinService(t)
	for _, tc := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/docs/none?lang=fr", http.StatusNotFound, "L’adresse est peut-être mal écrite"},
		{"GET", "/explore/" + stable + "?category=none&lang=ja", http.StatusNotFound, "アドレスが間違っているか"},
		{"GET", "/explore/" + stable + "?q=a&cursor=x&lang=es", http.StatusBadRequest, "La dirección contiene una parte"},
		{"POST", "/docs?lang=es", http.StatusMethodNotAllowed, "Las páginas solo se pueden leer."},
	} {
		got := s.do(tc.method, tc.path)
		if got.status != tc.status {
			t.Errorf("%s: got status %d, want %d", tc.path, got.status, tc.status)
		}
		contains(t, tc.path, got.body, tc.want, `<div class="note" lang="en">`)
	}
}

var inlineStyle = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

func TestRenderedDisclosuresMayHaveTheirStyle(t *testing.T) {
	s := exampleService(t)
	match := inlineStyle.FindStringSubmatch(s.get("/example/" + stable + "/smart_crossing").body)
	if match == nil {
		t.Fatal("the disclosure has no style")
	}
	sum := sha256.Sum256([]byte(match[1]))
	source := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if got := s.get("/docs/api-reference/render").header.Get("Content-Security-Policy"); !strings.HasSuffix(got, "style-src 'self' "+source) {
		t.Errorf("got the policy %q, want it to allow %s", got, source)
	}
	if got := s.get("/docs/api-reference/validate").header.Get("Content-Security-Policy"); strings.Contains(got, "sha256") {
		t.Errorf("got the policy %q, want it to allow no inline styles", got)
	}
}

func TestMenusListTheNewestVersions(t *testing.T) {
	var ids []string
	for i := range 60 {
		ids = append(ids, fmt.Sprintf("small@%d-%02d-01-stable", 2020+i/12, i%12+1))
	}
	s := newService(t, publishedFolder(t, ids...), web.Options{})
	oldest, newest := ids[0], ids[59]
	menu := regexp.MustCompile(`data-keep-place>\d+ \w+ \d+ · stable</a></li>`)
	page := s.get("/explore/" + oldest)
	page.contains(t, `<a href="/explore/`+newest+`"`, `<a href="/explore/`+oldest+`" aria-current="true"`)
	if got := len(menu.FindAllString(page.body, -1)); got != 50 {
		t.Errorf("got %d versions in the menu, want 50", got)
	}
	home := s.get("/")
	home.contains(t, `<a href="/explore/`+ids[9]+`"`)
	home.lacks(t, ids[8])
}
