package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pageStyles are the style sheets of single pages, and the selectors that may start
// theirs: a class of the page, or a class whose name begins with the page's.
var pageStyles = map[string]*regexp.Regexp{
	"30-home.css":      regexp.MustCompile(`^\.home\b`),
	"40-explore.css":   regexp.MustCompile(`^\.(explored?|categories)\b|^:is\(\.explored, \.home\)|^(main|#results|body):has\([^)]*\.explore\)`),
	"50-element.css":   regexp.MustCompile(`^\.element\b`),
	"60-compare.css":   regexp.MustCompile(`^\.(compare|diff)\b`),
	"70-docs.css":      regexp.MustCompile(`^\.docs\b`),
	"80-reference.css": regexp.MustCompile(`^\.(reference|operations?|docs)\b`),
	"45-worksheet.css": regexp.MustCompile(`^(body:has\()?\.worksheet\b`),
	"90-preview.css":   regexp.MustCompile(`^\.preview-`),
}

// sharedStyles are the style sheets of all pages.
var sharedStyles = []string{"20-frame.css", "22-search.css", "25-copy.css", "26-error.css"}

var (
	cssComment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssSelector = regexp.MustCompile(`(?:^|[{};])([^{};@]+)\{`)
	// cssList separates the selectors of a list, but not those in parentheses.
	cssList = regexp.MustCompile(`,\n`)
)

func TestStylesOfAPageDoNotAffectOthers(t *testing.T) {
	files, err := filepath.Glob("css/*.css")
	if err != nil {
		t.Fatal(err)
	}
	if want := len(pageStyles) + len(sharedStyles); len(files) != want {
		t.Errorf("got %d style sheets, want %d: %v", len(files), want, files)
	}
	for name, scope := range pageStyles {
		text, err := os.ReadFile(filepath.Join("css", name))
		if err != nil {
			t.Fatal(err)
		}
		rules := cssSelector.FindAllStringSubmatch(cssComment.ReplaceAllString(string(text), ""), -1)
		if len(rules) < 5 {
			t.Errorf("%s: got only %d rules", name, len(rules))
		}
		for _, rule := range rules {
			for _, selector := range cssList.Split(strings.TrimSpace(rule[1]), -1) {
				if selector = strings.TrimSpace(selector); !scope.MatchString(selector) {
					t.Errorf("%s: the selector %q also matches elements of other pages", name, selector)
				}
			}
		}
	}
}
